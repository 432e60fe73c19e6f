// What the extension of a file's name says about its format.
#pragma once

#include <string>
#include <vector>

#include "tilewright/core/pixel.hpp"

namespace tilewright {

/// A format that can be written.
struct WritableFormat {
  std::vector<std::string> extensions;  ///< ".tif", lower case
  std::string name;
  const char* read_key;  ///< of the costs
  const char* write_key;
  std::vector<PixelType> types;
  std::vector<int> channels;
  std::int64_t largest_side;
};

/// By the extension of `path`, in lower or upper case; null if it is of no known format.
[[nodiscard]] const WritableFormat* format_of(const std::string& path);

/// ".tif .tiff .png ...".
[[nodiscard]] std::string writable_extensions();

/// The cost that reading a file of that name is expected to have.
[[nodiscard]] const char* read_key_of(const std::string& path);

}  // namespace tilewright
