#include "convolution_columns.hpp"

#include <algorithm>
#include <type_traits>
#include <utility>

// Highway compiles the rest of this file once for each vector level.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "convolution_columns.cpp"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace tilewright {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

template <bool kStreamed, class D, class T = hn::TFromD<D>>
HWY_INLINE void store(hn::Vec<D> value, D d, T* HWY_RESTRICT out) {
  if constexpr (kStreamed) {
    hn::Stream(value, d, out);
  } else {
    hn::StoreU(value, d, out);
  }
}

/// What the two values of a pair contribute, or one value alone.
template <Symmetry kSymmetry, class V>
HWY_INLINE V pair(V right, V left) {
  if constexpr (kSymmetry == Symmetry::even) {
    return hn::Add(right, left);
  } else {
    return hn::Sub(right, left);
  }
}

/// A vector of results in each of kRows rows, of a kernel with symmetry, all in registers: the sums, and the rows left
/// and right of the middle that the current pair reads. The latter move by one row a pair, and the one that drops out
/// makes room for the one that comes in: row k of pair i lies at (k - i) and (k + i) modulo kRows. Two loads for kRows
/// results.
template <Symmetry kSymmetry, int kRows, class D, class T = hn::TFromD<D>>
struct SymmetricRows {
  using V = hn::Vec<D>;
  V sums[kRows], left[kRows], right[kRows];

  HWY_INLINE void begin(D d, const T* const* lefts, const T* const* rights, const FoldedKernel<T>& kernel,
                        std::int64_t x) {
    for (int k = 0; k < kRows; ++k) {
      left[k] = hn::LoadU(d, lefts[k] + x);
      right[k] = hn::LoadU(d, rights[k] + x);
    }
    const V weight = hn::Set(d, kernel.pairs()[0]);
    if (kernel.has_centre) {
      const V centre = hn::Set(d, kernel.weights.front());
      for (int k = 0; k < kRows; ++k) {
        const V middle = k + 1 < kRows ? left[(k + 1) & (kRows - 1)] : hn::LoadU(d, lefts[kRows] + x);
        sums[k] = hn::MulAdd(weight, pair<kSymmetry>(right[k], left[k]), hn::Mul(centre, middle));
      }
    } else {
      for (int k = 0; k < kRows; ++k) sums[k] = hn::Mul(weight, pair<kSymmetry>(right[k], left[k]));
    }
  }

  /// Pairs kPair to `count` from the one that lefts[0] and rights[0] stand for, at most kRows of them.
  template <int kPair>
  HWY_INLINE void add(D d, const T* const* lefts, const T* const* rights, const T* weights, std::int64_t count,
                      std::int64_t x) {
    if constexpr (kPair <= kRows) {
      if (kPair > count) return;
      left[-kPair & (kRows - 1)] = hn::LoadU(d, lefts[-kPair] + x);
      right[(kPair - 1) & (kRows - 1)] = hn::LoadU(d, rights[kRows - 1 + kPair] + x);
      const V weight = hn::Set(d, weights[kPair]);
      for (int k = 0; k < kRows; ++k) {
        const V both = pair<kSymmetry>(right[(k + kPair) & (kRows - 1)], left[(k - kPair) & (kRows - 1)]);
        sums[k] = hn::MulAdd(weight, both, sums[k]);
      }
      add<kPair + 1>(d, lefts, rights, weights, count, x);
    }
  }
};

template <Symmetry kSymmetry, bool kStreamed, int kRows, class D, class T = hn::TFromD<D>>
HWY_INLINE void symmetric_rows(D d, const T* const* HWY_RESTRICT rows, const FoldedKernel<T>& kernel,
                               T* const* HWY_RESTRICT out, std::int64_t x, std::int64_t to) {
  const T* const* left = rows + kernel.innermost_left() - kernel.first;
  const T* const* right = rows + kernel.innermost_right() - kernel.first;
  const auto pairs = static_cast<std::int64_t>(kernel.pairs().size());
  const T* weights = kernel.pairs().data();
  SymmetricRows<kSymmetry, kRows, D> state;
  state.begin(d, left, right, kernel, x);
  std::int64_t i = 0;
  for (; i + kRows < pairs; i += kRows) state.template add<1>(d, left - i, right + i, weights + i, kRows, x);
  state.template add<1>(d, left - i, right + i, weights + i, pairs - 1 - i, x);
  for (int k = 0; k < kRows; ++k) store<kStreamed>(state.sums[k], d, out[k] + to);
}

