// Machine profiles as text: CSV and JSON in and out.
#pragma once

#include <filesystem>
#include <string>

#include "tilewright/model/machine_profile.hpp"

namespace tilewright {

enum class ProfileFormat { csv, json };

/// Reads a profile: what write_profile() wrote; the table of the P-3PC paper as CSV (columns path,layout,m_0,m_1K,...:
/// times in microseconds, m in 4-byte values); LogGP's parameters as CSV (columns L,o,G,g: microseconds, G a byte); or
/// trips between and inside nodes as CSV (columns table,key,inside,between: milliseconds, of fractions of 10^6 REALs).
/// The content decides, not the file's name. `name` names the machine. Throws ParameterError for a missing file, and
/// with the line of a fault.
[[nodiscard]] Calibration read_profile(const std::filesystem::path& path, const std::string& name);

/// The whole calibration, raw samples included; reading it back yields an equal one. Times in seconds.
/// Throws ParameterError for a number that is not finite, or a text that is not UTF-8 (JSON).
[[nodiscard]] std::string write_profile(const Calibration& calibration, ProfileFormat format);

}  // namespace tilewright
