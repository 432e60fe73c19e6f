// Trips between and inside the nodes of a cluster, as a paper prints them, as CSV.
#pragma once

#include <string>

#include "csv.hpp"
#include "tilewright/model/machine_profile.hpp"

namespace tilewright {

/// True if the first record is table,key,inside,between.
[[nodiscard]] bool is_trip_table(const CsvText& text);

/// The rows `trip` have a fraction of 10^6 REALs, and the milliseconds of a single trip of so much inside a node and
/// between nodes (Oliveira and du Buf, Table 1). The paper adds trips up one after another and so takes them for what
/// either end spends, too: one number for send, recv and full. The comments become the source. Whatever follows under
/// another head, the paper's times of whole exchanges, is no cost of a message and is left out.
/// Throws ParameterError with the line of a fault.
[[nodiscard]] Calibration read_trip_table(const CsvText& text, const std::string& name);

}  // namespace tilewright
