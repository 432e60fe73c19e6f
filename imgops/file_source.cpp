// Files as sources.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>

#include "encoded_format.hpp"
#include "file_format_names.hpp"
#include "opencv_codec.hpp"
#include "part_work.hpp"
#include "tiff_parts.hpp"
#include "tiff_reader.hpp"
#include "tilewright/core/units.hpp"
#include "tilewright/imgops/files.hpp"

namespace tilewright {
namespace {

/// Runs `action` and puts the file's name before the message of what it throws.
template <class Action>
auto naming(const std::string& path, const Action& action) {
  const auto text = [&](const Error& error) { return fmt::format("cannot read image '{}': {}", path, error.what()); };
  try {
    return action();
  } catch (const ParameterError& error) {
    throw ParameterError(text(error));
  } catch (const RuntimeError& error) {
    throw RuntimeError(text(error));
  }
}

/// A header that claims more is damaged; and sizes in bytes must not overflow.
void check_size(const ImageShape& shape) {
  constexpr double most_bytes = 0x1p50;
  const double bytes = static_cast<double>(shape.extent.width) * static_cast<double>(shape.extent.height) *
                       static_cast<double>(shape.format.bytes());
  if (shape.extent.width < 1 || shape.extent.height < 1 || bytes > most_bytes) {
    throw ParameterError(fmt::format("its header claims a size of {}", to_string(shape.extent)));
  }
}

/// OpenCV 4.6 refuses more in the middle of a run (CV_IO_MAX_IMAGE_PIXELS and its like), and counts the bytes of a file
/// in int.
void check_decodable(const ImageShape& shape, std::int64_t file_bytes) {
  constexpr std::int64_t most_pixels = std::int64_t{1} << 30;
  constexpr std::int64_t longest_side = std::int64_t{1} << 20;
  const bool is_decodable = shape.extent.pixels() <= most_pixels &&
                            std::max(shape.extent.width, shape.extent.height) <= longest_side &&
                            file_bytes <= std::numeric_limits<int>::max();
  if (is_decodable) return;
  throw ParameterError(
      fmt::format("{} in {} are more than OpenCV decodes (2^30 pixels, 2^20 a side, 2 GiB): convert it to TIFF",
                  to_string(shape.extent), format_bytes(file_bytes)));
}

std::vector<Work> work_on(const char* key, const ImageShape& shape) {
  return {{key, shape.format.type, 0, static_cast<double>(shape.extent.pixels() * shape.format.channels)}};
}

class TiffFile final : public Source {
 public:
  explicit TiffFile(std::string path) : path_(std::move(path)), header_(read_tiff_header(path_)) {}

  [[nodiscard]] std::string describe() const override { return path_; }
  [[nodiscard]] ImageShape shape() const override { return header_.shape; }
  [[nodiscard]] std::vector<Work> work() const override { return work_on("read_tiff", header_.shape); }
  [[nodiscard]] std::int64_t scratch_bytes() const override { return header_.scratch_bytes; }
  [[nodiscard]] Raster load(const Halo& halo) const override {
    Raster raster(header_.shape, halo);
    load_into(raster.view());
    return raster;
  }
  void load_into(const MutableView& target) const override {
    naming(path_, [&] { read_tiff(path_, target); });
  }
  [[nodiscard]] std::string why_no_parts() const override { return header_.why_no_parts; }
  [[nodiscard]] std::string identity() const override { return file_identity(path_); }
  [[nodiscard]] std::vector<Work> part_work(const Extent& part) const override {
    return work_on_part("read_part", header_.shape, part, header_.row_pixels);
  }
  void read_part(const Rect& area, const MutableView& target) const override {
    naming(path_, [&] { read_tiff_part(path_, header_.shape, area, target); });
  }

 private:
  std::string path_;
  TiffHeader header_;
};

class EncodedFile final : public Source {
 public:
  /// `format` is null for one of which only OpenCV knows.
  EncodedFile(std::string path, const EncodedFormat* format, const ImageShape& shape)
      : path_(std::move(path)), format_(format), shape_(shape), file_bytes_(file_bytes(path_)) {}

