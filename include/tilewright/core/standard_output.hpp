// What programs print as their results.
#pragma once

namespace tilewright {

/// Writes out what was printed so far. Throws RuntimeError if it, or anything printed before, could not be written: on
/// a full disk a result must not be lost in silence.
void check_printed();

}  // namespace tilewright
