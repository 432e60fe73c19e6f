// PNG files as a sink of pixels.
#pragma once

#include <memory>
#include <string>

#include "tilewright/pipeline/operator.hpp"

namespace tilewright {

/// Memory that writing takes, in bytes.
[[nodiscard]] std::int64_t png_writer_bytes(const ImageShape& image);

/// Compresses rows as they come: u8 or u16, gray, RGB or RGBA. As OpenCV does it: quickly, each row as differences of
/// neighbours. What it throws completes "...: ".
class PngWriter final : public ImageWriter {
 public:
  PngWriter(const std::string& path, const ImageShape& image);
  ~PngWriter() override;

  void put(const ConstView& rows) override;
  void finish() override;

 private:
  struct Encoder;  // libpng's headers are large
  std::unique_ptr<Encoder> encoder_;
  std::int64_t rows_missing_ = 0;
};

}  // namespace tilewright
