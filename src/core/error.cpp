#include "tilewright/core/error.hpp"

namespace tilewright {

int exit_status(const std::exception& error) {
  return dynamic_cast<const ParameterError*>(&error) ? 2 : 1;
}

}  // namespace tilewright
