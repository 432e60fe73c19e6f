#include "placement.hpp"

#include <algorithm>

namespace tilewright {
namespace {

constexpr std::uint8_t pixels = 1;   // in any place
constexpr std::uint8_t compute = 2;  // by an operator or a reduction
constexpr std::uint8_t halo = 4;
constexpr std::uint8_t wrap = 8;
constexpr std::uint8_t fetch = 16;
constexpr std::uint8_t tiles = 32;     // by a write of parts
constexpr std::uint8_t replicas = 64;  // by an operator that may work everywhere

}  // namespace

FutureNeeds::FutureNeeds(const Pipeline& pipeline, const HaloDepths& depths, const std::vector<bool>& out_parts,
                         const std::vector<bool>& everywhere)
    : images_(pipeline.images.size()), needs_((pipeline.tasks.size() + 1) * images_, 0) {
  for (std::size_t task = pipeline.tasks.size(); task-- > 0;) {
    std::uint8_t* needs = needs_.data() + task * images_;
    std::copy_n(needs + images_, images_, needs);
    add_task(pipeline, depths, out_parts, everywhere, pipeline.tasks[task], needs);
  }
}

void FutureNeeds::add_task(const Pipeline& pipeline, const HaloDepths& depths, const std::vector<bool>& out_parts,
                           const std::vector<bool>& everywhere, const Task& task, std::uint8_t* needs) const {
  const auto add = [&](int image, int bits) { needs[image] = static_cast<std::uint8_t>(needs[image] | bits); };
  if (task.kind == Task::Kind::output) {
    const PipelineOutput& output = pipeline.output(task.index);
    const bool in_parts = !out_parts.empty() && out_parts[static_cast<std::size_t>(task.index)];
    add(output.image, pixels | (output.kind == OutputKind::fetch ? fetch : 0) |
                          (output.kind == OutputKind::reduce ? compute : 0) | (in_parts ? tiles : 0));
    return;
  }
  const PipelineImage& image = pipeline.image(task.index);
  if (!image.op) return;
  const bool has_neighbourhood = !image.op->halo().empty();
  const bool reads_halo =
      has_neighbourhood || depths.first_filled(task.index);  // the latter to compute beyond its tile
  const bool wraps = has_neighbourhood && image.op->border() == Border::wrap;
  const bool may_be_everywhere = !everywhere.empty() && everywhere[static_cast<std::size_t>(task.index)];
  for (const int input : image.inputs) {
    add(input, pixels | compute | (reads_halo ? halo : 0) | (wraps ? wrap : 0) | (may_be_everywhere ? replicas : 0));
  }
}

std::uint8_t FutureNeeds::useful(std::uint8_t held, std::size_t task, std::size_t image) const {
  const std::uint8_t needs = needs_[task * images_ + image];
  if (!(needs & pixels)) return 0;
  int kept = held;
  if (!(needs & (compute | tiles)) && (held & place::on_root)) kept &= place::on_root | place::replicated;
  if (!(needs & halo)) kept &= ~place::haloed;
  if (!(needs & wrap)) kept &= ~place::cyclic;
  const bool other_place = (kept & place::tiled) || !(needs & compute);
  if (!(needs & (fetch | replicas)) && other_place) kept &= ~place::replicated;
  if (!(kept & place::tiled)) kept &= ~place::second;
  return static_cast<std::uint8_t>(kept);
}

}  // namespace tilewright
