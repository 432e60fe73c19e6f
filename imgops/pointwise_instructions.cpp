#include "pointwise_instructions.hpp"

// Highway compiles the rest of this file once for each vector level.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "pointwise_instructions.cpp"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace tilewright {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

/// Many operations on a block keep the processor from looking far enough ahead by itself.
constexpr std::ptrdiff_t bytes_ahead = 4096;

/// The values at x of the image's row.
template <class T>
HWY_INLINE T* values_of(const PointwiseRow& row, std::int64_t x) {
  return reinterpret_cast<T*>(row.first) + (row.is_own ? 0 : x);
}

template <class Stored, class D>
HWY_INLINE hn::Vec<D> promoted(D d, const Stored* in) {
  if constexpr (sizeof(hn::TFromD<D>) == 8 && !std::is_floating_point_v<Stored>) {
    const hn::Rebind<std::int32_t, D> d32;
    return hn::PromoteTo(d, hn::PromoteTo(d32, hn::LoadU(hn::Rebind<Stored, D>(), in)));
  } else if constexpr (std::is_floating_point_v<Stored>) {
    return hn::PromoteTo(d, hn::LoadU(hn::Rebind<Stored, D>(), in));
  } else {
    const hn::RebindToSigned<D> d32;
    return hn::ConvertTo(d, hn::PromoteTo(d32, hn::LoadU(hn::Rebind<Stored, D>(), in)));
  }
}

/// kVectors vectors of values in registers.
template <int kVectors, class D, class T = hn::TFromD<D>>
struct Accumulator {
  using V = hn::Vec<D>;
  using Instruction = PointwiseInstruction<T>;
  using Kind = typename Instruction::Kind;
  V v[kVectors];

  template <class Function>
  HWY_INLINE void each(const Function& function) {
    for (int k = 0; k < kVectors; ++k) v[k] = function(v[k]);
  }

  template <class Function>
  HWY_INLINE void with_operand(D d, const Instruction& instruction, const T* row, const Function& function) {
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
    switch (instruction.form) {
      case OperandForm::row:
        for (int k = 0; k < kVectors; ++k) v[k] = function(v[k], hn::LoadU(d, row + k * lanes));
        break;
      case OperandForm::row_first:
        for (int k = 0; k < kVectors; ++k) v[k] = function(hn::LoadU(d, row + k * lanes), v[k]);
        break;
      case OperandForm::constant: {
        const V constant = hn::Set(d, instruction.constant);
        for (int k = 0; k < kVectors; ++k) v[k] = function(v[k], constant);
        break;
      }
      case OperandForm::constant_first: {
        const V constant = hn::Set(d, instruction.constant);
        for (int k = 0; k < kVectors; ++k) v[k] = function(constant, v[k]);
        break;
      }
    }
  }

  HWY_INLINE void operate(D d, const Instruction& instruction, const T* row) {
    switch (instruction.operation) {
      case PointwiseOperation::add:
        return with_operand(d, instruction, row, [](V a, V b) HWY_ATTR { return hn::Add(a, b); });
      case PointwiseOperation::subtract:
        return with_operand(d, instruction, row, [](V a, V b) HWY_ATTR { return hn::Sub(a, b); });
      case PointwiseOperation::multiply:
        return with_operand(d, instruction, row, [](V a, V b) HWY_ATTR { return hn::Mul(a, b); });
      case PointwiseOperation::divide:
        return with_operand(d, instruction, row, [](V a, V b) HWY_ATTR { return hn::Div(a, b); });
      case PointwiseOperation::minimum:
        return with_operand(d, instruction, row,
                            [](V a, V b) HWY_ATTR { return hn::IfThenElse(hn::Or(hn::Lt(b, a), hn::IsNaN(b)), b, a); });
      case PointwiseOperation::maximum:
        return with_operand(d, instruction, row,
                            [](V a, V b) HWY_ATTR { return hn::IfThenElse(hn::Or(hn::Gt(b, a), hn::IsNaN(b)), b, a); });
      case PointwiseOperation::square_root:
        return each([](V a) HWY_ATTR { return hn::Sqrt(a); });
      case PointwiseOperation::magnitude:
        return each([](V a) HWY_ATTR { return hn::Abs(a); });
      case PointwiseOperation::compare: {
        const V level = hn::Set(d, instruction.constant);
        const V below = hn::Set(d, instruction.below);
        const V above = hn::Set(d, instruction.above);
        return each([&](V a) HWY_ATTR { return hn::IfThenElse(hn::Gt(a, level), above, below); });
      }
    }
  }

  template <class Stored>
  HWY_INLINE void load(D d, const PointwiseRow& row, std::int64_t x) {
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
    const Stored* in = values_of<const Stored>(row, x);
    for (int k = 0; k < kVectors; ++k) {
      hwy::Prefetch(reinterpret_cast<const std::byte*>(in + k * lanes) + bytes_ahead);
      if constexpr (std::is_same_v<Stored, T>) {
        v[k] = hn::LoadU(d, in + k * lanes);
      } else {
        v[k] = promoted(d, in + k * lanes);
      }
    }
  }

  HWY_INLINE void store(D d, T* HWY_RESTRICT out, bool streamed) const {
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
    if (streamed) {
      for (int k = 0; k < kVectors; ++k) hn::Stream(v[k], d, out + k * lanes);
    } else {
      for (int k = 0; k < kVectors; ++k) hn::StoreU(v[k], d, out + k * lanes);
    }
  }
};

