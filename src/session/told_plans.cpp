#include "told_plans.hpp"

#include <utility>

#include "tilewright/core/whole_file.hpp"

namespace tilewright {

void ToldPlans::add(Plan plan, Clock::time_point now) {
  plans_.push_back(std::move(plan));
  if (now < next_) return;
  constexpr int pause = 20;  // times what writing took
  const Clock::time_point begin = Clock::now();
  write();
  next_ = now + pause * (Clock::now() - begin);
}

void ToldPlans::finish() {
  if (written_ < plans_.size()) write();
}

void ToldPlans::write() {
  write_whole(path_, render(plans_, format_));
  written_ = plans_.size();
}

}  // namespace tilewright
