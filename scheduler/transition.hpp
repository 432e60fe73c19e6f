// What an edge of the transition graph stands for.
#pragma once

#include <compare>
#include <cstdint>
#include <initializer_list>
#include <optional>

#include "tilewright/core/message.hpp"
#include "tilewright/model/plan.hpp"

namespace tilewright {

/// A transition, without its cost. Equal transitions on different edges share one entry of the cost table.
struct Transition {
  enum class Kind : std::uint8_t {
    none,  ///< nothing to do: what an output asks for is in place, or an image stays in its file until it is needed
    read,
    read_tiles,  ///< each rank its tile, out of a file that all see
    write,
    write_tiles,  ///< each rank its tile, into a file that all see
    scatter,
    gather,
    broadcast,  ///< the whole image to every rank, on its way to the tiles
    deliver,    ///< the whole image to every rank, for the program that fetches it
    allgather,  ///< its tiles to every rank, the root included, which has the whole image then
    exchange,
    redistribute,  ///< its tiles on one grid to those of the other
    extract,       ///< a tile with its halo out of a replicated image; local
    compute_root,
    compute_tiles,
    compute_everywhere,  ///< each rank the whole image, out of whole ones that all have
    reduce_root,
    reduce_tiles,
  } kind = Kind::none;
  int subject = -1;  ///< image, or output for writes and reductions
  std::optional<Algorithm> algorithm = {};
  bool cyclic = false;
  /// Of the subject's tiles, an index into its HaloDepths: how they are stored, where the transition makes or moves
  /// them.
  int depth = 0;
  /// scatter, read_tiles, compute_tiles: pixels come to the whole halo, as far as it is inside the image.
  bool filled = false;
  int grid = 0;        ///< of the tiles: 0, or 1 for the second one; of a redistribution, that they come to
  int meanwhile = -1;  ///< exchange: it passes while this image is computed, as far as that needs none of it
  auto operator<=>(const Transition&) const = default;
};

/// Whether it is a transfer of an image.
[[nodiscard]] bool moves_pixels(const Transition& transition);
/// Whether an operator works in it, wherever that is.
[[nodiscard]] bool computes(Transition::Kind kind);
/// An operator's work at that site, and where that is.
[[nodiscard]] Transition::Kind kind_of_computing(Site site);
[[nodiscard]] Site site_of_computing(Transition::Kind kind);
/// Whether it is a reduction, on the root or on the tiles.
[[nodiscard]] bool reduces(const Transition& transition);
/// Whether ranks send small messages in it: partial results, or notices of a file that they write together.
[[nodiscard]] inline bool has_small_messages(const Transition& transition) {
  return reduces(transition) || transition.kind == Transition::Kind::write_tiles;
}
/// Whether ranks send anything in it.
[[nodiscard]] inline bool has_messages(const Transition& transition) {
  return moves_pixels(transition) || has_small_messages(transition);
}

/// The kind of the plan's step that the transition becomes. Throws InternalError for one that is no step of its own.
[[nodiscard]] StepKind step_kind(Transition::Kind kind);

/// Kinds of transitions of which a path has to hold one; without any, it may be any path.
class Via {
 public:
  Via() = default;
  Via(std::initializer_list<Transition::Kind> kinds) {
    for (const Transition::Kind kind : kinds) bits_ |= bit(kind);
  }
  [[nodiscard]] bool is_any() const { return bits_ == 0; }
  [[nodiscard]] bool contains(Transition::Kind kind) const { return (bits_ & bit(kind)) != 0; }
  auto operator<=>(const Via&) const = default;

 private:
  [[nodiscard]] static std::uint32_t bit(Transition::Kind kind) { return 1U << static_cast<unsigned>(kind); }
  std::uint32_t bits_ = 0;
};

/// An operator for which all ranks work.
inline const Via via_all_ranks{Transition::Kind::compute_tiles, Transition::Kind::compute_everywhere};

}  // namespace tilewright
