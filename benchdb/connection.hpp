// Opening the SQLite file, and telling what is wrong with it.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <filesystem>
#include <memory>

#include "tilewright/benchdb/store.hpp"

namespace tilewright {

/// A checked connection; a missing or empty file has got its schema. Throws RuntimeError as Store does.
[[nodiscard]] std::unique_ptr<SQLite::Database> open_database(const std::filesystem::path& path, OpenMode mode);

/// Throws the RuntimeError that tells what `error` means for that file and what to do.
[[noreturn]] void rethrow(const std::filesystem::path& path, const SQLite::Exception& error);

/// Returns what `function` returns; errors of SQLite become RuntimeErrors that name the file.
template <class Function>
decltype(auto) guarded(const std::filesystem::path& path, Function&& function) {
  try {
    return function();
  } catch (const SQLite::Exception& error) {
    rethrow(path, error);
  }
}

}  // namespace tilewright
