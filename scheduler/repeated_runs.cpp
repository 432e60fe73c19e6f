#include "repeated_runs.hpp"

#include <vector>

#include "tilewright/transfers/small_runs.hpp"

namespace tilewright {
namespace {

/// Of images that are read where the program has them, and are in no plan's memory.
std::int64_t lent_bytes(const Pipeline& pipeline) {
  std::int64_t bytes = 0;
  for (const PipelineImage& image : pipeline.images) bytes += is_lent(image, {}) ? image.shape.bytes() : 0;
  return bytes;
}

/// At the price of floats, the values of most images: where so many bytes were never copied, a price by bytes is
/// another one than plans take, and the messages would have to make up for it.
double copies_s(const MachineProfile& profile, const Schedule& scatter) {
  const ImageShape floats{{}, {PixelType::f32, 1}};
  return copy_seconds(profile, floats, scatter.copied_bytes() / static_cast<std::int64_t>(floats.format.bytes()));
}

std::vector<PricedScatter> priced_scatters(const MachineProfile& profile, const CostModel& model) {
  const int ranks = ranks_per_node(profile.fingerprint());
  std::vector<PricedScatter> priced;
  for (const PathCell& cell : profile.paths()) {
    if (cell.path != Path::message_scatter || cell.bytes < shortest_warm_message || ranks < 2) continue;
    const Schedule scatter = make_schedule(transfer_of_small_run(cell, TransferKind::scatter, ranks));
    priced.push_back({cell.bytes, cell.packing, model.transfer_seconds(scatter), copies_s(profile, scatter)});
  }
  return priced;
}

}  // namespace

RepeatedRun repeated_run(const Plan& plan, const Pipeline& pipeline, const MachineProfile& profile,
                         const CostModel& model) {
  const std::int64_t used_bytes = plan.root_bytes + (plan.ranks - 1) * plan.rank_bytes + lent_bytes(pipeline);
  return {used_bytes + pipeline.result_bytes(), plan.predicted_seconds.value_or(0), priced_scatters(profile, model),
          plan.ranks, plan.rank_bytes};
}

}  // namespace tilewright
