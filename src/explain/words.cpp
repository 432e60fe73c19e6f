#include "words.hpp"

#include <fmt/format.h>

#include "tilewright/core/units.hpp"

namespace tilewright {

std::string seconds_text(const std::optional<double>& seconds) {
  return seconds ? format_seconds(*seconds) : std::string("unknown");
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

std::string what_text(const Plan& plan, const PlanStep& step) {
  const std::string image = image_name(plan, step.image);
  const std::string operation = one_line(step.operation);
  const std::string last = step.results > 1 ? " to " + image_name(plan, step.image + step.results - 1) : std::string();
  switch (step.kind) {
    case StepKind::compute:
      return fmt::format("{}{} = {}", image, last, operation);
    case StepKind::read:
      return fmt::format("{} from {}", image, operation);
    case StepKind::write:
      return fmt::format("{} to {}", image, operation);
    case StepKind::reduce:
      return fmt::format("{} of {}", operation, image);
    case StepKind::exchange:
      return fmt::format("{}, halo {}x{}{}", image, step.exchanged.x, step.exchanged.y,
                         step.cyclic ? ", across the edges" : "");
    default:
      return image;
  }
}

std::string configuration_text(const Plan& plan) {
  return fmt::format("{} as {}, {} each", counted(plan.ranks, "rank"), to_string(plan.grid),
                     counted(plan.threads, "thread"));
}

std::string prediction_text(const std::optional<double>& predicted, const std::optional<double>& bound,
                            const Plan& proof) {
  return fmt::format("{} (lower bound {}, {})", seconds_text(predicted), seconds_text(bound),
                     proof.proven_optimal ? "proven optimal" : "not proven optimal");
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
