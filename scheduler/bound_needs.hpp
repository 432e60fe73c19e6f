// What each task of a pipeline needs at least, in which ways: the table from which a lower bound is made (Relaxation).
//
// A transfer is charged to one operator only: images of the root to the first one that reads them, borders to the first
// one that needs them, results to the one that makes them. A new way to get an image or its border is a new entry of
// the ways here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "halo_depths.hpp"
#include "offer.hpp"
#include "tilewright/pipeline/pipeline.hpp"
#include "transition.hpp"

namespace tilewright {

/// What a bound counts; each includes those before.
enum class Counted : std::uint8_t {
  work,           ///< of operators and files; whatever is sent comes about for nothing
  results,        ///< besides, what goes to the root and to the program: the same however deep halos are
  distributions,  ///< besides, the tiles of the root's images
  borders,        ///< all
};

/// A value. Transitions stand for all that cost the same.
struct BoundNeeds {
  /// Transitions that are all made.
  using Way = std::vector<Transition>;

  /// A file that is read or written by the root, or in one of these ways by each rank for its tile.
  struct FileAccesses {
    Transition on_root;
    std::vector<Way> on_tiles;
    bool operator==(const FileAccesses&) const = default;
  };

  /// Something that has to come about in one of these ways.
  struct Need {
    Counted counted = Counted::work;  ///< in bounds that count at least this
    StepKind term = StepKind::read;   ///< as which it counts; scatter for whatever brings whole images somewhere
    std::vector<Way> ways;
    std::vector<FileAccesses> or_on_tiles = {};  ///< else all of these are made on tiles, for what that takes beyond
                                                 ///< what is charged for the files
    /// Of what is gathered to be fetched: after `ways` one of these, or all at once, for what that takes beyond what is
    /// charged for the delivery.
    std::vector<Way> then_delivered = {};
    Way or_at_once = {};
    bool operator==(const Need&) const = default;
  };

  /// An operator, with what comes with it on the tiles, by index into of_tiles.
  struct OperatorTask {
    int image = 0;
    std::vector<std::size_t> inputs;   ///< tiles and halos of what it reads
    std::vector<std::size_t> results;  ///< what it makes, on the root
    bool may_be_everywhere = false;
    std::vector<std::size_t> anyhow = {};      ///< of those, what comes with it also where another works everywhere
    std::vector<std::size_t> deliveries = {};  ///< of what it makes and is fetched, by index into outputs
  };

  std::vector<OperatorTask> operators;
  std::vector<Need> of_tiles;  ///< each once, however many images are alike
  std::vector<Need> reads;
  std::vector<Need> outputs;
  std::vector<bool> is_delivered_result;  ///< by output: whether it is fetched, and an operator makes it
  std::optional<Need> replication;        ///< none if no operator may work everywhere, or where it is charged anyway
  bool may_be_everywhere = false;         ///< some operator
  bool has_tiled_sources = false;         ///< then all operators may work on the root
  std::set<int> redistributed;            ///< images whose tiles may change their grid: one of those that are alike
};

/// Of plans in which so many generations of readers may live on one halo, with these transitions to choose from.
/// `alone`: images whose transfers are not taken to cost what those of others do (SearchSpace::counted).
[[nodiscard]] BoundNeeds bound_needs(const Pipeline& pipeline, int generations, const Offer& offer,
                                     const std::map<int, double>& alone = {});

}  // namespace tilewright
