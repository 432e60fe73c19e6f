#include "tilewright/runtime/executor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <numeric>
#include <set>
#include <span>
#include <utility>

#include "banded_computation.hpp"
#include "concurrent_writes.hpp"
#include "early_collection.hpp"
#include "edge_computation.hpp"
#include "extraction.hpp"
#include "image_store.hpp"
#include "plan_check.hpp"
#include "reduction_tree.hpp"
#include "restricted.hpp"
#include "shared_places.hpp"
#include "step_clock.hpp"
#include "step_preparation.hpp"
#include "tilewright/core/border_fill.hpp"
#include "tilewright/core/edges.hpp"
#include "tilewright/core/error.hpp"
#include "tilewright/model/concurrent_steps.hpp"
#include "tilewright/runtime/files_in_sight.hpp"
#include "tilewright/runtime/point_to_point.hpp"
#include "tilewright/runtime/schedule_runner.hpp"
#include "tilewright/runtime/shared_memory.hpp"

namespace tilewright {
namespace {

constexpr int extra_tag = 32767;  // of what goes to ranks beyond the plan's

/// Runs the steps of one plan on this rank.
class Execution {
 public:
  Execution(const Plan& plan, const Pipeline& pipeline, const Communicator& communicator)
      : plan_(plan),
        pipeline_(pipeline),
        communicator_(communicator),
        rank_(communicator.rank()),
        works_(rank_ < plan.ranks),
        prepared_(prepare_steps(plan, pipeline, rank_, communicator.ranks())),
        places_(shared_places(plan)),
        store_(pipeline.images.size()) {
    outputs_.resize(pipeline.outputs.size());
    if (places_.bytes > 0) shared_ = shared_memory(communicator, places_.bytes);
  }

  /// Steps that follow each other, at the same time if there are several. Returns what part of the time each of them
  /// took.
  std::vector<double> run(std::size_t first, std::size_t count) {
    const std::span<const PlanStep> steps = std::span(plan_.steps).subspan(first, count);
    std::vector<double> parts(count, 1.0 / static_cast<double>(count));
    if (is_banded(steps.front()))
      parts = compute_and_write(steps, prepared_[first]);
    else if (steps.front().overlapped)
      parts = exchange_and_compute(steps, std::span(prepared_).subspan(first, count));
    else if (steps.front().kind == StepKind::write && steps.front().site == Site::root)
      write(steps);
    else
      run(steps.front(), prepared_[first]);
    for (const PlanStep& step : steps) let_go(step);
    return parts;
  }

  /// What the program gets: whole images that were fetched or kept.
  std::vector<OutputResult> finish() {
    std::set<int> fetched;  // once, and before any is handed out: several outputs may be of one image
    for (const PipelineOutput& output : pipeline_.outputs) {
      if (output.kind == OutputKind::fetch && fetched.insert(output.image).second) send_to_idle_ranks(output.image);
    }
    for (std::size_t i = 0; i < pipeline_.outputs.size(); ++i) {
      const PipelineOutput& output = pipeline_.outputs[i];
      if (output.kind == OutputKind::keep && plan_.images[static_cast<std::size_t>(output.image)].stays_on_tiles) {
        outputs_[i].tiled_on = plan_.grid;
        outputs_[i].pixels = works_ ? tile_for_program(output.image) : nullptr;
        continue;
      }
      const bool wanted = output.kind == OutputKind::fetch || (output.kind == OutputKind::keep && rank_ == 0);
      if (wanted) outputs_[i].pixels = whole_for_program(output.image);
    }
    return std::move(outputs_);
  }

  [[nodiscard]] std::int64_t peak_bytes() { return store_.account().peak(); }

 private:
  void run(const PlanStep& step, const StepPreparation& prepared) {
    switch (step.kind) {
      case StepKind::read:
        read(step);
        break;
      case StepKind::scatter:
      case StepKind::gather:
      case StepKind::broadcast:
      case StepKind::exchange:
        transfer(step, prepared);
        break;
      case StepKind::redistribute:
        redistribute(step, prepared);
        break;
      case StepKind::compute:
        compute(step, prepared);
        break;
      case StepKind::reduce:
        reduce(step);
        break;
      case StepKind::write:
        write_tile(step);
        break;
      case StepKind::allgather:
        throw ParameterError(
            fmt::format("the plan has a step of kind {}, which this version cannot execute", to_string(step.kind)));
    }
  }

