#include "tilewright/session/options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <iterator>
#include <sstream>
#include <string_view>

#include "tilewright/core/error.hpp"
#include "tilewright/core/units.hpp"

namespace tilewright {
namespace {

constexpr std::string_view prefix = session_option_prefix;

template <class Number>
Number parse_number(std::string_view text, std::string_view what) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) {
    throw ParameterError(fmt::format("'{}' is no {}", text, what));
  }
  return number;
}

int parse_count(std::string_view text, std::string_view what) {
  const int count = parse_number<int>(text, what);
  if (count < 1) throw ParameterError(fmt::format("'{}' is no {}: at least 1 is needed", text, what));
  return count;
}

int parse_threads(std::string_view text) {
  const int threads = parse_count(text, "number of threads");
  if (threads > most_threads) {
    throw ParameterError(fmt::format("{} threads are too many: a rank has {} at most", threads, most_threads));
  }
  return threads;
}

double parse_positive(std::string_view text, std::string_view what) {
  const auto number = parse_number<double>(text, what);
  if (!(number > 0)) throw ParameterError(fmt::format("'{}' is no {}: more than 0 is needed", text, what));
  return number;
}

bool parse_switch(const std::string& text, std::string_view known = "on or off") {
  if (text.empty() || text == "1" || text == "on" || text == "true" || text == "yes") return true;
  if (text == "0" || text == "off" || text == "false" || text == "no") return false;
  throw ParameterError(fmt::format("'{}' switches nothing: use {}", text, known));
}

Explain parse_explain(const std::string& text) {
  if (text == "analyze") return Explain::analyze;
  if (text.empty() || text == "plan") return Explain::plan;
  return parse_switch(text, "on, off or analyze") ? Explain::plan : Explain::no;
}

std::optional<FileAccess> parse_files(const std::string& text) {
  if (text == "auto") return std::nullopt;
  return parse_file_access(text);
}

std::string parse_model(const std::string& text) {
  const std::vector<std::string_view> names = cost_model_names();
  if (std::find(names.begin(), names.end(), text) != names.end()) return text;
  throw ParameterError(fmt::format("'{}' is no cost model; known: {}", text, fmt::join(names, " ")));
}

/// Whoever says how or where plans are printed wants them; analyze tells more.
void imply_explain(SessionOptions& options) {
  if (options.explain == Explain::no) options.explain = Explain::plan;
}

enum class Takes { nothing, value, optional_value };

/// Values, separated by blanks, that `tilewright verify` tries.
struct Tried {
  std::string_view on_every_grid = {};
  std::string_view on_one_grid = {};
  std::string_view on_free_grid = {};
};

/// One option: its name, what it takes, what it means, what reading it does; if it says how to plan, whether it is
/// given, and which values cut the work in ways that have to be tried.
struct Option {
  std::string_view name;
  Takes takes;
  std::string_view value_name;
  std::string_view help;
  void (*set)(SessionOptions&, const std::string& value);
  bool (*says_how_to_plan)(const SessionOptions&) = nullptr;
  Tried tried = {};
};

using O = SessionOptions;
using S = const std::string&;
using C = const SessionOptions&;

