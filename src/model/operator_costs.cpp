#include "tilewright/model/operator_costs.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <tuple>

#include "line.hpp"

namespace tilewright {

OperatorCosts::OperatorCosts(const std::vector<OperatorCell>& cells) {
  make_rows(cells);
  find_thread_losses(cells);
}

/// A unit at one parameter: cells differ in pixels, and in ranks. Of cells of one size that with one rank at work
/// counts if `ranks` is 1, that with the most otherwise.
double OperatorCosts::seconds_at(const Point& point, double pixels, double log_pixels, int ranks) const {
  const TimeOfSize* const last = times_.data() + point.last;
  const TimeOfSize* low = nullptr;
  for (const TimeOfSize* cell = times_.data() + point.first; cell != last;) {
    const TimeOfSize* of_size = cell;
    for (; cell != last && cell->pixels == of_size->pixels; ++cell) {
      if (ranks > 1) of_size = cell;  // cells with more ranks follow
    }
    if (pixels <= of_size->pixels) {
      return low == nullptr ? of_size->seconds
                            : on_line(log_pixels, low->log_pixels, low->seconds, of_size->log_pixels, of_size->seconds);
    }
    low = of_size;
  }
  return low->seconds;
}

std::optional<double> OperatorCosts::seconds(const std::string& key, PixelType type, double parameter,
                                             double tile_pixels, int ranks, int threads) const {
  const auto seconds = seconds_of_one_thread(key, type, parameter, tile_pixels, ranks);
  if (!seconds || threads == 1) return seconds;
  const double loss = relative_loss(key, type, parameter, tile_pixels, threads);
  // Less than half of an even share is no gain of theirs: the measurements are of different minutes.
  return *seconds * std::max(0.5 / threads, 1.0 / threads + loss);
}

/// Of a unit, over what one thread of one rank takes for it.
double OperatorCosts::relative_loss(const std::string& key, PixelType type, double parameter, double tile_pixels,
                                    int threads) const {
  for (const PixelType measured : {type, PixelType::f32}) {
    const auto loss = thread_losses_.seconds(key, measured, parameter, tile_pixels, threads);
    if (!loss) continue;
    const auto alone = seconds_of_one_thread(key, measured, parameter, tile_pixels, 1);
    return alone && *alone > 0 ? *loss / *alone : 0;
  }
  return 0;
}

void OperatorCosts::make_rows(const std::vector<OperatorCell>& cells) {
  for (const OperatorCell& cell : cells) {
    if (cell.threads != 1) continue;
    const std::size_t i = times_.size();
    times_.push_back({cell.tile_pixels, std::log(cell.tile_pixels), cell.time_per_unit.seconds});
    const bool is_known = !rows_.empty() && rows_.back().key == cell.key && rows_.back().type == cell.type;
    if (!is_known) rows_.push_back({cell.key, cell.type, {}});
    std::vector<Point>& points = rows_.back().points;
    if (points.empty() || points.back().parameter != cell.parameter) points.push_back({cell.parameter, i, i});
    points.back().last = i + 1;
  }
  for (Row& row : rows_) add_larger_sizes(row.points);
  std::ranges::sort(rows_, {}, [](const Row& row) { return std::tie(row.type, row.key); });
}

/// A calibration has no time for some parameters' largest tiles: those take what lies between the next lower and the
/// next higher parameter of which they were measured.
void OperatorCosts::add_larger_sizes(std::vector<Point>& points) {
  const auto largest = [&](const Point& point) { return times_[point.last - 1].pixels; };
  const std::vector<Point> measured = points;
  for (std::size_t i = 1; i + 1 < points.size(); ++i) {
    const auto reaches_further = [&](const Point& point) { return largest(point) > largest(measured[i]); };
    const auto here = measured.begin() + static_cast<std::ptrdiff_t>(i);
    const auto low = std::find_if(std::make_reverse_iterator(here), measured.rend(), reaches_further);
    const auto high = std::find_if(here + 1, measured.end(), reaches_further);
    if (low == measured.rend() || high == measured.end()) continue;
    const double pixels = std::min(largest(*low), largest(*high));
    const double log_pixels = std::log(pixels);
    const auto begin = times_.begin();
    std::vector<TimeOfSize> sizes(begin + static_cast<std::ptrdiff_t>(here->first),
                                  begin + static_cast<std::ptrdiff_t>(here->last));
    for (const int ranks : {1, 2}) {  // alone, and with others: in the order of cells
      const auto at = [&](const Point& point) { return seconds_at(point, pixels, log_pixels, ranks); };
      sizes.push_back(
          {pixels, log_pixels, on_line(here->parameter, low->parameter, at(*low), high->parameter, at(*high))});
    }
    points[i].first = times_.size();
    times_.insert(times_.end(), sizes.begin(), sizes.end());
    points[i].last = times_.size();
  }
}

void OperatorCosts::find_thread_losses(const std::vector<OperatorCell>& cells) {
  for (const OperatorCell& cell : cells) {
    if (cell.threads == 1) continue;
    const auto alone = seconds_of_one_thread(cell.key, cell.type, cell.parameter, cell.tile_pixels, cell.ranks);
    if (!alone) continue;
    thread_losses_.add(cell.key, cell.type, cell.parameter, cell.tile_pixels, cell.threads,
                       cell.time_per_unit.seconds - *alone / cell.threads);
  }
}

std::optional<double> OperatorCosts::seconds_of_one_thread(const std::string& key, PixelType type, double parameter,
                                                           double tile_pixels, int ranks) const {
  const auto row = std::lower_bound(
      rows_.begin(), rows_.end(), std::tie(type, key),
      [](const Row& candidate, const auto& wanted) { return std::tie(candidate.type, candidate.key) < wanted; });
  if (row == rows_.end() || row->key != key || row->type != type) return std::nullopt;
  const double log_pixels = std::log(tile_pixels);
  const auto at = [&](const Point& point) { return seconds_at(point, tile_pixels, log_pixels, ranks); };
  const std::vector<Point>& points = row->points;
  if (points.size() == 1) return at(points.front());
  // The first one that is not below the wanted one, and that before it; the outermost two beyond what was measured.
  const auto not_below = std::find_if(points.begin() + 1, points.end() - 1,
                                      [&](const Point& point) { return parameter <= point.parameter; });
  const Point& low = *(not_below - 1);
  const Point& high = *not_below;
  const double at_low = at(low);
  const double at_high = at(high);
  // Beyond what was measured a line through two cells that err can lead anywhere; not to nothing.
  return std::max(0.5 * std::min(at_low, at_high), on_line(parameter, low.parameter, at_low, high.parameter, at_high));
}

}  // namespace tilewright