  void let_go(const PlanStep& step) {
    for (const Release& release : step.releases) {
      if (release.whole)
        store_.release_whole(release.image);
      else
        store_.release_tile(release.image);
    }
  }

  [[nodiscard]] const PipelineImage& image(int index) const {
    return pipeline_.images[static_cast<std::size_t>(index)];
  }
  [[nodiscard]] Halo storage_halo(int index) const {
    return plan_.images[static_cast<std::size_t>(index)].storage_halo;
  }
  /// Whole images have a halo only where they are never moved.
  [[nodiscard]] Halo whole_halo(int index) const { return plan_.ranks == 1 ? storage_halo(index) : Halo{}; }
  [[nodiscard]] Rect own_tile(const PlanStep& step, int index) const {
    return tile_of(image(index).shape.extent, grid_of(plan_, step), rank_);
  }

  /// Whether this rank has a tile that the step works on. A root that only communicates has none.
  [[nodiscard]] bool has_tile(const PlanStep& step) const { return works_ && !own_tile(step, step.image).empty(); }

  [[nodiscard]] bool is_shared(int index) const { return places_.offset[static_cast<std::size_t>(index)].has_value(); }
  /// Where an image lies that ranks share.
  [[nodiscard]] std::byte* shared_pixels(int index) const {
    return shared_->data() + *places_.offset[static_cast<std::size_t>(index)];
  }

  /// Room for a whole image of this rank.
  [[nodiscard]] Raster new_whole(int index) const {
    const ImageShape& shape = image(index).shape;
    if (rank_ != 0 || !is_shared(index)) return {shape, whole_halo(index)};
    return Raster::placed(std::shared_ptr<std::byte>(shared_, shared_pixels(index)), shape);
  }

  void read(const PlanStep& step) {
    if (step.site == Site::tiles) {
      read_tile(step);
      return;
    }
    if (rank_ != 0) return;
    const Source& source = *image(step.image).source;
    store_.put_whole(step.image, is_shared(step.image) ? loaded_to_shared(step.image) : loaded(step.image));
    store_.account().touch(source.scratch_bytes());
  }

  void read_tile(const PlanStep& step) {
    if (!has_tile(step)) return;
    const PipelineImage& read = image(step.image);
    const Rect own = own_tile(step, step.image);
    Raster tile(own, storage_halo(step.image), read.shape.format);
    const Halo halo = in_cut_directions(step.exchanged, grid_of(plan_, step));
    read.source->read_part(grown(own, halo, read.shape.extent), tile.view());
    store_.put_tile(step.image, std::move(tile));
  }

  [[nodiscard]] Raster loaded_to_shared(int index) const {
    Raster raster = new_whole(index);
    image(index).source->load_into(raster.view());
    return raster;
  }

  [[nodiscard]] Raster loaded(int index) const {
    const Source& source = *image(index).source;
    Raster raster = source.load(whole_halo(index));
    if (raster.shape() != image(index).shape) {
      throw RuntimeError(fmt::format("{} has changed: it was {}, and is now {}", source.describe(),
                                     to_string(image(index).shape), to_string(raster.shape())));
    }
    const Halo room = whole_halo(index);
    const bool is_copied = raster.is_lent() && !is_lent(image(index), room);
    return is_copied ? raster.copy(room) : std::move(raster);
  }

