// Where the pixels of an image are, and which of that still matters.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "halo_depths.hpp"
#include "tilewright/pipeline/pipeline.hpp"

namespace tilewright {

/// Where valid pixels of an image are; several may hold at a time.
namespace place {
inline constexpr std::uint8_t on_root = 1;
inline constexpr std::uint8_t tiled = 2;
inline constexpr std::uint8_t haloed = 4;       ///< the tile's whole halo inside the image is filled
inline constexpr std::uint8_t cyclic = 8;       ///< and the one across the image's edges
inline constexpr std::uint8_t replicated = 16;  ///< whole on every rank, the root included
inline constexpr std::uint8_t second = 32;      ///< its tiles are those of the second grid
/// Left, and not to be come to again: pixels stay in a place until the last use that is made of them there.
inline constexpr std::uint8_t left_whole = 64;
inline constexpr std::uint8_t left_tiles = 128;
}  // namespace place

/// What the tasks of a pipeline still need of each image.
class FutureNeeds {
 public:
  /// `out_parts`: by output, whether ranks can write their tiles to it; empty: to none. `everywhere`: by image, whether
  /// every rank may compute it for itself; empty: none.
  FutureNeeds(const Pipeline& pipeline, const HaloDepths& depths, const std::vector<bool>& out_parts,
              const std::vector<bool>& everywhere = {});

  /// Drops of the places `held` by an image what makes no difference from task `task` on, so that equivalent states are
  /// one: everything of an image without further use, halos that no operator reads, tiles beside a root's copy that
  /// only the root's write reads, and replicas beside tiles, unless an operator may work everywhere on them.
  [[nodiscard]] std::uint8_t useful(std::uint8_t held, std::size_t task, std::size_t image) const;

 private:
  void add_task(const Pipeline& pipeline, const HaloDepths& depths, const std::vector<bool>& out_parts,
                const std::vector<bool>& everywhere, const Task& task, std::uint8_t* needs) const;

  std::size_t images_;
  std::vector<std::uint8_t> needs_;  // by task and image: bits for what this task and later ones need
};

}  // namespace tilewright
