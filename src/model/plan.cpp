#include "tilewright/model/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "tilewright/core/error.hpp"

namespace tilewright {
namespace {

constexpr std::array<std::pair<StepKind, std::string_view>, 10> step_names{{{StepKind::compute, "compute"},
                                                                            {StepKind::scatter, "scatter"},
                                                                            {StepKind::gather, "gather"},
                                                                            {StepKind::broadcast, "broadcast"},
                                                                            {StepKind::allgather, "allgather"},
                                                                            {StepKind::exchange, "exchange"},
                                                                            {StepKind::redistribute, "redistribute"},
                                                                            {StepKind::reduce, "reduce"},
                                                                            {StepKind::read, "read"},
                                                                            {StepKind::write, "write"}}};

constexpr std::array<std::pair<Site, std::string_view>, 3> site_names{
    {{Site::root, "root"}, {Site::tiles, "tiles"}, {Site::everywhere, "everywhere"}}};

}  // namespace

std::string_view to_string(StepKind kind) {
  for (const auto& [candidate, name] : step_names) {
    if (candidate == kind) return name;
  }
  throw InternalError("to_string: unknown step kind");
}

StepKind parse_step_kind(std::string_view text) {
  for (const auto& [kind, name] : step_names) {
    if (name == text) return kind;
  }
  throw ParameterError(fmt::format("'{}' is no kind of step", text));
}

std::optional<TransferKind> transfer_kind(StepKind kind) {
  switch (kind) {
    case StepKind::scatter:
      return TransferKind::scatter;
    case StepKind::gather:
      return TransferKind::gather;
    case StepKind::broadcast:
      return TransferKind::broadcast;
    case StepKind::allgather:
      return TransferKind::allgather;
    case StepKind::exchange:
      return TransferKind::exchange;
    case StepKind::redistribute:
      return TransferKind::redistribute;
    case StepKind::compute:
    case StepKind::reduce:
    case StepKind::read:
    case StepKind::write:
      return std::nullopt;
  }
  throw InternalError("transfer_kind: unknown step kind");
}

ProcessGrid grid_of(const Plan& plan, const PlanStep& step) {
  return step.grid.value_or(plan.grid);
}

bool makes_whole(const PlanStep& step) {
  const bool makes = step.kind == StepKind::read || step.kind == StepKind::compute;
  return step.kind == StepKind::gather || step.kind == StepKind::allgather || (makes && step.site != Site::tiles);
}

bool makes_whole_everywhere(const PlanStep& step) {
  return step.kind == StepKind::broadcast || step.kind == StepKind::allgather ||
         (step.kind == StepKind::compute && step.site == Site::everywhere);
}

int listeners(const Plan& plan) {
  int ranks = plan.ranks;
  for (const PlanStep& step : plan.steps) {
    if (step.kind == StepKind::broadcast) ranks = std::max(ranks, grid_of(plan, step).ranks());
  }
  return ranks;
}

int threads_of(const Plan& plan, const PlanStep& step) {
  return step.threads.value_or(plan.threads);
}

std::int64_t node_bytes(std::int64_t root_bytes, std::int64_t rank_bytes, int ranks, int ranks_per_node) {
  const int with_root = std::min(ranks_per_node, ranks);
  const int without_root = std::min(ranks_per_node, ranks - with_root);
  return std::max(root_bytes + (with_root - 1) * rank_bytes, without_root * rank_bytes);
}

std::int64_t node_bytes(const Plan& plan) {
  return node_bytes(plan.root_bytes, plan.rank_bytes, listeners(plan), plan.ranks_per_node);
}

std::string_view to_string(Site site) {
  for (const auto& [candidate, name] : site_names) {
    if (candidate == site) return name;
  }
  throw InternalError("to_string: unknown site");
}

Site parse_site(std::string_view text) {
  for (const auto& [site, name] : site_names) {
    if (name == text) return site;
  }
  throw ParameterError(fmt::format("'{}' is no site of a step: use root, tiles or everywhere", text));
}

void check_pipeline(const Plan& plan, std::uint64_t hash) {
  if (plan.pipeline_hash == hash) return;
  throw ParameterError(
      fmt::format("the plan is for another pipeline ({:016x}) than the one recorded ({:016x}): make a "
                  "new plan of this program with these arguments",
                  plan.pipeline_hash, hash));
}

}  // namespace tilewright