  void transfer(const PlanStep& step, const StepPreparation& prepared) {
    if (!prepared.schedule) return;
    const PipelineImage& moved = image(step.image);
    HeldImage& held = store_.at(step.image);
    if (step.kind == StepKind::scatter) {
      store_.put_tile(step.image, Raster(own_tile(step, step.image), storage_halo(step.image), moved.shape.format));
    }
    const bool gets_whole =
        (step.kind == StepKind::gather && rank_ == 0) || (step.kind == StepKind::broadcast && rank_ != 0);
    if (gets_whole && !step.in_turn) store_.put_whole(step.image, new_whole(step.image));
    if (step.in_turn && rank_ == 0) await_results();
    if (step.in_turn && step.kind == StepKind::gather) {
      collect(step, prepared);
      return;
    }
    ScheduleBuffers buffers;
    if (!held.whole.empty()) buffers.whole = held.whole.view();
    if (!held.tile.empty()) buffers.tile = held.tile.view();
    if (shared_ && is_shared(step.image)) {
      const Rect area = rect_of(moved.shape.extent);
      buffers.shared = MutableView(shared_pixels(step.image), area, area, moved.shape.format);
    }
    run_schedule(*prepared.schedule, buffers, communicator_);
    store_.account().touch(prepared.schedule->scratch_bytes(rank_));
    if (step.kind == StepKind::exchange) held.tile_border.reset();
  }

  /// The root makes room for what it gathers in turn, and is ready for it from now on.
  void await_results() {
    if (!collections_.empty()) return;
    for (std::size_t i = 0; i < plan_.steps.size(); ++i) {
      const PlanStep& step = plan_.steps[i];
      if (step.kind != StepKind::gather || !step.in_turn) continue;
      store_.put_whole(step.image, new_whole(step.image));
      collections_.try_emplace(step.image, *prepared_[i].schedule, store_.at(step.image).whole.view(),
                               collection_of(step), communicator_);
    }
  }

  /// Which of the plan's gathers in turn the step is, from 0 on.
  [[nodiscard]] int collection_of(const PlanStep& step) const {
    return static_cast<int>(std::count_if(plan_.steps.data(), &step, [](const PlanStep& earlier) {
      return earlier.kind == StepKind::gather && earlier.in_turn;
    }));
  }

  void collect(const PlanStep& step, const StepPreparation& prepared) {
    const Raster& tile = store_.at(step.image).tile;
    if (rank_ == 0)
      collections_.at(step.image).finish(tile.view());
    else
      send_to_collection(*prepared.schedule, store_.at(step.image).tile.view(), collection_of(step), communicator_);
    store_.account().touch(prepared.schedule->scratch_bytes(rank_));
  }

  /// Both tiles are there at a time.
  void redistribute(const PlanStep& step, const StepPreparation& prepared) {
    if (!prepared.schedule) return;
    HeldImage& held = store_.at(step.image);
    Raster tile(own_tile(step, step.image), storage_halo(step.image), image(step.image).shape.format);
    ScheduleBuffers buffers;
    buffers.tile = tile.view();
    buffers.former = held.tile.view();
    run_schedule(*prepared.schedule, buffers, communicator_);
    store_.account().touch(tile.bytes() + prepared.schedule->scratch_bytes(rank_));
    store_.put_tile(step.image, std::move(tile));
  }

  void compute(const PlanStep& step, const StepPreparation& prepared) {
    if (step.site == Site::tiles && has_tile(step)) compute_tile(step, prepared);
    if (step.site == Site::root && rank_ == 0) compute_whole(step, prepared);
  }

  void compute_tile(const PlanStep& step, const StepPreparation& prepared) {
    const Halo margin = in_cut_directions(step.margin, grid_of(plan_, step));
    const Rect area = grown(own_tile(step, step.image), margin, image(step.image).shape.extent);
    const std::vector<ConstView> inputs = tile_inputs(step, area, margin);
    std::vector<Raster> outputs = new_tiles(step);
    image(step.image).op->compute_all(inputs, views_of(outputs, area), {threads_of(plan_, step)});
    put_tiles(step, std::move(outputs));
    store_.account().touch(prepared.scratch_bytes);
  }

  /// The inputs of an operator on the tiles, with what it needs around `area`.
  std::vector<ConstView> tile_inputs(const PlanStep& step, const Rect& area, const Halo& margin) {
    const PipelineImage& result = image(step.image);
    std::vector<ConstView> inputs;
    for (const int input : result.inputs) {
      inputs.push_back(with_border(ensure_tile(step, input), area, margin, input, *result.op));
    }
    return inputs;
  }

