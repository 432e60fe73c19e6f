// tilewright db show: the costs of one machine.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "db.hpp"
#include "tilewright/benchdb/exchange.hpp"
#include "tilewright/core/date.hpp"
#include "tilewright/core/units.hpp"
#include "tilewright/model/protocol_switches.hpp"

namespace tilewright::command {
namespace {

/// Of messages within a node, as in the names of their cells.
constexpr std::string_view within_prefix = "within/";

std::string per_sample(const Estimate& time) {
  return time.samples == 0 ? std::string("imported")
                           : fmt::format("± {} ({} samples)", format_seconds(time.spread_s), time.samples);
}

/// The paths' names get the prefix.
void print_paths(const MachineProfile& profile, std::string_view prefix) {
  fmt::print("\n{:<17} {:<6} {:>10} {:<8} {:>6} {:>6}  {:>10}  spread\n", "path", "layout", "bytes", "packing", "block",
             "stride", "time");
  for (const PathCell& cell : profile.paths()) {
    if (cell.within_node) continue;
    const auto bytes_or_dash = [](std::int64_t bytes) { return bytes == 0 ? "-" : std::to_string(bytes); };
    fmt::print("{:<17} {:<6} {:>10} {:<8} {:>6} {:>6}  {:>10}  {}\n", fmt::format("{}{}", prefix, to_string(cell.path)),
               to_string(cell.layout), cell.bytes, to_string(cell.packing), bytes_or_dash(cell.block_bytes),
               bytes_or_dash(cell.stride_bytes), format_seconds(cell.time.seconds), per_sample(cell.time));
  }
}

void print_switches(const MachineProfile& profile, std::string_view prefix) {
  for (const ProtocolSwitch& found : protocol_switches(profile.paths())) {
    fmt::print("switch     {}{} {} {}: the time changes by a factor of {:.2f} between {} and {}\n", prefix,
               to_string(found.path), to_string(found.layout), to_string(found.packing), found.factor,
               format_bytes(found.below_bytes), format_bytes(found.above_bytes));
  }
}

/// ", 3 days ago"; empty of what is no date.
std::string age_of(const std::string& date) {
  const double hours = seconds_since(date).value_or(-1) / 3600;
  if (hours < 0) return {};
  return hours < 48 ? fmt::format(", {:.0f} hours ago", hours) : fmt::format(", {:.0f} days ago", hours / 24);
}

void print_operators(const MachineProfile& profile) {
  fmt::print("\n{:<23} {:<4} {:>9} {:>11} {:>6} {:>8}  {:>12}  spread\n", "operator", "type", "parameter",
             "tile pixels", "ranks", "threads", "ns per value");
  for (const OperatorCell& cell : profile.operators()) {
    if (node_of_pace(cell)) continue;
    fmt::print("{:<23} {:<4} {:>9} {:>11} {:>6} {:>8}  {:>12.4f}  ± {:.4f} ({} samples)\n", cell.key,
               to_string(cell.type), cell.parameter, cell.tile_pixels, cell.ranks, cell.threads,
               cell.time_per_unit.seconds * 1e9, cell.time_per_unit.spread_s * 1e9, cell.time_per_unit.samples);
  }
}

void print_fingerprint(const MachineProfile& profile) {
  const Fingerprint& f = profile.fingerprint();
  const auto known = [](const std::string& text) { return text.empty() ? std::string("unknown") : text; };
  fmt::print("machine    {}\nhost       {}\nprocessor  {}\n", profile.name(), known(f.host), known(f.processor));
  fmt::print("cores      {} a node, memory {}\n", f.cores_per_node == 0 ? "unknown" : std::to_string(f.cores_per_node),
             f.memory_per_node == 0 ? "unknown" : format_bytes(f.memory_per_node));
  const std::string by =
      f.ranks == 0 ? "" : fmt::format(" by {} ranks on {} nodes, effort {}", f.ranks, f.nodes, f.effort);
  fmt::print("measured   {}{}{}\nmpi        {}\nvectors    {}\n", known(f.date), age_of(f.date), by, known(f.mpi),
             known(f.simd));
  for (const auto& [name, value] : f.settings) fmt::print("setting    {}={}\n", name, value);
  std::vector<std::string> speeds;
  for (const NodeSpeed& node : profile.node_speeds()) speeds.push_back(fmt::format("{} {:.2f}", node.node, node.speed));
  if (!speeds.empty())
    fmt::print("speeds     {} (times the slowest node's, whose costs these are)\n", fmt::join(speeds, ", "));
  if (!f.source.empty()) fmt::print("source     {}\n", f.source);
}

void print_costs(const MachineProfile& profile) {
  const auto within_nodes = profile.within_nodes();
  print_switches(profile, "");
  if (within_nodes) print_switches(*within_nodes, within_prefix);
  if (profile.has_paths()) print_paths(profile, "");
  if (within_nodes) print_paths(*within_nodes, within_prefix);
  if (profile.has_operators()) print_operators(profile);
}

/// What import reads, and what is known of the profile beside that.
std::string json_of(const Calibration& calibration, const std::optional<RunDrift>& drift) {
  std::string text = write_profile(calibration, ProfileFormat::json);
  text.erase(text.rfind("\n}"));
  return text +
         fmt::format(",\n  \"stale\": {},\n  \"runs_factor\": {}\n}}\n", drift.has_value(), factor_of(drift).dump());
}

}  // namespace

int db_show(const DbOptions& options) {
  const Store store = open(options);
  const MachineProfile profile = store.profile(options.machine);
  const std::optional<RunDrift> drift = known_drift(store, options.machine);
  if (options.format == "json") {
    fmt::print("{}", json_of({profile, store.samples(options.machine)}, drift));
    return 0;
  }
  print_fingerprint(profile);
  if (drift) {
    fmt::print("stale      {}\n", warning_of(*drift, options.machine));
  }
  print_costs(profile);
  return 0;
}

}  // namespace tilewright::command
