// One vector level for all ranks, so that they compute the same bits.
#pragma once

#include <optional>

#include "tilewright/imgops/simd.hpp"
#include "tilewright/runtime/communicator.hpp"

namespace tilewright {

/// Collective. Puts in force the level that is asked for (on all ranks the same), otherwise the highest that all ranks
/// have; `best` is this rank's. Throws ParameterError on every rank if the processor of one lacks the level asked for.
void agree_on_simd_level(const Communicator& communicator, std::optional<SimdLevel> asked, SimdLevel best);

}  // namespace tilewright
