// What models say of packing, and of a transpose that packs. Pure functions.
#pragma once

#include "tilewright/model/machine_profile.hpp"
#include "tilewright/scheduler/cost_model.hpp"

namespace tilewright::papers {

/// Seconds that one end of a message takes longer than a contiguous one: layout nc for the sender's, cn for the
/// receiver's, with derived datatypes. By log_3P that is l_mw / 2 of the end's blocks (Cameron, Ge and Sun 2007,
/// section 4.1). Throws ParameterError for another layout.
[[nodiscard]] double strided_end_seconds(const CostModel& model, MessageForm form);

/// Seconds of packing (layout nc) or of unpacking (cn) by hand. A model that tells packings apart says itself how much
/// longer such a message takes. For one that does not, as log_3P, it is an implicit transfer of log_nP: copying so much
/// contiguous memory, and the latency of the stride, T_mem + l_mw / 2 (equation 1 and section 4.3.2; the paper does not
/// print how it puts them together). Throws ParameterError for another layout, or if the profile lacks memory copies.
[[nodiscard]] double packing_seconds(const CostModel& model, const MachineProfile& profile, MessageForm form);

/// How the data of each message of a transpose lie: in blocks of `sent` in the sender's memory and of `received` in the
/// receiver's, the same number of bytes.
struct TransposeShape {
  int ranks = 1;
  BlockShape sent;
  BlockShape received;
};

/// Seconds of a transpose in which each rank has a message for every rank, itself included, in P turns.
/// By derived datatypes: (P-1) (T + x + y) + T00 + x + y, with T that of a contiguous message while all send, x and y
/// what the ends take longer, and T00 a contiguous message to oneself. Packed by hand: (P-1) (pack + T + unpack) +
/// pack, for what is the rank's own is only copied into place. Source: Cameron, Ge and Sun 2007, section 4.3.4, with
/// what it counts as computation, packing by hand, priced too. Throws ParameterError if the profile lacks what is
/// needed.
[[nodiscard]] double transpose_seconds(const CostModel& model, const MachineProfile& profile,
                                       const TransposeShape& shape, Packing packing);

}  // namespace tilewright::papers