template <bool kStreamed, class D, class T = hn::TFromD<D>>
HWY_INLINE void four_plain(D d, const T* const* HWY_RESTRICT rows, const FoldedKernel<T>& kernel,
                           T* const* HWY_RESTRICT out, std::int64_t x, std::int64_t to) {
  const auto at = [&](std::int64_t row) HWY_ATTR { return hn::LoadU(d, rows[row] + x); };
  auto weight = hn::Set(d, kernel.weights[0]);
  auto v0 = at(0), v1 = at(1), v2 = at(2), v3 = at(3);
  auto s0 = hn::Mul(weight, v0), s1 = hn::Mul(weight, v1), s2 = hn::Mul(weight, v2), s3 = hn::Mul(weight, v3);
  for (std::int64_t i = 1; i < kernel.size; ++i) {
    v0 = v1, v1 = v2, v2 = v3, v3 = at(i + 3);
    weight = hn::Set(d, kernel.weights[static_cast<std::size_t>(i)]);
    s0 = hn::MulAdd(weight, v0, s0);
    s1 = hn::MulAdd(weight, v1, s1);
    s2 = hn::MulAdd(weight, v2, s2);
    s3 = hn::MulAdd(weight, v3, s3);
  }
  store<kStreamed>(s0, d, out[0] + to);
  store<kStreamed>(s1, d, out[1] + to);
  store<kStreamed>(s2, d, out[2] + to);
  store<kStreamed>(s3, d, out[3] + to);
}

/// One row of results of x.
template <Symmetry kSymmetry, bool kStreamed, class D, class T = hn::TFromD<D>>
HWY_INLINE void one_row(D d, const T* const* HWY_RESTRICT rows, const FoldedKernel<T>& kernel, T* HWY_RESTRICT out,
                        std::int64_t x, std::int64_t to) {
  const auto at = [&](std::int64_t row) HWY_ATTR { return hn::LoadU(d, rows[row] + x); };
  if constexpr (kSymmetry == Symmetry::none) {
    auto sum = hn::Mul(hn::Set(d, kernel.weights[0]), at(0));
    for (std::int64_t i = 1; i < kernel.size; ++i) {
      sum = hn::MulAdd(hn::Set(d, kernel.weights[static_cast<std::size_t>(i)]), at(i), sum);
    }
    store<kStreamed>(sum, d, out + to);
  } else {
    const auto weights = kernel.pairs();
    std::int64_t left = kernel.innermost_left() - kernel.first;
    std::int64_t right = kernel.innermost_right() - kernel.first;
    const auto first = pair<kSymmetry>(at(right), at(left));
    auto sum = hn::Mul(hn::Set(d, weights[0]), first);
    if (kernel.has_centre) {
      sum = hn::MulAdd(hn::Set(d, weights[0]), first, hn::Mul(hn::Set(d, kernel.weights.front()), at(left + 1)));
    }
    for (std::size_t i = 1; i < weights.size(); ++i) {
      sum = hn::MulAdd(hn::Set(d, weights[i]), pair<kSymmetry>(at(++right), at(--left)), sum);
    }
    store<kStreamed>(sum, d, out + to);
  }
}

constexpr bool has_line_vectors = HWY_MAX_BYTES >= cache_line;  // a vector fills a line of the cache

/// A vector of results in one row after the other, of a kernel of 2 kPairs + 1 taps: all rows that it reads are in
/// registers, where each next result needs one more.
template <Symmetry kSymmetry, int kPairs, class D, class T = hn::TFromD<D>>
struct FewPairs {
  static constexpr int taps = 2 * kPairs + 1;
  using V = hn::Vec<D>;
  V weights[kPairs + 1], window[taps];

