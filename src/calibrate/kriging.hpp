// What few samples of each message say, put together with what those of messages like it say.
#pragma once

#include <vector>

#include "tilewright/model/cells.hpp"

namespace tilewright {

/// Kriging: the posterior mean of a Gaussian process (Rasmussen and Williams, Gaussian Processes for Machine Learning,
/// 2006, equation 2.25) over the logarithms of the times. Where processors are rationed there is time for three bursts
/// of a message, each of which may take a quarter more or less than the next. But a message takes nearly what one of
/// almost the same size takes, or one the other way, or one whose blocks are alike: so each cell's time becomes the one
/// that all cells together make most likely, the more its own the more samples it has and the less these differ. Of a
/// few covariances, of machines whose messages have other things in common, that counts which tells the cells best.
///
/// Of send, recv and full between nodes, for which it was found what messages have in common, in each group that is
/// measured alike (streams, round trips), unless its samples tell nine in ten times to 4 % by themselves. All others
/// stay as they are, and so do spreads and numbers of samples. A jump that all layouts have at one size stays. Pure.
[[nodiscard]] std::vector<PathCell> kriged(std::vector<PathCell> cells);

}  // namespace tilewright
