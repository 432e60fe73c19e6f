// The recorded graph of one segment: what the scheduler plans and the runtime runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tilewright/pipeline/image.hpp"

namespace tilewright {

/// What is wanted of an image.
enum class OutputKind : std::uint8_t {
  write,   ///< stored through a sink, from the root
  fetch,   ///< whole on every rank, for the program
  keep,    ///< as the source of later segments: whole on the root, or on the tiles where it was made
  reduce,  ///< condensed, the value on every rank
};

/// One wish; the sink or the method as the kind has it.
struct OutputRequest {
  OutputKind kind = OutputKind::write;
  Image image;
  std::shared_ptr<const Sink> sink;
  std::shared_ptr<const ReductionMethod> reduction;
};

struct PipelineImage {
  std::string name;  ///< "image0", "image1", ... in order of the tasks; files carry their name
  std::shared_ptr<const Source> source;
  std::shared_ptr<const Operator> op;
  std::vector<int> inputs;  ///< indices of images, all smaller than this one's
  ImageShape shape;
  int result = 0;  ///< which of its operator's results; those of one operator follow each other

  /// Whether it is computed from the image of that index.
  [[nodiscard]] bool reads(int image) const;
};

struct PipelineOutput {
  OutputKind kind = OutputKind::write;
  int image = 0;
  std::shared_ptr<const Sink> sink;
  std::shared_ptr<const ReductionMethod> reduction;
};

/// One thing to do: obtain an image (read or compute it), or serve an output.
struct Task {
  enum class Kind : std::uint8_t { obtain, output } kind = Kind::obtain;
  int index = 0;  ///< into outputs, or images: of several results of one operator the first
};

/// True if the whole image, with that much room around it for borders, stays its source's: it is in memory anyway, and
/// needs no room or is too large to be copied for it.
[[nodiscard]] bool is_lent(const PipelineImage& image, const Halo& room);

/// Immutable once recorded. Tasks stand in the order of demand: for each output in turn what it still needs, inputs
/// first, and then the output at once, so that as few images as possible live at a time.
struct Pipeline {
  std::vector<PipelineImage> images;
  std::vector<PipelineOutput> outputs;
  std::vector<Task> tasks;

  [[nodiscard]] const PipelineImage& image(int index) const { return images[static_cast<std::size_t>(index)]; }
  [[nodiscard]] const PipelineOutput& output(int index) const { return outputs[static_cast<std::size_t>(index)]; }
  /// One line a task; says everything that the result depends on.
  [[nodiscard]] std::string describe() const;
  /// Fingerprint of describe(): equal on all ranks that record the same pipeline.
  [[nodiscard]] std::uint64_t hash() const;
  /// The halo with which tiles of this image are stored: the smallest that covers all operators that read it.
  [[nodiscard]] Halo storage_halo(int image) const;
  /// The halo with which one rank stores the whole image: of those operators that do not make up the border themselves.
  [[nodiscard]] Halo whole_halo(int image) const;
  /// How many images come about together with this one, the first of its operator's, itself counted.
  [[nodiscard]] int results(int image) const;
  /// The operators that read the image, each by the first image that it makes, in order.
  [[nodiscard]] std::vector<int> readers(int image) const;
  /// Whether the program gets the image's pixels, on every rank that was started.
  [[nodiscard]] bool is_fetched(int image) const;
  /// What the program has of a run until the next one is done: the images that it gets.
  [[nodiscard]] std::int64_t result_bytes() const;
  /// The shapes of an image's inputs.
  [[nodiscard]] std::vector<ImageShape> input_shapes(int image) const;
};

/// Whether it is a source whose pixels are on tiles (Source::tiled_on()).
[[nodiscard]] bool is_tiled_source(const PipelineImage& image);

/// The grid on whose tiles sources are (Source::tiled_on()); none if there is no such source. Throws ParameterError if
/// there are several.
[[nodiscard]] std::optional<ProcessGrid> grid_of_sources(const Pipeline& pipeline);

/// Flattens what the outputs need. Throws ParameterError without any output.
[[nodiscard]] Pipeline record(const std::vector<OutputRequest>& outputs);

}  // namespace tilewright
