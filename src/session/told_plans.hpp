// The plans that a session has run, told in a file.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "tilewright/explain/render.hpp"
#include "tilewright/model/plan.hpp"

namespace tilewright {

/// The file of --tw-explain-file, with the plans of all segments so far. Root only.
class ToldPlans {
 public:
  using Clock = std::chrono::steady_clock;

  /// Nothing is written yet.
  ToldPlans(std::string path, PlanFormat format) : path_(std::move(path)), format_(format) {}

  /// One more. The file is written anew with all of them, unless that has taken much of the time since it was written
  /// last: many short segments would spend theirs on it. Throws RuntimeError if it cannot be written.
  void add(Plan plan, Clock::time_point now = Clock::now());
  /// What add() has put off.
  void finish();

 private:
  void write();

  std::string path_;
  PlanFormat format_;
  std::vector<Plan> plans_;
  std::size_t written_ = 0;  ///< so many plans are in the file
  Clock::time_point next_;   ///< not before then is it written again
};

}  // namespace tilewright
