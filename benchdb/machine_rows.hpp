// One machine's rows in the tables. The caller holds the transaction.
// Loading throws ParameterError if the rows make no machine.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tilewright/model/machine_profile.hpp"

namespace tilewright {

/// The id of the machine of that name; none if there is none.
[[nodiscard]] std::optional<std::int64_t> find_machine(const SQLite::Database& database, const std::string& name);

[[nodiscard]] std::string machine_name(const SQLite::Database& database, std::int64_t id);
[[nodiscard]] Fingerprint load_fingerprint(const SQLite::Database& database, std::int64_t id);
[[nodiscard]] MachineProfile load_profile(const SQLite::Database& database, std::int64_t id);
[[nodiscard]] std::vector<RawSample> load_samples(const SQLite::Database& database, std::int64_t id);

[[nodiscard]] Calibration load_calibration(const SQLite::Database& database, std::int64_t id);

/// Under `name`, which may be another than the profile's.
void insert_machine(SQLite::Database& database, const std::string& name, const Calibration& calibration);

}  // namespace tilewright
