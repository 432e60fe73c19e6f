// The bytes of an input file.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace tilewright {

using Bytes = std::vector<std::uint8_t>;
using ByteSpan = std::span<const std::uint8_t>;

/// Throws ParameterError if there is no such file, or it is no regular file, or it is empty.
void check_input_file(const std::string& path);

/// Size in bytes. Throws RuntimeError.
[[nodiscard]] std::int64_t file_bytes(const std::string& path);

/// Equal on all ranks that see the same file under that name, and another one once it has changed: its number, size and
/// time of change. Empty if there is none.
[[nodiscard]] std::string file_identity(const std::string& path);

/// At most `limit` bytes from the beginning. Throws RuntimeError if the file cannot be read.
[[nodiscard]] Bytes read_beginning(const std::string& path, std::int64_t limit);
/// All of it.
[[nodiscard]] Bytes read_content(const std::string& path);

/// Unsigned integer of `count` bytes, the highest first.
[[nodiscard]] std::uint32_t big_endian(ByteSpan bytes, std::size_t offset, std::size_t count);

}  // namespace tilewright
