#include "arguments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <set>
#include <string_view>

#include "tilewright/calibrate/calibrate.hpp"
#include "tilewright/core/error.hpp"

namespace tilewright::simulation {
namespace {

constexpr const char* usage =
    "usage: schedule_simulation --operation scatter|gather|broadcast|allgather|exchange|redistribute [--grid XxY|all] "
    "[--algorithm oft|sbt|all] [--packing datatype|manual|blocked] [--in-turn on|off] "
    "[--image WxH] [--type u8|u16|f32|f64] [--halo N] [--send standard|synchronous] [--platform NAME] "
    "[--sizes VALUES,...] [--tolerance PERCENT] [--fault NAME]";

using Words = std::map<std::string, std::string>;

Words words_of(int argc, char** argv) {
  Words words{{"--operation", ""}, {"--grid", ""},      {"--algorithm", "all"}, {"--image", "4096x1024"},
              {"--type", "f32"},   {"--halo", "1"},     {"--send", "standard"}, {"--platform", "platform"},
              {"--sizes", ""},     {"--tolerance", ""}, {"--fault", "none"},    {"--packing", "datatype"},
              {"--in-turn", "off"}};
  for (int i = 1; i < argc; i += 2) {
    const auto word = words.find(argv[i]);
    if (word == words.end() || i + 1 == argc) throw ParameterError(fmt::format("'{}'?\n{}", argv[i], usage));
    word->second = argv[i + 1];
  }
  if (words.at("--operation").empty()) throw ParameterError(usage);
  return words;
}

std::int64_t parse_number(std::string_view text) {
  std::int64_t number = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < 0) {
    throw ParameterError(fmt::format("'{}' is no whole number of 0 or more", text));
  }
  return number;
}

/// Ascending and with 0, as `tilewright calibrate` measures them if nothing else is said.
std::vector<std::int64_t> parse_sizes(std::string_view text) {
  if (text.empty()) return CalibrationOptions().sizes;
  std::set<std::int64_t> sizes{0};
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    sizes.insert(parse_number(text.substr(begin, end - begin)));
    begin = end + 1;
  }
  return {sizes.begin(), sizes.end()};
}

bool parse_switch(const std::string& text) {
  if (text != "on" && text != "off") throw ParameterError(fmt::format("'{}': use on or off", text));
  return text == "on";
}

std::vector<std::optional<Algorithm>> algorithms_of(TransferKind kind, const std::string& text) {
  if (!goes_along_tree(kind)) return {std::nullopt};
  if (text == "all") return {std::begin(all_trees), std::end(all_trees)};
  return {parse_algorithm(text)};
}

std::vector<ProcessGrid> wanted_grids(const std::string& text, int ranks) {
  if (text.empty()) return {{1, ranks}};
  return text == "all" ? grids_of(ranks) : std::vector{parse_grid(text)};
}

/// Another grid of as many ranks: with columns and rows exchanged, else columns alone.
ProcessGrid former_of(const ProcessGrid& grid) {
  return grid.x == grid.y ? ProcessGrid{grid.ranks(), 1} : ProcessGrid{grid.y, grid.x};
}

TransferSpec spec_of(const Arguments& arguments, const ProcessGrid& grid, const std::optional<Algorithm>& algorithm) {
  TransferSpec spec{arguments.operation, algorithm, grid, arguments.image, arguments.halo, arguments.halo};
  spec.packing = arguments.packing;
  spec.in_turn = arguments.in_turn;
  if (spec.kind == TransferKind::redistribute) spec.former = former_of(grid);
  return spec;
}

void check_feasible(const TransferSpec& spec, int ranks) {
  if (spec.grid.ranks() > ranks) {
    throw ParameterError(
        fmt::format("grid {} needs {} ranks, there are {}", to_string(spec.grid), spec.grid.ranks(), ranks));
  }
  for (const ProcessGrid& grid : {spec.grid, spec.former}) {
    const std::string reason = why_infeasible(spec.image.extent, grid, spec.exchanged);
    if (spec.kind != TransferKind::broadcast && !reason.empty()) throw ParameterError(reason);
  }
}

}  // namespace

Arguments parse_arguments(int argc, char** argv) {
  const Words words = words_of(argc, argv);
  Arguments arguments;
  arguments.platform = words.at("--platform");
  arguments.operation = parse_transfer_kind(words.at("--operation"));
  arguments.grid = words.at("--grid");
  arguments.algorithm = words.at("--algorithm");
  arguments.image = {parse_extent(words.at("--image")), {parse_pixel_type(words.at("--type")), 1}};
  const std::int64_t halo = parse_number(words.at("--halo"));
  if (arguments.operation == TransferKind::exchange) arguments.halo = {halo, halo};
  arguments.packing = parse_packing(words.at("--packing"));
  arguments.in_turn = parse_switch(words.at("--in-turn"));
  arguments.mode = parse_send_mode(words.at("--send"));
  arguments.fault = parse_fault(words.at("--fault"));
  arguments.sizes = parse_sizes(words.at("--sizes"));
  const std::string& percent = words.at("--tolerance");
  if (!percent.empty()) arguments.tolerance = static_cast<double>(parse_number(percent)) / 100;
  return arguments;
}

std::vector<TransferSpec> wanted_transfers(const Arguments& arguments, int ranks) {
  std::vector<TransferSpec> wanted;
  for (const ProcessGrid& grid : wanted_grids(arguments.grid, ranks)) {
    for (const auto& algorithm : algorithms_of(arguments.operation, arguments.algorithm)) {
      wanted.push_back(spec_of(arguments, grid, algorithm));
      check_feasible(wanted.back(), ranks);
    }
  }
  return wanted;
}

}  // namespace tilewright::simulation
