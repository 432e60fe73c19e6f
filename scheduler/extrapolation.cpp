#include "extrapolation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "tilewright/core/units.hpp"

namespace tilewright {
namespace {

/// Tiles may be so many times as large as the largest measured one, or as small.
constexpr double tolerated_factor = 2;

struct Range {
  double least = 0;
  double most = 0;
  void add(double value) {
    least = std::min(least, value);
    most = std::max(most, value);
  }
};

void add_to(std::optional<Range>& range, double value) {
  if (range) {
    range->add(value);
  } else {
    range = Range{value, value};
  }
}

using KeyAndType = std::pair<std::string, PixelType>;

/// Parameters and tiles that an operator was measured with.
struct OperatorRange {
  std::optional<Range> parameters;
  std::optional<Range> pixels;
};

std::map<KeyAndType, OperatorRange> measured_operators(const MachineProfile& profile) {
  std::map<KeyAndType, OperatorRange> ranges;
  for (const OperatorCell& cell : profile.operators()) {
    OperatorRange& range = ranges[{cell.key, cell.type}];
    add_to(range.parameters, cell.parameter);
    add_to(range.pixels, cell.tile_pixels);
  }
  return ranges;
}

std::string operator_note(const TransitionPricer::UnitCost& unit, const OperatorRange& measured) {
  const std::string what = fmt::format("extrapolated: {} of {}", unit.key, to_string(unit.type));
  const Range& parameters = *measured.parameters;
  if (unit.parameter < parameters.least || unit.parameter > parameters.most) {
    return fmt::format("{} with {:g} taps, measured with {:g} to {:g}", what, unit.parameter, parameters.least,
                       parameters.most);
  }
  const Range& pixels = *measured.pixels;
  if (unit.pixels > tolerated_factor * pixels.most || unit.pixels * tolerated_factor < pixels.least) {
    return fmt::format("{} on {:.3g} pixels, measured on {:.3g} to {:.3g}", what, unit.pixels, pixels.least,
                       pixels.most);
  }
  return {};
}

/// The longest message of the plan.
std::int64_t longest_message(TransitionPricer& pricer, const std::vector<Transition>& path, KnownSchedules& schedules) {
  std::int64_t longest = 0;
  for (const Transition& transition : path) {
    if (!moves_pixels(transition) || transition.algorithm == Algorithm::shared) continue;
    for (const MessageForm& form : schedules.of(pricer.spec(transition)).forms) longest = std::max(longest, form.bytes);
  }
  return longest;
}

std::int64_t longest_measured(const MachineProfile& profile) {
  std::int64_t longest = 0;
  for (const PathCell& cell : profile.paths()) {
    if (cell.path == Path::send && cell.layout == Layout::cc && !cell.within_node)
      longest = std::max(longest, cell.bytes);
  }
  return longest;
}

}  // namespace

std::vector<std::string> extrapolations(const Pipeline& pipeline, const MachineProfile& profile, const CostModel& model,
                                        const SearchSpace& space, const Configuration& configuration,
                                        const std::vector<Transition>& path,
                                        std::shared_ptr<KnownSchedules> schedules) {
  TransitionPricer pricer(pipeline, profile, model, space, schedules);
  pricer.configure(configuration);
  for (const Transition& transition : path) (void)pricer.price(transition);
  std::vector<std::string> notes;
  const auto measured = measured_operators(profile);
  for (const TransitionPricer::UnitCost& unit : pricer.units_priced()) {
    const auto range = measured.find({unit.key, unit.type});
    if (range == measured.end()) continue;  // not known at all, which the plan says elsewhere
    std::string note = operator_note(unit, range->second);
    if (!note.empty() && std::find(notes.begin(), notes.end(), note) == notes.end()) notes.push_back(std::move(note));
  }
  if (configuration.ranks == 1) return notes;
  const std::int64_t longest = longest_message(pricer, path, *schedules);
  if (longest > longest_measured(profile)) {
    notes.push_back(fmt::format("extrapolated: messages of up to {}, measured up to {}", format_bytes(longest),
                                format_bytes(longest_measured(profile))));
  }
  return notes;
}

}  // namespace tilewright
