#include "placements.hpp"

#include <fmt/format.h>

#include "tilewright/core/error.hpp"
#include "words.hpp"

namespace tilewright {

namespace {

/// Whether the step takes the tiles of its image. What a computation takes, a plan does not say.
bool takes_tiles(const PlanStep& step) {
  switch (step.kind) {
    case StepKind::gather:
    case StepKind::allgather:
    case StepKind::exchange:
      return true;
    case StepKind::reduce:
    case StepKind::write:
      return step.site == Site::tiles;
    case StepKind::compute:
    case StepKind::read:
    case StepKind::scatter:
    case StepKind::broadcast:
    case StepKind::redistribute:
      return false;
  }
  throw InternalError("takes_tiles: unknown step kind");
}

}  // namespace

void Placements::place(const PlanStep& step) {
  Image& image = images_[step.image];
  const ProcessGrid grid = grid_of(plan_, step);
  const auto put_tiles = [&](Image& tiled, const Halo& valid) {
    tiled.tiled = true;
    tiled.grid = grid;
    tiled.valid = valid;
  };
  if (takes_tiles(step) && image.replicated && !image.tiled) {  // cut out of what each rank has
    put_tiles(image, plan_.images[static_cast<std::size_t>(step.image)].storage_halo);
  }
  switch (step.kind) {
    case StepKind::read:
    case StepKind::compute:
      for (int made = step.image; made < step.image + step.results; ++made) {
        switch (step.site) {
          case Site::root:
            images_[made].on_root = step.bands == 1;
            break;
          case Site::tiles:
            put_tiles(images_[made], step.kind == StepKind::read ? step.exchanged : step.margin);
            break;
          case Site::everywhere:
            images_[made].replicated = true;
            break;
        }
      }
      break;
    case StepKind::scatter:
    case StepKind::redistribute:
      put_tiles(image, step.exchanged);
      break;
    case StepKind::gather:
      image.on_root = true;
      break;
    case StepKind::broadcast:
    case StepKind::allgather:
      image.replicated = true;
      break;
    case StepKind::exchange:
      image.valid = united(image.valid, step.exchanged);
      break;
    case StepKind::write:
      delivered_.emplace(step.image, true);
      break;
    case StepKind::reduce:
      delivered_.emplace(step.image, false);
      break;
  }
}

void Placements::follow(const PlanStep& step) {
  place(step);
  for (const Release& release : step.releases) {
    Image& image = images_[release.image];
    if (release.whole) {
      image.on_root = false;
      image.replicated = false;
    } else {
      image.tiled = false;
    }
  }
}

std::vector<std::string> Placements::lines() const {
  std::vector<std::string> lines;
  for (const auto& [index, image] : images_) {
    const std::string name = image_name(plan_, index);
    if (image.replicated) lines.push_back(name + " replicated");
    if (image.on_root && !image.replicated) lines.push_back(name + " on root");
    if (image.tiled) {
      const std::string halo =
          image.valid.empty() ? "" : fmt::format(", halo {}x{} valid", image.valid.x, image.valid.y);
      lines.push_back(fmt::format("{} tiled {}{}", name, to_string(image.grid), halo));
    }
  }
  for (const auto& [index, in_file] : delivered_) {
    lines.push_back(image_name(plan_, index) + (in_file ? " in file" : " reduced"));
  }
  return lines;
}

}  // namespace tilewright
