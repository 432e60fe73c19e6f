// Errors say whose fault it is; the exit status of a program follows from the class.
#pragma once

#include <stdexcept>
#include <string>

namespace tilewright {

/// Base of every error that Tilewright throws. The message names the values involved and what to do.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The caller is wrong: an option, an argument or an input that cannot be used. Exit status 2.
class ParameterError : public Error {
 public:
  using Error::Error;
};

/// The world is wrong: a file, MPI or the database failed. Exit status 1.
class RuntimeError : public Error {
 public:
  using Error::Error;
};

/// Tilewright is wrong: a broken invariant. Exit status 1.
class InternalError : public Error {
 public:
  using Error::Error;
};

/// The exit status that a program ends with because of `error`: 2 for ParameterError, else 1.
[[nodiscard]] int exit_status(const std::exception& error);

}  // namespace tilewright
