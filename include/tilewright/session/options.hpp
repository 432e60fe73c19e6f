// The --tw-* options that every application takes, and their TILEWRIGHT_* variables.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tilewright/explain/render.hpp"
#include "tilewright/imgops/simd.hpp"
#include "tilewright/runtime/communicator.hpp"
#include "tilewright/scheduler/planner.hpp"

namespace tilewright {

enum class Explain { no, plan, analyze };

/// A range of node counts, "4" (1..4) or "2..8".
struct NodeRange {
  int first = 1;
  int last = 1;
  bool as_range = false;  ///< written as one: then the plan tells what fewer nodes would take
};
/// Throws ParameterError otherwise.
[[nodiscard]] NodeRange parse_node_range(const std::string& text, std::string_view of_what = "nodes");

/// An image file that need not be there in a dry run: "NAME=WxH:type" or "NAME=WxH:type:channels".
struct AssumedImage {
  std::string name;
  ImageShape shape;
};
/// Throws ParameterError otherwise.
[[nodiscard]] AssumedImage parse_assumed_image(const std::string& text);

/// Where images stay that Session::run() computes: on the root, or where they are made.
enum class KeepPlace : std::uint8_t { root, tiles };
/// Throws ParameterError for an unknown name.
[[nodiscard]] KeepPlace parse_keep_place(const std::string& text);

/// Everything a session can be told from outside. Fields that are not set leave the choice to the scheduler.
struct SessionOptions {
  bool help = false;
  std::string database;
  std::string machine;
  std::string operators_from;
  std::string model = {};  ///< empty: default_cost_model()
  std::optional<int> ranks;
  std::optional<NodeRange> nodes;
  std::optional<GridPattern> grid;
  std::optional<TileSizes> tiles;
  bool fastest_first = true;  ///< of unequal nodes, those that are fast are used first
  std::optional<bool> in_turn;
  std::optional<bool> overlap;
  bool everywhere = true;  ///< whether all ranks may compute what all of them get
  std::optional<KeepPlace> keep;
  std::optional<Algorithm> tree;
  std::optional<Distribution> distribution;
  std::optional<HaloChoice> halo;
  std::optional<Regrid> regrid;
  std::optional<Packing> packing;
  std::optional<FileAccess> files;
  bool sharing = true;                 ///< whether transfers through shared memory are offered
  std::optional<std::int64_t> memory;  ///< bytes that a plan may take on a node
  std::optional<int> threads;
  Wishes wishes;
  std::optional<SimdLevel> simd;
  std::optional<SendMode> send;
  std::string plan_file;
  Explain explain = Explain::no;
  PlanFormat explain_format = PlanFormat::text;
  std::string explain_file;
  bool keeps_runs = true;   ///< in the database, with what they took
  std::string digest_file;  ///< takes what is computed, instead of the outputs; set by `tilewright verify`
  bool progress = false;
  bool resume = false;
  std::vector<AssumedImage> assumed_images;
  std::optional<double> assumed_value;
  std::string dry_run;  ///< the file that takes the plans; set by `tilewright plan`

  std::vector<std::string> arguments;  ///< what is left for the program, its name excluded
};

/// What the name of each option has in front.
inline constexpr std::string_view session_option_prefix = "--tw-";

/// The variable that says the same as an option: "TILEWRIGHT_EXPLAIN_FILE" of "explain-file".
[[nodiscard]] std::string session_variable(std::string_view option);

/// A value of an option that cuts the work in another way. No result may depend on it: `tilewright verify` tries it.
struct TriedValue {
  enum class Where : std::uint8_t { every_grid, one_grid, free_grid };
  std::string option;  ///< "tree"
  std::string value;
  Where where;  ///< beside which grids that are forced, or beside none
};
/// In the order of the options.
[[nodiscard]] std::vector<TriedValue> tried_values();

/// Reads the variables by `environment` (null: not set), then the command line, which wins. Throws ParameterError for
/// an unknown --tw- option or a wrong value.
[[nodiscard]] SessionOptions parse_session_options(int argc, const char* const* argv,
                                                   const std::function<const char*(const char*)>& environment);

/// The options that are given of those that force a decision of the plan, limit it, or say what it is to be the best
/// by: as "--tw-grid". A plan that is there already has them decided.
[[nodiscard]] std::vector<std::string> said_of_planning(const SessionOptions& options);

/// What --tw-help prints.
[[nodiscard]] std::string session_options_help();

}  // namespace tilewright
