// The plans of a program's segments, one after another.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "keeping.hpp"
#include "run_history.hpp"
#include "tilewright/model/machine_profile.hpp"
#include "tilewright/model/plan.hpp"
#include "tilewright/pipeline/pipeline.hpp"
#include "tilewright/runtime/communicator.hpp"
#include "tilewright/scheduler/planner.hpp"
#include "tilewright/session/options.hpp"

namespace tilewright {

/// A segment is the program's, or brings an image that was kept on the tiles to the root.
enum class Purpose : std::uint8_t { work, bring_home };

/// What a plan is wanted for.
struct SegmentQuestion {
  const Pipeline& pipeline;
  Purpose purpose = Purpose::work;
  LoopHint loop = {};
};

/// Plans on the root, for all ranks. Finds the machine's profile when it first needs it, and keeps what runs took.
class SegmentPlanner {
 public:
  /// `program` is the path of the one that runs. Refers to the others.
  SegmentPlanner(const Communicator& started, const SessionOptions& options, std::string program)
      : started_(started),
        ranks_(&started),
        options_(options),
        program_(std::move(program)),
        said_(said_of_planning(options)) {}

  /// The ranks in the order that plans mean, from the first plan on.
  [[nodiscard]] const Communicator& ranks() const { return *ranks_; }

  /// The same on every rank: the one that was found for such a segment before, the one of the plan file for segment
  /// number `segment`, the one that is pinned, or the best one. None where images have to be brought to the root first.
  /// Collective; throws ParameterError, and RuntimeError if an output cannot be written, the same on every rank.
  [[nodiscard]] std::optional<Plan> agreed_plan(const SegmentQuestion& question, std::size_t segment);

  /// For a dry run, with notes on what is assumed; or that of the plan file for segment number `segment`. None where
  /// images have to be brought to the root first. Throws ParameterError.
  [[nodiscard]] std::optional<Plan> dry_plan(const SegmentQuestion& question, std::size_t segment);

  /// What a run took; on the root it is kept at the end.
  void add(const Trace& trace);
  void keep_history();

 private:
  /// Plans are alike for a pipeline, in a loop or not, and for their purpose.
  struct Key {
    std::uint64_t pipeline = 0;
    bool in_loop = false;
    Purpose purpose = Purpose::work;
    auto operator<=>(const Key&) const = default;
  };
  [[nodiscard]] static Key key_of(const SegmentQuestion& question);

  [[nodiscard]] std::optional<Plan> known_plan(const SegmentQuestion& question) const;
  void remember(const Key& key, const Plan& plan);
  [[nodiscard]] std::optional<Plan> plan_of_file(const SegmentQuestion& question, std::size_t segment) const;
  [[nodiscard]] std::optional<Plan> possible_plan(const SearchSpace& space, const SegmentQuestion& question);
  [[nodiscard]] Plan plan_in(const SearchSpace& space, const SegmentQuestion& question);
  void look_at_files(SearchSpace& space, const Pipeline& pipeline) const;

  const Communicator& started_;
  const Communicator* ranks_;  // started_, or what is made of it once the machine is known
  const SessionOptions& options_;
  std::string program_;
  std::vector<std::string> said_;  // of planning, by options: what was pinned was planned without it
  bool machine_known_ = false;
  std::optional<MachineProfile> profile_;  // on the root
  std::optional<RunHistory> history_;      // of the profile, on the root, once something is planned
  std::map<Key, Plan> plans_;              // on the root
  std::string why_home_;                   // on the root: why the question before this one had no plan
  std::map<std::size_t, Plan> agreed_;     // by number, that have been run lately, the same on all ranks
  std::size_t next_number_ = 0;
  std::map<Key, std::size_t> agreed_numbers_;  // of those that hold for another time
};

}  // namespace tilewright
