#include "kernel_rows.hpp"

// Highway compiles the rest of this file once for each vector level.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernel_rows.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace tilewright {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

/// Sums that stay in registers, and hide the latency of addition: as many as there is room for.
#if HWY_TARGET <= HWY_AVX3
constexpr int most_sums = 16;
#else
constexpr int most_sums = 8;
#endif

/// Of correlate_row().
template <class T>
struct OneRow {
  using Value = T;
  static constexpr int most_vectors = 8;
  const T* const* HWY_RESTRICT reads;
  const T* HWY_RESTRICT taps;
  std::size_t count;
  T* HWY_RESTRICT out;

  template <int kVectors, class D>
  HWY_INLINE void block(D d, std::int64_t x) const {
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
    hn::Vec<D> sums[kVectors];
    auto tap = hn::Set(d, taps[0]);
    const T* HWY_RESTRICT read = reads[0] + x;
    for (int v = 0; v < kVectors; ++v) sums[v] = hn::Mul(tap, hn::LoadU(d, read + v * lanes));
    for (std::size_t i = 1; i < count; ++i) {
      tap = hn::Set(d, taps[i]);
      read = reads[i] + x;
      for (int v = 0; v < kVectors; ++v) sums[v] = hn::MulAdd(tap, hn::LoadU(d, read + v * lanes), sums[v]);
    }
    for (int v = 0; v < kVectors; ++v) hn::StoreU(sums[v], d, out + x + v * lanes);
  }
};

template <class D, int kVectors>
using Sums = hn::Vec<D>[rows_together][kVectors];

/// Of correlate_rows().
template <class T>
struct SeveralRows {
  using Value = T;
  static constexpr int most_vectors = most_sums / rows_together;
  const KernelTaps<T>& taps;
  const T* const* HWY_RESTRICT source;
  T* const* HWY_RESTRICT out;

  template <int kVectors, class D>
  HWY_INLINE void block(D d, std::int64_t x) const {
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
    Sums<D, kVectors> sums;
    const auto first = hn::Set(d, taps.values[0]);
    for (int r = 0; r < rows_together; ++r) {  // not added to 0, which would turn -0 into 0
      for (int v = 0; v < kVectors; ++v) sums[r][v] = hn::Mul(first, hn::LoadU(d, source[r] + x + v * lanes));
    }
    begin_results<0, kVectors>(d, x, sums);
    for (std::int64_t row = rows_together; row < taps.height; ++row)
      add_taps<0, rows_together - 1, kVectors>(d, x, row, 0, taps.width, sums);
    end_results<1, kVectors>(d, x, sums);
    for (int r = 0; r < rows_together; ++r) {
      for (int v = 0; v < kVectors; ++v) hn::StoreU(sums[r][v], d, out[r] + x + v * lanes);
    }
  }

 private:
  /// The taps [begin, end) of the results [kFirst, kLast] that a row of the source has to do with.
  template <int kFirst, int kLast, int kVectors, class D>
  HWY_INLINE void add_taps(D d, std::int64_t x, std::int64_t row, std::int64_t begin, std::int64_t end,
                           Sums<D, kVectors>& sums) const {
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
    const T* HWY_RESTRICT of_result_0 = taps.values + row * taps.width;
    for (std::int64_t i = begin; i < end; ++i) {
      const T* HWY_RESTRICT read = source[row] + x + i * taps.step;
      hn::Vec<D> values[kVectors];
      for (int v = 0; v < kVectors; ++v) values[v] = hn::LoadU(d, read + v * lanes);
      for (int r = kFirst; r <= kLast; ++r) {
        const auto tap = hn::Set(d, of_result_0[i - r * taps.width]);
        for (int v = 0; v < kVectors; ++v) sums[r][v] = hn::MulAdd(tap, values[v], sums[r][v]);
      }
    }
  }

