// What is known of how fast a machine is since it was calibrated.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "tilewright/model/fingerprint.hpp"
#include "tilewright/model/message_factors.hpp"
#include "tilewright/model/sharing_factors.hpp"

namespace tilewright {

/// What was found when some operators and messages of a profile were measured again, some time after its calibration.
struct Refresh {
  double computing_factor = 1;  ///< by how much longer computing takes than the cells of operators say
  std::string date = {};        ///< ISO 8601, UTC; empty: never
  MessageFactors messages = {};
  SharingFactors sharing = {};
  std::optional<MessageFactors> exchanges = {};  ///< of swaps and shifts; none: as other messages

  /// By how much longer the cell's message or transfer takes than it was calibrated.
  [[nodiscard]] double factor_of(const PathCell& cell) const;
  bool operator==(const Refresh&) const = default;
};

/// From the fingerprint's settings. Throws ParameterError if what they say are no numbers above 0.
[[nodiscard]] Refresh refresh_of(const Fingerprint& fingerprint);
/// The settings of that; of none, in which the date is empty, too.
[[nodiscard]] std::map<std::string, std::string> settings_of(const Refresh& refresh);

}  // namespace tilewright
