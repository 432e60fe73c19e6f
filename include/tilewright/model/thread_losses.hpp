// What the threads of a rank lose when they share the work on a tile.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>

#include "tilewright/core/pixel.hpp"

namespace tilewright {

/// By as much a unit of work takes longer than an even share of what one thread alone would take. Waking the threads
/// costs something a tile; the memory that they share, something a pixel. So the loss on a tile is taken as linear in
/// its pixels between the sizes that were measured, as constant below the smallest, and as proportional beyond the
/// largest. Between two parameters the loss a unit is linear, beyond them constant. Between two numbers of threads the
/// sum of what all threads lose is linear (one thread loses nothing), and beyond the largest number constant: time
/// times threads then grows no more.
class ThreadLosses {
 public:
  void add(const std::string& key, PixelType type, double parameter, double tile_pixels, int threads,
           double seconds_a_unit);

  /// Seconds a unit; none if nothing of the key and type was measured.
  [[nodiscard]] std::optional<double> seconds(const std::string& key, PixelType type, double parameter,
                                              double tile_pixels, int threads) const;

  bool operator==(const ThreadLosses&) const = default;

 private:
  using BySize = std::map<double, double>;       ///< by pixels: the loss a unit, times the pixels
  using ByParameter = std::map<double, BySize>;  ///< with one number of threads
  using ByThreads = std::map<int, ByParameter>;  ///< of one kind of work
  using Kind = std::pair<std::string, PixelType>;

  [[nodiscard]] static double at_size(const BySize& losses, double pixels);
  [[nodiscard]] static double at_parameter(const ByParameter& losses, double parameter, double pixels);

  std::map<Kind, ByThreads> losses_;
};

}  // namespace tilewright
