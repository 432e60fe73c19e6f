// Steps that move images between ranks.
#pragma once

#include <map>
#include <span>

#include "early_collection.hpp"
#include "step_context.hpp"
#include "step_preparation.hpp"

namespace tilewright {

/// The transfers of one run. What it has promised to take early lives as long as it does.
class TransferSteps {
 public:
  /// `prepared` is by step of the plan; both must outlive it.
  TransferSteps(StepContext& context, std::span<const StepPreparation> prepared)
      : context_(context), prepared_(prepared) {}

  /// A scatter, gather, broadcast or exchange.
  void transfer(const PlanStep& step, const StepPreparation& prepared);
  /// Both tiles are there at a time.
  void redistribute(const PlanStep& step, const StepPreparation& prepared);
  /// What was fetched, unless a step has done so. In turn, for those that have it already take no part.
  void send_to_idle_ranks(int index);

 private:
  void await_results();
  [[nodiscard]] int collection_of(int image) const;
  void collect(const PlanStep& step, const StepPreparation& prepared);

  StepContext& context_;
  std::span<const StepPreparation> prepared_;
  std::map<int, EarlyCollection> collections_;  // by image; of the root
};

}  // namespace tilewright
