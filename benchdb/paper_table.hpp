// The table of the P-3PC paper as CSV: a row a path and layout, a column a size.
#pragma once

#include <string>

#include "csv.hpp"
#include "tilewright/model/machine_profile.hpp"

namespace tilewright {

/// True if the first record begins with path,layout,m_....
[[nodiscard]] bool is_paper_table(const CsvText& text);

/// Times in microseconds, constants included; m_50K: 50 * 1024 values of 4 bytes. The comments become the source.
/// Throws ParameterError with the line of a fault.
[[nodiscard]] Calibration read_paper_table(const CsvText& text, const std::string& name);

}  // namespace tilewright
