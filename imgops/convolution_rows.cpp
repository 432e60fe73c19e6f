#include "convolution_rows.hpp"

#include <type_traits>

// Highway compiles the rest of this file once for each vector level.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "convolution_rows.cpp"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace tilewright {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

/// The pairs of a kernel and where its results go.
template <class T>
struct PairTaps {
  const T* HWY_RESTRICT weights;
  std::int64_t pairs;
  T centre;
  T* HWY_RESTRICT out;
};

/// Those of a pass: even ones first, then odd ones, and what they have in common.
template <class T>
struct SharedPass {
  PairTaps<T> kernels[2 * most_alike_in_a_pass];
  std::int64_t shared_pairs;   ///< pairs that all of them have
  std::int64_t longest_pairs;  ///< that the longest even one and the longest odd one have, if there are both
  std::int64_t left, right;    ///< of the innermost pair, in values
  std::int64_t channels;
  bool has_centre;
};

/// For a value that is used twice: GCC would rather load it again, but loads are what a row costs.
template <class V>
HWY_INLINE V in_register(V value) {
#if HWY_ARCH_X86 && HWY_COMPILER_GCC
  asm("" : "+v"(value.raw));
#endif
  return value;
}

/// The two values of a pair, for even kernels and for odd ones.
template <class V>
struct Folded {
  V sum, difference;
};

template <class D, class T = hn::TFromD<D>>
HWY_INLINE Folded<hn::Vec<D>> folded_pair(D d, const T* HWY_RESTRICT left, const T* HWY_RESTRICT right) {
  const auto a = in_register(hn::LoadU(d, left));
  const auto b = in_register(hn::LoadU(d, right));
  return {hn::Add(b, a), hn::Sub(b, a)};
}

/// `kVectors` vectors of results at x. Several of them share the weights, which would else take as many loads as data.
template <int kEven, int kOdd, int kVectors, class D, class T = hn::TFromD<D>>
HWY_INLINE void symmetric_vectors(D d, const T* HWY_RESTRICT row, const SharedPass<T>& pass, std::int64_t x) {
  constexpr int kernels = kEven + kOdd;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const T* HWY_RESTRICT left = row + x + pass.left;
  const T* HWY_RESTRICT right = row + x + pass.right;
  hn::Vec<D> sums[kernels][kVectors];
  for (int v = 0; v < kVectors; ++v) {
    const auto folded = folded_pair(d, left + v * lanes, right + v * lanes);
    for (int k = 0; k < kEven; ++k) {
      const auto weight = hn::Set(d, pass.kernels[k].weights[0]);
      if (pass.has_centre) {
        const auto centre = hn::LoadU(d, left + pass.channels + v * lanes);
        sums[k][v] = hn::MulAdd(weight, folded.sum, hn::Mul(hn::Set(d, pass.kernels[k].centre), centre));
      } else {
        sums[k][v] = hn::Mul(weight, folded.sum);
      }
    }
    for (int k = kEven; k < kernels; ++k) {
      sums[k][v] = hn::Mul(hn::Set(d, pass.kernels[k].weights[0]), folded.difference);
    }
  }
  std::int64_t pair = 1;
  left -= pass.channels;
  right += pass.channels;
  for (; pair < pass.shared_pairs; ++pair, left -= pass.channels, right += pass.channels) {
    for (int v = 0; v < kVectors; ++v) {
      const auto folded = folded_pair(d, left + v * lanes, right + v * lanes);
      for (int k = 0; k < kEven; ++k) {
        sums[k][v] = hn::MulAdd(hn::Set(d, pass.kernels[k].weights[pair]), folded.sum, sums[k][v]);
      }
      for (int k = kEven; k < kernels; ++k) {
        sums[k][v] = hn::MulAdd(hn::Set(d, pass.kernels[k].weights[pair]), folded.difference, sums[k][v]);
      }
    }
  }
  // A kernel of higher order is longer: the longest of either symmetry go on together.
  if constexpr (kEven > 0 && kOdd > 0) {
    const T* HWY_RESTRICT even_weights = pass.kernels[kEven - 1].weights;
    const T* HWY_RESTRICT odd_weights = pass.kernels[kernels - 1].weights;
    for (; pair < pass.longest_pairs; ++pair, left -= pass.channels, right += pass.channels) {
      for (int v = 0; v < kVectors; ++v) {
        const auto folded = folded_pair(d, left + v * lanes, right + v * lanes);
        sums[kEven - 1][v] = hn::MulAdd(hn::Set(d, even_weights[pair]), folded.sum, sums[kEven - 1][v]);
        sums[kernels - 1][v] = hn::MulAdd(hn::Set(d, odd_weights[pair]), folded.difference, sums[kernels - 1][v]);
      }
    }
  }
#pragma GCC unroll 4
  for (int k = 0; k < kernels; ++k) {
    const bool went_on = kEven > 0 && kOdd > 0 && (k == kEven - 1 || k == kernels - 1);
    for (std::int64_t i = went_on ? pair : pass.shared_pairs; i < pass.kernels[k].pairs; ++i) {
      const T* HWY_RESTRICT a = row + x + pass.left - i * pass.channels;
      const T* HWY_RESTRICT b = row + x + pass.right + i * pass.channels;
      const auto weight = hn::Set(d, pass.kernels[k].weights[i]);
      for (int v = 0; v < kVectors; ++v) {
        const auto va = hn::LoadU(d, a + v * lanes);
        const auto vb = hn::LoadU(d, b + v * lanes);
        sums[k][v] = hn::MulAdd(weight, k < kEven ? hn::Add(vb, va) : hn::Sub(vb, va), sums[k][v]);
      }
    }
    for (int v = 0; v < kVectors; ++v) hn::StoreU(sums[k][v], d, pass.kernels[k].out + x + v * lanes);
  }
}