  HWY_INLINE void begin(D d, const T* const* HWY_RESTRICT rows, const FoldedKernel<T>& kernel, std::int64_t x) {
    for (int i = 0; i < kPairs; ++i) weights[i] = hn::Set(d, kernel.pairs()[static_cast<std::size_t>(i)]);
    weights[kPairs] = hn::Set(d, kernel.weights.front());  // of the centre, if it is read
    for (int i = 0; i + 1 < taps; ++i) window[i] = hn::LoadU(d, rows[i] + x);
  }

  HWY_INLINE V next(V last) {
    window[taps - 1] = last;
    V sum = pair<kSymmetry>(window[kPairs + 1], window[kPairs - 1]);
    if constexpr (kSymmetry == Symmetry::even) {
      sum = hn::MulAdd(weights[0], sum, hn::Mul(weights[kPairs], window[kPairs]));
    } else {
      sum = hn::Mul(weights[0], sum);
    }
    for (int i = 1; i < kPairs; ++i) {
      sum = hn::MulAdd(weights[i], pair<kSymmetry>(window[kPairs + 1 + i], window[kPairs - 1 - i]), sum);
    }
    for (int i = 0; i + 1 < taps; ++i) window[i] = window[i + 1];
    return sum;
  }
};

/// Four rows at a time, or moving the window would take as long as half of what is done with it.
template <Symmetry kSymmetry, int kPairs, class D, class T = hn::TFromD<D>>
HWY_INLINE void few_pairs(D d, const T* const* HWY_RESTRICT rows, const FoldedKernel<T>& kernel,
                          T* const* HWY_RESTRICT out, std::int64_t count, std::int64_t x, std::int64_t to) {
  FewPairs<kSymmetry, kPairs, D> state;
  state.begin(d, rows, kernel, x);
  const T* const* next = rows + state.taps - 1;
  std::int64_t r = 0;
  for (; r + 4 <= count; r += 4) {
    hn::StoreU(state.next(hn::LoadU(d, next[r] + x)), d, out[r] + to);
    hn::StoreU(state.next(hn::LoadU(d, next[r + 1] + x)), d, out[r + 1] + to);
    hn::StoreU(state.next(hn::LoadU(d, next[r + 2] + x)), d, out[r + 2] + to);
    hn::StoreU(state.next(hn::LoadU(d, next[r + 3] + x)), d, out[r + 3] + to);
  }
  for (; r < count; ++r) hn::StoreU(state.next(hn::LoadU(d, next[r] + x)), d, out[r] + to);
}

/// As many rows at a time as the registers hold.
constexpr int rows_in_registers = has_line_vectors ? 8 : 4;

/// Smaller vectors come in blocks, in each of which the same rows go on: to begin with them takes as long as a vector.
constexpr std::int64_t vectors_a_block = has_line_vectors ? 1 : 8;

/// False unless the kernel has a middle and no more taps than there are registers for.
template <Symmetry kSymmetry, class D, class Drain, class T = hn::TFromD<D>>
HWY_INLINE bool few_pairs_in_all_rows(D d, const T* const* rows, const FoldedKernel<T>& kernel, T* const* out,
                                      std::int64_t count, std::int64_t x, std::int64_t to, std::int64_t values,
                                      Drain& drain) {
  if (kernel.size % 2 == 0) return false;
  const auto each_vector = [&](auto pairs) HWY_ATTR {
    for (std::int64_t i = 0; i < values; i += static_cast<std::int64_t>(hn::Lanes(d))) {
      few_pairs<kSymmetry, decltype(pairs)::value>(d, rows, kernel, out, count, x + i, to + i);
      drain.row(d);
    }
    return true;
  };
  switch (kernel.pairs().size()) {
    case 1:
      return each_vector(std::integral_constant<int, 1>());
    case 2:
      return each_vector(std::integral_constant<int, 2>());
    case 3:
      return each_vector(std::integral_constant<int, 3>());
    case 4:
      return each_vector(std::integral_constant<int, 4>());
    default:
      return false;
  }
}

/// Where results stay where they are stored.
struct NoDrain {
  template <class D>
  HWY_INLINE void row(D /*d*/) {}
};

