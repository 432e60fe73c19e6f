// The JSON of a whole calibration, schema "tilewright.profile/1".
#pragma once

#include <string>
#include <string_view>

#include "tilewright/model/machine_profile.hpp"

namespace tilewright {

/// Throws ParameterError if a text of the calibration is not UTF-8, which JSON cannot hold.
[[nodiscard]] std::string write_profile_json(const Calibration& calibration);
/// Throws ParameterError with the line of a fault, or with the name of the value that is missing or wrong.
[[nodiscard]] Calibration read_profile_json(std::string_view text, const std::string& name);

}  // namespace tilewright