template <int kVectors, class D, class T = hn::TFromD<D>>
HWY_INLINE void plain_vectors(D d, const T* HWY_RESTRICT row, const FoldedKernel<T>& kernel, std::int64_t channels,
                              T* HWY_RESTRICT out, std::int64_t x) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const T* HWY_RESTRICT read = row + x + kernel.first * channels;
  const T* HWY_RESTRICT weights = kernel.weights.data();
  hn::Vec<D> sums[kVectors];
  for (int v = 0; v < kVectors; ++v) sums[v] = hn::Mul(hn::Set(d, weights[0]), hn::LoadU(d, read + v * lanes));
  for (std::int64_t i = 1; i < kernel.size; ++i) {
    read += channels;
    const auto weight = hn::Set(d, weights[i]);
    for (int v = 0; v < kVectors; ++v) sums[v] = hn::MulAdd(weight, hn::LoadU(d, read + v * lanes), sums[v]);
  }
  for (int v = 0; v < kVectors; ++v) hn::StoreU(sums[v], d, out + x + v * lanes);
}

/// As many vectors at a time as the registers hold sums of so many kernels.
constexpr int vectors_at_a_time(int kernels) {
  if (HWY_MAX_BYTES >= 64) return 4;  // of 32 registers
  return kernels > 3 ? 2 : (kernels > 2 ? 3 : 4);
}

/// Calls block(tag, number of vectors as a constant, x) so that all values are covered, `kMany` vectors at a time where
/// there are so many. The last vector overlaps the one before, and computes the same there.
template <class T, int kMany, class Block>
HWY_INLINE void for_all_vectors(std::int64_t values, const Block& block) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  std::int64_t x = 0;
  for (; x + kMany * lanes <= values; x += kMany * lanes) block(d, std::integral_constant<int, kMany>{}, x);
  for (; x + lanes <= values; x += lanes) block(d, std::integral_constant<int, 1>{}, x);
  if (x < values && values >= lanes) {
    block(d, std::integral_constant<int, 1>{}, values - lanes);
    return;
  }
  const hn::CappedTag<T, 1> single;
  for (; x < values; ++x) block(single, std::integral_constant<int, 1>{}, x);
}

