#include "common_cells.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <sstream>
#include <string>

#include "tilewright/model/cell_names.hpp"

namespace tilewright {

std::vector<PathCell> common_cells(const Communicator& communicator, const std::vector<PathCell>& cells) {
  std::vector<std::string> names;
  for (const PathCell& cell : cells) names.push_back(cell_name(cell));
  std::istringstream text(communicator.broadcast(fmt::format("{}", fmt::join(names, "\n"))));
  std::vector<PathCell> all;
  for (std::string name; std::getline(text, name);) all.push_back(path_cell_named(name).value());
  return all;
}

}  // namespace tilewright
