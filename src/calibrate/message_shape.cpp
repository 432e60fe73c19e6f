#include "tilewright/calibrate/message_shape.hpp"

namespace tilewright {

std::int64_t values_sent(Layout layout, std::int64_t values) {
  if (layout == Layout::cc || values < default_blocks) return values;
  return values / default_blocks * default_blocks;
}

MessageShape contiguous_shape(std::int64_t sent) {
  return {1, sent * value_bytes, sent * value_bytes};
}

MessageShape strided_shape(std::int64_t sent) {
  if (sent == 0) return {default_blocks, 0, 2 * value_bytes};
  const std::int64_t rows = sent < default_blocks ? sent : default_blocks;
  const std::int64_t row_bytes = sent / rows * value_bytes;
  return {rows, row_bytes, 2 * row_bytes};
}

MessageShape sender_shape(Layout layout, std::int64_t sent) {
  return sender_contiguous(layout) ? contiguous_shape(sent) : strided_shape(sent);
}

MessageShape receiver_shape(Layout layout, std::int64_t sent) {
  return receiver_contiguous(layout) ? contiguous_shape(sent) : strided_shape(sent);
}

}  // namespace tilewright