/// A little with each block: many at once would keep the processor from all other loads.
template <int kVectors, class D, class T = hn::TFromD<D>>
HWY_INLINE void prefetch(D d, const T* ahead, std::int64_t x) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  for (int v = 0; v < kVectors; ++v) hwy::Prefetch(ahead + x + v * lanes);
}

template <int kEven, int kOdd, class T>
HWY_NOINLINE void symmetric_row(const T* row, const SharedPass<T>& shared, std::int64_t values) {
  const SharedPass<T> pass = shared;  // or each stored result might have altered it
  for_all_vectors<T, vectors_at_a_time(kEven + kOdd)>(values, [&](auto d, auto vectors, std::int64_t x) HWY_ATTR {
    symmetric_vectors<kEven, kOdd, decltype(vectors)::value>(d, row, pass, x);
  });
}

/// A function of its own: in one with a branch, GCC makes both ways slower.
template <int kEven, int kOdd, class T>
HWY_NOINLINE void symmetric_row_from_memory(const T* row, const SharedPass<T>& shared, const T* ahead,
                                            std::int64_t values) {
  const SharedPass<T> pass = shared;
  for_all_vectors<T, vectors_at_a_time(kEven + kOdd)>(values, [&](auto d, auto vectors, std::int64_t x) HWY_ATTR {
    prefetch<decltype(vectors)::value>(d, ahead, x);
    symmetric_vectors<kEven, kOdd, decltype(vectors)::value>(d, row, pass, x);
  });
}

#if HWY_TARGET == HWY_AVX2
/// What a row of results takes of kernels with nine taps, but for the first, which has 2 kFirstPairs + 1: even ones
/// first, then odd ones, on one channel. As loads of nine values around each result, half of which lie across two cache
/// lines, are what takes the time, it loads vectors at steps of half a vector and shifts them.
template <int kEven, int kOdd, int kFirstPairs>
struct NineTaps {
  static constexpr int kernels = kEven + kOdd;
  const float* weights[kernels];  ///< of the pairs
  float centres[kernels];
  float* out[kernels];

  explicit NineTaps(const SharedPass<float>& pass) {
    for (int k = 0; k < kernels; ++k) {
      weights[k] = pass.kernels[k].weights;
      centres[k] = pass.kernels[k].centre;
      out[k] = pass.kernels[k].out;
    }
  }

  /// The pair at that distance from a vector of results: `steps` begins half a vector before it.
  template <int kDistance, class D, class V = hn::Vec<D>>
  static HWY_INLINE Folded<V> shifted_pair(D d, const V* steps) {
    if constexpr (kDistance == 4) {
      return {hn::Add(steps[2], steps[0]), hn::Sub(steps[2], steps[0])};
    } else {
      constexpr int bytes = kDistance * static_cast<int>(sizeof(float));
      const V left = hn::CombineShiftRightBytes<16 - bytes>(d, steps[1], steps[0]);
      const V right = hn::CombineShiftRightBytes<bytes>(d, steps[2], steps[1]);
      return {hn::Add(right, left), hn::Sub(right, left)};
    }
  }

  template <int kVectors, class D, class V>
  HWY_INLINE void begin(D d, const V* steps, V (*sums)[kVectors]) const {
    Folded<V> folded[kVectors];
    for (int v = 0; v < kVectors; ++v) folded[v] = shifted_pair<1>(d, steps + 2 * v);
    for (int k = 0; k < kernels; ++k) {
      const V weight = hn::Set(d, weights[k][0]);
      for (int v = 0; v < kVectors; ++v) {
        sums[k][v] = k < kEven ? hn::MulAdd(weight, folded[v].sum, hn::Mul(hn::Set(d, centres[k]), steps[2 * v + 1]))
                               : hn::Mul(weight, folded[v].difference);
      }
    }
  }

