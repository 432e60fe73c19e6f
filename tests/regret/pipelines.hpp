// The pipelines of the proving ground, as users would write them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tilewright/pipeline/pipeline.hpp"

namespace tilewright::regret {

/// One derivative; the five derivatives up to second order; the gradient magnitude with a threshold and the sum of what
/// is left; three smoothings of growing scale, one after another; a bank of oriented second derivatives whose maximum
/// alone is kept; many passes of a small filter; ten smoothings of one small scale, one after another; a long
/// smoothing along x and then one along y, as two filters.
enum class Kind {
  one_derivative,
  five_derivatives,
  gradient_threshold,
  chain,
  bank,
  iterations,
  small_chain,
  wide_and_tall
};

[[nodiscard]] std::string_view to_string(Kind kind);
/// Throws ParameterError for an unknown name.
[[nodiscard]] Kind parse_kind(std::string_view text);

/// A pipeline with its parameters. Scales are in pixels.
struct PipelineChoice {
  Kind kind = Kind::one_derivative;
  std::vector<double> sigmas = {3};  ///< chain: of its filters in turn; bank: of its scales; else the one
  int angles = 36;                   ///< bank
  int passes = 20;                   ///< iterations, small_chain
  double level = 8;                  ///< gradient_threshold
  bool operator==(const PipelineChoice&) const = default;
};

/// The scales of its filters in turn.
[[nodiscard]] std::vector<double> scales_of_small_chain(const PipelineChoice& choice);

/// Records it on an f32 image of that size, the same pixels on every rank. Its outputs stay on the root.
[[nodiscard]] Pipeline record_choice(const PipelineChoice& choice, const Extent& extent);

/// The pixels that it starts from: smooth structures, edges and a little noise, values 0 to 255.
[[nodiscard]] Raster test_pixels(const Extent& extent);

}  // namespace tilewright::regret