/// The block of values at x.
template <int kVectors, class D, class T = hn::TFromD<D>>
HWY_INLINE void run_block(D d, std::span<const PointwiseInstruction<T>> instructions, const PointwiseRow* rows,
                          std::int64_t x, bool streamed) {
  using Kind = typename PointwiseInstruction<T>::Kind;
  Accumulator<kVectors, D> accumulator;
  accumulator.each([&](auto) HWY_ATTR { return hn::Zero(d); });
  for (const PointwiseInstruction<T>& instruction : instructions) {
    const PointwiseRow& row = rows[instruction.row];
    switch (instruction.kind) {
      case Kind::operate:
        accumulator.operate(d, instruction, values_of<const T>(row, x));
        break;
      case Kind::load:
        accumulator.template load<T>(d, row, x);
        break;
      case Kind::load_u8:
        accumulator.template load<std::uint8_t>(d, row, x);
        break;
      case Kind::load_u16:
        accumulator.template load<std::uint16_t>(d, row, x);
        break;
      case Kind::load_f32:
        accumulator.template load<float>(d, row, x);
        break;
      case Kind::keep:
        accumulator.store(d, values_of<T>(row, x), false);
        break;
      case Kind::store:
        accumulator.store(d, values_of<T>(row, x), streamed);
        break;
    }
  }
}

template <class T>
HWY_INLINE bool may_stream(std::span<const PointwiseInstruction<T>> instructions, const PointwiseRow* rows) {
  for (const PointwiseInstruction<T>& instruction : instructions) {
    if (instruction.kind != PointwiseInstruction<T>::Kind::store) continue;
    if (!begins_a_line(rows[instruction.row].first)) return false;
  }
  return true;
}

/// From x on as many blocks as there are.
template <int kVectors, class D, class T = hn::TFromD<D>>
HWY_INLINE std::int64_t run_blocks(D d, std::span<const PointwiseInstruction<T>> instructions, const PointwiseRow* rows,
                                   std::int64_t x, std::int64_t values, bool streamed) {
  const auto block = kVectors * static_cast<std::int64_t>(hn::Lanes(d));
  for (; x + block <= values; x += block) run_block<kVectors>(d, instructions, rows, x, streamed);
  return x;
}

/// So many vectors leave registers for an operand and for constants; an instruction takes its time to be looked up,
/// whatever it does.
constexpr int most_vectors = HWY_MAX_BYTES >= 64 ? 16 : 12;
static_assert(most_vectors * HWY_MAX_BYTES <= pointwise_block_bytes);

/// What is left over at the end of a row is done in smaller blocks, the last of them together with values that have
/// been done, once more.
template <class T>
HWY_INLINE void run_row(std::span<const PointwiseInstruction<T>> instructions, const PointwiseRow* rows,
                        std::int64_t values, Storing storing) {
  constexpr int some_vectors = 4;
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const bool streamed = storing == Storing::streamed && may_stream(instructions, rows);
  std::int64_t x = run_blocks<most_vectors>(d, instructions, rows, 0, values, streamed);
  x = run_blocks<some_vectors>(d, instructions, rows, x, values, streamed);
  if (x == values) return;
  if (const auto some = some_vectors * lanes; values >= some) {
    return run_block<some_vectors>(d, instructions, rows, values - some, false);
  }
  x = run_blocks<1>(d, instructions, rows, x, values, false);
  if (x == values) return;
  if (values >= lanes) return run_block<1>(d, instructions, rows, values - lanes, false);
  (void)run_blocks<1>(hn::CappedTag<T, 1>(), instructions, rows, x, values, false);
}

template <class T>
HWY_INLINE void run(std::span<const PointwiseInstruction<T>> instructions, std::span<PointwiseRow> rows,
                    std::int64_t values, std::int64_t height, Storing storing) {
  for (std::int64_t y = 0; y < height; ++y) {
    run_row(instructions, rows.data(), values, storing);
    for (PointwiseRow& row : rows) row.first += row.pitch;
  }
}

void run_instructions_f32(std::span<const PointwiseInstruction<float>> instructions, std::span<PointwiseRow> rows,
                          std::int64_t values, std::int64_t height, Storing storing) {
  run(instructions, rows, values, height, storing);
}

void run_instructions_f64(std::span<const PointwiseInstruction<double>> instructions, std::span<PointwiseRow> rows,
                          std::int64_t values, std::int64_t height, Storing storing) {
  run(instructions, rows, values, height, storing);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace tilewright
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tilewright {

HWY_EXPORT(run_instructions_f32);
HWY_EXPORT(run_instructions_f64);

void run_instructions(std::span<const PointwiseInstruction<float>> instructions, std::span<PointwiseRow> rows,
                      std::int64_t values, std::int64_t height, Storing storing) {
  HWY_DYNAMIC_DISPATCH(run_instructions_f32)(instructions, rows, values, height, storing);
}

void run_instructions(std::span<const PointwiseInstruction<double>> instructions, std::span<PointwiseRow> rows,
                      std::int64_t values, std::int64_t height, Storing storing) {
  HWY_DYNAMIC_DISPATCH(run_instructions_f64)(instructions, rows, values, height, storing);
}

}  // namespace tilewright
#endif
