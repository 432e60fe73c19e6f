#include "words.hpp"

#include <fmt/format.h>

#include <set>

#include "tilewright/core/units.hpp"

namespace tilewright {

std::string seconds_text(const std::optional<double>& seconds) {
  return seconds ? format_seconds(*seconds) : std::string("unknown");
}

std::string seconds_text(const Alternative& other) {
  if (!other.lower_bound_seconds) return seconds_text(other.predicted_seconds);
  return "at least " + format_seconds(*other.lower_bound_seconds);
}

std::string ratio_text(const std::optional<double>& predicted, const std::optional<double>& measured) {
  if (!predicted || !measured || *predicted <= 0) return {};
  return fmt::format("{:.2f}x", *measured / *predicted);
}

std::string counted(std::int64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string image_name(const Plan& plan, int image) {
  const bool known = image >= 0 && image < static_cast<int>(plan.images.size());
  return known ? one_line(plan.images[static_cast<std::size_t>(image)].name) : std::string("?");
}

namespace {

std::string area_text(const PlanStep& step) {
  if (step.bands > 1) return fmt::format(", in {} bands, each put out when it is made", step.bands);
  if (step.site == Site::everywhere) return ", all of it on each rank";
  const Halo& margin = step.margin;
  if (margin.empty()) return {};
  if (margin.x == margin.y) return fmt::format(", computed {} beyond the tile", counted(margin.x, "pixel"));
  return fmt::format(", computed {}x{} pixels beyond the tile", margin.x, margin.y);
}

/// What each rank reads or writes by itself.
std::string parts_text(const PlanStep& step) {
  if (step.site == Site::root) return {};
  const Halo& halo = step.exchanged;
  return halo.empty() ? ", each rank its tile" : fmt::format(", each rank its tile with halo {}x{}", halo.x, halo.y);
}

std::string action_text(const Plan& plan, const PlanStep& step) {
  const std::string image = image_name(plan, step.image);
  const std::string operation = one_line(step.operation);
  const std::string last = step.results > 1 ? " to " + image_name(plan, step.image + step.results - 1) : std::string();
  switch (step.kind) {
    case StepKind::compute:
      return fmt::format("{}{} = {}{}", image, last, operation, area_text(step));
    case StepKind::read:
      return fmt::format("{} from {}{}", image, operation, parts_text(step));
    case StepKind::write:
      return fmt::format("{} to {}{}", image, operation, parts_text(step));
    case StepKind::reduce:
      return fmt::format("{} of {}", operation, image);
    case StepKind::scatter:
      return step.exchanged.empty() ? image
                                    : fmt::format("{} with halo {}x{}", image, step.exchanged.x, step.exchanged.y);
    case StepKind::exchange:
      return fmt::format("{}, halo {}x{}{}", image, step.exchanged.x, step.exchanged.y,
                         step.cyclic ? ", across the edges" : "");
    case StepKind::redistribute:
      return step.former
                 ? fmt::format("{} from {} to {}", image, to_string(*step.former), to_string(grid_of(plan, step)))
                 : image;
    case StepKind::gather:
    case StepKind::broadcast:
    case StepKind::allgather:
      break;
  }
  return image;
}

}  // namespace

std::string way_text(const PlanStep& step) {
  if (step.overlapped) return "overlapped";
  return step.algorithm ? std::string(to_string(*step.algorithm)) + (step.in_turn ? " in turn" : "") : std::string();
}

std::optional<double> comparable_prediction(const PlanStep& step) {
  if (!step.overlapped || !step.predicted_seconds) return step.predicted_seconds;
  return *step.predicted_seconds - step.hidden_seconds;
}

std::string what_text(const Plan& plan, const PlanStep& step) {
  const std::string text = action_text(plan, step);
  const bool names_grid = step.grid && step.kind != StepKind::redistribute;
  const std::string on = names_grid ? fmt::format(", on {}", to_string(*step.grid)) : "";
  const std::string by = step.threads ? fmt::format(", by {}", counted(*step.threads, "thread")) : "";
  return text + on + by;
}

std::string rejected_way_text(const PlanStep& step, const RejectedAlgorithm& other) {
  if (other.algorithm) return std::string(to_string(*other.algorithm));
  return step.site == Site::root ? "on tiles" : "on root";
}

std::string grids_text(const Alternative& other) {
  if (other.in_turn) return to_string(other.grid) + " in turn";
  return other.second_grid ? fmt::format("{} and {}", to_string(other.grid), to_string(*other.second_grid))
                           : to_string(other.grid);
}

std::string grids_text(const Plan& plan) {
  std::string text = to_string(plan.grid);
  std::set<ProcessGrid> named{plan.grid};
  for (const PlanStep& step : plan.steps) {
    if (step.grid && named.insert(*step.grid).second) text += " and " + to_string(*step.grid);
  }
  return text;
}

std::string configuration_text(const Plan& plan) {
  return fmt::format("{} as {}, {} each", counted(plan.ranks, "rank"), grids_text(plan),
                     counted(plan.threads, "thread"));
}

std::string proof_text(const Plan& plan) {
  if (!plan.tie) return plan.proven_optimal ? "proven optimal" : "not proven optimal";
  return plan.proven_optimal ? "within the tie zone of the optimum, which is proven"
                             : "within the tie zone of the best plan found, which is not proven optimal";
}

std::string prediction_text(const Plan& plan) {
  const bool uncertain = plan.uncertainty_seconds && plan.predicted_seconds && *plan.predicted_seconds > 0;
  const std::string uncertainty =
      uncertain ? fmt::format(" +- {:.1f} %", 100 * *plan.uncertainty_seconds / *plan.predicted_seconds) : "";
  return fmt::format("{}{} (lower bound {}, {})", seconds_text(plan.predicted_seconds), uncertainty,
                     seconds_text(plan.lower_bound_seconds), proof_text(plan));
}

std::string tie_text(const Plan& plan) {
  if (!plan.tie || plan.tie->fastest_seconds <= 0) return {};
  const TieZone& tie = *plan.tie;
  const double more = plan.predicted_seconds.value_or(tie.fastest_seconds) / tie.fastest_seconds - 1;
  return fmt::format(
      "chosen within the tie zone of {:.1f} %: grid {} is predicted to take {}, this simpler plan {:.1f} % more, which "
      "is less than the measurements can tell",
      100 * tie.zone_seconds / tie.fastest_seconds, to_string(tie.fastest_grid), format_seconds(tie.fastest_seconds),
      100 * more);
}

std::string partial_text(const Plan& plan) {
  if (!plan.partial) return {};
  return "the plan ends here: the program goes on with a value that only a run can give";
}

std::string one_line(std::string_view text) {
  std::string line(text);
  for (char& c : line) {
    const auto code = static_cast<unsigned char>(c);
    if (code < 0x20 || code == 0x7F) c = ' ';
  }
  return line;
}

}  // namespace tilewright
