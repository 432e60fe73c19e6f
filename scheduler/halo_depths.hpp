// How deep the halos of tiles may be: what the search chooses from.
#pragma once

#include <optional>
#include <vector>

#include "tilewright/pipeline/pipeline.hpp"

namespace tilewright {

/// So many generations of readers may live on one halo.
inline constexpr int most_generations = 16;

/// The depths of halo that are worth trying, by image. The first is what its readers need of it. Each further one lets
/// one generation more of readers compute beyond their tiles, so that their readers in turn find a halo without any
/// exchange: along a chain of filters, depths add up. Images that one operator makes are computed on one area, so they
/// have their deeper depths in common.
class HaloDepths {
 public:
  /// With no generation, the readers' needs alone.
  HaloDepths(const Pipeline& pipeline, int generations);

  /// The halos with which the image's tiles can be stored, at least one; each covers those before.
  [[nodiscard]] const std::vector<Halo>& of(int image) const { return depths_[static_cast<std::size_t>(image)]; }
  /// The first depth to which tiles can have their halo filled as soon as they exist: sent along by a scatter, or
  /// computed. None where that is of no use: if nobody reads a halo, or only operators that wrap, which want pixels of
  /// the other side.
  [[nodiscard]] std::optional<int> first_filled(int image) const {
    return first_filled_[static_cast<std::size_t>(image)];
  }
  /// Whether a reader of the image, or of one made together with it, would have it exchanged.
  [[nodiscard]] bool is_exchanged(int image) const { return is_exchanged_[static_cast<std::size_t>(image)]; }

 private:
  using Readers = std::vector<std::vector<int>>;  // by image
  void find_needs_of_readers(const Pipeline& pipeline, const Readers& readers, bool may_be_filled);
  void add_generation(const Pipeline& pipeline, const Readers& readers, bool is_first);

  std::vector<std::vector<Halo>> depths_;
  std::vector<std::optional<int>> first_filled_;
  std::vector<bool> is_exchanged_;
};

}  // namespace tilewright
