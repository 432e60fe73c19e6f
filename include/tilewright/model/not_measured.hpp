// What a profile says that is asked for a measurement which it lacks.
#pragma once

#include "tilewright/core/error.hpp"

namespace tilewright {

/// The profile lacks what was asked for; the message says what, and how to measure it. To those who can do without it
/// this is an answer, where any other ParameterError is a mistake of theirs.
class NotMeasured : public ParameterError {
 public:
  using ParameterError::ParameterError;
};

}  // namespace tilewright
