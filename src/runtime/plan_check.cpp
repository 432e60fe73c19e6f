#include "plan_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "tilewright/core/error.hpp"
#include "tilewright/model/concurrent_steps.hpp"
#include "tilewright/model/shared_images.hpp"
#include "tilewright/runtime/files_in_sight.hpp"
#include "tilewright/transfers/plan_transfer.hpp"

namespace tilewright {
namespace {

/// Which rank has another hash than the root; on every rank.
std::string why_not_alike(std::uint64_t hash, const Communicator& communicator) {
  const std::vector<std::string> hashes = communicator.gather(std::to_string(hash));
  std::string reason;
  for (std::size_t rank = 0; rank < hashes.size(); ++rank) {
    if (hashes[rank] != hashes.front()) {
      reason = fmt::format(
          "rank {} has recorded another pipeline than rank 0: all ranks must run the same program with "
          "the same arguments",
          rank);
    }
  }
  return communicator.broadcast(reason);
}

void check_hashes(const Plan& plan, const Pipeline& pipeline, const Communicator& communicator) {
  const std::uint64_t hash = pipeline.hash();
  if (!communicator.agree_on(hash)) throw ParameterError(why_not_alike(hash, communicator));
  check_pipeline(plan, hash);
}

void check_grid(const Plan& plan, const Pipeline& pipeline, const Communicator& communicator) {
  if (plan.ranks > communicator.ranks()) {
    throw ParameterError(fmt::format("the plan needs {} ranks, but {} were started: start it with mpiexec -n {}",
                                     plan.ranks, communicator.ranks(), plan.ranks));
  }
  if (plan.grid.ranks() != plan.ranks) {
    throw ParameterError(
        fmt::format("the plan's grid {} does not have its {} ranks", to_string(plan.grid), plan.ranks));
  }
  for (const PlanStep& step : plan.steps) {
    for (const auto& grid : {step.grid, step.former}) {
      if (!grid || grid->ranks() == plan.ranks) continue;
      if (step.kind == StepKind::broadcast && grid->ranks() > plan.ranks) continue;  // idle ranks get the image, too
      throw ParameterError(
          fmt::format("the grid {} of a step does not have the plan's {} ranks", to_string(*grid), plan.ranks));
    }
  }
  if (plan.images.size() != pipeline.images.size()) {
    throw ParameterError(
        fmt::format("the plan has {} images, the pipeline {}", plan.images.size(), pipeline.images.size()));
  }
}

/// Deep halos are sums of those of operators that read each other.
Halo halos_of_all_operators(const Pipeline& pipeline) {
  Halo all;
  for (const PipelineImage& image : pipeline.images) {
    if (!image.op) continue;
    all.x += image.op->halo().x;
    all.y += image.op->halo().y;
  }
  return all;
}

void check_images(const Plan& plan, const Pipeline& pipeline) {
  const Halo deepest = halos_of_all_operators(pipeline);
  for (std::size_t i = 0; i < plan.images.size(); ++i) {
    const auto image = static_cast<int>(i);
    const PlanImage& planned = plan.images[i];
    const Halo needed = plan.ranks == 1 ? pipeline.whole_halo(image) : pipeline.storage_halo(image);
    if (planned.shape != pipeline.images[i].shape || !planned.storage_halo.covers(needed)) {
      throw ParameterError(fmt::format("the plan's {} does not fit the pipeline's", planned.name));
    }
    const Halo most = united(deepest, {planned.shape.extent.width, planned.shape.extent.height});
    if (most.covers(planned.storage_halo)) continue;
    throw ParameterError(fmt::format("the plan stores {}x{} pixels around {}, which is {}: {}x{} are the most",
                                     planned.storage_halo.x, planned.storage_halo.y, planned.name,
                                     to_string(planned.shape.extent), most.x, most.y));
  }
}

/// Follows what is where, as far as a plan made by hand could get it wrong.
class Placements {
 public:
  explicit Placements(const Plan& plan, const Pipeline& pipeline) : plan_(plan), pipeline_(pipeline) {}

