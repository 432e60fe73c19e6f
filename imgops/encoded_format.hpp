// Image formats that OpenCV decodes, as far as they have to be understood without decoding.
#pragma once

#include <optional>
#include <string>

#include "file_content.hpp"
#include "tilewright/core/pixel.hpp"

namespace tilewright {

/// What is known of a format, as functions on the bytes of a file.
struct EncodedFormat {
  const char* name;      ///< "PNG"
  const char* read_key;  ///< of the cost of reading it
  bool (*matches)(ByteSpan beginning);
  /// The shape that OpenCV decodes to, from the header; none if these bytes end before it does. Throws ParameterError,
  /// whose message completes "...: ", for what is not supported.
  std::optional<ImageShape> (*shape)(ByteSpan beginning);
  /// Empty if the whole file is there and intact as far as can be told, else the reason why not.
  std::string (*damage)(ByteSpan content);
  /// Removes what decoders only complain about; null where there is nothing of that kind.
  void (*simplify)(Bytes& content);
};

[[nodiscard]] const EncodedFormat& png_format();
[[nodiscard]] const EncodedFormat& jpeg_format();
/// The binary formats P4, P5 and P6.
[[nodiscard]] const EncodedFormat& pnm_format();

}  // namespace tilewright
