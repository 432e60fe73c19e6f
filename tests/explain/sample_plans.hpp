// Plans to render: together they use every member that a plan has.
#pragma once

#include <string>
#include <vector>

#include "tilewright/model/plan.hpp"

namespace tilewright::test {

inline PlanStep step(StepKind kind, Site site, int image, std::string operation, std::optional<double> predicted) {
  PlanStep made;
  made.kind = kind;
  made.site = site;
  made.image = image;
  made.operation = std::move(operation);
  made.predicted_seconds = predicted;
  return made;
}

inline PlanStep transfer(StepKind kind, int image, std::optional<Algorithm> algorithm, std::string layout,
                         double predicted) {
  PlanStep made = step(kind, Site::tiles, image, "", predicted);
  made.algorithm = algorithm;
  made.packing = Packing::datatype;
  made.layout = std::move(layout);
  return made;
}

inline std::vector<Alternative> some_alternatives() {
  std::vector<Alternative> others{
      {16,
       {16, 1},
       std::nullopt,
       "grid 16x1 gives tiles 8 pixels wide, less than the halo 12: use at most 10 columns"}};
  for (int x = 1; x <= 4; ++x) {
    const double seconds = 0.0135 + 0.001 * (4 - x);
    others.push_back({4 * x, {x, 4}, seconds, x == 4 ? "slower by 2 % & more <ranks>" : "slower"});
  }
  others.push_back({1, {1, 1}, 0.0311, "slower by a factor of 2.4"});
  others.push_back({2, {2, 1}, std::nullopt, "cost unknown"});
  return others;
}

/// Seven steps on 8 ranks.
inline Plan eight_ranks() {
  Plan plan;
  plan.machine = "das";
  plan.model = "p3pc";
  plan.ranks = 8;
  plan.ranks_per_node = 3;
  plan.threads = 2;
  plan.grid = {2, 4};
  plan.predicted_seconds = 0.0132;
  plan.lower_bound_seconds = 0.0125;
  plan.pipeline_hash = 0x0123456789abcdefULL;
  plan.root_bytes = 5'242'880;
  plan.rank_bytes = 987'654;
  plan.notes = {"operator costs are those of machine 'laptop'",
                "the number of cores of a node is unknown: one rank a node was assumed, and no thread beside it, which "
                "leaves 8 nodes"};
  plan.images = {{"image0", {{512, 256}, {PixelType::u8, 3}}, {9, 7}},
                 {"image1", {{512, 256}, {PixelType::f32, 1}}, {}}};

  PlanStep read = step(StepKind::read, Site::root, 0, "Größe <1> & \"2\".jpg", 0.002);
  read.bytes = 393'216;
  read.rejected = {{{}, {}, "rank 3 does not see the file"}};
  PlanStep scatter = transfer(StepKind::scatter, 0, Algorithm::oft, "nc", 0.0031);
  scatter.exchanged = {4, 3};
  scatter.messages = 7;
  scatter.bytes = 344'064;
  scatter.releases = {{0, true}};
  scatter.rejected = {{Algorithm::sbt, 0.0042, "1.1 ms slower: messages 3.9 ms"},
                      {Algorithm::shared, {}, "4 ranks share memory, not 8"}};
  PlanStep exchange = transfer(StepKind::exchange, 0, std::nullopt, "cc+nn", 0.00081);
  exchange.exchanged = {9, 7};
  exchange.cyclic = true;
  exchange.messages = 32;
  exchange.bytes = 123'456;
  PlanStep compute = step(StepKind::compute, Site::tiles, 1,
                          "gaussian_derivative(sigma=3, order_x=1, order_y=0, truncation=4, border=wrap, "
                          "kernel=15x23, computed_in=f32, output=f32)",
                          0.0042);
  compute.margin = {2, 2};
  compute.releases = {{0, false}};
  PlanStep reduce = step(StepKind::reduce, Site::tiles, 1, "mean", 1.5e-5);
  reduce.output = 0;
  reduce.algorithm = Algorithm::sbt;
  PlanStep gather = transfer(StepKind::gather, 1, Algorithm::sbt, "cc+cn", 0.0021);
  gather.messages = 7;
  gather.bytes = 458'752;
  gather.releases = {{1, false}};
  PlanStep write = step(StepKind::write, Site::root, 1, "out dir/Lx.tif", 0.000975);
  write.output = 1;
  write.bytes = 524'288;
  write.releases = {{1, true}};
  plan.steps = {read, scatter, exchange, compute, reduce, gather, write};
  plan.alternatives = some_alternatives();
  return plan;
}

inline Plan measured(Plan plan) {
  double factor = 0.8;
  for (PlanStep& one : plan.steps) {
    one.measured_seconds = factor * one.predicted_seconds.value_or(0.001);
    factor += 0.1;
  }
  return plan;
}

/// Nodes of two ranks, asked about from 1 to 32; one node cannot hold the program, and more than 16 are not faster.
inline Plan with_curve(Plan plan) {
  plan.node_curve = NodeCurve{1, 32, 2, {}};
  const std::vector<std::pair<int, double>> times{{2, 0.0512}, {3, 0.0365},  {4, 0.0289}, {6, 0.0213},
                                                  {8, 0.0179}, {12, 0.0147}, {16, 0.0132}};
  for (const auto& [nodes, seconds] : times) {
    plan.node_curve->points.push_back({nodes, 2 * nodes, {2, nodes}, seconds, 50'000'000 / nodes});
  }
  for (const int nodes : {24, 32}) {
    plan.node_curve->points.push_back({nodes, 32, {2, 16}, 0.0132, 50'000'000 / 16});
  }
  return plan;
}

/// Preferred to a faster one.
inline Plan tied(Plan plan) {
  plan.uncertainty_seconds = 0.0004;
  plan.tie = TieZone{0.01305, {4, 3}, 0.0003};
  plan.lower_bound_seconds = plan.tie->fastest_seconds;
  plan.proven_optimal = true;
  return plan;
}

/// One rank, and costs that the profile does not know.
inline Plan one_rank() {
  Plan plan;
  plan.machine = "laptop";
  plan.model = "loggp-star";
  plan.proven_optimal = true;
  plan.partial = true;
  plan.pipeline_hash = 7;
  plan.root_bytes = 1000;
  plan.images = {{"image0", {{33, 17}, {PixelType::f64, 1}}, {}}};
  plan.steps = {step(StepKind::read, Site::root, 0, "a.tif", 0.001),
                step(StepKind::reduce, Site::root, 0, "max", std::nullopt)};
  plan.steps.back().output = 0;
  return plan;
}

}  // namespace tilewright::test
