// The cases of the proving ground: pipelines, images, ranks, by network and node speed.
#pragma once

#include <string>
#include <vector>

#include "pipelines.hpp"

namespace tilewright::regret {

/// Where cases are measured.
struct Ground {
  std::string network = "100mbit";  ///< "100mbit", "1gbit", or "shared memory"
  std::string shares = "20";  ///< per cent of a core that each node has; of unequal ones a list gone round: "30,10"
  int ranks_per_node = 1;     ///< where there are several nodes

  [[nodiscard]] int smallest_share() const;
  [[nodiscard]] bool is_unequal() const { return shares.find(',') != std::string::npos; }
};

struct Case {
  PipelineChoice pipeline;
  Extent image;
  int max_ranks = 8;
  std::int64_t node_memory = 0;  ///< bytes that a plan may take on a node; 0: any

  /// "bank 1024x1024 p8", "bank 1024x1024 p8 12MiB"; the same for no two cases of a ground.
  [[nodiscard]] std::string name() const;
};

/// "100mbit 20% bank 1024x1024 p8"
[[nodiscard]] std::string case_id(const Ground& ground, const Case& contested);

/// At how many ranks a case is raced.
struct RankCounts {
  /// Every plan: 1, 2, 4, ..., the case's most and the chosen count.
  std::vector<int> whole = {};
  /// Every plan if the one that is predicted best is within reach of the best of all: the other counts up to 8, and the
  /// neighbours of the chosen one.
  std::vector<int> further = {};
};
[[nodiscard]] RankCounts rank_counts(int most, int chosen);

/// All cases of a ground; 60 over all grounds at most. `is_short`: two of each, for CI.
/// Throws ParameterError for a ground that has none.
[[nodiscard]] std::vector<Case> cases_of(const Ground& ground, bool is_short);

}  // namespace tilewright::regret