constexpr std::array<Option, 38> options{{
    {"help", Takes::nothing, "", "print these options and end", [](O& o, S) { o.help = true; }},
    {"db", Takes::value, "FILE", "database of measured machines", [](O& o, S v) { o.database = v; }},
    {"machine", Takes::value, "NAME", "profile to plan with (default: this host's)", [](O& o, S v) { o.machine = v; }},
    {"operators-from", Takes::value, "NAME", "take the operators' costs from another profile",
     [](O& o, S v) { o.operators_from = v; }, [](C o) { return !o.operators_from.empty(); }},
    {"model", Takes::value, "NAME", "cost model (default: p3pc-stride, or p3pc where the profile knows no blocks)",
     [](O& o, S v) { o.model = parse_model(v); }, [](C o) { return !o.model.empty(); }},
    {"ranks", Takes::value, "N", "force the number of ranks that work",
     [](O& o, S v) { o.ranks = parse_count(v, "number of ranks"); }, [](C o) { return o.ranks.has_value(); }},
    {"nodes", Takes::value, "N|A..B", "node counts to choose from, in a dry run",
     [](O& o, S v) { o.nodes = parse_node_range(v); }},
    {"grid", Takes::value, "XxY",
     "force the process grid; *x1 leaves a side open, 1x3[2:2:1] cuts unequal tiles, 4x4@2x2 has blocks on nodes",
     [](O& o, S v) { o.grid = parse_grid_pattern(v); }, [](C o) { return o.grid.has_value(); }},
    {"tiles",
     Takes::value,
     "even|by-speed|less-on-root",
     "force equal tiles, or such as nodes are fast, or a small one of the root, or none",
     [](O& o, S v) { o.tiles = parse_tile_sizes(v); },
     [](C o) { return o.tiles.has_value(); },
     {.on_free_grid = "less-on-root"}},
    {"fastest-first", Takes::value, "on|off",
     "off: plans that leave ranks idle use those that were started first, not those on fast nodes",
     [](O& o, S v) { o.fastest_first = parse_switch(v); }},
    {"turns",
     Takes::value,
     "on|off",
     "force or forbid that the root feeds ranks in turn, and collects from them meanwhile",
     [](O& o, S v) { o.in_turn = parse_switch(v); },
     [](C o) { return o.in_turn.has_value(); },
     {.on_free_grid = "on"}},
    {"overlap",
     Takes::value,
     "on|off",
     "force or forbid that borders travel while tiles are computed as far as they need none",
     [](O& o, S v) { o.overlap = parse_switch(v); },
     [](C o) { return o.overlap.has_value(); },
     {.on_free_grid = "on"}},
    {"everywhere",
     Takes::value,
     "on|off",
     "off: what all ranks get is computed once, and sent to them",
     [](O& o, S v) { o.everywhere = parse_switch(v); },
     [](C o) { return !o.everywhere; },
     {.on_one_grid = "off"}},
    {"tree",
     Takes::value,
     "oft|sbt|shared",
     "force the algorithm of transfers",
     [](O& o, S v) { o.tree = parse_algorithm(v); },
     [](C o) { return o.tree.has_value(); },
     {.on_every_grid = "oft sbt", .on_one_grid = "shared"}},
    {"distribution",
     Takes::value,
     "scatter|broadcast",
     "force how images reach the tiles",
     [](O& o, S v) { o.distribution = parse_distribution(v); },
     [](C o) { return o.distribution.has_value(); },
     {.on_one_grid = "broadcast"}},
    {"packing",
     Takes::value,
     "datatype|manual|blocked",
     "force how non-contiguous data are sent",
     [](O& o, S v) { o.packing = parse_packing(v); },
     [](C o) { return o.packing.has_value(); },
     {.on_one_grid = "datatype manual blocked"}},
    {"halo",
     Takes::value,
     "shallow|deep",
     "force halos by exchanges alone, or as deep as is of use",
     [](O& o, S v) { o.halo = parse_halo_choice(v); },
     [](C o) { return o.halo.has_value(); },
     {.on_one_grid = "shallow deep"}},
    {"regrid",
     Takes::value,
     "never|always",
     "force one process grid for all operators, or a change between two",
     [](O& o, S v) { o.regrid = parse_regrid(v); },
     [](C o) { return o.regrid.has_value(); },
     {.on_free_grid = "always"}},
    {"files", Takes::value, "root|parallel|auto",
     "force files to be read and written by the root, or by each rank its tile",
     [](O& o, S v) { o.files = parse_files(v); }, [](C o) { return o.files.has_value(); }},
    {"keep", Takes::value, "root|tiles", "force images of Session::run to stay on the root, or where they are made",
     [](O& o, S v) { o.keep = parse_keep_place(v); }, [](C o) { return o.keep.has_value(); }},
    {"sharing", Takes::value, "on|off", "off: ranks of one node move images by messages alone",
     [](O& o, S v) { o.sharing = parse_switch(v); }, [](C o) { return !o.sharing; }},
    {"memory", Takes::value, "SIZE", "what a plan may take on a node, as in 512MiB (default: what the node has)",
     [](O& o, S v) { o.memory = parse_bytes(v); }, [](C o) { return o.memory.has_value(); }},
    {"threads",
     Takes::value,
     "N",
     "force the number of threads a rank (default: its share of the node's cores)",
     [](O& o, S v) { o.threads = parse_threads(v); },
     [](C o) { return o.threads.has_value(); },
     {.on_one_grid = "2"}},
    {"objective", Takes::value, "time|node-hours", "what the plan is to take least of (default time)",
     [](O& o, S v) { o.wishes.objective = parse_objective(v); },
     [](C o) { return o.wishes.objective != Wishes{}.objective; }},
    {"node-hours", Takes::value, "HOURS", "of the plans that take at most so many node-hours, the best one",
     [](O& o, S v) { o.wishes.most_node_hours = parse_positive(v, "number of node-hours"); },
     [](C o) { return o.wishes.most_node_hours.has_value(); }},
    {"simd", Takes::value, "LEVEL", "force the vector level: scalar, sse4, avx2, avx512",
     [](O& o, S v) { o.simd = parse_simd_level(v); }},
    {"plan", Takes::value, "FILE", "run this plan (JSON) instead of searching one", [](O& o, S v) { o.plan_file = v; }},
    {"explain", Takes::optional_value, "analyze", "print the plan; with =analyze the measured times too",
     [](O& o, S v) { o.explain = parse_explain(v); }},
    {"explain-format", Takes::value, "text|json|dot|html|slurm", "print the plan in that format (default text)",
     [](O& o, S v) {
       o.explain_format = parse_plan_format(v);
       imply_explain(o);
     }},
    {"explain-file", Takes::value, "FILE", "print the plan into that file (default standard output)",
     [](O& o, S v) {
       o.explain_file = v;
       imply_explain(o);
     }},
    {"progress", Takes::optional_value, "on|off", "tell each step on standard error",
     [](O& o, S v) { o.progress = parse_switch(v); }},
    {"history", Takes::value, "on|off", "off: do not keep in the database what the run takes (default on)",
     [](O& o, S v) { o.keeps_runs = parse_switch(v); }},
    {"resume", Takes::optional_value, "on|off", "skip outputs that an earlier run of the same pipeline completed",
     [](O& o, S v) { o.resume = parse_switch(v); }},
    {"assume", Takes::value, "NAME=WxH:type", "dry run: the shape of an input file that is absent",
     [](O& o, S v) { o.assumed_images.push_back(parse_assumed_image(v)); }},
    {"assume-value", Takes::value, "NUMBER", "dry run: what every reduction yields",
     [](O& o, S v) { o.assumed_value = parse_number<double>(v, "number"); }},
    {"dry-run", Takes::value, "FILE", "plan only, into this file (used by tilewright plan)",
     [](O& o, S v) { o.dry_run = v; }},
    {"digest", Takes::value, "FILE", "store no image, tell in FILE what was computed (used by tilewright verify)",
     [](O& o, S v) { o.digest_file = v; }},
    {"send", Takes::value, "standard|synchronous", "how MPI sends; synchronous leans on no buffering (for tests)",
     [](O& o, S v) { o.send = parse_send_mode(v); }},
}};

