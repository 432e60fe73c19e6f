#include "agreement.hpp"

#include <fmt/format.h>

#include "tilewright/core/error.hpp"
#include "tilewright/session/failure.hpp"

namespace tilewright {
namespace {

// The first character of a message says what the rest is.
constexpr char is_result = '0';
constexpr char is_parameter_error = '2';
constexpr char is_runtime_error = '1';

std::string outcome_of(const std::function<std::string()>& action) {
  try {
    return is_result + action();
  } catch (const ParameterError& error) {
    return is_parameter_error + std::string(error.what());
  } catch (const std::exception& error) {
    return is_runtime_error + std::string(error.what());
  }
}

std::string result_of(const std::string& outcome) {
  const std::string text = outcome.substr(1);
  if (outcome.front() == is_parameter_error) throw ParameterError(text);
  if (outcome.front() == is_runtime_error) throw RuntimeError(text);
  return text;
}

}  // namespace

std::string begin_call(const Communicator& communicator, std::string_view call,
                       const std::function<std::string()>& decide) {
  constexpr char end_of_call = '\n';
  const std::string told = communicator.broadcast(
      communicator.is_root() ? fmt::format("{}{}{}", call, end_of_call, outcome_of(decide)) : std::string());
  const std::size_t end = told.find(end_of_call);
  const std::string roots = told.substr(0, end);
  if (roots == call) return result_of(told.substr(end + 1));
  fail(ParameterError(
      fmt::format("this rank {} where the root {}: all ranks have to make the same calls of the session, in "
                  "the same order, so what is called must not depend on the rank",
                  call, roots)));
}

std::string root_decides(const Communicator& communicator, const std::function<std::string()>& decide) {
  return result_of(communicator.broadcast(communicator.is_root() ? outcome_of(decide) : std::string()));
}

void all_succeed(const Communicator& communicator, const std::function<void()>& act) {
  const std::vector<std::string> outcomes = communicator.gather(outcome_of([&] {
    act();
    return std::string();
  }));
  std::string first(1, is_result);
  for (const std::string& outcome : outcomes) {
    if (outcome.front() != is_result) {
      first = outcome;
      break;
    }
  }
  (void)result_of(communicator.broadcast(first));
}

}  // namespace tilewright
