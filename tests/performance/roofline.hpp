// What this machine can do at best: how fast it moves memory, and how fast it multiplies and adds.
#pragma once

namespace tilewright::performance {

/// Measured with that many threads, all of them at work.
struct Roofline {
  int threads = 1;
  double bytes_per_s = 0;  ///< streaming, five written for one that is read, as five derivatives do
  double flops_per_s = 0;  ///< in f32; a multiply-add counts as two

  /// No kernel that moves and computes so much takes less.
  [[nodiscard]] double seconds(double bytes, double flops) const;
};

/// Takes about half a second, and 192 MiB a thread.
[[nodiscard]] Roofline measure_roofline(int threads);

}  // namespace tilewright::performance
