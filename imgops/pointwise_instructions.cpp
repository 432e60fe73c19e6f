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

/// Of two values.
template <PointwiseOperation kOperation, class V>
HWY_INLINE V applied(V a, V b) {
  using enum PointwiseOperation;
  if constexpr (kOperation == add) return hn::Add(a, b);
  if constexpr (kOperation == subtract) return hn::Sub(a, b);
  if constexpr (kOperation == multiply) return hn::Mul(a, b);
  if constexpr (kOperation == divide) return hn::Div(a, b);
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_SSE4
  // The processor takes the second of two values where they are equal or not ordered.
  if constexpr (kOperation == minimum) return hn::IfThenElse(hn::IsNaN(b), b, hn::Min(b, a));
  if constexpr (kOperation == maximum) return hn::IfThenElse(hn::IsNaN(b), b, hn::Max(b, a));
#else
  if constexpr (kOperation == minimum) return hn::IfThenElse(hn::Or(hn::Lt(b, a), hn::IsNaN(b)), b, a);
  if constexpr (kOperation == maximum) return hn::IfThenElse(hn::Or(hn::Gt(b, a), hn::IsNaN(b)), b, a);
#endif
}

/// kVectors vectors of values in registers.
template <int kVectors, class D, class T = hn::TFromD<D>>
struct Accumulator {
  using V = hn::Vec<D>;
  using Instruction = PointwiseInstruction<T>;
  V v[kVectors];

  template <class Function>
  HWY_INLINE void each(const Function& function) {
    for (int k = 0; k < kVectors; ++k) v[k] = function(v[k]);
  }

  template <PointwiseOperation kOperation, OperandForm kForm>
  HWY_INLINE void operate(D d, const Instruction& instruction, const PointwiseRow& row, std::int64_t x) {
    constexpr bool is_constant = kForm == OperandForm::constant || kForm == OperandForm::constant_first;
    constexpr bool is_first = kForm == OperandForm::row_first || kForm == OperandForm::constant_first;
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
    const V constant = hn::Set(d, instruction.constant);
    const T* const values = values_of<const T>(row, x);
    for (int k = 0; k < kVectors; ++k) {
      const V operand = is_constant ? constant : hn::LoadU(d, values + k * lanes);
      v[k] = is_first ? applied<kOperation>(operand, v[k]) : applied<kOperation>(v[k], operand);
    }
  }

  HWY_INLINE void scale_and_add(D d, const Instruction& instruction) {
    const V scale = hn::Set(d, instruction.constant);
    const V added = hn::Set(d, instruction.added);
    each([&](V a) HWY_ATTR { return hn::Add(hn::Mul(a, scale), added); });
  }

  /// The operation of itself and the values of a row, times the instruction's constant.
  template <PointwiseOperation kOperation, bool kIsFirst>
  HWY_INLINE void operate_scaled(D d, const Instruction& instruction, const PointwiseRow& row, std::int64_t x) {
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
    const V scale = hn::Set(d, instruction.constant);
    const T* const values = values_of<const T>(row, x);
    for (int k = 0; k < kVectors; ++k) {
      const V product = hn::Mul(hn::LoadU(d, values + k * lanes), scale);
      v[k] = kIsFirst ? applied<kOperation>(product, v[k]) : applied<kOperation>(v[k], product);
    }
  }

  HWY_INLINE void compare(D d, const Instruction& instruction) {
    const V level = hn::Set(d, instruction.constant);
    const V below = hn::Set(d, instruction.below);
    const V above = hn::Set(d, instruction.above);
    each([&](V a) HWY_ATTR { return hn::IfThenElse(hn::Gt(a, level), above, below); });
  }

  /// kFetchesAhead: of a row that may come from memory.
  template <class Stored, bool kFetchesAhead = true>
  HWY_INLINE void load(D d, const PointwiseRow& row, std::int64_t x) {
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
    const Stored* in = values_of<const Stored>(row, x);
    const auto vector_bytes = lanes * static_cast<std::int64_t>(sizeof(Stored));
    for (int k = 0; k < kVectors; ++k) {
      const bool is_next_line = k * vector_bytes % cache_line < vector_bytes;
      if (kFetchesAhead && is_next_line)
        hwy::Prefetch(reinterpret_cast<const std::byte*>(in + k * lanes) + bytes_ahead);
      if constexpr (std::is_same_v<Stored, T>) {
        v[k] = hn::LoadU(d, in + k * lanes);
      } else {
        v[k] = promoted(d, in + k * lanes);
      }
    }
  }

