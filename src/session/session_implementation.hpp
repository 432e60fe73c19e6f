// What a session is made of: its ranks, its options, and what it has read, kept and planned.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "digests.hpp"
#include "files_read.hpp"
#include "kept_image.hpp"
#include "resume.hpp"
#include "segment_planner.hpp"
#include "tilewright/runtime/executor.hpp"
#include "tilewright/session/options.hpp"
#include "tilewright/session/session.hpp"
#include "told_plans.hpp"

namespace tilewright {

struct Session::Implementation {
  Implementation(int argc, const char* const* argv);

  [[nodiscard]] bool is_dry_run() const { return !options.dry_run.empty(); }

  /// That they cannot be written is found out before anything is run, by all ranks.
  void open_told_plans();

  // --- one segment: plan it, run it, explain it ---

  [[nodiscard]] Pipeline recorded(const std::vector<OutputRequest>& outputs) const;

  ExecutionResult run(const std::vector<OutputRequest>& outputs);

  /// Of several outputs some may be there when one fails.
  void write(const std::vector<OutputRequest>& requests, const std::vector<std::string>& paths);

  /// As the root finds them.
  [[nodiscard]] std::vector<std::string> paths_of(const std::vector<FileOutput>& outputs) const;

  /// Those that no earlier run has completed, by the root's journal.
  [[nodiscard]] std::vector<OutputRequest> incomplete(const std::vector<FileOutput>& outputs,
                                                      const std::vector<OutputRequest>& requests,
                                                      const OutputJournal& journal) const;

  /// What earlier segments have left on the tiles is brought to the root where it has to be.
  Plan planned(const Pipeline& pipeline);

  /// None where images have to be brought to the root first. A dry run tells it, and nobody else.
  std::optional<Plan> plan_of(const Pipeline& pipeline, Purpose purpose);

  /// What goes wrong may do so on this rank alone.
  ExecutionResult run(const Pipeline& pipeline, const Plan& plan);

  ExecutionResult run_here(const Pipeline& pipeline, const Plan& plan);

  // --- images that earlier segments have left on the tiles ---

  /// In a segment of its own.
  void bring_home(const std::shared_ptr<const Source>& source);

  Image keep(std::shared_ptr<KeptImage> image);

  /// What is no file; files tell of themselves. What is kept tells by what is made of it.
  void tell(const Pipeline& pipeline, const ExecutionResult& result) const;

  void explain(const Plan& plan);

  /// After an error, which is what is told, whatever comes of this.
  void rescue_told_plans();

  /// In step with the others, unless an error ends the session.
  void end() const;

  // --- a dry run ---

  Plan plan_only(const std::vector<OutputRequest>& outputs) { return planned(recorded(outputs)); }

  /// Once, when all is planned: of a loop of many turns, writing takes longer than planning.
  void keep_dry_plans() const;

  /// The program goes on with a value that only a run can give: what is planned so far is all there is.
  [[noreturn]] void end_dry_run();

  // --- sources ---

  std::shared_ptr<const Source> read(const std::string& path);

  [[nodiscard]] std::shared_ptr<const Source> source_for_planning(const std::string& path) const;

  SessionOptions options;
  Communicator communicator;
  SegmentPlanner planner;
  std::map<const Source*, std::weak_ptr<KeptImage>> kept;  ///< that the program still has
  LoopHint loop;
  FilesRead files_read;
  std::map<std::tuple<std::string, std::uint_least32_t, std::uint_least32_t>, int> turns;  ///< of loops, by their place
  std::size_t segment = 0;                                                                 ///< how many have run
  std::shared_ptr<Digests> digests;  ///< on the root, if they are wanted
  int images_in_memory = 0;          ///< how many the program has given
  std::vector<Plan> dry_plans;
  std::optional<ToldPlans> told_plans;  ///< on the root, if they go into a file
};

}  // namespace tilewright