  [[nodiscard]] std::vector<Raster> new_tiles(const PlanStep& step) const {
    const Rect tile = own_tile(step, step.image);
    return new_images(step, [&](int made) { return Raster(tile, storage_halo(made), image(made).shape.format); });
  }

  void put_tiles(const PlanStep& step, std::vector<Raster> tiles) {
    for (int i = 0; i < step.results; ++i) {
      store_.put_tile(step.image + i, std::move(tiles[static_cast<std::size_t>(i)]));
    }
  }

  /// An exchange whose messages travel while the operator after it computes the middle of the tile; then it computes
  /// the rest. What lies beyond the image is filled before the messages leave, which may hold some of it, and again
  /// when they have come. To the exchange counts what is not computed meanwhile.
  std::vector<double> exchange_and_compute(std::span<const PlanStep> steps, std::span<const StepPreparation> prepared) {
    const PlanStep& made = steps.back();
    if (!has_tile(made)) return {0.5, 0.5};
    const Operator& op = *image(made.image).op;
    const ComputeContext context{threads_of(plan_, made)};
    const Halo margin = in_cut_directions(made.margin, grid_of(plan_, made));
    const Extent whole = image(made.image).shape.extent;
    const Rect tile = own_tile(made, made.image);
    const Rect area = grown(tile, margin, whole);
    const Edges edges = edges_of_tile(tile, area, op.halo(), whole);
    std::vector<ConstView> inputs;
    if (!edges.middle.empty()) inputs = tile_inputs(made, edges.middle, {});
    std::vector<Raster> outputs = new_tiles(made);
    HeldImage& exchanged = ensure_tile(steps.front(), steps.front().image);

    using Clock = std::chrono::steady_clock;
    const auto begin = Clock::now();
    ScheduleUnderWay messages(*prepared.front().schedule, {.tile = exchanged.tile.view()}, communicator_);
    const auto begun = Clock::now();
    if (!edges.middle.empty()) op.compute_all(inputs, views_of(outputs, edges.middle), context);
    const auto middle_made = Clock::now();
    messages.finish();
    const auto arrived = Clock::now();
    exchanged.tile_border.reset();
    inputs = tile_inputs(made, area, margin);
    for (const Rect& strip : edges.strips) {
      op.compute_all(restricted(std::span<const ConstView>(inputs), strip), views_of(outputs, strip), context);
    }
    const std::chrono::duration<double> exchanging = (begun - begin) + (arrived - middle_made);
    const double exchange_part = exchanging / std::max<std::chrono::duration<double>>(Clock::now() - begin, exchanging);

    put_tiles(made, std::move(outputs));
    store_.account().touch(prepared.front().schedule->scratch_bytes(rank_) + prepared.back().scratch_bytes);
    return {exchange_part, 1 - exchange_part};
  }

  void compute_whole(const PlanStep& step, const StepPreparation& prepared) {
    const PipelineImage& result = image(step.image);
    const Operator& op = *result.op;
    const bool has_borders = std::all_of(result.inputs.begin(), result.inputs.end(),
                                         [&](int input) { return has_room(store_.at(input).whole, op); });
    const std::vector<ConstView> inputs = whole_inputs(result, has_borders);
    const Rect area = rect_of(result.shape.extent);
    std::vector<Raster> outputs = new_images(step, [&](int made) { return new_whole(made); });
    std::int64_t copied = 0;
    if (has_borders) {
      op.compute_all(inputs, views_of(outputs, area), {threads_of(plan_, step)});
    } else {
      copied = compute_without_border(op, inputs, views_of(outputs, area), {threads_of(plan_, step)});
    }
    for (int i = 0; i < step.results; ++i) {
      store_.put_whole(step.image + i, std::move(outputs[static_cast<std::size_t>(i)]));
    }
    store_.account().touch(copied + prepared.scratch_bytes);
  }

