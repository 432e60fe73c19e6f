// Values of a row in the type that a kernel computes in.
#pragma once

#include <cstdint>

#include "tilewright/core/raster.hpp"

namespace tilewright {

/// Whether a kernel that computes in T can read such values.
template <class T, class Stored>
inline constexpr bool can_hold = std::is_same_v<Stored, T> ||
                                 (std::is_floating_point_v<T> && sizeof(Stored) <= sizeof(T));

/// Pointer to the `values` values of row y that begin at pixel x, in type T: the view's own memory if that is its type,
/// else converted into `buffer`. T must represent every value of the view's type.
template <class T>
[[nodiscard]] const T* row_values(const ConstView& view, std::int64_t x, std::int64_t y, std::int64_t values,
                                  T* buffer) {
  return with_type(view.format().type, [&](auto tag) -> const T* {
    using Stored = typename decltype(tag)::type;
    const Stored* row = view.at<Stored>(x, y);
    if constexpr (std::is_same_v<Stored, T>) {
      return row;
    } else if constexpr (can_hold<T, Stored>) {
      for (std::int64_t i = 0; i < values; ++i) buffer[i] = static_cast<T>(row[i]);
      return buffer;
    } else {
      throw InternalError("row_values: the type would lose values");
    }
  });
}

}  // namespace tilewright