  void follow(const PlanStep& step) {
    const auto& image = pipeline_.images[static_cast<std::size_t>(step.image)];
    if (!may_take_bands(step) || !banded_.contains(step.image)) forget_bands();
    if (step.site == Site::everywhere && step.kind != StepKind::compute) refuse(step, "only operators work everywhere");
    switch (step.kind) {
      case StepKind::read:
        if (!image.source) refuse(step, "it is no source");
        if (const auto tiled_on = image.source->tiled_on()) {
          if (step.site == Site::root || grid_of(plan_, step) != *tiled_on || !step.exchanged.empty()) {
            refuse(step, fmt::format("its pixels are on the tiles of {}", to_string(*tiled_on)));
          }
        }
        if (step.site == Site::root) {
          whole_.insert(step.image);
          break;
        }
        need_grid(step, {});
        need_room(step, step.image, step.exchanged);
        put_tile(step, step.image, {step.exchanged, false});
        break;
      case StepKind::scatter:
        need_whole(step, step.image);
        need_grid(step, {});
        need_room(step, step.image, step.exchanged);
        put_tile(step, step.image, {step.exchanged, false});
        break;
      case StepKind::gather:
        need_tile(step, step.image);
        whole_.insert(step.image);
        break;
      case StepKind::allgather:
        need_tile(step, step.image);
        whole_.insert(step.image);
        replicated_.insert(step.image);
        break;
      case StepKind::broadcast:
        need_whole(step, step.image);
        replicated_.insert(step.image);
        break;
      case StepKind::exchange:
        need_tile(step, step.image);
        need_grid(step, step.exchanged);
        need_room(step, step.image, step.exchanged);
        tiles_[step.image].valid = {step.exchanged, step.cyclic};
        break;
      case StepKind::redistribute:
        redistribute(step);
        break;
      case StepKind::compute:
        if (!image.op) refuse(step, "it is a source");
        for (const int input : image.inputs) {
          switch (step.site) {
            case Site::root:
              need_whole(step, input);
              break;
            case Site::tiles:
              need_tile_with_halo(step, input, *image.op);
              break;
            case Site::everywhere:
              need_replica(step, input);
              break;
          }
        }
        if (step.site == Site::tiles) need_grid(step, {});
        if (is_banded(step)) need_fillable_borders(step);
        if (image.result != 0 || step.results != pipeline_.results(step.image))
          refuse(step, "not all that its operator makes");
        for (int made = step.image; made < step.image + step.results; ++made) {
          if (step.site != Site::tiles) {
            whole_.insert(made);
            if (step.site == Site::everywhere) replicated_.insert(made);
            if (is_banded(step)) banded_.insert(made);
            continue;
          }
          need_room(step, made, step.margin);
          put_tile(step, made, {step.margin, false});
        }
        break;
      case StepKind::reduce:
        if (step.algorithm == Algorithm::shared) refuse(step, "it sends messages");
        serve(step);
        break;
      case StepKind::write:
        serve(step);
        break;
    }
    for (const Release& release : step.releases) {
      if (!release.whole) {
        tiles_.erase(release.image);
      } else {
        whole_.erase(release.image);
        replicated_.erase(release.image);
      }
    }
  }

  void finish() {
    forget_bands();
    for (std::size_t i = 0; i < pipeline_.outputs.size(); ++i) {
      const PipelineOutput& output = pipeline_.outputs[i];
      const bool served = served_.contains(static_cast<int>(i)) ||
                          (output.kind == OutputKind::keep && is_kept(output.image)) ||
                          (output.kind == OutputKind::fetch && whole_.contains(output.image) &&
                           (plan_.ranks == 1 || replicated_.contains(output.image)));
      if (!served) throw ParameterError(fmt::format("the plan does not serve output {} of the pipeline", i));
    }
  }

