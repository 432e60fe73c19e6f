// Files as sinks.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "file_content.hpp"
#include "file_format_names.hpp"
#include "opencv_codec.hpp"
#include "part_work.hpp"
#include "png_writer.hpp"
#include "tiff_frame.hpp"
#include "tiff_writer.hpp"
#include "tilewright/core/pending_file.hpp"
#include "tilewright/imgops/files.hpp"

namespace tilewright {
namespace {

/// With room for a header: OpenCV counts the bytes of an encoded image in int.
constexpr std::int64_t largest_encoded_bytes = 0x7FFFFFFF - 64 * 1024;

std::string names_of(const std::vector<PixelType>& types) {
  std::vector<std::string_view> names;
  for (const PixelType type : types) names.push_back(to_string(type));
  return fmt::format("{}", fmt::join(names, ", "));
}

/// What completes "cannot write PATH: ".
template <class Action>
auto naming(const std::string& path, const Action& action) {
  try {
    return action();
  } catch (const RuntimeError& error) {
    throw RuntimeError(fmt::format("cannot write {}: {}", path, error.what()));
  }
}

/// All but taking its place.
void write_encoded(const ConstView& image, const std::string& extension, const PendingFile& file) {
  const Bytes content = encode(image, extension);
  file.write(std::as_bytes(std::span(content)));
  file.check_stored();
}

/// Writes aside, and says which file it is that cannot be written.
class FileWriter final : public ImageWriter {
 public:
  /// `make` opens the writer for a path.
  template <class Make>
  FileWriter(const std::string& path, const Make& make) : path_(path), file_(path) {
    naming(path_, [&] { rows_ = make(file_.path()); });
  }

  void put(const ConstView& rows) override {
    naming(path_, [&] { rows_->put(rows); });
  }
  void finish() override {
    naming(path_, [&] { rows_->finish(); });
    file_.check_stored();
  }
  void commit() override { file_.commit(); }

 private:
  std::string path_;
  PendingFile file_;
  std::unique_ptr<ImageWriter> rows_;
};

/// For formats that are encoded as a whole.
class EncodedWriter final : public ImageWriter {
 public:
  EncodedWriter(const std::string& path, std::string extension, const ImageShape& image)
      : extension_(std::move(extension)), file_(path), image_(image) {}

  void put(const ConstView& rows) override { copy_pixels(rows, image_.view(), rows.area()); }
  void finish() override { write_encoded(std::as_const(image_).view(), extension_, file_); }
  void commit() override { file_.commit(); }

 private:
  std::string extension_;
  PendingFile file_;
  Raster image_;
};

/// A file that ranks see while it has no pixels yet. Its place is where these begin, and its path.
class TiffInParts final : public PartsOutput {
 public:
  TiffInParts(const std::string& path, const ImageShape& image)
      : file_(PendingFile::visible(path, Survivor::removes)),
        pixels_begin_(naming(path, [&] { return write_tiff_frame(file_->path(), image); })) {}

  [[nodiscard]] std::string place() const override { return fmt::format("{} {}", pixels_begin_, file_->path()); }
  void finish() override {
    file_->check_stored();
    file_->commit();
  }

 private:
  std::unique_ptr<PendingFile> file_;
  std::int64_t pixels_begin_;
};

/// One without content.
class ProbeFile final : public PartsOutput {
 public:
  explicit ProbeFile(const std::string& path) : file_(PendingFile::visible(path, Survivor::none)) {}
  [[nodiscard]] std::string place() const override { return "0 " + file_->path(); }
  void finish() override { throw InternalError("a file that was only to be seen is no output"); }

 private:
  std::unique_ptr<PendingFile> file_;
};

std::string path_of_place(const std::string& place) {
  return place.substr(place.find(' ') + 1);
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
    if (takes_rows()) return writer_bytes(image);
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
    if (!takes_rows() && image.bytes() > largest_encoded_bytes) {
      throw ParameterError(fmt::format("cannot write {} to '{}': OpenCV encodes at most 2 GiB; write it as .tif",
                                       to_string(image), path_));
    }
    if (std::max(image.extent.width, image.extent.height) > format_.largest_side) {
      throw ParameterError(fmt::format("cannot write {} to '{}': {} stores at most {} pixels a side; write it as .tif",
                                       to_string(image), path_, format_.name, format_.largest_side));
    }
  }

  void check_writable() const override { const PendingFile file(path_); }

  void store(const ConstView& image) const override {
    if (takes_rows()) {
      const auto writer = open({{image.area().width(), image.area().height()}, image.format()});
      writer->put(image);
      writer->finish();
      writer->commit();
      return;
    }
    PendingFile file(path_);
    write_encoded(image, extension(), file);
    file.commit();
  }

  [[nodiscard]] std::unique_ptr<ImageWriter> open(const ImageShape& image) const override {
    if (!takes_rows()) return std::make_unique<EncodedWriter>(path_, extension(), image);
    return std::make_unique<FileWriter>(path_, [&](const std::string& path) -> std::unique_ptr<ImageWriter> {
      if (is_tiff()) return std::make_unique<TiffWriter>(path, image);
      return std::make_unique<PngWriter>(path, image);
    });
  }

  [[nodiscard]] std::int64_t writer_bytes(const ImageShape& image) const override {
    if (!takes_rows()) return Sink::writer_bytes(image);
    return is_tiff() ? tiff_writer_bytes(image) : png_writer_bytes(image);
  }

  [[nodiscard]] std::string why_no_parts(const ImageShape& /*image*/) const override {
    return is_tiff() ? "" : "it is no TIFF file";
  }
  [[nodiscard]] std::vector<Work> part_work(const ImageShape& image, const Extent& part) const override {
    return work_on_part("write_part", image, part, image.extent.width);
  }
  [[nodiscard]] std::vector<Work> frame_work(const ImageShape& image) const override {
    return work_on_part("write_frame", image, image.extent, image.extent.width);
  }
  [[nodiscard]] std::unique_ptr<PartsOutput> open_parts(const ImageShape& image) const override {
    return std::make_unique<TiffInParts>(path_, image);
  }
  [[nodiscard]] std::unique_ptr<PartsOutput> open_probe() const override { return std::make_unique<ProbeFile>(path_); }
  [[nodiscard]] bool sees(const std::string& place) const override {
    return !file_identity(path_of_place(place)).empty();
  }
  void write_part(const std::string& place, const ImageShape& image, const ConstView& part) const override {
    naming(path_, [&] { write_tiff_part(path_of_place(place), std::stoll(place), image, part); });
  }
  [[nodiscard]] std::string parts_mark() const override { return PendingFile::mark_of_this_process(); }
  void discard_parts(const std::string& mark) const noexcept override { PendingFile::discard_visible(path_, mark); }

 private:
  [[nodiscard]] std::string extension() const { return format_.extensions.front(); }
  [[nodiscard]] bool is_tiff() const { return format_.name == "TIFF"; }
  /// Whether rows are written as they come; other formats are encoded as a whole.
  [[nodiscard]] bool takes_rows() const { return is_tiff() || format_.name == "PNG"; }

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
