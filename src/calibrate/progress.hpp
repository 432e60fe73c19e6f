// Tells how far a calibration is: the share of its time that has been used, for it works until the time is up.
#pragma once

#include <algorithm>
#include <functional>
#include <string>

#include "stopwatch.hpp"

namespace tilewright {

class Progress {
 public:
  Progress(std::function<void(double, const std::string&)> report, double budget_s)
      : report_(std::move(report)), start_s_(now_s()), budget_s_(budget_s) {}

  void tell(const std::string& what) { advance_to(budget_s_ > 0 ? (now_s() - start_s_) / budget_s_ : 0, what); }
  void finish() {
    if (report_) report_(1, "done");
  }

 private:
  /// Never backwards, and not 1 before the end.
  void advance_to(double share, const std::string& what) {
    constexpr double before_the_end = 0.99;
    share_ = std::max(share_, std::min(share, before_the_end));
    if (report_) report_(share_, what);
  }

  std::function<void(double, const std::string&)> report_;
  double start_s_;
  double budget_s_;
  double share_ = 0;
};

}  // namespace tilewright
