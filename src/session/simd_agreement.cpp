#include "simd_agreement.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "agreement.hpp"

namespace tilewright {

void agree_on_simd_level(const Communicator& communicator, std::optional<SimdLevel> asked, SimdLevel best) {
  if (asked) {
    all_succeed(communicator, [&] { select_simd_level(*asked); });
    return;
  }
  // Names travel, for levels are ordered by the enumeration.
  const std::vector<std::string> levels = communicator.gather(std::string(to_string(best)));
  const std::string agreed = root_decides(communicator, [&] {
    return *std::min_element(levels.begin(), levels.end(), [](const std::string& a, const std::string& b) {
      return parse_simd_level(a) < parse_simd_level(b);
    });
  });
  select_simd_level(parse_simd_level(agreed));
}

}  // namespace tilewright
