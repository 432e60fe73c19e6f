// A state of the transition graph: where every image is, and how the current task is to be done.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include "placement.hpp"

namespace tilewright {

/// How the current task is to be done; transfers for it have begun.
enum class TaskMode : char { open, root, tiles, second_tiles, everywhere };

/// Whether the inputs are needed as whole images, on one rank or on all.
[[nodiscard]] constexpr bool works_on_whole(TaskMode mode) {
  return mode == TaskMode::root || mode == TaskMode::everywhere;
}

/// How a task is done on the tiles of that grid.
[[nodiscard]] constexpr TaskMode mode_on(int grid) {
  return grid == 0 ? TaskMode::tiles : TaskMode::second_tiles;
}

/// The bit of a place (placement.hpp) that tells tiles of that grid.
[[nodiscard]] constexpr int on_grid(int grid) {
  return grid == 0 ? 0 : place::second;
}

/// The grid of the tiles of an image that is held in these places.
[[nodiscard]] constexpr int grid_of(int held) {
  return (held & place::second) != 0 ? 1 : 0;
}

/// Of each image its places (placement.hpp) and the depth of the halo of its tiles (HaloDepths), and the mode of the
/// current task. Kept as a string, for states are copied, compared and hashed by the hundred thousand.
class GraphState {
 public:
  /// No image is anywhere, and the task is open.
  explicit GraphState(std::size_t images) : bytes_(2 * images + 1, '\0') {}

  [[nodiscard]] std::size_t images() const { return bytes_.size() / 2; }
  [[nodiscard]] std::uint8_t places(int image) const { return static_cast<std::uint8_t>(bytes_[index(image)]); }
  [[nodiscard]] int depth(int image) const { return bytes_[images() + index(image)]; }
  [[nodiscard]] TaskMode mode() const { return static_cast<TaskMode>(bytes_.back()); }

  void set_places(int image, int places) { bytes_[index(image)] = static_cast<char>(places); }
  void set_depth(int image, int depth) { bytes_[images() + index(image)] = static_cast<char>(depth); }
  void set_mode(TaskMode mode) { bytes_.back() = static_cast<char>(mode); }

  [[nodiscard]] bool any_tiled() const {
    const auto end = bytes_.begin() + static_cast<std::ptrdiff_t>(images());
    return std::any_of(bytes_.begin(), end, [](char held) { return (held & place::tiled) != 0; });
  }

  bool operator==(const GraphState&) const = default;

  struct Hash {
    std::size_t operator()(const GraphState& state) const { return std::hash<std::string>()(state.bytes_); }
  };

 private:
  static std::size_t index(int image) { return static_cast<std::size_t>(image); }

  std::string bytes_;
};

}  // namespace tilewright
