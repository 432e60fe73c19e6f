#include "fault.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "tilewright/core/error.hpp"

namespace tilewright::simulation {

Fault parse_fault(std::string_view text) {
  static constexpr std::array<std::pair<std::string_view, Fault>, 5> names{{{"none", Fault::none},
                                                                            {"cycle", Fault::cycle},
                                                                            {"lost", Fault::lost},
                                                                            {"dropped", Fault::dropped},
                                                                            {"repeated", Fault::repeated}}};
  for (const auto& [name, fault] : names) {
    if (name == text) return fault;
  }
  throw ParameterError(fmt::format("--fault {}: use none, cycle, lost, dropped or repeated", text));
}

Schedule spoiled(Schedule schedule, Fault fault, int rank) {
  if (fault == Fault::none) return schedule;
  if (schedule.rounds.empty()) throw ParameterError("--fault: a schedule without messages cannot be spoiled");
  const Message last = schedule.rounds.back().back();
  if (fault == Fault::cycle && rank == 1) std::reverse(schedule.rounds.begin(), schedule.rounds.end());
  if (fault == Fault::dropped || (fault == Fault::lost && rank == last.sender)) schedule.rounds.back().pop_back();
  if (fault == Fault::repeated) schedule.rounds.push_back({last});
  return schedule;
}

}  // namespace tilewright::simulation
