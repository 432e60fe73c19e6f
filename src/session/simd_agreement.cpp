#include "simd_agreement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "agreement.hpp"
#include "tilewright/core/error.hpp"

namespace tilewright {

void agree_on_simd_level(const Communicator& communicator, std::optional<SimdLevel> asked, SimdLevel best) {
  // Names travel, for levels are ordered by the enumeration.
  const std::vector<std::string> levels = communicator.gather(std::string(to_string(best)));
  const std::string agreed = root_decides(communicator, [&] {
    const std::string& lowest = *std::min_element(
        levels.begin(), levels.end(),
        [](const std::string& a, const std::string& b) { return parse_simd_level(a) < parse_simd_level(b); });
    if (!asked) return lowest;
    if (*asked > parse_simd_level(lowest)) {
      throw ParameterError(
          fmt::format("not all processors have {}: choose {} or a lower vector level", to_string(*asked), lowest));
    }
    return std::string(to_string(*asked));
  });
  select_simd_level(parse_simd_level(agreed));
}

}  // namespace tilewright