  /// The rows of the source in which results begin, one in each. The first product of each is there already.
  template <int kRow, int kVectors, class D>
  HWY_INLINE void begin_results(D d, std::int64_t x, Sums<D, kVectors>& sums) const {
    if constexpr (kRow < rows_together) {
      if constexpr (kRow > 0) add_taps<0, kRow - 1, kVectors>(d, x, kRow, 0, 1, sums);
      add_taps<0, kRow, kVectors>(d, x, kRow, 1, taps.width, sums);
      begin_results<kRow + 1, kVectors>(d, x, sums);
    }
  }

  /// Those in which only the results from kFirst on are not complete.
  template <int kFirst, int kVectors, class D>
  HWY_INLINE void end_results(D d, std::int64_t x, Sums<D, kVectors>& sums) const {
    if constexpr (kFirst < rows_together) {
      add_taps<kFirst, rows_together - 1, kVectors>(d, x, taps.height + kFirst - 1, 0, taps.width, sums);
      end_results<kFirst + 1, kVectors>(d, x, sums);
    }
  }
};

/// The results from x on. What is left takes blocks of half the size, or, if it fills more than that, one that overlaps
/// what is done, and computes the same there: a vector by itself takes as long as four together, for each sum waits for
/// the one before.
template <int kVectors, class Rows, class D>
HWY_INLINE void blocks(D d, const Rows& rows, std::int64_t x, std::int64_t values) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const std::int64_t width = kVectors * lanes;
  for (; x + width <= values; x += width) rows.template block<kVectors>(d, x);
  if (x == values) return;
  const bool fills_half = (values - x) * 2 > width;
  if (values >= width && (fills_half || kVectors == 1)) {
    rows.template block<kVectors>(d, values - width);
  } else if constexpr (kVectors > 1) {
    blocks<kVectors / 2>(d, rows, x, values);
  } else {
    const hn::CappedTag<hn::TFromD<D>, 1> single;
    for (; x < values; ++x) rows.template block<1>(single, x);
  }
}

template <class Rows>
HWY_INLINE void all_values(const Rows& rows, std::int64_t values) {
  blocks<Rows::most_vectors>(hn::ScalableTag<typename Rows::Value>(), rows, 0, values);
}

void row_f32(const float* const* reads, const float* taps, std::size_t count, float* out, std::int64_t values) {
  all_values(OneRow<float>{reads, taps, count, out}, values);
}

void row_f64(const double* const* reads, const double* taps, std::size_t count, double* out, std::int64_t values) {
  all_values(OneRow<double>{reads, taps, count, out}, values);
}

void rows_f32(const KernelTaps<float>& taps, const float* const* source, float* const* out, std::int64_t values) {
  all_values(SeveralRows<float>{taps, source, out}, values);
}

void rows_f64(const KernelTaps<double>& taps, const double* const* source, double* const* out, std::int64_t values) {
  all_values(SeveralRows<double>{taps, source, out}, values);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace tilewright
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tilewright {

HWY_EXPORT(row_f32);
HWY_EXPORT(row_f64);
HWY_EXPORT(rows_f32);
HWY_EXPORT(rows_f64);

void correlate_row(const float* const* reads, const float* taps, std::size_t count, float* out, std::int64_t values) {
  HWY_DYNAMIC_DISPATCH(row_f32)(reads, taps, count, out, values);
}

void correlate_row(const double* const* reads, const double* taps, std::size_t count, double* out,
                   std::int64_t values) {
  HWY_DYNAMIC_DISPATCH(row_f64)(reads, taps, count, out, values);
}

void correlate_rows(const KernelTaps<float>& taps, const float* const* source, float* const* out, std::int64_t values) {
  HWY_DYNAMIC_DISPATCH(rows_f32)(taps, source, out, values);
}

void correlate_rows(const KernelTaps<double>& taps, const double* const* source, double* const* out,
                    std::int64_t values) {
  HWY_DYNAMIC_DISPATCH(rows_f64)(taps, source, out, values);
}

}  // namespace tilewright
#endif
