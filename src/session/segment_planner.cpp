#include "segment_planner.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

#include "agreement.hpp"
#include "machine.hpp"
#include "planning.hpp"
#include "tilewright/core/error.hpp"
#include "tilewright/core/node_mapping.hpp"
#include "tilewright/explain/render.hpp"
#include "tilewright/model/shared_images.hpp"
#include "tilewright/runtime/files_in_sight.hpp"
#include "tilewright/scheduler/objective.hpp"

namespace tilewright {
namespace {

constexpr std::string_view files_assumed_in_sight =
    "all nodes are taken to see the files that are read and written: if not, say --tw-files=root";

constexpr std::size_t most_remembered = 200;  // plans

/// What the program does, as begin_call() wants it; all outputs of a segment are of one kind.
std::string_view call_of(const SegmentQuestion& question) {
  if (question.purpose == Purpose::bring_home) return "brings an image to the root";
  switch (question.pipeline.outputs.front().kind) {
    case OutputKind::write:
      return "writes images";
    case OutputKind::fetch:
      return "fetches an image";
    case OutputKind::keep:
      return "runs a pipeline to keep its image";
    case OutputKind::reduce:
      return "asks for values of images";
  }
  throw InternalError("call_of: unknown kind of output");
}

/// Why a plan that was made before cannot be used any more; empty if it can.
std::string why_unusable(const Plan& plan, const SearchSpace& space) {
  if (const std::string reason = why_not_mapped(space, plan.grid); !reason.empty()) {
    return fmt::format("its grid {} {}", to_string(plan.grid), reason);
  }
  if (const std::string reason = why_too_few_share(plan, space.sharing_ranks); !reason.empty()) return "it " + reason;
  for (const PlanStep& step : plan.steps) {
    if (step.site == Site::root) continue;
    const auto& unseen = step.kind == StepKind::read ? space.unseen : space.unseen_outputs;
    const bool is_file = step.kind == StepKind::read || step.kind == StepKind::write;
    const auto why = unseen.find(step.kind == StepKind::read ? step.image : step.output);
    if (!is_file || why == unseen.end()) continue;
    return fmt::format("on its tiles it has {}, but {}", step.operation, why->second);
  }
  return {};
}

bool has_files_on_tiles(const Plan& plan, const Pipeline& pipeline) {
  return std::any_of(plan.steps.begin(), plan.steps.end(), [&](const PlanStep& step) {
    const bool is_kept = is_tiled_source(pipeline.image(step.image));
    const bool reads = step.kind == StepKind::read && !is_kept;
    return (reads || step.kind == StepKind::write) && step.site == Site::tiles;
  });
}

/// Whether it has the images that earlier segments left on the tiles where they are.
bool takes_kept(const Plan& plan, const Pipeline& pipeline) {
  const auto grid = grid_of_sources(pipeline);
  if (!grid) return true;
  return plan.grid == *grid && std::none_of(plan.steps.begin(), plan.steps.end(), [&](const PlanStep& step) {
           const auto image = static_cast<std::size_t>(step.image);
           return step.kind == StepKind::read && step.site == Site::root && image < pipeline.images.size() &&
                  is_tiled_source(pipeline.images[image]);
         });
}

/// That ranks could read in parts.
std::vector<int> images_in_files(const Pipeline& pipeline) {
  std::vector<int> images;
  for (std::size_t i = 0; i < pipeline.images.size(); ++i) {
    const PipelineImage& image = pipeline.images[i];
    const bool is_file = image.source && !is_tiled_source(image);
    if (is_file && image.source->why_no_parts().empty()) images.push_back(static_cast<int>(i));
  }
  return images;
}

/// That ranks could write in parts.
std::vector<int> outputs_in_files(const Pipeline& pipeline) {
  std::vector<int> outputs;
  for (std::size_t i = 0; i < pipeline.outputs.size(); ++i) {
    const PipelineOutput& output = pipeline.outputs[i];
    const ImageShape& shape = pipeline.image(output.image).shape;
    if (output.sink && output.sink->why_no_parts(shape).empty()) outputs.push_back(static_cast<int>(i));
  }
  return outputs;
}

/// On other nodes the segments before would have left their images elsewhere: what a segment would take there is not
/// for itself to tell.
NodeCurve curve_without_points(const SearchSpace& space) {
  const int ranks_per_node = space.ranks_per_node;
  return {nodes_of(space.min_ranks, ranks_per_node), nodes_of(space.max_ranks, ranks_per_node), ranks_per_node, {}};
}

/// Told by all ranks alike.
bool has_outputs_in_files(const Pipeline& pipeline) {
  return std::any_of(pipeline.outputs.begin(), pipeline.outputs.end(),
                     [](const PipelineOutput& output) { return output.kind == OutputKind::write; });
}

}  // namespace

SegmentPlanner::Key SegmentPlanner::key_of(const SegmentQuestion& question) {
  return {question.pipeline.hash(), question.loop.turns > 1, question.purpose};
}

std::optional<Plan> SegmentPlanner::agreed_plan(const SegmentQuestion& question, std::size_t segment) {
  if (auto known = known_plan(question)) {
    if (question.purpose == Purpose::work) why_home_.clear();  // the plan says so itself
    return known;
  }
  const bool is_planned = options_.plan_file.empty();
  if (is_planned && !machine_known_) {
    profile_ = profile_for_run(options_, started_);
    ranks_ = &ranks_to_plan_for(options_, profile_ ? &*profile_ : nullptr, started_);
    machine_known_ = true;
  }
  SearchSpace space = search_space_for_run(options_, profile_ ? &*profile_ : nullptr, ranks());
  look_at_files(space, question.pipeline);
  const std::string text = root_decides(ranks(), [&] {
    const std::optional<Plan> plan = is_planned ? possible_plan(space, question) : plan_of_file(question, segment);
    return plan ? render({*plan}, PlanFormat::json) : std::string();
  });
  if (text.empty()) return std::nullopt;
  Plan plan = plans_from_json(text).front();
  // Files may have changed the next time.
  if (is_planned && !has_files_on_tiles(plan, question.pipeline)) remember(key_of(question), plan);
  return plan;
}

/// The root says which, for if another rank has recorded something else, that is found out later, by all. On slow nodes
/// a plan takes longer to be read than a small segment to be run.
std::optional<Plan> SegmentPlanner::known_plan(const SegmentQuestion& question) const {
  const std::string number = begin_call(started_, call_of(question), [&] {
    for (const PipelineOutput& output : question.pipeline.outputs) {
      if (output.kind == OutputKind::write) output.sink->check_writable();
    }
    const auto known = agreed_numbers_.find(key_of(question));
    return known != agreed_numbers_.end() ? std::to_string(known->second) : std::string();
  });
  if (number.empty()) return std::nullopt;
  return agreed_.at(std::stoul(number));
}

/// For another time. The same ones on all ranks: a program that goes through many files has a plan for each.
void SegmentPlanner::remember(const Key& key, const Plan& plan) {
  agreed_numbers_.insert_or_assign(key, next_number_);
  agreed_.emplace(next_number_++, plan);
  if (agreed_.size() <= most_remembered) return;
  const std::size_t oldest = agreed_.begin()->first;
  std::erase_if(agreed_numbers_, [&](const auto& entry) { return entry.second == oldest; });
  agreed_.erase(oldest);
}

/// A loop may turn more often, or less, than was expected when the plans were made: then the next plan of this pipeline
/// is meant, or the last one before. Images may have been brought to the root at this place.
std::optional<Plan> SegmentPlanner::plan_of_file(const SegmentQuestion& question, std::size_t segment) const {
  const std::vector<Plan> plans = plans_from_file(options_);
  const auto here = plans.begin() + std::min(std::ssize(plans), static_cast<std::ptrdiff_t>(segment));
  const std::uint64_t hash = question.pipeline.hash();
  const auto fits = [&](const Plan& plan) { return plan.pipeline_hash == hash && takes_kept(plan, question.pipeline); };
  if (const auto next = std::find_if(here, plans.end(), fits); next != plans.end()) return *next;
  const auto last = std::find_if(std::make_reverse_iterator(here), plans.rend(), fits);
  if (last != plans.rend()) return *last;
  const bool is_of_others = here == plans.end() || here->pipeline_hash != hash;
  if (is_of_others && question.purpose == Purpose::work && grid_of_sources(question.pipeline)) return std::nullopt;
  if (here != plans.end()) return *here;  // which is refused with its reason
  throw ParameterError(
      fmt::format("{} has plans for {} segments, but the program runs more", options_.plan_file, plans.size()));
}

/// None if there is none with images on the tiles where they are.
std::optional<Plan> SegmentPlanner::possible_plan(const SearchSpace& space, const SegmentQuestion& question) {
  const bool may_bring_home = question.purpose == Purpose::work && grid_of_sources(question.pipeline);
  try {
    Plan plan = plan_in(space, question);
    if (question.purpose == Purpose::work && !why_home_.empty()) {
      plan.notes.push_back("images that were kept on the tiles were brought to the root: " + why_home_);
      why_home_.clear();
    }
    return plan;
  } catch (const ParameterError& error) {
    if (!may_bring_home) throw;
    why_home_ = error.what();
    return std::nullopt;
  }
}

/// The one that is known or pinned, or the best one.
Plan SegmentPlanner::plan_in(const SearchSpace& space, const SegmentQuestion& question) {
  if (profile_ && !history_) history_.emplace(options_, profile_->name(), program_);
  const Key key = key_of(question);
  const auto known = plans_.find(key);
  if (known != plans_.end() && why_unusable(known->second, space).empty()) return known->second;
  const Pipeline& pipeline = question.pipeline;
  const bool is_overruled = history_ && !said_.empty() && history_->has_pinned(pipeline.hash());
  auto plan = history_ && !is_overruled ? history_->pinned(pipeline.hash(), space.max_ranks) : std::nullopt;
  const std::string unusable = is_overruled ? fmt::format("it was made without {}", fmt::join(said_, ", "))
                               : plan       ? why_unusable(*plan, space)
                                            : std::string();
  if (!plan || !unusable.empty()) {
    plan = question.purpose == Purpose::bring_home
               ? make_plan(pipeline, profile_, space_for_bringing_home(space), options_)
               : plan_with_keeping(pipeline, profile_, space, options_, question.loop);
  }
  if (!unusable.empty()) plan->notes.push_back("not the pinned plan: " + unusable);
  if (history_ && !history_->staleness().empty()) plan->notes.push_back(history_->staleness());
  if (plans_.size() >= most_remembered) plans_.clear();
  return plans_.insert_or_assign(key, *std::move(plan)).first->second;
}

/// Tells the search which files not all ranks see. Collective: the root names the files.
void SegmentPlanner::look_at_files(SearchSpace& space, const Pipeline& pipeline) const {
  if (ranks().ranks() == 1) return;
  const bool may_matter = options_.files != FileAccess::root && options_.plan_file.empty();
  std::vector<int> images;
  std::vector<int> outputs;
  if (ranks().is_root() && may_matter) {
    images = images_in_files(pipeline);
    outputs = outputs_in_files(pipeline);
  }
  std::optional<DiscardOfParts> discard;
  if (options_.files != FileAccess::root && has_outputs_in_files(pipeline)) discard.emplace(pipeline, ranks());
  space.unseen = unseen_files(pipeline, images, ranks());
  space.unseen_outputs = unseen_outputs(pipeline, outputs, ranks());
}

std::optional<Plan> SegmentPlanner::dry_plan(const SegmentQuestion& question, std::size_t segment) {
  if (!options_.plan_file.empty()) {
    std::optional<Plan> plan = plan_of_file(question, segment);
    if (plan) check_pipeline(*plan, question.pipeline.hash());
    return plan;
  }
  if (!machine_known_) {
    profile_ = profile_for_dry_run(options_);
    machine_known_ = true;
    if (options_.nodes) said_.emplace_back("--tw-nodes");
  }
  std::vector<std::string> notes;
  SearchSpace space = search_space_for_dry_run(options_, *profile_, notes);
  std::optional<NodeCurve> curve_of_program;
  if (space.node_curve && has_kept_images(question.pipeline)) {
    curve_of_program = curve_without_points(space);
    space.node_curve = false;
  }
  std::optional<Plan> plan = possible_plan(space, question);
  if (!plan) return plan;
  if (curve_of_program) plan->node_curve = std::move(curve_of_program);
  plan->notes.insert(plan->notes.end(), notes.begin(), notes.end());
  if (has_files_on_tiles(*plan, question.pipeline)) plan->notes.push_back(std::string(files_assumed_in_sight));
  return plan;
}

void SegmentPlanner::add(const Trace& trace) {
  if (history_) history_->add(trace);
}

void SegmentPlanner::keep_history() {
  if (history_) history_->keep();
}

}  // namespace tilewright
