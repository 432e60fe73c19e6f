#include "packing.hpp"

#include <cstdint>
#include <cstring>

namespace tilewright {
namespace {

/// A row whose length is known when this is compiled: one or two instructions.
template <std::size_t Bytes>
struct FixedRow {
  void operator()(std::byte* target, const std::byte* source) const { std::memcpy(target, source, Bytes); }
};

/// Rows of `Step` to 2 * `Step` bytes: two moves, which overlap. Calling memcpy for so little costs more than the
/// bytes.
template <std::size_t Step>
struct ShortRow {
  std::size_t bytes;
  void operator()(std::byte* target, const std::byte* source) const {
    std::byte head[Step], tail[Step];
    std::memcpy(head, source, Step);
    std::memcpy(tail, source + bytes - Step, Step);
    std::memcpy(target, head, Step);
    std::memcpy(target + bytes - Step, tail, Step);
  }
};

struct LongRow {
  std::size_t bytes;
  void operator()(std::byte* target, const std::byte* source) const { std::memcpy(target, source, bytes); }
};

/// Calls `loop` with the fastest way to copy a row of that many bytes.
template <class Loop>
void with_row_copy(std::size_t bytes, Loop&& loop) {
  if (bytes == 1) return loop(FixedRow<1>{});
  if (bytes == 2) return loop(FixedRow<2>{});
  if (bytes == 4) return loop(FixedRow<4>{});
  if (bytes == 8) return loop(FixedRow<8>{});
  if (bytes == 12) return loop(FixedRow<12>{});
  if (bytes == 16) return loop(FixedRow<16>{});
  if (bytes > 8 && bytes < 16) return loop(ShortRow<8>{bytes});
  if (bytes > 16 && bytes <= 32) return loop(ShortRow<16>{bytes});
  if (bytes > 32 && bytes <= 64) return loop(ShortRow<32>{bytes});
  loop(LongRow{bytes});
}

}  // namespace

void pack(const Block& block, std::byte* packed) {
  const auto* source = static_cast<const std::byte*>(block.data);
  with_row_copy(static_cast<std::size_t>(block.row_bytes), [&](auto copy_row) {
    for (std::int64_t row = 0; row < block.rows; ++row) {
      copy_row(packed + row * block.row_bytes, source + row * block.pitch_bytes);
    }
  });
}

void unpack(const std::byte* packed, const Block& block) {
  auto* target = static_cast<std::byte*>(block.data);
  with_row_copy(static_cast<std::size_t>(block.row_bytes), [&](auto copy_row) {
    for (std::int64_t row = 0; row < block.rows; ++row) {
      copy_row(target + row * block.pitch_bytes, packed + row * block.row_bytes);
    }
  });
}

}  // namespace tilewright
