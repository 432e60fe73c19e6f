#include "partner.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "tilewright/calibrate/calibrate.hpp"

namespace tilewright {

int partner_of_root(const Communicator& communicator) {
  const std::vector<std::string> hosts = communicator.gather(fingerprint_of(communicator).host);
  const auto other =
      std::find_if(hosts.begin(), hosts.end(), [&](const std::string& name) { return name != hosts.front(); });
  const auto partner = other == hosts.end() ? 1 : other - hosts.begin();
  return std::stoi(communicator.broadcast(std::to_string(partner)));
}

}  // namespace tilewright