 private:
  [[nodiscard]] bool is_kept(int image) const {
    const auto tiles = tiles_.find(image);
    if (!plan_.images[static_cast<std::size_t>(image)].stays_on_tiles) return whole_.contains(image);
    return tiles != tiles_.end() && tiles->second.grid == plan_.grid;
  }
  struct ValidHalo {
    Halo halo;
    bool cyclic = false;
  };
  struct Tiles {
    ProcessGrid grid;
    ValidHalo valid;
  };
  void put_tile(const PlanStep& step, int image, const ValidHalo& valid) {
    tiles_[image] = {grid_of(plan_, step), valid};
  }
  [[noreturn]] void refuse(const PlanStep& step, const std::string& why) const {
    throw ParameterError(fmt::format("the plan cannot be executed: {} of {}: {}", to_string(step.kind),
                                     plan_.images[static_cast<std::size_t>(step.image)].name, why));
  }
  /// What is made in bands is there for the writes and reductions that follow, and then no more.
  void forget_bands() {
    for (const int image : std::exchange(banded_, {})) whole_.erase(image);
  }
  void need_fillable_borders(const PlanStep& step) const {
    if (plan_.ranks > 1 || step.site != Site::root) refuse(step, "only one rank computes in bands");
    const PipelineImage& image = pipeline_.images[static_cast<std::size_t>(step.image)];
    const std::int64_t rows = image.shape.extent.height;
    if (step.bands > rows) refuse(step, fmt::format("{} rows are cut into {} bands", rows, step.bands));
    for (const int input : image.inputs) {
      const bool is_fixed = !image.op->halo().empty() && !image.op->makes_border() &&
                            is_lent(pipeline_.images[static_cast<std::size_t>(input)], pipeline_.whole_halo(input));
      if (is_fixed) refuse(step, "in bands it needs a border where there is no room for one");
    }
  }
  void need_whole(const PlanStep& step, int image) const {
    if (!whole_.contains(image)) refuse(step, "an image that it needs is not on the root");
  }
  void need_replica(const PlanStep& step, int image) const {
    if (!replicated_.contains(image)) refuse(step, "an image that it needs is not on all ranks");
  }
  /// On the tiles of the step's grid.
  void need_tile(const PlanStep& step, int image) {
    const auto held = tiles_.find(image);
    if (held == tiles_.end()) {
      if (!replicated_.contains(image)) refuse(step, "an image that it needs is not on the tiles");
      put_tile(step, image, {plan_.images[static_cast<std::size_t>(image)].storage_halo, true});
    } else if (held->second.grid != grid_of(plan_, step)) {
      refuse(step, fmt::format("an image that it needs is on the tiles of {}", to_string(held->second.grid)));
    }
  }
  void redistribute(const PlanStep& step) {
    const auto held = tiles_.find(step.image);
    if (!step.former || held == tiles_.end() || held->second.grid != *step.former)
      refuse(step, "its tiles are not those of the grid that it names");
    need_grid(step, {});
    put_tile(step, step.image, {});
  }
  void need_room(const PlanStep& step, int image, const Halo& halo) const {
    if (plan_.images[static_cast<std::size_t>(image)].storage_halo.covers(halo)) return;
    refuse(step, "it fills more than is stored around a tile");
  }
  /// The neighbours' pixels must be there in each direction that has neighbours, and for wrap those of the other side.
  /// An operator that computes beyond its tile needs as much more.
  void need_tile_with_halo(const PlanStep& step, int image, const Operator& op) {
    need_tile(step, image);
    ValidHalo& valid = tiles_[image].valid;
    const Halo needed =
        in_cut_directions({op.halo().x + step.margin.x, op.halo().y + step.margin.y}, grid_of(plan_, step));
    if (!valid.halo.covers(needed)) refuse(step, "the halo of an image that it needs has not been filled");
    if (op.halo().empty()) return;
    if (op.border() != Border::wrap) {
      valid.cyclic = false;  // its border overwrites the other side's pixels
    } else if (!valid.cyclic && !needed.empty()) {
      refuse(step, "its wrap border needs a cyclic exchange");
    }
  }
  void need_grid(const PlanStep& step, const Halo& halo) const {
    const std::string why =
        why_infeasible(plan_.images[static_cast<std::size_t>(step.image)].shape.extent, grid_of(plan_, step), halo);
    if (!why.empty()) refuse(step, why);
  }
  void serve(const PlanStep& step) {
    if (step.output < 0 || step.output >= static_cast<int>(pipeline_.outputs.size())) refuse(step, "no such output");
    const PipelineOutput& output = pipeline_.outputs[static_cast<std::size_t>(step.output)];
    const bool same_kind = (output.kind == OutputKind::write) == (step.kind == StepKind::write);
    if (output.image != step.image || !same_kind) refuse(step, "the pipeline's output is another one");
    if (step.site == Site::tiles)
      need_tile(step, step.image);
    else
      need_whole(step, step.image);
    served_.insert(step.output);
  }