const Option& option_named(std::string_view name) {
  const auto option = std::find_if(options.begin(), options.end(), [&](const Option& o) { return o.name == name; });
  if (option == options.end()) throw ParameterError(fmt::format("unknown option {0}{1}: see {0}help", prefix, name));
  return *option;
}

/// Of a list of words.
std::vector<std::string> words_of(std::string_view text) {
  std::istringstream stream{std::string(text)};
  return {std::istream_iterator<std::string>(stream), {}};
}

/// Repeated options stand in one variable, separated by ';'.
void set_from_variable(SessionOptions& result, const Option& option, const std::string& text) {
  std::size_t begin = 0;
  while (true) {
    const std::size_t end = option.name == "assume" ? text.find(';', begin) : std::string::npos;
    option.set(result, text.substr(begin, end == std::string::npos ? end : end - begin));
    if (end == std::string::npos) return;
    begin = end + 1;
  }
}

void explain_error(const ParameterError& error, const std::string& where) {
  throw ParameterError(fmt::format("{}: {}", where, error.what()));
}

}  // namespace

std::string session_variable(std::string_view option) {
  std::string name = "TILEWRIGHT_";
  for (const char c : option) {
    name += c == '-' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  }
  return name;
}

std::vector<TriedValue> tried_values() {
  std::vector<TriedValue> all;
  for (const Option& option : options) {
    const auto add = [&](std::string_view values, TriedValue::Where where) {
      for (std::string& value : words_of(values)) {
        all.push_back({std::string(option.name), std::move(value), where});
      }
    };
    add(option.tried.on_every_grid, TriedValue::Where::every_grid);
    add(option.tried.on_one_grid, TriedValue::Where::one_grid);
    add(option.tried.on_free_grid, TriedValue::Where::free_grid);
  }
  return all;
}

