#include "fused_operator.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <utility>

#include "benchmark_parameters.hpp"
#include "pointwise.hpp"
#include "tilewright/core/error.hpp"
#include "tilewright/pipeline/bands.hpp"
#include "work_parts.hpp"

namespace tilewright {
namespace {

/// Of pieces where no joint operator says how large they are: so many that a call costs little beside them, so few that
/// what members hand on stays in a near cache.
constexpr std::int64_t values_a_piece = 2048;

/// Of an area of that width.
Extent piece_extent(int channels, std::int64_t width) {
  const std::int64_t pixels = values_a_piece / channels;
  const std::int64_t columns = std::min(width, pixels);
  return {columns, pixels / columns};
}

/// Instructions of a program are priced by what they take where their operands are in registers. A root or a quotient
/// beside others is done while they are, and takes much less than after its like.
struct SlowOperation {
  const char* key;         ///< of one after the other
  const char* beside_key;  ///< a unit is one of a group: the slow one and those beside it
};
constexpr const char* fused_arithmetic = "fused_arithmetic";
constexpr SlowOperation fused_root{"fused_sqrt", "fused_sqrt_beside"};
constexpr SlowOperation fused_quotient{"fused_division", "fused_division_beside"};

/// What is left of both are those that have no others beside them, and the others.
Work taken_together(const SlowOperation& operation, Work& slow, Work& others) {
  const double groups = std::min(slow.units, others.units / instructions_beside);
  const double of_slow = slow.units > 0 ? groups / slow.units : 0;
  const double of_others = others.units > 0 ? groups * instructions_beside / others.units : 0;
  Work together{operation.beside_key, slow.type, 0, groups * (1 + instructions_beside)};
  together.otherwise = {part_of(slow, of_slow), part_of(others, of_others)};
  slow = part_of(std::move(slow), 1 - of_slow);
  others = part_of(std::move(others), 1 - of_others);
  return together;
}

std::vector<ImageShape> shapes_of(std::span<const ConstView> views) {
  std::vector<ImageShape> shapes;
  for (const ConstView& view : views) {
    shapes.push_back({{view.area().width(), view.area().height()}, view.format()});
  }
  return shapes;
}

/// What the stages were made for.
void check_formats(const FusedStages& stages, std::span<const ConstView> views) {
  const auto is_alike = [](const ConstView& view, const ImageShape& shape) { return view.format() == shape.format; };
  if (!std::ranges::equal(views, stages.inputs(), is_alike)) {
    throw InternalError("fused operator: inputs of other formats than it was made for");
  }
}

}  // namespace

/// Runs the stages on one piece after the other; each thread has its own.
class FusedOperator::PieceRun final : public PieceSink {
 public:
  PieceRun(const FusedDescription& description, const FusedStages& stages, std::span<const ConstView> inputs,
           std::span<const MutableView> outputs, Storing storing)
      : description_(description),
        stages_(stages),
        inputs_(inputs),
        outputs_(outputs),
        storing_(storing),
        buffers_(stages.buffers()),
        views_(description.members.size()) {}

  [[nodiscard]] std::span<const MutableView> targets(const Rect& piece) override {
    for (std::size_t i = 0; i < description_.joint; ++i) views_[i] = view_of(i, piece);
    for (const FusedStage& stage : stages_.all()) {
      for (const std::size_t member : stage.stored) views_[member] = view_of(member, piece);
    }
    return std::span(views_).first(description_.joint);
  }

  void done(const Rect& piece) override {
    for (const FusedStage& stage : stages_.all()) {
      if (!stage.is_program()) {
        run_alone(stage.members.front(), piece);
        continue;
      }
      find_sources(stage.inputs, piece);
      targets_.clear();
      for (const std::size_t member : stage.stored) targets_.push_back(views_[member]);
      // What a later stage reads had better stay in a cache.
      const Storing storing = &stage == &stages_.all().back() ? storing_ : Storing::cached;
      stage.with_program([&](const auto& program) { program.run(sources_, targets_, piece, storing); });
    }
  }

