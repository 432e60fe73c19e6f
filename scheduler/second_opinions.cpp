#include "second_opinions.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "tilewright/core/units.hpp"

namespace tilewright {
namespace {

/// One that a message costs nothing would have all ranks work, always.
constexpr std::string_view without_messages = "pram";

/// A model with what it says of each contender.
struct Opinion {
  std::unique_ptr<CostModel> model;
  std::unique_ptr<TransitionPricer> pricer;
  std::vector<double> seconds;
};

std::string words(const Opinion& opinion, const std::vector<Contender>& contenders, std::size_t preferred) {
  const ProcessGrid& grid = contenders[preferred].configuration.grid;
  return fmt::format("{} prefers {} ({} to {})", opinion.model->name(), to_string(grid),
                     format_seconds(opinion.seconds[preferred]), format_seconds(opinion.seconds.front()));
}

}  // namespace

std::string second_opinions(const Pipeline& pipeline, const MachineProfile& profile, const CostModel& model,
                            const SearchSpace& space, const std::vector<Contender>& contenders,
                            const std::shared_ptr<KnownSchedules>& schedules) {
  if (contenders.size() < 2) return {};
  std::vector<Opinion> opinions;
  for (const std::string_view name : cost_model_names()) {
    if (name == model.name() || name == without_messages) continue;
    auto other = cost_model_if_measured(name, profile).model;
    if (!other) continue;
    auto pricer = std::make_unique<TransitionPricer>(pipeline, profile, *other, space, schedules);
    opinions.push_back({std::move(other), std::move(pricer), {}});
  }
  for (const Contender& contender : contenders) {  // the schedules of one serve all models
    for (Opinion& opinion : opinions) {
      opinion.pricer->configure(contender.configuration);
      std::vector<TransitionTimes> times;
      for (const Transition& transition : contender.path) {
        times.push_back(opinion.pricer->times(transition, opinion.pricer->price(transition).seconds));
      }
      opinion.seconds.push_back(seconds_of(times));
    }
  }
  std::vector<std::string_view> agreeing;
  std::vector<std::string> disagreeing;
  for (const Opinion& opinion : opinions) {
    const auto least = std::min_element(opinion.seconds.begin(), opinion.seconds.end());
    const auto preferred = static_cast<std::size_t>(least - opinion.seconds.begin());
    if (preferred == 0) {
      agreeing.push_back(opinion.model->name());
    } else {
      disagreeing.push_back(words(opinion, contenders, preferred));
    }
  }
  if (opinions.empty()) return {};
  std::string text = fmt::format("other models, of the {} fastest plans by {}: ", contenders.size(), model.name());
  if (!agreeing.empty()) text += fmt::format("{} agree", fmt::join(agreeing, ", "));
  if (!agreeing.empty() && !disagreeing.empty()) text += "; ";
  return text + fmt::format("{}", fmt::join(disagreeing, "; "));
}

}  // namespace tilewright
