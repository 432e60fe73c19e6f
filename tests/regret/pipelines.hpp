// The pipelines of the proving ground, as users would write them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tilewright/pipeline/pipeline.hpp"

namespace tilewright::regret {

/// One derivative; the five derivatives up to second order; the gradient magnitude with a threshold and the sum of what
/// is left; three smoothings of growing scale, one after another; a bank of oriented second derivatives whose maximum
/// alone is kept; many passes of a small filter; ten smoothings of one small scale, one after another; long
/// smoothings along x and then as many along y, each a filter of its own; correlations with templates of several sizes
/// and directions, not separable, whose maximum is kept; the same with the maximum of each size kept, as a picture of
/// bytes; the first of them again, and the image goes to all ranks, to look at what was found; or the maximum goes to
/// all of them; five derivatives that all ranks get; the five derivatives of such a maximum; a stack of smoothings,
/// each of the one before, whose maximum is taken from the last one to the first, so that all are there at once;
/// smoothings with a round template, not separable, one after another, of which the sum alone is kept.
enum class Kind {
  one_derivative,
  five_derivatives,
  gradient_threshold,
  chain,
  bank,
  iterations,
  small_chain,
  wide_and_tall,
  template_bank,
  template_pictures,
  template_search,
  fetched_templates,
  fetched_derivatives,
  derivatives_of_templates,
  stack,
  template_chain
};

[[nodiscard]] std::string_view to_string(Kind kind);
/// Throws ParameterError for an unknown name.
[[nodiscard]] Kind parse_kind(std::string_view text);

/// A pipeline with its parameters. Scales are in pixels.
struct PipelineChoice {
  Kind kind = Kind::one_derivative;
  /// chain, wide_and_tall: of its filters in turn; banks: of their scales; derivatives_of_templates: the last one is
  /// that of the derivatives; else the one.
  std::vector<double> sigmas = {3};
  int angles = 36;   ///< banks
  int passes = 20;   ///< iterations, small_chain, stack, template_chain
  double level = 8;  ///< gradient_threshold
  /// Of a pipeline that reads the image from a file there, image.tif, and writes its outputs beside it, pictures as
  /// PNG; empty: the image is in memory, and the outputs stay on the root.
  std::string folder = {};
  bool operator==(const PipelineChoice&) const = default;
};

/// The scales of its filters in turn.
[[nodiscard]] std::vector<double> scales_of_small_chain(const PipelineChoice& choice);

/// Records it on an f32 image of that size, the same pixels on every rank. A file that the image is to come from is
/// taken to be there if it is not yet.
[[nodiscard]] Pipeline record_choice(const PipelineChoice& choice, const Extent& extent);

/// The pixels that it starts from: smooth structures, edges and a little noise, values 0 to 255.
[[nodiscard]] Raster test_pixels(const Extent& extent);

/// Writes them to the folder's image.tif. Throws RuntimeError if that fails.
void write_test_image(const std::string& folder, const Extent& extent);

}  // namespace tilewright::regret