/// The results of x on, so many vectors of them, to `to` in every row of `out`. Whenever as many are done as a row of a
/// block has, `drain` streams one.
template <Symmetry kSymmetry, bool kStreamed, class D, class Drain, class T = hn::TFromD<D>>
HWY_INLINE void all_rows(D d, const T* const* rows, const FoldedKernel<T>& kernel, T* const* out, std::int64_t count,
                         std::int64_t x, std::int64_t to, std::int64_t vectors, Drain& drain) {
  constexpr int many = rows_in_registers;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const std::int64_t values = vectors * lanes;
  std::int64_t r = 0;
  if constexpr (kSymmetry == Symmetry::none) {
    for (; r + 4 <= count; r += 4) {
      for (std::int64_t i = 0; i < values; i += lanes)
        four_plain<kStreamed>(d, rows + r, kernel, out + r, x + i, to + i);
    }
  } else {
    if constexpr (!has_line_vectors) {
      static_assert(!kStreamed, "blocks are staged first");
      if (few_pairs_in_all_rows<kSymmetry>(d, rows, kernel, out, count, x, to, values, drain)) return;
    }
    for (; r + many <= count; r += many) {
      for (std::int64_t i = 0; i < values; i += lanes) {
        symmetric_rows<kSymmetry, kStreamed, many>(d, rows + r, kernel, out + r, x + i, to + i);
        if (i / lanes % 2 == 1) drain.row(d);
      }
    }
  }
  for (; r < count; ++r) {
    for (std::int64_t i = 0; i < values; i += lanes)
      one_row<kSymmetry, kStreamed>(d, rows + r, kernel, out[r], x + i, to + i);
  }
}

constexpr std::int64_t rows_staged = 8;

/// A block of results that wait to be streamed row by row, so that lines are written in one go.
template <class T, std::int64_t kRows>
struct StagedBlock {
  static constexpr std::size_t most_values = static_cast<std::size_t>(vectors_a_block) * HWY_MAX_BYTES / sizeof(T);
  HWY_ALIGN T values[kRows][most_values];
  T* rows[kRows];  ///< of values
  T* to[kRows];    ///< where they belong
  std::int64_t filled = 0;
};

/// What is left of a block to be streamed.
template <class T, std::int64_t kRows>
struct BlockDrain {
  const StagedBlock<T, kRows>* block;
  std::int64_t next = 0;

  /// The next row, if there is one.
  template <class D>
  HWY_INLINE void row(D d) {
    if (next == block->filled) return;
    const T* from = block->values[next];
    T* to = block->to[next];
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
    for (std::int64_t v = 0; v < vectors_a_block; ++v) hn::Stream(hn::Load(d, from + v * lanes), d, to + v * lanes);
    ++next;
  }

  template <class D>
  HWY_INLINE void all(D d) {
    while (next < block->filled) row(d);
  }
};

/// Whole blocks of results, each streamed while the next one is computed: what goes to memory in one burst keeps all
/// that is stored after it waiting. Returns how many values there were.
template <Symmetry kSymmetry, class D, class T = hn::TFromD<D>>
HWY_INLINE std::int64_t stream_blocks(D d, const T* const* rows, const FoldedKernel<T>& kernel, T* const* out,
                                      std::int64_t count, std::int64_t values) {
  const std::int64_t block = vectors_a_block * static_cast<std::int64_t>(hn::Lanes(d));
  StagedBlock<T, rows_staged> blocks[2];
  for (StagedBlock<T, rows_staged>& one : blocks) {
    for (std::int64_t r = 0; r < rows_staged; ++r) one.rows[r] = one.values[r];
  }
  StagedBlock<T, rows_staged>* next = &blocks[0];
  StagedBlock<T, rows_staged>* full = &blocks[1];
  std::int64_t x = 0;
  for (; x + block <= values; x += block) {
    for (std::int64_t r = 0; r < count; r += rows_staged) {
      const std::int64_t together = std::min(rows_staged, count - r);
      BlockDrain<T, rows_staged> drain{full};
      all_rows<kSymmetry, false>(d, rows + r, kernel, next->rows, together, x, 0, vectors_a_block, drain);
      drain.all(d);
      for (std::int64_t i = 0; i < together; ++i) next->to[i] = out[r + i] + x;
      next->filled = together;
      std::swap(next, full);
    }
  }
  BlockDrain<T, rows_staged>{full}.all(d);
  return x;
}