  template <int kDistance, int kVectors, class D, class V>
  HWY_INLINE void add(D d, const V* steps, V (*sums)[kVectors]) const {
    Folded<V> folded[kVectors];
    for (int v = 0; v < kVectors; ++v) folded[v] = shifted_pair<kDistance>(d, steps + 2 * v);
    for (int k = kDistance <= kFirstPairs ? 0 : 1; k < kernels; ++k) {
      const V weight = hn::Set(d, weights[k][kDistance - 1]);
      for (int v = 0; v < kVectors; ++v) {
        sums[k][v] = hn::MulAdd(weight, k < kEven ? folded[v].sum : folded[v].difference, sums[k][v]);
      }
    }
  }

  template <int kVectors, class D>
  HWY_INLINE void vectors(D d, const float* HWY_RESTRICT row, std::int64_t x) const {
    constexpr std::int64_t lanes = 8;
    hn::Vec<D> steps[2 * kVectors + 1];
    for (int i = 0; i <= 2 * kVectors; ++i) steps[i] = in_register(hn::LoadU(d, row + x + (i - 1) * lanes / 2));
    hn::Vec<D> sums[kernels][kVectors];
    begin<kVectors>(d, steps, sums);
    add<2, kVectors>(d, steps, sums);
    add<3, kVectors>(d, steps, sums);
    add<4, kVectors>(d, steps, sums);
    for (int k = 0; k < kernels; ++k) {
      for (int v = 0; v < kVectors; ++v) hn::StoreU(sums[k][v], d, out[k] + x + v * lanes);
    }
  }
};

template <int kEven, int kOdd, int kFirstPairs>
HWY_NOINLINE void nine_tap_row(const float* row, const SharedPass<float>& pass, const float* ahead,
                               std::int64_t values) {
  const NineTaps<kEven, kOdd, kFirstPairs> taps(pass);
  for_all_vectors<float, 2>(values, [&](auto d, auto vectors, std::int64_t x) HWY_ATTR {
    if constexpr (hn::MaxLanes(decltype(d)()) > 1) {  // single values are left to others
      prefetch<decltype(vectors)::value>(d, ahead, x);
      taps.template vectors<decltype(vectors)::value>(d, row, x);
    }
  });
}

/// False unless all kernels have nine taps, but for the first, which may have seven.
template <int kEven, int kOdd>
HWY_INLINE bool nine_taps_in_row(const float* row, const SharedPass<float>& pass, const float* ahead,
                                 std::int64_t values) {
  constexpr std::int64_t fewest = 8;  // a vector
  if (pass.channels != 1 || !pass.has_centre || values < fewest) return false;
  for (int k = 1; k < kEven + kOdd; ++k) {
    if (pass.kernels[k].pairs != 4) return false;
  }
  const float* fetched = ahead == nullptr ? row : ahead;  // to fetch what is read anyway costs next to nothing
  if (pass.kernels[0].pairs == 4) {
    nine_tap_row<kEven, kOdd, 4>(row, pass, fetched, values);
    return true;
  }
  if constexpr (kEven + kOdd > 1) {  // else nothing would reach as far as is loaded
    if (pass.kernels[0].pairs == 3) {
      nine_tap_row<kEven, kOdd, 3>(row, pass, fetched, values);
      return true;
    }
  }
  return false;
}
#else
template <int kEven, int kOdd>
HWY_INLINE bool nine_taps_in_row(const float* /*row*/, const SharedPass<float>& /*pass*/, const float* /*ahead*/,
                                 std::int64_t /*values*/) {
  return false;
}
#endif

