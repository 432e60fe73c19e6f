// What this machine can do at best: how fast it moves memory, and how fast it multiplies and adds.
#pragma once

#include <vector>

#include "tilewright/core/raster.hpp"

namespace tilewright::performance {

/// Measured with that many threads, all of them at work.
struct Roofline {
  int threads = 1;
  double bytes_per_s = 0;  ///< streaming, five written for one that is read, as five derivatives do
  double flops_per_s = 0;  ///< in f32; a multiply-add counts as two

  /// No kernel that moves and computes so much takes less.
  [[nodiscard]] double seconds(double bytes, double flops) const;
};

/// Needs 192 MiB a thread.
class RooflineProbe {
 public:
  explicit RooflineProbe(int threads);

  [[nodiscard]] int threads() const { return static_cast<int>(arrays_.size()); }
  /// Of several measurements the best; takes about half a second.
  [[nodiscard]] Roofline best() const;
  /// What the machine can do at this moment, which may be less: others have a part in it. Takes some hundredths of a
  /// second.
  [[nodiscard]] Roofline now() const;

 private:
  struct Arrays {
    Raster from;
    std::vector<Raster> to;
    std::vector<float*> written;
  };
  [[nodiscard]] double bytes_per_s() const;
  [[nodiscard]] double flops_per_s() const;

  std::vector<Arrays> arrays_;  ///< by thread
};

}  // namespace tilewright::performance
