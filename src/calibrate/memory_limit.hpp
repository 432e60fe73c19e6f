// How much memory this process may use: the machine's, or less if a control group limits it.
#pragma once

#include <cstdint>
#include <filesystem>

namespace tilewright {

/// Bytes. `root` is "/" but in tests.
[[nodiscard]] std::int64_t usable_memory(std::int64_t physical_bytes, const std::filesystem::path& root);

/// Bytes of the machine; 0 if it does not say.
[[nodiscard]] std::int64_t physical_memory();

}  // namespace tilewright