template <Symmetry kSymmetry, bool kStreamed, class T>
HWY_INLINE void all_vectors(const T* const* rows, const FoldedKernel<T>& kernel, T* const* out, std::int64_t count,
                            std::int64_t values) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const std::int64_t block = vectors_a_block * lanes;
  NoDrain none;
  std::int64_t x = 0;
  if constexpr (kStreamed && !has_line_vectors) {
    x = stream_blocks<kSymmetry>(d, rows, kernel, out, count, values);
  } else {
    for (; x + block <= values; x += block)
      all_rows<kSymmetry, kStreamed>(d, rows, kernel, out, count, x, x, vectors_a_block, none);
  }
  for (; x + lanes <= values; x += lanes) all_rows<kSymmetry, false>(d, rows, kernel, out, count, x, x, 1, none);
  if (x < values && values >= lanes) {  // the last vector overlaps the one before, and computes the same there
    all_rows<kSymmetry, false>(d, rows, kernel, out, count, values - lanes, values - lanes, 1, none);
    return;
  }
  const hn::CappedTag<T, 1> single;
  for (; x < values; ++x) all_rows<kSymmetry, false>(single, rows, kernel, out, count, x, x, 1, none);
}

/// Whether all rows begin at lines of the cache.
template <class T>
HWY_INLINE bool are_aligned(T* const* out, std::int64_t count) {
  return std::all_of(out, out + count, [](const T* row) { return begins_a_line(row); });
}

/// Whether the same columns of all rows fall into the same sets of a cache.
template <class T>
HWY_INLINE bool are_pages_apart(T* const* out, std::int64_t count) {
  constexpr std::uintptr_t page_bytes = 4096;
  return count > 1 &&
         (reinterpret_cast<std::uintptr_t>(out[1]) - reinterpret_cast<std::uintptr_t>(out[0])) % page_bytes == 0;
}

template <Symmetry kSymmetry, class T>
void with_symmetry(const T* const* rows, const FoldedKernel<T>& kernel, T* const* out, std::int64_t count,
                   std::int64_t values, Storing storing) {
  if (storing == Storing::streamed && are_aligned(out, count)) {
    all_vectors<kSymmetry, true>(rows, kernel, out, count, values);
    return;
  }
  // A set has room for eight to twelve lines.
  const std::int64_t at_a_time = are_pages_apart(out, count) ? rows_in_registers : count;
  for (std::int64_t r = 0; r < count; r += at_a_time) {
    all_vectors<kSymmetry, false>(rows + r, kernel, out + r, std::min(at_a_time, count - r), values);
  }
}

/// An odd kernel of nine taps and an even one with so many pairs, a row of both after the other: what one reads serves
/// the other, too.
template <int kEvenPairs, class D, class T = hn::TFromD<D>>
struct TwoKernels {
  static constexpr int pairs = 4;
  static constexpr int taps = 2 * pairs + 1;
  using V = hn::Vec<D>;
  V odd_weights[pairs], even_weights[kEvenPairs], centre, window[taps];

  TwoKernels(D d, const TwoColumns<T>& two) {
    for (int i = 0; i < pairs; ++i) odd_weights[i] = hn::Set(d, two.odd.pairs()[static_cast<std::size_t>(i)]);
    for (int i = 0; i < kEvenPairs; ++i) even_weights[i] = hn::Set(d, two.even.pairs()[static_cast<std::size_t>(i)]);
    centre = hn::Set(d, two.even.weights.front());
  }

  HWY_INLINE void begin(D d, const T* const* HWY_RESTRICT rows, std::int64_t x) {
    for (int i = 0; i + 1 < taps; ++i) window[i] = hn::LoadU(d, rows[i] + x);
  }

