// What is measured and what operators state of their costs must agree on these.
#pragma once

namespace tilewright {

/// A root or a quotient among others is measured with so many other instructions: the processor does it while it does
/// them.
inline constexpr int instructions_beside = 3;

/// Along the columns, of a filter that is measured with all other taps along the rows.
inline constexpr int few_taps = 3;

}  // namespace tilewright
