// What the head of a database file says, read without SQLite, so that looking at a foreign file changes nothing.
#pragma once

#include <cstdint>
#include <filesystem>

namespace tilewright {

/// "TWDB": marks a SQLite file as one of ours.
inline constexpr std::uint32_t database_application_id = 0x54574442;
/// Version of the schema that this code writes and reads.
inline constexpr std::uint32_t database_schema_version = 8;

enum class FileState {
  missing,
  empty,  ///< no bytes yet: may be made a database
  ours,
};

/// Throws RuntimeError for whatever is at `path` but is neither an empty file nor a database of Tilewright that this
/// code can read. Source of the offsets: SQLite, "Database File Format", section 1.3.
[[nodiscard]] FileState inspect_file(const std::filesystem::path& path);

}  // namespace tilewright
