#include "tiff_handle.hpp"

#include <array>
#include <cstdarg>
#include <cstdio>

namespace tilewright {
namespace {

constexpr int handled = 1;  // libtiff then calls no other handler

int keep_first(TIFF* /*tiff*/, void* kept, const char* /*module*/, const char* format, va_list arguments) {
  std::array<char, 512> text{};
  std::vsnprintf(text.data(), text.size(), format, arguments);
  auto& error = *static_cast<std::string*>(kept);
  if (error.empty()) error = text.data();
  return handled;
}

int ignore(TIFF* /*tiff*/, void* /*data*/, const char* /*module*/, const char* /*format*/, va_list /*arguments*/) {
  return handled;
}

struct FreeOptions {
  void operator()(TIFFOpenOptions* options) const { TIFFOpenOptionsFree(options); }
};

}  // namespace

TiffHandle::TiffHandle(const std::string& path, const char* mode)
    : TiffHandle([&](TIFFOpenOptions* options) { return TIFFOpenExt(path.c_str(), mode, options); }) {}

TiffHandle::TiffHandle(const std::function<TIFF*(TIFFOpenOptions*)>& open) : error_(std::make_unique<std::string>()) {
  const std::unique_ptr<TIFFOpenOptions, FreeOptions> options(TIFFOpenOptionsAlloc());
  TIFFOpenOptionsSetErrorHandlerExtR(options.get(), keep_first, error_.get());
  TIFFOpenOptionsSetWarningHandlerExtR(options.get(), ignore, nullptr);
  tiff_.reset(open(options.get()));
}

}  // namespace tilewright
