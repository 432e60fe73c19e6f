// What short messages take of the processor of a rank that computes.
#pragma once

#include "tilewright/core/message.hpp"
#include "tilewright/model/machine_profile.hpp"

namespace tilewright {

/// The cell in which a profile keeps it, as an operator's cost: its unit is a short message that the root sends to a
/// rank asleep, or takes in when it has come (Path::send or Path::recv), after it has computed. Time on the clock,
/// where the processor is rationed: a rank that computes has used up its ration, and gets what a message takes of it
/// later.
[[nodiscard]] OperatorCell message_overhead_cell(Path path);

/// Whether it is one of the two.
[[nodiscard]] bool is_message_overhead(const OperatorCell& cell);

/// How much longer such a message takes its rank than one of a stream of them, by which models price messages: a stream
/// leaves the processor idle and nobody asleep. Seconds; 0 where either was not measured.
[[nodiscard]] double overhead_beyond_stream_s(const MachineProfile& profile, Path path);

}  // namespace tilewright