  [[nodiscard]] std::vector<ConstView> whole_inputs(const PipelineImage& result, bool has_borders) {
    std::vector<ConstView> inputs;
    for (const int input : result.inputs) {
      HeldImage& held = store_.at(input);
      const ConstView view = std::as_const(held.whole).view();
      const bool is_filled = has_borders && !result.op->makes_border();
      if (is_filled) fill(held.whole.view(), held.whole.halo(), held.whole_border, input, *result.op);
      inputs.push_back(is_filled ? view : view.stored_within(view.area()));
    }
    return inputs;
  }

  /// What is computed in bands, and the writes of it, by the root.
  std::vector<double> compute_and_write(std::span<const PlanStep> steps, const StepPreparation& prepared) {
    if (rank_ != 0) return std::vector(steps.size(), 0.0);
    const PlanStep& made = steps.front();
    const PipelineImage& first = image(made.image);
    BandedComputation computation{first.op.get(), whole_inputs(first, true), {}, {}, made.bands, plan_.threads};
    for (int result = made.image; result < made.image + made.results; ++result) {
      computation.results.push_back(image(result).shape);
    }
    std::int64_t scratch = bytes_of_bands(plan_, made) + prepared.scratch_bytes;
    for (const PlanStep& write : steps.subspan(1)) {
      const Sink& sink = *pipeline_.outputs[static_cast<std::size_t>(write.output)].sink;
      computation.stores.push_back({static_cast<std::size_t>(write.image - made.image), &sink});
      scratch += sink.writer_bytes(image(write.image).shape);
    }
    const BandedSeconds seconds = compute_in_bands(computation);
    store_.account().touch(scratch);
    std::vector<double> parts{seconds.computing};
    parts.insert(parts.end(), seconds.storing.begin(), seconds.storing.end());
    const double sum = std::accumulate(parts.begin(), parts.end(), 0.0);
    for (double& part : parts) part /= sum;
    return parts;
  }

  /// Whether the border that the operator reads can be filled in around the image.
  [[nodiscard]] static bool has_room(const Raster& raster, const Operator& op) {
    return op.halo().empty() || op.makes_border() || (!raster.is_lent() && raster.halo().covers(op.halo()));
  }

  /// Room for all images that the step makes.
  template <class NewImage>
  std::vector<Raster> new_images(const PlanStep& step, const NewImage& new_image) const {
    std::vector<Raster> images;
    for (int made = step.image; made < step.image + step.results; ++made) images.push_back(new_image(made));
    return images;
  }

  static std::vector<MutableView> views_of(std::vector<Raster>& rasters, const Rect& area) {
    std::vector<MutableView> views;
    for (Raster& raster : rasters) views.push_back(raster.view().restricted(area));
    return views;
  }

  /// The tile; cut out of the whole image where that is what this rank has. Of no pixels, it is there at once.
  HeldImage& ensure_tile(const PlanStep& step, int index) {
    HeldImage& held = store_.at(index);
    if (const Rect tile = own_tile(step, index); tile.empty()) {
      held.tile = Raster(tile, {}, image(index).shape.format);
    } else if (held.tile.empty()) {
      if (held.whole.empty())
        throw ParameterError(fmt::format("the plan uses {} before it is there", image(index).name));
      store_.put_tile(index,
                      extract_tile(std::as_const(held.whole).view(), own_tile(step, index), storage_halo(index)));
    }
    return held;
  }

  /// The tile for an operator that computes `area`, with what lies outside of the image filled in, or left out.
  ConstView with_border(HeldImage& held, const Rect& area, const Halo& margin, int index, const Operator& op) {
    if (!op.makes_border()) fill_around(area, margin, held, index, op);
    const ConstView view = std::as_const(held.tile).view().restricted(area);
    return op.makes_border() ? view.stored_within(known_around(held.tile, index, op)) : view;
  }

  /// Of what a tile stores, what is inside the image, and the other side of it where an exchange has brought that.
  [[nodiscard]] Rect known_around(const Raster& tile, int index, const Operator& op) const {
    const Extent whole = image(index).shape.extent;
    const Rect stored = tile.stored();
    Rect known = intersection(stored, rect_of(whole));
    const bool is_cyclic = op.border() == Border::wrap;
    if (is_cyclic && tile.area().width() < whole.width) known.x0 = stored.x0, known.x1 = stored.x1;
    if (is_cyclic && tile.area().height() < whole.height) known.y0 = stored.y0, known.y1 = stored.y1;
    return known;
  }

