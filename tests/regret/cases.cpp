#include "cases.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <sstream>

#include "tilewright/core/error.hpp"

namespace tilewright::regret {
namespace {

constexpr std::int64_t mebibyte = 1 << 20;

PipelineChoice one_derivative(double sigma) {
  return {.kind = Kind::one_derivative, .sigmas = {sigma}};
}
PipelineChoice five_derivatives(double sigma) {
  return {.kind = Kind::five_derivatives, .sigmas = {sigma}};
}
PipelineChoice gradient(double sigma) {
  return {.kind = Kind::gradient_threshold, .sigmas = {sigma}};
}
PipelineChoice chain() {
  return {.kind = Kind::chain, .sigmas = {1, 2, 3}};
}
PipelineChoice bank(std::vector<double> sigmas, int angles = 36) {
  return {.kind = Kind::bank, .sigmas = std::move(sigmas), .angles = angles};
}
PipelineChoice iterations() {
  return {.kind = Kind::iterations};
}

PipelineChoice small_chain() {
  return {.kind = Kind::small_chain, .sigmas = {0.7}, .passes = 10};
}

/// Filters that no single grid of many ranks can hold.
PipelineChoice wide_and_tall() {
  return {.kind = Kind::wide_and_tall, .sigmas = {160}};
}

/// An image that is wanted whole on all ranks, besides.
PipelineChoice template_search() {
  return {.kind = Kind::template_search, .sigmas = {7}, .angles = 20};
}

PipelineChoice template_bank(int angles) {
  return {.kind = Kind::template_bank, .sigmas = {7}, .angles = angles};
}

/// Where one image can go to the root in place of five.
PipelineChoice derivatives_of_templates() {
  return {.kind = Kind::derivatives_of_templates, .sigmas = {7, 3}, .angles = 16};
}

/// Twelve images at once.
PipelineChoice stack() {
  return {.kind = Kind::stack, .sigmas = {4}, .passes = 12};
}

/// Fast Ethernet and a fifth of a modern core: messages are dear, and one node is often best.
std::vector<Case> fast_nodes_100mbit() {
  return {
      {one_derivative(1), {256, 256}, 2},
      {one_derivative(3), {512, 512}, 8},
      {one_derivative(5), {2048, 512}, 4},
      {one_derivative(3), {2048, 2048}, 3},
      {five_derivatives(3), {512, 512}, 6},
      {five_derivatives(5), {1024, 1024}, 8},
      {gradient(2), {512, 512}, 4},
      {gradient(3), {1024, 256}, 8},
      {gradient(3), {2048, 2048}, 5},
      {chain(), {512, 512}, 8},
      {chain(), {1024, 1024}, 2},
      {bank({2}), {512, 512}, 8},
      {bank({1, 3}), {1024, 1024}, 8},
      {bank({3}), {256, 1024}, 7},
      {iterations(), {512, 512}, 8},
      {iterations(), {1024, 1024}, 4},
      {small_chain(), {256, 256}, 8},
      {template_search(), {512, 512}, 8},
      {template_bank(12), {64, 64}, 8},
      {derivatives_of_templates(), {256, 256}, 8},
      {stack(), {512, 512}, 8, 6 * mebibyte},
  };
}

/// The processors of 2002: computing is dear. Their shares come in slices of 50 ms, so only long work tells; and too
/// long work would leave no time for the others.
std::vector<Case> slow_nodes_100mbit() {
  return {
      {five_derivatives(5), {1024, 1024}, 4},
      {gradient(5), {2048, 512}, 8},
      {chain(), {1024, 1024}, 8},
      {bank({3}), {512, 512}, 8},
      {bank({1, 2}), {512, 512}, 6},
      {iterations(), {1024, 1024}, 8},
      {small_chain(), {256, 256}, 8},
      {wide_and_tall(), {1024, 1024}, 8},
  };
}

/// Twice the nodes.
std::vector<Case> many_nodes_100mbit() {
  return {
      {one_derivative(3), {1024, 1024}, 16},
      {chain(), {1024, 1024}, 16},
      {bank({1, 2, 3}), {1024, 1024}, 16},
      {five_derivatives(3), {2048, 512}, 16},
  };
}

/// Some nodes faster than others.
std::vector<Case> unequal_nodes_100mbit() {
  return {
      {template_bank(12), {512, 512}, 8},
      {chain(), {1024, 1024}, 8},
      {bank({1, 2, 3}), {512, 512}, 6},
  };
}

std::vector<Case> fast_nodes_1gbit() {
  return {
      {one_derivative(3), {512, 512}, 8},   {five_derivatives(3), {1024, 1024}, 8},
      {five_derivatives(5), {512, 512}, 6}, {gradient(3), {1024, 1024}, 8},
      {chain(), {1024, 1024}, 8},           {chain(), {2048, 2048}, 3},
      {bank({2}), {512, 512}, 8},           {bank({1, 2, 3}), {1024, 1024}, 8},
      {iterations(), {1024, 1024}, 8},      {small_chain(), {512, 512}, 8},
  };
}

std::vector<Case> slow_nodes_1gbit() {
  return {{gradient(5), {2048, 512}, 8}, {chain(), {1024, 1024}, 8}, {bank({3}), {512, 512}, 8}};
}

std::vector<Case> shared_memory() {
  return {
      {one_derivative(1), {256, 256}, 2},
      {one_derivative(3), {1024, 1024}, 2},
      {one_derivative(5), {2048, 2048}, 2},
      {five_derivatives(3), {512, 512}, 2},
      {five_derivatives(5), {2048, 512}, 2},
      {gradient(3), {1024, 1024}, 2},
      {chain(), {2048, 2048}, 2},
      {bank({2}), {512, 512}, 2},
      {bank({1, 3}), {1024, 1024}, 2},
      {iterations(), {1024, 1024}, 2},
      {small_chain(), {1024, 1024}, 2},
  };
}

/// "1,3", "160*20"
std::string scales_text(const std::vector<double>& sigmas) {
  const bool is_one_scale = std::count(sigmas.begin(), sigmas.end(), sigmas.front()) == std::ssize(sigmas);
  if (is_one_scale && sigmas.size() > 1) return fmt::format("{}*{}", sigmas.front(), sigmas.size());
  return fmt::format("{}", fmt::join(sigmas, ","));
}

std::vector<Case> all_cases_of(const Ground& ground) {
  if (ground.network == "shared memory") return shared_memory();
  if (ground.is_unequal()) return unequal_nodes_100mbit();
  const bool slow = ground.smallest_share() < 5;
  if (ground.network == "1gbit") return slow ? slow_nodes_1gbit() : fast_nodes_1gbit();
  if (ground.network == "100mbit") {
    if (slow) return slow_nodes_100mbit();
    return ground.smallest_share() < 15 ? many_nodes_100mbit() : fast_nodes_100mbit();
  }
  throw ParameterError(
      fmt::format("no cases for a network of '{}': there are 100mbit, 1gbit and 'shared memory'", ground.network));
}

}  // namespace

int Ground::smallest_share() const {
  int smallest = 100;
  std::istringstream list(shares);
  for (std::string share; std::getline(list, share, ',');) smallest = std::min(smallest, std::stoi(share));
  return smallest;
}

std::string Case::name() const {
  std::string name = fmt::format("{} s{} {}x{} p{}", to_string(pipeline.kind), scales_text(pipeline.sigmas),
                                 image.width, image.height, max_ranks);
  if (node_memory > 0) name += fmt::format(" {}MiB", node_memory / mebibyte);
  return name;
}

std::string case_id(const Ground& ground, const Case& contested) {
  return fmt::format("{} {}% {}", ground.network, ground.shares, contested.name());
}

RankCounts rank_counts(int most, int chosen) {
  std::set<int> whole{1, most, chosen};
  for (int ranks = 2; ranks < most; ranks *= 2) whole.insert(ranks);
  std::set<int> further{chosen - 1, chosen + 1};
  for (int ranks = 1; ranks <= 8; ++ranks) further.insert(ranks);
  std::erase_if(further, [&](int ranks) { return ranks < 1 || ranks > most || whole.contains(ranks); });
  return {{whole.begin(), whole.end()}, {further.begin(), further.end()}};
}

std::vector<Case> cases_of(const Ground& ground, bool is_short) {
  std::vector<Case> cases = all_cases_of(ground);
  if (is_short) cases.resize(std::min<std::size_t>(cases.size(), 2));
  return cases;
}

}  // namespace tilewright::regret
