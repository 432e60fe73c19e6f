#include "tilewright/benchdb/simgrid.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

#include "tilewright/core/error.hpp"

namespace tilewright {
namespace {

struct Point {
  std::int64_t bytes = 0;
  double seconds = 0;
};

/// As plans have it: what falls with the size within the noise is levelled.
std::vector<Point> contiguous_row(const MachineProfile& profile, Path path) {
  std::vector<Point> row;
  for (const PathCell& cell : profile.paths()) {
    const bool fits = cell.path == path && cell.layout == Layout::cc && cell.packing == Packing::datatype;
    if (!fits || !cell.has_paper_blocks() || cell.within_node) continue;
    row.push_back({cell.bytes, profile.path_seconds(path, Layout::cc, static_cast<double>(cell.bytes))});
  }
  return row;
}

/// T = constant + slope * bytes from each size to the next. The last piece holds for all that is longer, too: one that
/// falls would end below zero, so there the last time does.
std::string pieces(const MachineProfile& profile, Path path) {
  const std::vector<Point> row = contiguous_row(profile, path);
  if (row.size() < 2) {
    throw ParameterError(
        fmt::format("machine '{}' has no measurement of path {} with two sizes: calibrate it with 2 "
                    "ranks or more",
                    profile.name(), to_string(path)));
  }
  std::vector<std::string> texts;
  double slope = 0;
  for (std::size_t i = 0; i + 1 < row.size(); ++i) {
    const auto from = static_cast<double>(row[i].bytes);
    slope = (row[i + 1].seconds - row[i].seconds) / (static_cast<double>(row[i + 1].bytes) - from);
    texts.push_back(fmt::format("{}:{}:{}", row[i].bytes, row[i].seconds - slope * from, slope));
  }
  if (slope < 0) texts.push_back(fmt::format("{}:{}:0", row.back().bytes, row.back().seconds));
  return fmt::format("{}", fmt::join(texts, ";"));
}

}  // namespace

std::string write_simgrid(const MachineProfile& profile) {
  const Path sends = contiguous_row(profile, Path::overhead).size() > 1 ? Path::overhead : Path::send;
  return fmt::format(
      "<config>\n  <prop id=\"smpi/os\" value=\"{0}\"/>\n  <prop id=\"smpi/or\" value=\"{1}\"/>\n"
      "  <prop id=\"smpi/ois\" value=\"{0}\"/>\n</config>\n",
      pieces(profile, sends), pieces(profile, Path::recv));
}

}  // namespace tilewright