 private:
  void run_alone(std::size_t member, const Rect& piece) {
    const FusedMember& alone = description_.members[member];
    find_sources(alone.inputs, piece);
    alone.op->compute(sources_, views_[member], {});
  }

  void find_sources(const std::vector<FusedOrigin>& origins, const Rect& piece) {
    sources_.clear();
    for (const FusedOrigin& origin : origins) {
      sources_.push_back(origin.is_member ? ConstView(views_[origin.index]) : inputs_[origin.index].restricted(piece));
    }
  }

  /// Of a result the image itself; else the piece alone, its rows without gaps, at the place that it has in the image.
  [[nodiscard]] MutableView view_of(std::size_t member, const Rect& piece) {
    if (const auto result = stages_.result_of(member)) return outputs_[*result].restricted(piece);
    Raster& buffer = buffers_[stages_.buffer_of(member)];
    const std::int64_t bytes = piece.pixels() * stages_.bytes_a_pixel();
    if (buffer.empty() || buffer.bytes() < bytes) buffer = Raster(Rect{0, 0, bytes, 1}, Halo{}, {PixelType::u8, 1});
    return {buffer.view().bytes_at(0, 0), piece, piece, stages_.shapes()[member].format};
  }

  const FusedDescription& description_;
  const FusedStages& stages_;
  std::span<const ConstView> inputs_;
  std::span<const MutableView> outputs_;
  Storing storing_;
  std::vector<Raster> buffers_;
  std::vector<MutableView> views_;  ///< of each stored member's image: the piece
  std::vector<ConstView> sources_;
  std::vector<MutableView> targets_;
};

FusedOperator::FusedOperator(FusedDescription description, std::span<const ImageShape> inputs)
    : description_(std::move(description)), stages_(description_, inputs) {
  if (description_.joint > 0) {
    std::vector<const Operator*> others;
    for (std::size_t i = 1; i < description_.joint; ++i) others.push_back(description_.members[i].op.get());
    jet_ = description_.members.front().op->joined_with(others);
    if (!jet_) throw InternalError("fused operator: its filters cannot be joined");
  }
}

std::string FusedOperator::describe() const {
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < description_.members.size(); ++i) {
    const FusedMember& member = description_.members[i];
    std::vector<std::string> sources;
    for (const FusedOrigin& origin : member.inputs) {
      sources.push_back(fmt::format("{}{}", origin.is_member ? "part" : "input", origin.index));
    }
    lines.push_back(fmt::format("part{} = {} of {}", i, member.op->describe(), fmt::join(sources, ", ")));
  }
  return fmt::format("fused({}; results {})", fmt::join(lines, "; "), fmt::join(description_.results, ", "));
}

std::string FusedOperator::summary() const {
  constexpr std::size_t most_named = 6;
  const auto& members = description_.members;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min(members.size(), most_named); ++i) names.push_back(members[i].op->summary());
  const std::string more =
      members.size() > most_named ? fmt::format(" and {} more", members.size() - most_named) : std::string();
  return fmt::format("in one pass: {}{}", fmt::join(names, " + "), more);
}

std::vector<ImageShape> FusedOperator::shapes(std::span<const ImageShape> inputs) const {
  const std::vector<ImageShape> all = member_shapes(description_, inputs);
  std::vector<ImageShape> results;
  for (const std::size_t member : description_.results) results.push_back(all[member]);
  return results;
}

Halo FusedOperator::halo() const {
  Halo halo;
  for (std::size_t i = 0; i < description_.joint; ++i) halo = united(halo, description_.members[i].op->halo());
  return halo;
}

Border FusedOperator::border() const {
  return description_.members.front().op->border();
}

double FusedOperator::border_value() const {
  return description_.members.front().op->border_value();
}