  HWY_INLINE void next(D d, V last, T* HWY_RESTRICT odd_out, T* HWY_RESTRICT even_out) {
    window[taps - 1] = last;
    V even = hn::MulAdd(even_weights[0], hn::Add(window[pairs + 1], window[pairs - 1]), hn::Mul(centre, window[pairs]));
    for (int i = 1; i < kEvenPairs; ++i) {
      even = hn::MulAdd(even_weights[i], hn::Add(window[pairs + 1 + i], window[pairs - 1 - i]), even);
    }
    hn::StoreU(even, d, even_out);
    V odd = hn::Mul(odd_weights[0], hn::Sub(window[pairs + 1], window[pairs - 1]));
    for (int i = 1; i < pairs; ++i) {
      odd = hn::MulAdd(odd_weights[i], hn::Sub(window[pairs + 1 + i], window[pairs - 1 - i]), odd);
    }
    hn::StoreU(odd, d, odd_out);
    for (int i = 0; i + 1 < taps; ++i) window[i] = window[i + 1];
  }

  /// A vector of results at x in each of `count` rows, to `to` of what odd_out[r] and even_out[r] point to. Four rows
  /// at a time, as few_pairs, after which `drain` streams a row: so many results as that has.
  template <class Out, class Drain>
  HWY_INLINE void all_rows(D d, const T* const* HWY_RESTRICT rows, Out odd_out, Out even_out, std::int64_t count,
                           std::int64_t x, std::int64_t to, Drain& drain) {
    begin(d, rows, x);
    const T* const* last = rows + taps - 1;
    std::int64_t r = 0;
    for (; r + 4 <= count; r += 4) {
      next(d, hn::LoadU(d, last[r] + x), odd_out[r] + to, even_out[r] + to);
      next(d, hn::LoadU(d, last[r + 1] + x), odd_out[r + 1] + to, even_out[r + 1] + to);
      next(d, hn::LoadU(d, last[r + 2] + x), odd_out[r + 2] + to, even_out[r + 2] + to);
      next(d, hn::LoadU(d, last[r + 3] + x), odd_out[r + 3] + to, even_out[r + 3] + to);
      drain.row(d);
    }
    for (; r < count; ++r) next(d, hn::LoadU(d, last[r] + x), odd_out[r] + to, even_out[r] + to);
  }
};

/// As stream_blocks, with the odd kernel's rows before those of the even one: to take turns between two images would
/// take longer than to stream one after the other.
template <int kEvenPairs, class D, class T = hn::TFromD<D>>
HWY_INLINE std::int64_t stream_two_blocks(D d, const T* const* rows, TwoKernels<kEvenPairs, D>& kernels,
                                          const TwoColumns<T>& two, std::int64_t count, std::int64_t values) {
  using Block = StagedBlock<T, 2 * rows_staged>;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const std::int64_t block = vectors_a_block * lanes;
  Block blocks[2];
  Block* next = &blocks[0];
  Block* full = &blocks[1];
  std::int64_t x = 0;
  for (; x + block <= values; x += block) {
    for (std::int64_t r = 0; r < count; r += rows_staged) {
      BlockDrain<T, 2 * rows_staged> drain{full};
      for (std::int64_t i = 0; i < block; i += lanes) {
        kernels.all_rows(d, rows + r, next->values, next->values + rows_staged, rows_staged, x + i, i, drain);
      }
      for (std::int64_t i = 0; i < rows_staged; ++i) {
        next->to[i] = two.odd_out[r + i] + x;
        next->to[rows_staged + i] = two.even_out[r + i] + x;
      }
      next->filled = 2 * rows_staged;
      std::swap(next, full);
    }
  }
  BlockDrain<T, 2 * rows_staged>{full}.all(d);
  return x;
}

/// Of rows that fill blocks, and at least a vector.
template <int kEvenPairs, class T>
HWY_NOINLINE void stream_two(const T* const* rows, const TwoColumns<T>& two, std::int64_t count, std::int64_t values) {
  using D = hn::ScalableTag<T>;
  const D d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  TwoKernels<kEvenPairs, D> kernels(d, two);
  NoDrain none;
  std::int64_t x = stream_two_blocks<kEvenPairs, D>(d, rows, kernels, two, count, values);
  for (; x + lanes <= values; x += lanes) kernels.all_rows(d, rows, two.odd_out, two.even_out, count, x, x, none);
  if (x == values) return;
  x = values - lanes;  // overlaps the vector before, and computes the same there
  kernels.all_rows(d, rows, two.odd_out, two.even_out, count, x, x, none);
}

