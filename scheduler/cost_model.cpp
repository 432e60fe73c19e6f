#include "tilewright/scheduler/cost_model.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <type_traits>
#include <utility>

#include "models/bulk_synchronous.hpp"
#include "models/log_np.hpp"
#include "models/loggp.hpp"
#include "models/node_aware_model.hpp"
#include "models/p3pc.hpp"
#include "models/repeated_run_model.hpp"
#include "tilewright/core/error.hpp"
#include "tilewright/model/not_measured.hpp"

namespace tilewright {
namespace {

/// Of messages within a node; null where too few were measured for it.
template <class Model>
std::unique_ptr<Model> make_within(const MachineProfile& profile, const Model& between) {
  const auto within_nodes = profile.within_nodes();
  if (!within_nodes) return nullptr;
  try {
    auto within = std::make_unique<Model>(*within_nodes);
    return knows_as_many_messages(*within, between) ? std::move(within) : nullptr;
  } catch (const NotMeasured&) {
    return nullptr;
  }
}

template <class Model>
std::unique_ptr<CostModel> make(const MachineProfile& profile) {
  auto model = std::make_unique<Model>(profile);
  if constexpr (std::is_base_of_v<PointToPointModel, Model>) {
    if (auto within = make_within(profile, *model)) {
      return std::make_unique<NodeAwareModel>(std::move(model), std::move(within));
    }
    if (profile.warmth_of_run().tells_of_messages())
      return std::make_unique<RepeatedRunModel>(std::move(model), profile.warmth_of_run());
  }
  return model;
}

/// The table of models: a new one is one class and one line here.
struct Entry {
  std::string_view name;
  std::unique_ptr<CostModel> (*make)(const MachineProfile&);
};

constexpr std::array<Entry, 13> entries{{{"p3pc-stride", make<StrideAwareP3pcModel>},
                                         {"p3pc", make<P3pcModel>},
                                         {"3pc", make<ThreePcModel>},
                                         {"loggp-star", make<LogGpStarModel>},
                                         {"loggp", make<LogGpModel>},
                                         {"logp", make<LogPModel>},
                                         {"hockney", make<HockneyModel>},
                                         {"log3p", make<Log3pModel>},
                                         {"lognp", make<LogNpModel>},
                                         {"pram", make<PramModel>},
                                         {"bsp", make<BspModel>},
                                         {"bsp-star", make<BspStarModel>},
                                         {"e-bsp", make<EBspModel>}}};

}  // namespace

std::vector<PathCell> CostModel::wanted_cells(Path /*path*/, const MessageForm& form) const {
  return {{Path::full, Layout::cc, form.bytes, {}}};
}

bool CostModel::depends_on(Path /*path*/, TransferKind /*kind*/) const {
  return true;
}

std::optional<double> CostModel::tree_seconds(TransferKind /*kind*/, std::span<const Subtree> /*subtrees*/,
                                              Packing /*packing*/, KnownMessages& /*known*/) const {
  return std::nullopt;
}

std::vector<std::string_view> cost_model_names() {
  std::vector<std::string_view> names;
  for (const Entry& entry : entries) names.push_back(entry.name);
  return names;
}

double copy_seconds(const MachineProfile& profile, const ImageShape& image, std::int64_t pixels) {
  if (pixels == 0) return 0;  // of most messages, so without a look
  const auto seconds = profile.operator_seconds("copy", image.format.type, 0, static_cast<double>(pixels));
  return seconds ? *seconds * static_cast<double>(pixels) * image.format.channels : 0;
}

double copy_seconds(const MachineProfile& profile, const Schedule& schedule) {
  const ImageShape& image = schedule.spec.image;
  return copy_seconds(profile, image, schedule.copied_bytes() / static_cast<std::int64_t>(image.format.bytes()));
}

std::string_view default_cost_model(const MachineProfile& profile) {
  const bool has_blocks = profile.stride_costs().has({Path::full, Layout::nc, Packing::datatype});
  return has_blocks ? "p3pc-stride" : "p3pc";
}

std::unique_ptr<CostModel> make_cost_model(std::string_view name, const MachineProfile& profile) {
  if (name.empty()) return make_cost_model(default_cost_model(profile), profile);
  for (const Entry& entry : entries) {
    if (entry.name == name) return entry.make(profile);
  }
  throw ParameterError(
      fmt::format("'{}' is no cost model that is available; known: {}", name, fmt::join(cost_model_names(), " ")));
}

CostModelIfMeasured cost_model_if_measured(std::string_view name, const MachineProfile& profile) {
  try {
    return {make_cost_model(name, profile), {}};
  } catch (const NotMeasured& lack) {
    return {nullptr, lack.what()};
  }
}

}  // namespace tilewright