Extent FusedOperator::largest_piece(std::span<const ImageShape> inputs, std::int64_t width) const {
  if (!jet_) return piece_extent(inputs.front().format.channels, width);
  return jet_->largest_piece(inputs[filtered_input()], width);
}

/// An operator outside of programs: within a piece it costs what it costs on a tile of that size. So does the one whose
/// image takes the place of a filter's, which is priced as if it went to memory; any other that is asked for goes there
/// itself, and its operator is priced as if it were alone.
std::vector<Work> FusedOperator::member_work(std::size_t member, const Extent& tile, double piece) const {
  std::vector<Work> all = description_.members[member].op->work(stages_.input_shapes(member), tile);
  const auto result = stages_.result_of(member);
  const bool is_in_cache = !result || *result < description_.joint;
  for (Work& work : all) {
    if (is_in_cache) work.piece = piece;
  }
  return all;
}

/// Images that a program reads and that nobody has just made, beside those that the operators read which are priced as
/// if they were alone; fewer of them, too. The second image of a sum costs as much as any.
void FusedOperator::add_reads(const FusedStage& stage, double values, std::vector<Work>& all) const {
  const auto read = std::ranges::count_if(stage.inputs, [](const FusedOrigin& origin) { return !origin.is_member; });
  if (read == 0) return;
  std::ptrdiff_t priced = 0;
  for (const std::size_t member : stage.stored) priced += std::ssize(description_.members[member].inputs);
  const auto fewest = std::ssize(stage.stored);  // the operators would read one each
  const double more = static_cast<double>(std::max(read, fewest) - priced) * values;
  const PixelType type = stages_.shapes()[stage.members.front()].format.type;
  if (more == 0) return;
  all.push_back({"pointwise_binary", type, 0, more});
  all.push_back({"pointwise_unary", type, 0, -more});
}

/// Of a program: each image that it stores, as by an operator alone, and what it does besides in registers.
std::vector<Work> FusedOperator::program_work(const FusedStage& stage, const Extent& tile, double piece) const {
  constexpr std::size_t instructions_alone = 3;  // of an operator alone: load, operate, store
  const ImageShape& shape = stages_.shapes()[stage.members.front()];
  const double values = values_of(shape, tile);
  Work arithmetic{fused_arithmetic, shape.format.type}, roots{fused_root.key, shape.format.type},
      quotients{fused_quotient.key, shape.format.type};
  std::vector<Work> all;
  std::size_t counted = instructions_alone * stage.stored.size();
  for (const std::size_t member : stage.members) {
    std::vector<Work> alone = member_work(member, tile, piece);
    if (std::ranges::find(stage.stored, member) != stage.stored.end()) {
      std::ranges::move(alone, std::back_inserter(all));
      continue;
    }
    const PointwiseOperation operation = stages_.function_of(member).operation;
    Work& work = operation == PointwiseOperation::square_root ? roots
                 : operation == PointwiseOperation::divide    ? quotients
                                                              : arithmetic;
    work.units += values;
    ++counted;
    std::ranges::move(alone, std::back_inserter(work.otherwise));  // for profiles that know nothing of registers
  }
  stage.with_program([&](const auto& program) {  // what members hand on costs as much as arithmetic; two may be one
    if (arithmetic.units > 0) {
      const double more = static_cast<double>(program.length()) - static_cast<double>(counted);
      // Operators that store are priced alone, though what they read may be in the accumulator already.
      arithmetic.units = std::max(0.0, arithmetic.units + more * values);
    }
  });
  add_reads(stage, values, all);
  all.push_back(taken_together(fused_root, roots, arithmetic));
  all.push_back(taken_together(fused_quotient, quotients, arithmetic));
  for (Work& work : {std::ref(roots), std::ref(quotients), std::ref(arithmetic)}) all.push_back(std::move(work));
  std::erase_if(all, [](const Work& work) { return work.units == 0; });
  return all;
}