  /// What lies outside of the image around `area`, the tile with a margin that is inside it. As far out as any of the
  /// image's operators reads, not this one alone, if the pixels inside are there: others with the same border then find
  /// it filled.
  void fill_around(const Rect& area, const Halo& margin, HeldImage& held, int index, const Operator& op) {
    const Halo readers = pipeline_.storage_halo(index);
    const Halo stored = held.tile.halo();
    const Halo halo{std::min(readers.x, stored.x - margin.x), std::min(readers.y, stored.y - margin.y)};
    fill(held.tile.view().restricted(area), halo, held.tile_border, index, op);
  }

  void fill(const MutableView& view, const Halo& halo, std::optional<BorderFill>& filled, int index,
            const Operator& op) {
    if (op.halo().empty()) return;
    const BorderFill wanted{op.border(), op.border_value(), padded(view.area(), halo)};
    if (filled && filled->covers(wanted)) return;
    fill_border(view, image(index).shape.extent, halo, wanted.border, wanted.value);
    filled = wanted;
  }

  void reduce(const PlanStep& step) {
    const PipelineOutput& output = pipeline_.outputs[static_cast<std::size_t>(step.output)];
    const ReductionMethod& method = *output.reduction;
    const PipelineImage& reduced = image(output.image);
    std::vector<std::byte> partial(method.partial_bytes(reduced.shape.format));
    const bool on_tiles = step.site == Site::tiles;
    if (works_ && (on_tiles || rank_ == 0)) {
      const Raster& raster = on_tiles ? ensure_tile(step, output.image).tile : store_.at(output.image).whole;
      method.accumulate(raster.view(), partial);
    }
    const Algorithm algorithm = step.algorithm.value_or(Algorithm::oft);
    if (works_ && on_tiles && plan_.ranks > 1) merge_on_root(partial, method, reduced.shape.format, algorithm);
    // Ranks that the plan leaves idle go on with the same program, so they need the same results.
    if (communicator_.ranks() > 1) broadcast_bytes(partial, communicator_.ranks(), algorithm, communicator_);
    outputs_[static_cast<std::size_t>(step.output)].values = method.finish(partial, reduced.shape);
  }

  void merge_on_root(std::vector<std::byte>& partial, const ReductionMethod& method, const PixelFormat& format,
                     Algorithm algorithm) {
    const std::vector<std::byte> all = gather_partials(partial, plan_.ranks, algorithm, communicator_);
    for (std::size_t begin = partial.size(); begin < all.size(); begin += partial.size()) {
      method.merge(partial, std::span(all).subspan(begin, partial.size()), format);
    }
  }

  void write(std::span<const PlanStep> steps) {
    if (rank_ != 0) return;
    std::vector<ImageToStore> images;
    std::vector<std::int64_t> scratch;
    for (const PlanStep& step : steps) {
      const PipelineOutput& output = pipeline_.outputs[static_cast<std::size_t>(step.output)];
      images.push_back(
          {output.sink.get(), std::as_const(store_.at(output.image).whole).view(), step.predicted_seconds});
      scratch.push_back(output.sink->scratch_bytes(image(output.image).shape));
    }
    store_together(images, plan_.threads);
    store_.account().touch(bytes_together(std::move(scratch), plan_.threads));
  }

  /// All ranks, those that the plan leaves idle included, hear what became of it.
  void write_tile(const PlanStep& step) {
    const PipelineOutput& output = pipeline_.outputs[static_cast<std::size_t>(step.output)];
    const bool has_part = has_tile(step);
    const ConstView part = has_part ? std::as_const(ensure_tile(step, output.image).tile).view() : ConstView();
    write_in_parts(*output.sink, image(output.image).shape, has_part ? &part : nullptr, communicator_);
  }

