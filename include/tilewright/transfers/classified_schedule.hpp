// A schedule whose messages are told apart by their forms, of which there are few: what pricing goes through again and
// again, with one machine after another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tilewright/transfers/schedule.hpp"

namespace tilewright {

struct ClassifiedSchedule {
  Schedule schedule;
  std::vector<MessageForm> forms;    ///< each once
  std::vector<std::size_t> form_of;  ///< by message, in the order of the rounds: an index into forms
  std::vector<bool> shifts;          ///< by round: some rank both sends and receives in it
  std::int64_t copied_bytes = 0;     ///< Schedule::copied_bytes()
};

[[nodiscard]] ClassifiedSchedule classified(Schedule schedule);

}  // namespace tilewright