KeepPlace parse_keep_place(const std::string& text) {
  if (text == "root") return KeepPlace::root;
  if (text == "tiles") return KeepPlace::tiles;
  throw ParameterError(fmt::format("'{}' is no place to keep images: use root or tiles", text));
}

NodeRange parse_node_range(const std::string& text, std::string_view of_what) {
  const std::string noun = fmt::format("number of {}", of_what);
  const std::size_t dots = text.find("..");
  if (dots == std::string::npos) return {1, parse_count(text, noun), false};
  const NodeRange range{parse_count(text.substr(0, dots), noun), parse_count(text.substr(dots + 2), noun), true};
  if (range.last < range.first) throw ParameterError(fmt::format("'{}': give the smaller {} first", text, noun));
  return range;
}

AssumedImage parse_assumed_image(const std::string& text) {
  const std::size_t equals = text.rfind('=');
  if (equals == std::string::npos || equals == 0) {
    throw ParameterError(
        fmt::format("'{}' assumes nothing: write NAME=WxH:type, for example in.tif=2048x2048:f32", text));
  }
  AssumedImage image{text.substr(0, equals), {}};
  std::string rest = text.substr(equals + 1);
  const std::size_t colon = rest.find(':');
  image.shape.extent = parse_extent(std::string_view(rest).substr(0, colon));
  if (colon == std::string::npos)
    throw ParameterError(fmt::format("'{}' lacks a pixel type: write NAME=WxH:type", text));
  rest = rest.substr(colon + 1);
  const std::size_t second = rest.find(':');
  image.shape.format.type = parse_pixel_type(std::string_view(rest).substr(0, second));
  if (second != std::string::npos) {
    image.shape.format.channels = parse_count(std::string_view(rest).substr(second + 1), "number of channels");
  }
  return image;
}

SessionOptions parse_session_options(int argc, const char* const* argv,
                                     const std::function<const char*(const char*)>& environment) {
  SessionOptions result;
  for (const Option& option : options) {
    if (option.takes == Takes::nothing) continue;
    const std::string variable = session_variable(option.name);
    const char* value = environment(variable.c_str());
    if (value == nullptr || *value == '\0') continue;
    try {
      set_from_variable(result, option, value);
    } catch (const ParameterError& error) {
      explain_error(error, variable);
    }
  }
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--") {  // what follows is the program's own, however it looks
      result.arguments.insert(result.arguments.end(), argv + i + 1, argv + argc);
      break;
    }
    if (!argument.starts_with(prefix)) {
      result.arguments.push_back(argument);
      continue;
    }
    const std::size_t equals = argument.find('=');
    const Option& option = option_named(argument.substr(prefix.size(), equals - prefix.size()));
    const std::string name = argument.substr(0, equals);
    std::string value;
    if (equals != std::string::npos) {
      value = argument.substr(equals + 1);
      if (option.takes == Takes::nothing) throw ParameterError(fmt::format("{} takes no value", name));
    } else if (option.takes == Takes::value) {
      if (i + 1 == argc) throw ParameterError(fmt::format("{} needs a value: {}", name, option.value_name));
      value = argv[++i];
    }
    if (option.takes == Takes::value && value.empty()) {
      throw ParameterError(fmt::format("{} needs a value: {}", name, option.value_name));
    }
    try {
      option.set(result, value);
    } catch (const ParameterError& error) {
      explain_error(error, name);
    }
  }
  return result;
}

std::vector<std::string> said_of_planning(const SessionOptions& given) {
  std::vector<std::string> names;
  for (const Option& option : options) {
    if (option.says_how_to_plan != nullptr && option.says_how_to_plan(given)) {
      names.push_back(fmt::format("{}{}", prefix, option.name));
    }
  }
  return names;
}

std::string session_options_help() {
  std::string text = "Options of every Tilewright application (each also as a variable, --tw-db as TILEWRIGHT_DB):\n";
  for (const Option& option : options) {
    std::string left = fmt::format("{}{}", prefix, option.name);
    if (option.takes == Takes::value) left += fmt::format("={}", option.value_name);
    if (option.takes == Takes::optional_value) left += fmt::format("[={}]", option.value_name);
    text += fmt::format("  {:<42} {}\n", left, option.help);
  }
  return text;
}

}  // namespace tilewright
