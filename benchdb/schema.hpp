// The tables of the database.
#pragma once

#include <string>
#include <vector>

namespace tilewright {

/// Statements that make those tables of the current version that are missing.
[[nodiscard]] const char* schema_sql();

/// The names of these tables.
[[nodiscard]] const std::vector<std::string>& schema_tables();

}  // namespace tilewright
