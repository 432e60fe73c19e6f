// Counts what is really handed to MPI, whatever a schedule says of itself.
#pragma once

#include <cstdint>

namespace tilewright::simulation {

struct SentMessages {
  std::int64_t messages = 0;
  std::int64_t bytes = 0;

  SentMessages operator-(const SentMessages& other) const { return {messages - other.messages, bytes - other.bytes}; }
  bool operator==(const SentMessages&) const = default;
};

/// Point-to-point messages that this rank has sent so far. Every rank has a count of its own, because smpirun gives it
/// variables of its own.
[[nodiscard]] SentMessages sent_messages();

}  // namespace tilewright::simulation
