// A sink that tells when an output is there.
#pragma once

#include <functional>
#include <memory>

#include "tilewright/pipeline/operator.hpp"

namespace tilewright {

/// Stores what `sink` stores, in the same way, and calls `on_stored` once that has taken its place: on the root, in
/// whatever thread stored it. What it throws is thrown where the output was stored.
[[nodiscard]] std::shared_ptr<const Sink> telling_sink(std::shared_ptr<const Sink> sink,
                                                       std::function<void()> on_stored);

}  // namespace tilewright