std::vector<Work> FusedOperator::work(std::span<const ImageShape> inputs, const Extent& tile) const {
  const double piece = priced_piece(largest_piece(inputs, tile.width), tile);
  std::vector<Work> all;
  // As many images go to memory as are asked for.
  if (jet_) all = jet_->work(inputs[filtered_input()], tile, description_.results.size());
  for (const FusedStage& stage : stages_.all()) {
    std::vector<Work> own =
        stage.is_program() ? program_work(stage, tile, piece) : member_work(stage.members.front(), tile, piece);
    std::ranges::move(own, std::back_inserter(all));
  }
  return all;
}

std::int64_t FusedOperator::scratch_bytes(std::span<const ImageShape> inputs, const Extent& tile) const {
  const Extent piece = largest_piece(inputs, tile.width);
  std::int64_t most = 0;
  for (const FusedStage& stage : stages_.all()) {
    stage.with_program([&](const auto& program) { most = std::max(most, program.scratch_bytes()); });
    if (stage.is_program()) continue;
    const std::size_t alone = stage.members.front();
    most = std::max(most, description_.members[alone].op->scratch_bytes(stages_.input_shapes(alone), piece));
  }
  const std::int64_t jet = jet_ ? jet_->scratch_bytes(inputs[filtered_input()], tile) : 0;
  return jet + most + static_cast<std::int64_t>(stages_.buffers()) * piece.pixels() * stages_.bytes_a_pixel();
}

void FusedOperator::compute(std::span<const ConstView> inputs, const MutableView& output,
                            const ComputeContext& context) const {
  compute_all(inputs, {&output, 1}, context);
}

void FusedOperator::compute_all(std::span<const ConstView> inputs, std::span<const MutableView> outputs,
                                const ComputeContext& context) const {
  if (outputs.size() != results()) throw InternalError("fused operator: not as many outputs as results");
  check_formats(stages_, inputs);
  for_each_band(outputs.front().area(), context.threads, [&](const Rect& band) {
    PieceRun run(description_, stages_, inputs, outputs, storing_of(outputs));
    if (jet_) {
      jet_->compute(inputs[filtered_input()], band, run, stages_.all().empty());
    } else {
      compute_in_pieces(outputs.front().format().channels, band, run);
    }
    finish_streaming();
  });
}

/// One program needs no pieces: what its members hand on stays in registers.
void FusedOperator::compute_in_pieces(int channels, const Rect& band, PieceSink& run) const {
  const bool is_one_program = stages_.all().size() == 1 && stages_.all().front().is_program();
  const Extent most = is_one_program ? Extent{band.width(), band.height()} : piece_extent(channels, band.width());
  for (std::int64_t y = band.y0; y < band.y1; y += most.height) {
    for (std::int64_t x = band.x0; x < band.x1; x += most.width) {
      const Rect piece{x, y, std::min(x + most.width, band.x1), std::min(y + most.height, band.y1)};
      (void)run.targets(piece);
      run.done(piece);
    }
  }
}

void FusedOperator::reference(std::span<const ConstView> inputs, const MutableView& output) const {
  reference_all(inputs, {&output, 1});
}

void FusedOperator::reference_all(std::span<const ConstView> inputs, std::span<const MutableView> outputs) const {
  std::vector<Raster> images;
  for (const ImageShape& shape : member_shapes(description_, shapes_of(inputs))) images.emplace_back(shape);
  for (std::size_t i = 0; i < images.size(); ++i) {
    std::vector<ConstView> sources;
    for (const FusedOrigin& origin : description_.members[i].inputs) {
      sources.push_back(origin.is_member ? std::as_const(images[origin.index]).view() : inputs[origin.index]);
    }
    description_.members[i].op->reference(sources, images[i].view());
  }
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    copy_pixels(std::as_const(images[description_.results[i]]).view(), outputs[i], outputs[i].area());
  }
}

}  // namespace tilewright