template <class T>
HWY_INLINE void run(const T* const* rows, const FoldedKernel<T>& kernel, T* const* out, std::int64_t count,
                    std::int64_t values, Storing storing) {
  switch (kernel.symmetry) {
    case Symmetry::none:
      with_symmetry<Symmetry::none>(rows, kernel, out, count, values, storing);
      break;
    case Symmetry::even:
      with_symmetry<Symmetry::even>(rows, kernel, out, count, values, storing);
      break;
    case Symmetry::odd:
      with_symmetry<Symmetry::odd>(rows, kernel, out, count, values, storing);
      break;
  }
}

/// Together where results are staged. The rows of two results that stay in the caches would compete for the same sets.
template <class T>
HWY_INLINE void run_two(const T* const* rows, const TwoColumns<T>& two, std::int64_t count, std::int64_t values,
                        Storing storing) {
  if constexpr (!has_line_vectors) {
    const bool fills_blocks =
        count % rows_staged == 0 && values >= static_cast<std::int64_t>(hn::Lanes(hn::ScalableTag<T>()));
    if (storing == Storing::streamed && fills_blocks && are_aligned(two.odd_out, count) &&
        are_aligned(two.even_out, count)) {
      if (two.even.size == 9) {
        stream_two<4>(rows, two, count, values);
      } else {
        stream_two<3>(rows, two, count, values);
      }
      return;
    }
  }
  run(rows, two.odd, two.odd_out, count, values, storing);
  run(rows + two.even.first - two.odd.first, two.even, two.even_out, count, values, storing);
}

void convolve_columns_f32(const float* const* rows, const FoldedKernel<float>& kernel, float* const* out,
                          std::int64_t count, std::int64_t values, Storing storing) {
  run(rows, kernel, out, count, values, storing);
}

void convolve_columns_f64(const double* const* rows, const FoldedKernel<double>& kernel, double* const* out,
                          std::int64_t count, std::int64_t values, Storing storing) {
  run(rows, kernel, out, count, values, storing);
}

void convolve_two_columns_f32(const float* const* rows, const TwoColumns<float>& two, std::int64_t count,
                              std::int64_t values, Storing storing) {
  run_two(rows, two, count, values, storing);
}

void convolve_two_columns_f64(const double* const* rows, const TwoColumns<double>& two, std::int64_t count,
                              std::int64_t values, Storing storing) {
  run_two(rows, two, count, values, storing);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace tilewright
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tilewright {

HWY_EXPORT(convolve_columns_f32);
HWY_EXPORT(convolve_columns_f64);
HWY_EXPORT(convolve_two_columns_f32);
HWY_EXPORT(convolve_two_columns_f64);

void convolve_columns(const float* const* rows, const FoldedKernel<float>& kernel, float* const* out,
                      std::int64_t count, std::int64_t values, Storing storing) {
  HWY_DYNAMIC_DISPATCH(convolve_columns_f32)(rows, kernel, out, count, values, storing);
}

void convolve_columns(const double* const* rows, const FoldedKernel<double>& kernel, double* const* out,
                      std::int64_t count, std::int64_t values, Storing storing) {
  HWY_DYNAMIC_DISPATCH(convolve_columns_f64)(rows, kernel, out, count, values, storing);
}

void convolve_two_columns(const float* const* rows, const TwoColumns<float>& two, std::int64_t count,
                          std::int64_t values, Storing storing) {
  HWY_DYNAMIC_DISPATCH(convolve_two_columns_f32)(rows, two, count, values, storing);
}

void convolve_two_columns(const double* const* rows, const TwoColumns<double>& two, std::int64_t count,
                          std::int64_t values, Storing storing) {
  HWY_DYNAMIC_DISPATCH(convolve_two_columns_f64)(rows, two, count, values, storing);
}

}  // namespace tilewright
#endif
