#include "tilewright/scheduler/cost_model.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>

#include "tilewright/core/error.hpp"
#include "tilewright/scheduler/point_to_point_model.hpp"

namespace tilewright {
namespace {

template <class Model>
std::unique_ptr<CostModel> make(const MachineProfile& profile) {
  return std::make_unique<Model>(profile);
}

/// The table of models: a new one is one class and one line here.
struct Entry {
  std::string_view name;
  std::unique_ptr<CostModel> (*make)(const MachineProfile&);
};

constexpr std::array<Entry, 3> entries{
    {{"p3pc", make<StrideAwareP3pcModel>}, {"p3pc-paper", make<P3pcModel>}, {"loggp-star", make<LogGpStarModel>}}};

}  // namespace

std::vector<std::string_view> cost_model_names() {
  std::vector<std::string_view> names;
  for (const Entry& entry : entries) names.push_back(entry.name);
  return names;
}

std::unique_ptr<CostModel> make_cost_model(std::string_view name, const MachineProfile& profile) {
  for (const Entry& entry : entries) {
    if (entry.name == name) return entry.make(profile);
  }
  throw ParameterError(
      fmt::format("'{}' is no cost model that is available; known: {}", name, fmt::join(cost_model_names(), " ")));
}

}  // namespace tilewright