  [[nodiscard]] std::string describe() const override { return path_; }
  [[nodiscard]] ImageShape shape() const override { return shape_; }
  [[nodiscard]] std::vector<Work> work() const override {
    return work_on(format_ != nullptr ? format_->read_key : "read_other", shape_);
  }
  /// The file, and what OpenCV decodes it to.
  [[nodiscard]] std::int64_t scratch_bytes() const override { return file_bytes_ + shape_.bytes(); }
  [[nodiscard]] std::string why_no_parts() const override { return "it is no uncompressed TIFF file"; }
  [[nodiscard]] Raster load(const Halo& halo) const override {
    Raster raster(shape_, halo);
    load_into(raster.view());
    return raster;
  }
  void load_into(const MutableView& target) const override {
    naming(path_, [&] { decode(target); });
  }

 private:
  void decode(const MutableView& target) const {
    Bytes content = read_content(path_);
    if (format_ != nullptr) {
      if (!format_->matches(content)) throw RuntimeError("the file has changed");
      if (const std::string damage = format_->damage(content); !damage.empty()) throw RuntimeError(damage);
      if (format_->simplify != nullptr) format_->simplify(content);
    }
    if (const std::string reason = decode_into(content, target); !reason.empty()) throw RuntimeError(reason);
  }

  std::string path_;
  const EncodedFormat* format_;
  ImageShape shape_;
  std::int64_t file_bytes_;
};

class AssumedFile final : public Source {
 public:
  AssumedFile(std::string path, const ImageShape& shape) : path_(std::move(path)), shape_(shape) {}

  [[nodiscard]] std::string describe() const override { return path_; }
  [[nodiscard]] ImageShape shape() const override { return shape_; }
  [[nodiscard]] std::vector<Work> work() const override { return work_on(read_key_of(path_), shape_); }
  [[nodiscard]] Raster load(const Halo& /*halo*/) const override {
    throw RuntimeError(fmt::format("cannot read image '{}': only its shape was given", path_));
  }
  [[nodiscard]] std::string why_no_parts() const override {
    return is_assumed_tiff() ? "" : "it is no uncompressed TIFF file";
  }
  [[nodiscard]] std::string identity() const override { return file_identity(path_); }
  [[nodiscard]] std::vector<Work> part_work(const Extent& part) const override {
    return work_on_part("read_part", shape_, part, shape_.extent.width);
  }
  void read_part(const Rect& area, const MutableView& target) const override {
    naming(path_, [&] { read_tiff_part(path_, shape_, area, target); });
  }

 private:
  [[nodiscard]] bool is_assumed_tiff() const { return std::string_view(read_key_of(path_)) == "read_tiff"; }

  std::string path_;
  ImageShape shape_;
};

/// The format's own header where it is known, read no farther than needed; else what decoding tells.
std::shared_ptr<const Source> encoded_file(const std::string& path) {
  constexpr std::int64_t enough_for_most = 64 * 1024;
  const Bytes beginning = read_beginning(path, enough_for_most);
  for (const EncodedFormat* format : {&png_format(), &jpeg_format(), &pnm_format()}) {
    if (!format->matches(beginning)) continue;
    auto shape = format->shape(beginning);
    if (!shape) shape = format->shape(read_content(path));
    if (!shape) throw ParameterError(fmt::format("{} that is truncated within its header", format->name));
    check_size(*shape);
    check_decodable(*shape, file_bytes(path));
    return std::make_shared<EncodedFile>(path, format, *shape);
  }
  const auto shape = decoded_shape(read_content(path));
  if (!shape) throw ParameterError("it is no image of a known format, or it is damaged");
  if (shape->format.channels > max_channels) {
    throw ParameterError(
        fmt::format("it has {} channels; 1 to {} are supported", shape->format.channels, max_channels));
  }
  return std::make_shared<EncodedFile>(path, nullptr, *shape);
}

}  // namespace

std::shared_ptr<const Source> image_file(const std::string& path) {
  check_input_file(path);
  return naming(path, [&]() -> std::shared_ptr<const Source> {
    if (!is_tiff(read_beginning(path, 4))) return encoded_file(path);
    const auto file = std::make_shared<TiffFile>(path);
    check_size(file->shape());
    return file;
  });
}

std::shared_ptr<const Source> assumed_file(const std::string& path, const ImageShape& shape) {
  return std::make_shared<AssumedFile>(path, shape);
}

}  // namespace tilewright