  const Plan& plan_;
  const Pipeline& pipeline_;
  std::set<int> whole_, replicated_, served_, banded_;
  std::map<int, Tiles> tiles_;  // by image
};

/// What the ranks of the plan write together, by output.
std::vector<int> outputs_on_tiles(const Plan& plan) {
  std::vector<int> outputs;
  for (const PlanStep& step : plan.steps) {
    if (step.kind == StepKind::write && step.site == Site::tiles) outputs.push_back(step.output);
  }
  return outputs;
}

/// Each rank that reads its tile of a file must see the file that the root sees, and find the pixels there; and each
/// that writes its tile the file that the root makes. Empty if all do; on the root.
std::string why_files_unseen(const Plan& plan, const Pipeline& pipeline, const Communicator& communicator) {
  std::vector<int> images;
  for (const PlanStep& step : plan.steps) {
    if (step.kind == StepKind::read && step.site == Site::tiles) images.push_back(step.image);
  }
  const std::map<int, std::string> unseen = unseen_files(pipeline, images, communicator);
  const std::map<int, std::string> unwritable = unseen_outputs(pipeline, outputs_on_tiles(plan), communicator);
  for (const int image : images) {
    const Source& source = *pipeline.images[static_cast<std::size_t>(image)].source;
    std::string why = unseen.contains(image) ? unseen.at(image) : source.why_no_parts();
    if (!why.empty()) return fmt::format("the plan reads {} on the tiles, but {}", source.describe(), why);
  }
  for (const auto& [output, why] : unwritable) {
    const Sink& sink = *pipeline.outputs[static_cast<std::size_t>(output)].sink;
    return fmt::format("the plan writes {} on the tiles, but {}", sink.describe(), why);
  }
  return {};
}

void check_files(const Plan& plan, const Pipeline& pipeline, const Communicator& communicator) {
  const bool any = std::any_of(plan.steps.begin(), plan.steps.end(), [](const PlanStep& step) {
    return step.site == Site::tiles && (step.kind == StepKind::read || step.kind == StepKind::write);
  });
  if (!any) return;
  const std::string why = communicator.broadcast(why_files_unseen(plan, pipeline, communicator));
  if (!why.empty()) throw ParameterError(why + ": make a new plan");
}

/// A rank has one number in all of a plan.
void check_numbers(const Plan& plan, const PlanStep& step) {
  const ProcessGrid& own = plan.grid;
  for (const auto& other : {step.grid, step.former}) {
    if (!other || other->ranks() == 1) continue;
    const bool is_same = other->mapping == own.mapping && (!own.mapping.is_in_blocks() || other->x == own.x);
    if (is_same) continue;
    throw ParameterError(fmt::format("the plan lays ranks out on nodes in two ways, {} and {}: make a new plan",
                                     to_string(own), to_string(*other)));
  }
}

/// What is computed while an exchange is under way must be what reads the image; of the corners of two directions some
/// would have to be sent on meanwhile.
void check_overlap(const Plan& plan, const Pipeline& pipeline, std::size_t index) {
  const PlanStep& exchange = plan.steps[index];
  const bool is_exchange = exchange.kind == StepKind::exchange;
  if (!is_exchange || !is_of_one_phase(transfer_of(plan, exchange))) {
    throw ParameterError(
        fmt::format("the plan overlaps a {} with computing: only exchanges across the cuts of one direction can be, "
                    "and no cyclic ones",
                    to_string(exchange.kind)));
  }
  const PlanStep* const next = index + 1 < plan.steps.size() ? &plan.steps[index + 1] : nullptr;
  const bool computes = next != nullptr && next->kind == StepKind::compute && next->site == Site::tiles &&
                        next->image >= 0 && next->image < static_cast<int>(pipeline.images.size());
  const auto reads = [&](const PipelineImage& image) {
    return std::find(image.inputs.begin(), image.inputs.end(), exchange.image) != image.inputs.end();
  };
  if (!computes || !reads(pipeline.images[static_cast<std::size_t>(next->image)])) {
    throw ParameterError(
        fmt::format("the plan overlaps an exchange of {} with nothing: the step after it must compute from it on the "
                    "tiles",
                    plan.images[static_cast<std::size_t>(exchange.image)].name));
  }
}

}  // namespace

void check_plan(const Plan& plan, const Pipeline& pipeline, const Communicator& communicator) {
  check_hashes(plan, pipeline, communicator);
  check_grid(plan, pipeline, communicator);
  check_images(plan, pipeline);
  Placements placements(plan, pipeline);
  std::set<int> collected;
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    const PlanStep& step = plan.steps[i];
    if (step.image < 0 || step.image >= static_cast<int>(plan.images.size())) {
      throw ParameterError("the plan has a step of an image that it does not have");
    }
    const bool has_turns = step.kind == StepKind::scatter || step.kind == StepKind::gather;
    if (step.in_turn && (!has_turns || step.algorithm != Algorithm::oft)) {
      throw ParameterError(
          fmt::format("the plan has a {} in turn: only scatters and gathers by oft can be", to_string(step.kind)));
    }
    const bool is_collected = step.in_turn && step.kind == StepKind::gather;
    if (is_collected && !collected.insert(step.image).second) {
      throw ParameterError("the plan gathers an image in turn twice: once is enough");
    }
    check_numbers(plan, step);
    if (step.overlapped) check_overlap(plan, pipeline, i);
    placements.follow(step);
  }
  placements.finish();
  check_files(plan, pipeline, communicator);
  if (const std::string reason = why_too_few_share(plan, communicator.sharing_ranks()); !reason.empty()) {
    throw ParameterError(fmt::format("the plan {}: make a new plan", reason));
  }
}

}  // namespace tilewright