template <int kEven, int kOdd, class T>
HWY_INLINE void any_symmetric_row(const T* row, const SharedPass<T>& pass, const T* ahead, std::int64_t values) {
  if constexpr (std::is_same_v<T, float>) {
    if (nine_taps_in_row<kEven, kOdd>(row, pass, ahead, values)) return;
  }
  if (ahead == nullptr) {
    symmetric_row<kEven, kOdd>(row, pass, values);
  } else {
    symmetric_row_from_memory<kEven, kOdd>(row, pass, ahead, values);
  }
}

template <class T>
SharedPass<T> shared_pass(const RowPass<T>& pass, std::int64_t channels) {
  SharedPass<T> shared{};
  const FoldedKernel<T>& any = pass.even.empty() ? *pass.odd.front() : *pass.even.front();
  shared.channels = channels;
  shared.left = any.innermost_left() * channels;
  shared.right = any.innermost_right() * channels;
  shared.has_centre = any.size % 2 == 1;
  std::size_t count = 0;
  const auto add = [&](const FoldedKernel<T>& kernel, T* out) {
    const auto pairs = kernel.pairs();
    const auto number = static_cast<std::int64_t>(pairs.size());
    shared.shared_pairs = count == 0 ? number : std::min(shared.shared_pairs, number);
    shared.kernels[count++] = {pairs.data(), number, kernel.weights.front(), out};
  };
  for (std::size_t i = 0; i < pass.even.size(); ++i) add(*pass.even[i], pass.even_out[i]);
  for (std::size_t i = 0; i < pass.odd.size(); ++i) add(*pass.odd[i], pass.odd_out[i]);
  shared.longest_pairs = pass.even.empty() ? 0 : shared.kernels[pass.even.size() - 1].pairs;
  if (count > 0) shared.longest_pairs = std::min(shared.longest_pairs, shared.kernels[count - 1].pairs);
  return shared;
}

template <int kEven, class T>
void with_odd(const T* row, const RowPass<T>& pass, const SharedPass<T>& shared, std::int64_t values) {
  switch (pass.odd.size()) {
    case 0:
      if constexpr (kEven > 0) any_symmetric_row<kEven, 0>(row, shared, pass.ahead, values);
      break;
    case 1:
      any_symmetric_row<kEven, 1>(row, shared, pass.ahead, values);
      break;
    default:
      any_symmetric_row<kEven, 2>(row, shared, pass.ahead, values);
  }
}

template <class T>
HWY_INLINE void run_pass(const T* row, const RowPass<T>& pass, std::int64_t channels, std::int64_t values) {
  if (pass.other != nullptr) {
    for_all_vectors<T, vectors_at_a_time(1)>(values, [&](auto d, auto vectors, std::int64_t x) HWY_ATTR {
      plain_vectors<decltype(vectors)::value>(d, row, *pass.other, channels, pass.other_out, x);
    });
    return;
  }
  const SharedPass<T> shared = shared_pass(pass, channels);
  switch (pass.even.size()) {
    case 0:
      with_odd<0>(row, pass, shared, values);
      break;
    case 1:
      with_odd<1>(row, pass, shared, values);
      break;
    default:
      with_odd<2>(row, pass, shared, values);
  }
}

void convolve_row_f32(const float* row, const RowPass<float>& pass, std::int64_t channels, std::int64_t values) {
  run_pass(row, pass, channels, values);
}

void convolve_row_f64(const double* row, const RowPass<double>& pass, std::int64_t channels, std::int64_t values) {
  run_pass(row, pass, channels, values);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace tilewright
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tilewright {

HWY_EXPORT(convolve_row_f32);
HWY_EXPORT(convolve_row_f64);

void convolve_row(const float* row, const RowPass<float>& pass, std::int64_t channels, std::int64_t values) {
  HWY_DYNAMIC_DISPATCH(convolve_row_f32)(row, pass, channels, values);
}

void convolve_row(const double* row, const RowPass<double>& pass, std::int64_t channels, std::int64_t values) {
  HWY_DYNAMIC_DISPATCH(convolve_row_f64)(row, pass, channels, values);
}

}  // namespace tilewright
#endif