  HWY_INLINE void load_scaled(D d, const Instruction& instruction, const PointwiseRow& row, std::int64_t x) {
    load<T, false>(d, row, x);
    const V scale = hn::Set(d, instruction.constant);
    each([&](V a) HWY_ATTR { return hn::Mul(a, scale); });
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

/// The block of values at x. One jump leads to what an instruction does.
template <int kVectors, class D, class T = hn::TFromD<D>>
HWY_INLINE void run_block(D d, std::span<const PointwiseInstruction<T>> instructions, const PointwiseRow* rows,
                          std::int64_t x, bool streamed) {
  using Code = PointwiseCode;
  using enum PointwiseOperation;
  using enum OperandForm;
  Accumulator<kVectors, D> a;
  a.each([&](auto) HWY_ATTR { return hn::Zero(d); });
  for (const PointwiseInstruction<T>& instruction : instructions) {
    const PointwiseRow& operand = rows[instruction.row];
    switch (instruction.code) {
      case Code::load:
        a.template load<T>(d, operand, x);
        break;
      case Code::load_again:
        a.template load<T, false>(d, operand, x);
        break;
      case Code::load_scaled:
        a.load_scaled(d, instruction, operand, x);
        break;
      case Code::load_u8:
        a.template load<std::uint8_t>(d, operand, x);
        break;
      case Code::load_u16:
        a.template load<std::uint16_t>(d, operand, x);
        break;
      case Code::load_f32:
        a.template load<float>(d, operand, x);
        break;
      case Code::keep:
        a.store(d, values_of<T>(operand, x), false);
        break;
      case Code::store:
        a.store(d, values_of<T>(operand, x), streamed);
        break;
      case Code::scale_and_add:
        a.scale_and_add(d, instruction);
        break;
      case Code::add_scaled:
        a.template operate_scaled<add, false>(d, instruction, operand, x);
        break;
      case Code::subtract_scaled:
        a.template operate_scaled<subtract, false>(d, instruction, operand, x);
        break;
      case Code::subtract_from_scaled:
        a.template operate_scaled<subtract, true>(d, instruction, operand, x);
        break;
      case Code::square_root:
        a.each([](auto value) HWY_ATTR { return hn::Sqrt(value); });
        break;
      case Code::magnitude:
        a.each([](auto value) HWY_ATTR { return hn::Abs(value); });
        break;
      case Code::compare:
        a.compare(d, instruction);
        break;
      case code_of(add, row):
        a.template operate<add, row>(d, instruction, operand, x);
        break;
      case code_of(add, row_first):
        a.template operate<add, row_first>(d, instruction, operand, x);
        break;
      case code_of(add, constant):
        a.template operate<add, constant>(d, instruction, operand, x);
        break;
      case code_of(add, constant_first):
        a.template operate<add, constant_first>(d, instruction, operand, x);
        break;
      case code_of(subtract, row):
        a.template operate<subtract, row>(d, instruction, operand, x);
        break;
      case code_of(subtract, row_first):
        a.template operate<subtract, row_first>(d, instruction, operand, x);
        break;
      case code_of(subtract, constant):
        a.template operate<subtract, constant>(d, instruction, operand, x);
        break;
      case code_of(subtract, constant_first):
        a.template operate<subtract, constant_first>(d, instruction, operand, x);
        break;
      case code_of(multiply, row):
        a.template operate<multiply, row>(d, instruction, operand, x);
        break;
      case code_of(multiply, row_first):
        a.template operate<multiply, row_first>(d, instruction, operand, x);
        break;
      case code_of(multiply, constant):
        a.template operate<multiply, constant>(d, instruction, operand, x);
        break;
      case code_of(multiply, constant_first):
        a.template operate<multiply, constant_first>(d, instruction, operand, x);
        break;
      case code_of(divide, row):
        a.template operate<divide, row>(d, instruction, operand, x);
        break;
      case code_of(divide, row_first):
        a.template operate<divide, row_first>(d, instruction, operand, x);
        break;
      case code_of(divide, constant):
        a.template operate<divide, constant>(d, instruction, operand, x);
        break;
      case code_of(divide, constant_first):
        a.template operate<divide, constant_first>(d, instruction, operand, x);
        break;
      case code_of(minimum, row):
        a.template operate<minimum, row>(d, instruction, operand, x);
        break;
      case code_of(minimum, row_first):
        a.template operate<minimum, row_first>(d, instruction, operand, x);
        break;
      case code_of(minimum, constant):
        a.template operate<minimum, constant>(d, instruction, operand, x);
        break;
      case code_of(minimum, constant_first):
        a.template operate<minimum, constant_first>(d, instruction, operand, x);
        break;
      case code_of(maximum, row):
        a.template operate<maximum, row>(d, instruction, operand, x);
        break;
      case code_of(maximum, row_first):
        a.template operate<maximum, row_first>(d, instruction, operand, x);
        break;
      case code_of(maximum, constant):
        a.template operate<maximum, constant>(d, instruction, operand, x);
        break;
      case code_of(maximum, constant_first):
        a.template operate<maximum, constant_first>(d, instruction, operand, x);
        break;
    }
  }
}

template <class T>
HWY_INLINE bool may_stream(std::span<const PointwiseInstruction<T>> instructions, const PointwiseRow* rows) {
  for (const PointwiseInstruction<T>& instruction : instructions) {
    if (instruction.code != PointwiseCode::store) continue;
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
  constexpr int fewer_vectors = 8;
  constexpr int some_vectors = 4;
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const bool streamed = storing == Storing::streamed && may_stream(instructions, rows);
  std::int64_t x = run_blocks<most_vectors>(d, instructions, rows, 0, values, streamed);
  x = run_blocks<fewer_vectors>(d, instructions, rows, x, values, streamed);
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
