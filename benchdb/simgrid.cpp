#include "tilewright/benchdb/simgrid.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

#include "tilewright/core/error.hpp"

namespace tilewright {
namespace {

std::vector<const PathCell*> contiguous_row(const MachineProfile& profile, Path path) {
  std::vector<const PathCell*> row;
  for (const PathCell& cell : profile.paths()) {
    const bool fits = cell.path == path && cell.layout == Layout::cc && cell.packing == Packing::datatype;
    if (fits && cell.has_paper_blocks() && !cell.within_node) row.push_back(&cell);
  }
  return row;
}

/// T = constant + slope * bytes from each size to the next.
std::string pieces(const MachineProfile& profile, Path path) {
  const std::vector<const PathCell*> row = contiguous_row(profile, path);
  if (row.size() < 2) {
    throw ParameterError(
        fmt::format("machine '{}' has no measurement of path {} with two sizes: calibrate it with 2 "
                    "ranks or more",
                    profile.name(), to_string(path)));
  }
  std::vector<std::string> texts;
  for (std::size_t i = 0; i + 1 < row.size(); ++i) {
    const auto from = static_cast<double>(row[i]->bytes);
    const double slope =
        (row[i + 1]->time.seconds - row[i]->time.seconds) / (static_cast<double>(row[i + 1]->bytes) - from);
    texts.push_back(fmt::format("{}:{}:{}", row[i]->bytes, row[i]->time.seconds - slope * from, slope));
  }
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
