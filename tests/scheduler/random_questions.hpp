// Small questions to the planner on machines that differ from seed to seed, the same everywhere.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "scheduler/random_pipelines.hpp"
#include "support/test_profiles.hpp"
#include "tilewright/model/machine_profile.hpp"
#include "tilewright/scheduler/planner.hpp"

namespace tilewright::test {

constexpr std::size_t no_limit = 1000000;  // of states
inline const std::vector<std::string> keys{"sum", "filter", "total"};

/// What blocks of a message of that path take beyond a contiguous one of `seconds`, with each packing: the cheapest one
/// differs from transfer to transfer.
inline void add_blocks(std::vector<PathCell>& cells, Random& random, Path path, std::int64_t bytes, double seconds) {
  for (const Layout layout : {Layout::nc, Layout::cn}) {
    for (const Packing packing : {Packing::datatype, Packing::manual}) {
      for (const std::int64_t block : {8, 1024}) {
        const double blocks = static_cast<double>(bytes) / static_cast<double>(block);
        const double slower_s = seconds * random.between(0.01, 1) + blocks * random.between(1e-9, 1e-6);
        cells.push_back({path, layout, bytes, {seconds + slower_s, 0, 0}, packing, block, 2 * block});
      }
    }
  }
}

inline std::vector<PathCell> random_messages(Random& random) {
  constexpr std::int64_t bytes_in_blocks = 16384;
  std::vector<PathCell> cells;
  const double latency_s = random.between(1e-6, 1e-3);
  const double byte_s = random.between(1e-10, 1e-7);
  const bool blocks_known = random.below(2) == 0;
  for (const Path path : all_paths) {
    for (const Layout layout : all_layouts) {
      const double factor = random.between(0.5, 4);
      const auto seconds = [&](std::int64_t bytes) {
        return factor * (latency_s + byte_s * static_cast<double>(bytes));
      };
      for (const std::int64_t bytes : {0, 1024, 65536}) cells.push_back({path, layout, bytes, {seconds(bytes), 0, 0}});
      const bool whole = layout == Layout::cc;
      if (blocks_known && whole) add_blocks(cells, random, path, bytes_in_blocks, seconds(bytes_in_blocks));
    }
  }
  return cells;
}

/// Of every second machine it is known how much of an exchange passes while ranks compute.
inline void add_overlapped(std::vector<PathCell>& cells, unsigned seed) {
  if (seed % 2 == 1) return;
  Random random(seed + 1000);
  const double exposed = random.between(0.01, 1);
  for (const std::int64_t bytes : {1024, 65536}) {
    const double seconds = 1e-6 + 1e-8 * static_cast<double>(bytes);
    cells.push_back({Path::shift, Layout::cc, bytes, {seconds, 0, 0}, Packing::blocked});
    cells.push_back({Path::exposed, Layout::cc, bytes, {exposed * seconds, 0, 0}, Packing::blocked});
  }
}

/// Of every third machine, messages within a node have costs of their own, mostly lower ones.
inline void add_within_nodes(std::vector<PathCell>& cells, unsigned seed) {
  if (seed % 3 != 0) return;
  Random random(seed + 2000);
  std::vector<PathCell> within;
  for (PathCell cell : cells) {
    cell.within_node = true;
    cell.time.seconds *= random.between(0.01, 1.1);
    within.push_back(cell);
  }
  cells.insert(cells.end(), within.begin(), within.end());
}

/// Speeds of computing and of the wire that differ by orders of magnitude from seed to seed, so that one rank wins, or
/// many, or something between.
inline MachineProfile random_profile(Random& random, unsigned seed) {
  std::vector<PathCell> paths = random_messages(random);
  add_within_nodes(paths, seed);
  std::vector<OperatorCell> operators;
  for (const std::string& key : keys) {
    const double value_s = random.between(1e-9, 1e-5);
    for (const double tile_pixels : {64.0, 4096.0}) {
      operators.push_back({key, PixelType::f32, 0, tile_pixels, {value_s * random.between(0.5, 2), 0, 0}});
    }
  }
  operators.push_back({"copy", PixelType::f32, 0, 4096, {random.between(1e-10, 1e-8), 0, 0}});
  operators.push_back({"fill_border", PixelType::f32, 0, 4096, {random.between(1e-10, 1e-7), 0, 0}});
  Random of_overheads(seed + 3000);
  if (seed % 4 == 1) add_overheads(operators, of_overheads.between(1e-6, 1e-3), of_overheads.between(1e-6, 1e-3));
  if (seed % 4 < 2) add_step_overhead(operators, of_overheads.between(1e-7, 1e-3));
  Fingerprint fingerprint;
  fingerprint.cores_per_node = random.below(5);
  for (const Layout layout : {Layout::cc, Layout::nn}) {
    const double empty_s = random.between(1e-6, 1e-3);
    paths.push_back({Path::shared, layout, 0, {empty_s, 0, 0}});
    paths.push_back({Path::shared, layout, 65536, {empty_s + 65536 * random.between(1e-10, 1e-7), 0, 0}});
  }
  const double sending_s = random.between(1e-4, 1);
  const double receiving_s = random.between(1e-4, 1);
  const double both_s = std::max(sending_s, receiving_s) + random.between(1e-3, 1) * std::min(sending_s, receiving_s);
  paths.push_back({Path::one_to_all, Layout::cc, 131072, {sending_s, 0, 0}});
  paths.push_back({Path::all_to_one, Layout::cc, 131072, {receiving_s, 0, 0}});
  paths.push_back({Path::all_to_one_to_all, Layout::cc, 131072, {both_s, 0, 0}});
  const double left_s = receiving_s * random.between(1e-3, 1);
  if (seed % 5 < 2) paths.push_back({Path::collected, Layout::cc, 131072, {left_s, 0, 0}, Packing::blocked});
  add_overlapped(paths, seed);
  return {"random", fingerprint, std::move(paths), std::move(operators)};
}

struct Question {
  Pipeline pipeline;
  MachineProfile profile;
  SearchSpace space;
};

using MakePipeline = Pipeline (*)(Random&, const Extent&, const std::vector<std::string>&);

inline Question random_question(unsigned seed, MakePipeline make_pipeline = random_pipeline, int scale = 1) {
  Random random(seed);
  const Extent extent{scale * (1 + random.below(64)),
                      scale * (1 + random.below(64))};  // on small ones not every grid is possible
  Pipeline pipeline = make_pipeline(random, extent, keys);
  MachineProfile profile = random_profile(random, seed);
  SearchSpace space{.max_ranks = 1 + random.below(8),
                    .ranks_per_node = 1 + random.below(4),
                    .sharing_ranks = 1 + random.below(4),
                    .cores_per_node = 1 + random.below(8),
                    .threads = random.below(2) == 0 ? std::nullopt : std::optional(1 + random.below(2)),
                    .max_states = no_limit};
  space.mappable_nodes = (space.max_ranks + space.ranks_per_node - 1) / space.ranks_per_node;
  if (seed % 2 == 0) space.started_ranks = space.max_ranks;  // those that are left idle get results and images, too
  return {std::move(pipeline), std::move(profile), space};
}

/// The same machine, measured with a spread.
inline MachineProfile with_spread(const MachineProfile& exact, Random& random) {
  std::vector<PathCell> paths = exact.paths();
  for (PathCell& cell : paths) cell.time = {cell.time.seconds, random.between(0.01, 0.5) * cell.time.seconds, 9};
  std::vector<OperatorCell> operators = exact.operators();
  for (OperatorCell& cell : operators) {
    Estimate& time = cell.time_per_unit;
    time = {time.seconds, random.between(0.01, 0.5) * time.seconds, 9};
  }
  return {exact.name(), exact.fingerprint(), std::move(paths), std::move(operators)};
}

}  // namespace tilewright::test
