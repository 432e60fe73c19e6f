#pragma once

namespace tilewright {

/// At `x` on the line through (x0, y0) and (x1, y1), between them and beyond.
inline double on_line(double x, double x0, double y0, double x1, double y1) {
  return y0 + (x - x0) * (y1 - y0) / (x1 - x0);
}

}  // namespace tilewright
