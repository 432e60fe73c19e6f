// An open TIFF file. libtiff prints nothing: what it says is kept.
#pragma once

#include <tiffio.h>

#include <functional>
#include <memory>
#include <string>

namespace tilewright {

class TiffHandle {
 public:
  /// `mode` is that of TIFFOpen: "rm" to read without mapping the file into memory, "w" to write, "w8" for BigTIFF.
  /// Whether it could be opened is_open() tells.
  TiffHandle(const std::string& path, const char* mode);
  /// The same of what `open` opens with these options.
  explicit TiffHandle(const std::function<TIFF*(TIFFOpenOptions*)>& open);

  [[nodiscard]] bool is_open() const { return tiff_ != nullptr; }
  [[nodiscard]] TIFF* get() const { return tiff_.get(); }
  /// Closes it; error() afterwards tells of what could not be written.
  void close() { tiff_.reset(); }
  /// The first error that libtiff reported; empty if none.
  [[nodiscard]] const std::string& error() const { return *error_; }

 private:
  struct Close {
    void operator()(TIFF* tiff) const { TIFFClose(tiff); }
  };
  std::unique_ptr<std::string> error_;  ///< libtiff keeps its address
  std::unique_ptr<TIFF, Close> tiff_;
};

}  // namespace tilewright
