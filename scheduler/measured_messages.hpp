// How far the measurements of messages reach, and what of a plan's messages lies beyond.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "tilewright/model/machine_profile.hpp"

namespace tilewright {

/// Of numbers that were measured.
struct Range {
  double least = 0;
  double most = 0;
};

void add_to(std::optional<Range>& range, double value);

/// How many times as far as what was measured something may be, where a cost hardly changes: sizes of tiles, lengths of
/// blocks, and how far they lie apart.
inline constexpr double tolerated_factor = 2;

/// Notes on cells that prices want (CostModel::wanted_cells()) from beyond those of a profile: of sizes, path by path;
/// of blocks, those that are farthest off.
class BeyondMeasured {
 public:
  explicit BeyondMeasured(const MachineProfile& profile);
  void add(const PathCell& wanted);
  /// One line for each; none twice.
  [[nodiscard]] std::vector<std::string> notes() const;

 private:
  /// Of one row: messages by their size alone, or in blocks that were varied.
  struct Row {
    std::optional<Range> bytes = {};
    std::optional<Range> block_bytes = {};
    double far_stride_bytes = 0;  ///< the widest that is no multiple of the block; 0: none
  };
  /// How many times as far as measured, and what was wanted and measured, in words.
  struct Excess {
    double factor = 0;
    std::string words = {};
  };
  using Key = std::tuple<Path, Layout, Packing, bool, bool>;
  [[nodiscard]] static Key key_of(const PathCell& cell);
  void add_blocks(const PathCell& wanted, const Row& row);

  std::map<Key, Row> rows_;
  std::map<std::string, Excess> sizes_;  ///< by path, in words
  Excess strided_;
  Excess lengths_;
  Excess strides_;
};

}  // namespace tilewright