  /// What was fetched, unless a step has done so. In turn, for those that have it already take no part.
  void send_to_idle_ranks(int index) {
    const bool is_there = std::any_of(plan_.steps.begin(), plan_.steps.end(), [&](const PlanStep& step) {
      return step.image == index && goes_to_all(step, pipeline_);
    });
    if (is_there) return;
    if (rank_ >= plan_.ranks) store_.put_whole(index, Raster(image(index).shape));
    Raster& whole = store_.at(index).whole;
    const Block block = block_of(whole.view(), whole.area());
    if (rank_ >= plan_.ranks) receive_block(communicator_, block, 0, extra_tag);
    if (rank_ != 0) return;
    for (int idle = plan_.ranks; idle < communicator_.ranks(); ++idle)
      send_block(communicator_, block, idle, extra_tag);
  }

  std::shared_ptr<const Raster> whole_for_program(int index) {
    std::shared_ptr<const Raster>& shared = handed_out_[index];
    if (!shared) shared = std::make_shared<const Raster>(store_.take_whole(index));
    return shared;
  }

  std::shared_ptr<const Raster> tile_for_program(int index) {
    std::shared_ptr<const Raster>& shared = kept_tiles_[index];
    if (!shared) shared = std::make_shared<const Raster>(store_.take_tile(index));
    return shared;
  }

  const Plan& plan_;
  const Pipeline& pipeline_;
  const Communicator& communicator_;
  int rank_;
  bool works_;
  std::vector<StepPreparation> prepared_;
  SharedPlaces places_;
  std::shared_ptr<SharedMemory> shared_;  // none if the plan needs none, or if this rank has no part in it
  ImageStore store_;
  std::map<int, EarlyCollection> collections_;  // by image; of the root
  std::vector<OutputResult> outputs_;
  std::map<int, std::shared_ptr<const Raster>> handed_out_;  // several outputs may be of one image
  std::map<int, std::shared_ptr<const Raster>> kept_tiles_;
};

/// The same on all ranks, which have the same plan.
bool writes_on_tiles(const Plan& plan) {
  return std::any_of(plan.steps.begin(), plan.steps.end(),
                     [](const PlanStep& step) { return step.kind == StepKind::write && step.site == Site::tiles; });
}

}  // namespace

ExecutablePlan::ExecutablePlan(const Plan& plan, const Pipeline& pipeline, const Communicator& started)
    : plan_(plan), pipeline_(pipeline), communicator_(started.numbered_as(plan.grid)) {
  if (writes_on_tiles(plan)) discard_ = std::make_shared<const DiscardOfParts>(pipeline, communicator_);
  check_plan(plan, pipeline, communicator_);
}

ExecutionResult ExecutablePlan::execute(const ExecutionOptions& options) const {
  if (communicator_.is_root()) {
    for (const PipelineOutput& output : pipeline_.outputs) {
      if (output.kind == OutputKind::write) output.sink->check_writable();
    }
  }
  std::optional<Rest> rest;
  if (communicator_.rank() >= plan_.ranks) rest.emplace(communicator_);
  Execution execution(plan_, pipeline_, communicator_);
  std::optional<StepClock> clock;
  const bool each_step = options.timing == Timing::each_step;
  if (options.timing != Timing::none) clock.emplace(communicator_, each_step);
  for (std::size_t i = 0, count = 1; i < plan_.steps.size(); i += count) {
    const bool cannot_be_parted = is_banded(plan_.steps[i]) || plan_.steps[i].overlapped;
    count = each_step && !cannot_be_parted ? 1 : steps_together(plan_, i);
    for (std::size_t step = i; options.on_step && communicator_.is_root() && step < i + count; ++step)
      options.on_step(step);
    if (clock) clock->begin_step();
    const std::vector<double> parts = execution.run(i, count);
    if (clock) clock->end_steps(parts);
  }
  ExecutionResult result;
  result.outputs = execution.finish();
  result.trace = clock ? clock->trace(plan_, execution.peak_bytes()) : Trace{plan_, 0, {}};
  return result;
}

ExecutionResult execute(const Plan& plan, const Pipeline& pipeline, const Communicator& started,
                        const ExecutionOptions& options) {
  return ExecutablePlan(plan, pipeline, started).execute(options);
}

}  // namespace tilewright
