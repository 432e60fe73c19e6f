// The CSV of a whole calibration: sections of fingerprint, path cells, operator cells and raw samples.
#pragma once

#include <string>

#include "csv.hpp"
#include "tilewright/model/machine_profile.hpp"

namespace tilewright {

[[nodiscard]] std::string write_profile_csv(const Calibration& calibration);

/// True if the first record is the line with which write_profile_csv() begins.
[[nodiscard]] bool is_profile_csv(const CsvText& text);
/// Throws ParameterError with the line of a fault.
[[nodiscard]] Calibration read_profile_csv(const CsvText& text, const std::string& name);

}  // namespace tilewright
