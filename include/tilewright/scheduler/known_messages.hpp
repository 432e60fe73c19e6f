// What single messages take, as far as it was asked for lately.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "tilewright/core/message.hpp"

namespace tilewright {

/// Transfers of a pipeline have most of their messages in common with those that were priced before: trees of grids
/// alike, the same tiles with another halo. Of one model, and of one thread.
class KnownMessages {
 public:
  /// What `price()` says of the message, unless it is known.
  template <class Price>
  [[nodiscard]] double seconds(Path path, const MessageForm& form, Price&& price) {
    if (entries_.empty()) entries_.resize(std::size_t{1} << index_bits);
    Entry& entry = entries_[place(path, form)];
    if (entry.path != path || entry.form != form) entry = {path, form, price()};
    return entry.seconds;
  }

 private:
  /// Two thirds of the messages of a large search are found among so many; they lie in a near cache.
  static constexpr int index_bits = 12;

  struct Entry {
    std::optional<Path> path;
    MessageForm form;
    double seconds = 0;
  };

  [[nodiscard]] static std::size_t place(Path path, const MessageForm& form) {
    constexpr std::uint64_t factor = 0x9E3779B97F4A7C15;  // 2^64 over the golden ratio: Fibonacci hashing
    std::uint64_t hash = (static_cast<std::uint64_t>(path) << 8) + (static_cast<std::uint64_t>(form.layout) << 4) +
                         (static_cast<std::uint64_t>(form.packing) << 1) + static_cast<std::uint64_t>(form.within_node);
    hash ^= static_cast<std::uint64_t>(form.on_link) << 16;
    for (const std::int64_t number : {form.bytes, form.block_bytes, form.sender_stride, form.receiver_stride})
      hash = (hash ^ static_cast<std::uint64_t>(number)) * factor;
    return static_cast<std::size_t>(hash >> (64 - index_bits));
  }

  std::vector<Entry> entries_;  ///< each message has one place
};

}  // namespace tilewright
