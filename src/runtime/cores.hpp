// How much of the processor this process may use.
#pragma once

namespace tilewright {

/// The cores of the affinity mask, or what the control group's quota leaves of them.
[[nodiscard]] double usable_cores();

}  // namespace tilewright
