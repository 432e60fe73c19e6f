// Files that are written whole, or not at all.
#pragma once

#include <string>
#include <string_view>

namespace tilewright {

/// Replaces the file only once all of `text` is written aside, so that a full disk, or whatever ends the process,
/// leaves what was there. A link stays one, and what is no file, as /dev/stdout, is written to as it is. Throws
/// RuntimeError if it cannot be written.
void write_whole(const std::string& path, std::string_view text);

/// Throws RuntimeError if write_whole() could not write there. What is there stays as it is.
void check_writes_whole(const std::string& path);

}  // namespace tilewright
