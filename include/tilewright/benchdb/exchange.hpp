// Machine profiles as text: CSV and JSON in and out.
#pragma once

#include <filesystem>
#include <string>

#include "tilewright/model/machine_profile.hpp"

namespace tilewright {

enum class ProfileFormat { csv, json };

/// Reads a profile. CSV as this file writes it, or the table of the P-3PC paper (columns path,layout,m_0,m_1K,...:
/// times in microseconds, m in 4-byte values). `name` names the machine. Throws ParameterError with the line of a fault.
[[nodiscard]] Calibration read_profile(const std::filesystem::path& path, const std::string& name);

/// The whole calibration, raw samples included; reading it back yields an equal one.
[[nodiscard]] std::string write_profile(const Calibration& calibration, ProfileFormat format);

}  // namespace tilewright
