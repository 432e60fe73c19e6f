#include "tilewright/model/thread_losses.hpp"

#include <algorithm>
#include <iterator>

#include "line.hpp"

namespace tilewright {

void ThreadLosses::add(const std::string& key, PixelType type, double parameter, double tile_pixels, int threads,
                       double seconds_a_unit) {
  losses_[{key, type}][threads][parameter][tile_pixels] = seconds_a_unit * tile_pixels;
}

/// Of a unit.
double ThreadLosses::at_size(const BySize& losses, double pixels) {
  const auto above = losses.lower_bound(pixels);
  if (above == losses.end()) {
    const auto& [largest, loss] = *losses.rbegin();
    return loss / largest;
  }
  if (above == losses.begin()) return std::max(0.0, above->second) / pixels;
  const auto below = std::prev(above);
  return on_line(pixels, below->first, below->second, above->first, above->second) / pixels;
}

double ThreadLosses::at_parameter(const ByParameter& losses, double parameter, double pixels) {
  const auto above = losses.lower_bound(parameter);
  if (above == losses.end()) return at_size(losses.rbegin()->second, pixels);
  if (above == losses.begin()) return at_size(above->second, pixels);
  const auto below = std::prev(above);
  return on_line(parameter, below->first, at_size(below->second, pixels), above->first, at_size(above->second, pixels));
}

std::optional<double> ThreadLosses::seconds(const std::string& key, PixelType type, double parameter,
                                            double tile_pixels, int threads) const {
  const auto kind = losses_.find({key, type});
  if (kind == losses_.end()) return std::nullopt;
  const ByThreads& by_threads = kind->second;
  const auto loss_of_all = [&](const auto& measured) {
    return measured->first * at_parameter(measured->second, parameter, tile_pixels);
  };
  const auto above = by_threads.lower_bound(threads);
  if (above == by_threads.end()) return loss_of_all(std::prev(above)) / threads;
  const bool is_first = above == by_threads.begin();
  const auto below = is_first ? above : std::prev(above);
  const double sum = on_line(threads, is_first ? 1 : below->first, is_first ? 0 : loss_of_all(below), above->first,
                             loss_of_all(above));
  return sum / threads;
}

}  // namespace tilewright
