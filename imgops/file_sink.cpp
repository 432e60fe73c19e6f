// Files as sinks.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "file_format_names.hpp"
#include "opencv_codec.hpp"
#include "pending_file.hpp"
#include "png_writer.hpp"
#include "tiff_writer.hpp"
#include "tilewright/imgops/files.hpp"

namespace tilewright {
namespace {

std::string names_of(const std::vector<PixelType>& types) {
  std::vector<std::string_view> names;
  for (const PixelType type : types) names.push_back(to_string(type));
  return fmt::format("{}", fmt::join(names, ", "));
}

class FileSink final : public Sink {
 public:
  FileSink(std::string path, const WritableFormat& format) : path_(std::move(path)), format_(format) {}

  [[nodiscard]] std::string describe() const override { return path_; }

  [[nodiscard]] std::vector<Work> work(const ImageShape& image) const override {
    return {
        {format_.write_key, image.format.type, 0, static_cast<double>(image.extent.pixels() * image.format.channels)}};
  }

  [[nodiscard]] int threads_used(const ImageShape& image, int threads) const override {
    return is_png() ? png_writer_threads(image, threads) : 1;
  }

  /// OpenCV takes a copy in its channel order, and makes the file in memory, where it may grow to twice its size.
  [[nodiscard]] std::int64_t scratch_bytes(const ImageShape& image, int threads) const override {
    if (is_tiff()) return tiff_writer_bytes(image);
    if (is_png()) return png_writer_bytes(image, threads);
    return (image.format.channels >= 3 ? 3 : 2) * image.bytes();
  }

  void check(const ImageShape& image) const override {
    const auto& types = format_.types;
    const auto& channels = format_.channels;
    const bool is_storable = std::count(types.begin(), types.end(), image.format.type) > 0 &&
                             std::count(channels.begin(), channels.end(), image.format.channels) > 0;
    if (!is_storable) {
      throw ParameterError(
          fmt::format("cannot write {} to '{}': {} stores {} with {} channels; convert() it first, or "
                      "write it as .tif",
                      to_string(image), path_, format_.name, names_of(types), fmt::join(channels, " or ")));
    }
    if (std::max(image.extent.width, image.extent.height) > format_.largest_side) {
      throw ParameterError(fmt::format("cannot write {} to '{}': {} stores at most {} pixels a side; write it as .tif",
                                       to_string(image), path_, format_.name, format_.largest_side));
    }
  }

  void check_writable() const override { const PendingFile file(path_); }

  void store(const ConstView& image, const ComputeContext& context) const override {
    PendingFile file(path_);
    if (is_tiff()) {
      store_tiff(file, image);
    } else if (is_png()) {
      store_png(file, image, context.threads);
    } else {
      const Bytes content = encode(image, format_.extensions.front());
      const auto bytes = std::as_bytes(std::span(content));
      file.write({&bytes, 1});
    }
    file.commit();
  }

 private:
  [[nodiscard]] bool is_tiff() const { return format_.name == "TIFF"; }
  [[nodiscard]] bool is_png() const { return format_.name == "PNG"; }

  static void store_png(const PendingFile& file, const ConstView& image, int threads) {
    const std::vector<FilePart> parts = encode_png(image, threads);
    std::vector<std::span<const std::byte>> bytes;
    for (const FilePart& part : parts) bytes.push_back(part.bytes());
    file.write(bytes);
  }

  void store_tiff(const PendingFile& file, const ConstView& image) const {
    try {
      write_tiff(file.path(), image);
    } catch (const RuntimeError& error) {
      throw RuntimeError(fmt::format("cannot write {}: {}", path_, error.what()));
    }
  }

  std::string path_;
  const WritableFormat& format_;
};

}  // namespace

std::shared_ptr<const Sink> image_file_sink(const std::string& path) {
  const WritableFormat* format = format_of(path);
  if (format == nullptr) {
    throw ParameterError(fmt::format("cannot write '{}': its extension names no known image format; known: {}", path,
                                     writable_extensions()));
  }
  return std::make_shared<FileSink>(path, *format);
}

}  // namespace tilewright
