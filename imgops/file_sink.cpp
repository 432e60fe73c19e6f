// Files as sinks.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "file_format_names.hpp"
#include "opencv_codec.hpp"
#include "pending_file.hpp"
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

  /// OpenCV takes a copy in its channel order, and makes the file in memory, where it may grow to twice its size.
  [[nodiscard]] std::int64_t scratch_bytes(const ImageShape& image) const override {
    if (is_tiff()) return tiff_writer_bytes(image);
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

  void store(const ConstView& image) const override {
    PendingFile file(path_);
    if (is_tiff()) {
      store_tiff(file, image);
    } else {
      const Bytes content = encode(image, format_.extensions.front());
      file.write(std::as_bytes(std::span(content)));
    }
    file.commit();
  }

 private:
  [[nodiscard]] bool is_tiff() const { return format_.name == "TIFF"; }

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
