// LogGP parameters as a paper prints them, as CSV: one row of L, o, G and g, and, if it has them, one of log_3P's.
#pragma once

#include <string>

#include "csv.hpp"
#include "tilewright/model/machine_profile.hpp"

namespace tilewright {

/// True if the first record is L,o,G,g.
[[nodiscard]] bool is_loggp_table(const CsvText& text);

/// L, o and g in microseconds, G in microseconds a byte; the comments become the source. The profile holds what LogGP
/// says of contiguous messages of k bytes (Alexandrov et al. 1995; Cameron, Ge and Sun 2007, section 4.3):
/// T(full) = 2o + L + (k-1) G, T(send) = T(recv) = g + (k-1) G, the send call of a message alone o. LogGP is linear, so
/// three sizes say all: nothing, one byte, and 1 GiB, so long that G is g(k) / k to five digits. Other layouts are not
/// in it, nor is anything that LogGP does not know. A second table may follow, of log_3P's o_mw, l_mw, T_mem, o_net,
/// T00 and T01: of one message, too little for costs, so they are told with the source. Throws ParameterError with the
/// line of a fault.
[[nodiscard]] Calibration read_loggp_table(const CsvText& text, const std::string& name);

}  // namespace tilewright
