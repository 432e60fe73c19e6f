#include "tilewright/model/machine_profile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <set>
#include <tuple>
#include <utility>

#include "tilewright/model/cell_names.hpp"

namespace tilewright {
namespace {

auto order_of(const PathCell& cell) {
  return std::tuple(cell.within_node, cell.path, cell.layout, cell.bytes, cell.packing, cell.block_bytes,
                    cell.stride_bytes);
}
auto order_of(const OperatorCell& cell) {
  return std::tie(cell.key, cell.type, cell.parameter, cell.tile_pixels, cell.ranks, cell.threads);
}

template <class Cell>
void check_time(const Estimate& time, const Cell& cell) {
  if (!std::isfinite(time.seconds) || time.seconds < 0) {
    throw ParameterError(
        fmt::format("machine profile: cell {} has the impossible time {} s", cell_name(cell), time.seconds));
  }
}

template <class Cell>
void sort_and_check(std::vector<Cell>& cells) {
  std::sort(cells.begin(), cells.end(), [](const Cell& a, const Cell& b) { return order_of(a) < order_of(b); });
  const auto twin = std::adjacent_find(cells.begin(), cells.end(),
                                       [](const Cell& a, const Cell& b) { return order_of(a) == order_of(b); });
  if (twin != cells.end()) {
    throw ParameterError(fmt::format("machine profile: cell {} is given twice", cell_name(*twin)));
  }
}

/// Linear between (x0, y0) and (x1, y1), and beyond.
double line(double x, double x0, double y0, double x1, double y1) {
  return y0 + (x - x0) * (y1 - y0) / (x1 - x0);
}

}  // namespace

MachineProfile::MachineProfile(std::string name, Fingerprint fingerprint, std::vector<PathCell> paths,
                               std::vector<OperatorCell> operators)
    : name_(std::move(name)),
      fingerprint_(std::move(fingerprint)),
      paths_(std::move(paths)),
      operators_(std::move(operators)) {
  sort_and_check(paths_);
  sort_and_check(operators_);
  for (const PathCell& cell : paths_) {
    check_time(cell.time, cell);
    if (cell.bytes < 0 || cell.block_bytes < 0 || cell.stride_bytes < 0)
      throw ParameterError(fmt::format("machine profile: cell {} has a negative size", cell_name(cell)));
  }
  for (const OperatorCell& cell : operators_) {
    check_time(cell.time_per_unit, cell);
    if (cell.ranks < 1) throw ParameterError(fmt::format("machine profile: cell {} has no rank", cell_name(cell)));
    if (cell.threads < 1) throw ParameterError(fmt::format("machine profile: cell {} has no thread", cell_name(cell)));
  }
  make_rows();
  make_stride_costs();
  make_operator_rows();
  find_thread_losses();
  node_speeds_ = node_speeds_of(operators_);
}

namespace {

/// So many samples have a spread of some meaning, of which the typical one is made.
constexpr std::int64_t fewest_with_spread = 3;
/// As many tell enough of their own.
constexpr std::int64_t samples_enough = 5;

const Estimate& time_of(const PathCell& cell) {
  return cell.time;
}
const Estimate& time_of(const OperatorCell& cell) {
  return cell.time_per_unit;
}

template <class Cell, class IsOfKind>
double typical_relative_spread(const std::vector<Cell>& cells, IsOfKind&& is_of_kind) {
  std::vector<double> spreads;
  for (const Cell& cell : cells) {
    if (!is_of_kind(cell)) continue;
    const Estimate& time = time_of(cell);
    if (time.samples >= fewest_with_spread && time.seconds > 0) spreads.push_back(time.spread_s / time.seconds);
  }
  if (spreads.empty()) return 0;
  const auto middle = spreads.begin() + static_cast<std::ptrdiff_t>(spreads.size() / 2);
  std::nth_element(spreads.begin(), middle, spreads.end());
  return *middle;
}

/// Of a normal distribution: half the interquartile range is 0.6745 standard deviations, and the standard error of the
/// median 1.2533 standard deviations over the root of the number of samples.
constexpr double median_error_over_spread = 1.2533 / 0.6745;

double standard_error(const Estimate& time, double typical_spread) {
  if (time.samples == 0) return 0;
  const bool tells_its_spread = time.samples >= samples_enough;
  const double spread_s = tells_its_spread ? time.spread_s : std::max(time.spread_s, typical_spread * time.seconds);
  return median_error_over_spread * spread_s / std::sqrt(static_cast<double>(time.samples));
}

}  // namespace

double MachineProfile::standard_error_s(const PathCell& cell) const {
  return standard_error(cell.time, cell.within_node ? typical_relative_spread_within_nodes_ : typical_relative_spread_);
}

double MachineProfile::standard_error_s(const OperatorCell& cell) const {
  return standard_error(cell.time_per_unit, typical_relative_operator_spread_);
}

MachineProfile MachineProfile::slower_by_errors_of(Path path) const {
  std::vector<PathCell> slower = paths_;
  for (PathCell& cell : slower) {
    if (cell.path == path) cell.time.seconds += standard_error_s(cell);
  }
  return {name_, fingerprint_, std::move(slower), operators_};
}

MachineProfile MachineProfile::slower_by_errors_of(const std::string& key) const {
  std::vector<OperatorCell> slower = operators_;
  for (OperatorCell& cell : slower) {
    if (cell.key == key) cell.time_per_unit.seconds += standard_error_s(cell);
  }
  return {name_, fingerprint_, paths_, std::move(slower)};
}

std::optional<MachineProfile> MachineProfile::within_nodes() const {
  std::vector<PathCell> cells;
  for (const PathCell& cell : paths_) {
    if (cell.within_node) cells.emplace_back(cell).within_node = false;
  }
  if (cells.empty()) return std::nullopt;
  return MachineProfile(name_, fingerprint_, std::move(cells), operators_);
}

double MachineProfile::uncertainty_s(const Estimate& time) const {
  if (time.samples == 0 || time.samples >= samples_enough) return time.spread_s;
  const auto missing = static_cast<double>(1 + samples_enough - time.samples);
  return std::max(time.spread_s, missing * typical_relative_spread_ * time.seconds);
}

void MachineProfile::make_rows() {
  const auto is_within = [](const PathCell& cell) { return cell.within_node; };
  typical_relative_spread_ = typical_relative_spread(paths_, std::not_fn(is_within));
  typical_relative_spread_within_nodes_ = typical_relative_spread(paths_, is_within);
  typical_relative_operator_spread_ = typical_relative_spread(operators_, [](const OperatorCell&) { return true; });
  for (const PathCell& cell : paths_) {
    if (!cell.has_paper_blocks() || cell.within_node) continue;
    row(cell.path, cell.layout, cell.packing)
        .add({static_cast<double>(cell.bytes), cell.time.seconds, uncertainty_s(cell.time), cell.time.samples});
  }
  for (auto& of_path : rows_) {
    for (auto& of_layout : of_path) {
      for (PathRow& row : of_layout) row.settle();
    }
  }
}

/// Only long messages are measured in pieces: what consists of one piece was measured as packed by hand.
void MachineProfile::make_stride_costs() {
  std::set<std::pair<Path, Layout>> in_pieces;
  for (const PathCell& cell : paths_) {
    if (!cell.has_paper_blocks() && cell.packing == Packing::blocked) in_pieces.insert({cell.path, cell.layout});
  }
  for (const PathCell& cell : paths_) {
    const Packing whole = travels_as(cell.packing);
    if (cell.has_paper_blocks() || cell.within_node || !has(cell.path, Layout::cc, whole)) continue;
    const auto bytes = static_cast<double>(cell.bytes);
    const PathRow& row_of_whole = row(cell.path, Layout::cc, whole);
    const double contiguous = row_of_whole.seconds(bytes);
    // Packing by hand only adds work. A difference within the uncertainty is none: taken a byte, it would grow with the
    // size. One that makes strided data the faster ones needs more to be believed.
    Estimate slower = cell.time;
    slower.seconds = std::max(slower.seconds, contiguous);
    const double uncertainty = std::hypot(uncertainty_s(slower), row_of_whole.uncertainty_s(bytes));
    double extra_s = cell.time.seconds - contiguous;
    const bool is_gain = extra_s < 0;
    if (std::abs(extra_s) <= (is_gain ? 2 : 1) * uncertainty || (is_gain && cell.packing != Packing::datatype)) {
      extra_s = 0;
    }
    const BlockShape shape{cell.bytes, cell.block_bytes, cell.stride_bytes};
    stride_costs_.add({cell.path, cell.layout, cell.packing}, shape, extra_s);
    const bool is_one_piece = cell.packing == Packing::manual && cell.bytes <= piece_bytes;
    if (is_one_piece && in_pieces.contains({cell.path, cell.layout})) {
      stride_costs_.add({cell.path, cell.layout, Packing::blocked}, shape, extra_s);
    }
  }
}

PathRow& MachineProfile::row(Path path, Layout layout, Packing packing) {
  return rows_[static_cast<std::size_t>(path)][static_cast<std::size_t>(layout)][static_cast<std::size_t>(packing)];
}

const PathRow& MachineProfile::row(Path path, Layout layout, Packing packing) const {
  return rows_[static_cast<std::size_t>(path)][static_cast<std::size_t>(layout)][static_cast<std::size_t>(packing)];
}

bool MachineProfile::has(Path path, Layout layout, Packing packing) const {
  return !row(path, layout, packing).empty();
}

double MachineProfile::path_seconds(Path path, Layout layout, double bytes, Packing packing) const {
  const PathRow& row = this->row(path, layout, packing);
  if (row.empty()) {
    throw ParameterError(
        fmt::format("machine '{}' has no measurement of path {} with layout {}: calibrate it with 2 "
                    "ranks or more",
                    name_, to_string(path), to_string(layout)));
  }
  return row.seconds(bytes);
}

/// A unit at one parameter: cells differ in pixels, and in ranks. Of cells of one size that with one rank at work
/// counts if `ranks` is 1, that with the most otherwise.
double MachineProfile::seconds_at(const CellsOfParameter& cells, double pixels, double log_pixels, int ranks) const {
  const TimeOfSize* const last = by_one_thread_.data() + cells.last;
  const TimeOfSize* low = nullptr;
  for (const TimeOfSize* cell = by_one_thread_.data() + cells.first; cell != last;) {
    const TimeOfSize* of_size = cell;
    for (; cell != last && cell->pixels == of_size->pixels; ++cell) {
      if (ranks > 1) of_size = cell;  // cells with more ranks follow
    }
    if (pixels <= of_size->pixels) {
      return low == nullptr ? of_size->seconds
                            : line(log_pixels, low->log_pixels, low->seconds, of_size->log_pixels, of_size->seconds);
    }
    low = of_size;
  }
  return low->seconds;
}

std::optional<double> MachineProfile::operator_seconds(const std::string& key, PixelType type, double parameter,
                                                       double tile_pixels, int ranks, int threads) const {
  auto seconds = seconds_of_one_thread(key, type, parameter, tile_pixels, ranks);
  if (!seconds || threads == 1) return seconds;
  const double loss = relative_loss(key, type, parameter, tile_pixels, threads);
  // Less than half of an even share is no gain of theirs: the measurements are of different minutes.
  return *seconds * std::max(0.5 / threads, 1.0 / threads + loss);
}

/// Of a unit, over what one thread of one rank takes for it.
double MachineProfile::relative_loss(const std::string& key, PixelType type, double parameter, double tile_pixels,
                                     int threads) const {
  for (const PixelType measured : {type, PixelType::f32}) {
    const auto loss = thread_losses_.seconds(key, measured, parameter, tile_pixels, threads);
    if (!loss) continue;
    const auto alone = seconds_of_one_thread(key, measured, parameter, tile_pixels, 1);
    return alone && *alone > 0 ? *loss / *alone : 0;
  }
  return 0;
}

void MachineProfile::make_operator_rows() {
  for (const OperatorCell& cell : operators_) {
    if (cell.threads != 1) continue;
    const std::size_t i = by_one_thread_.size();
    by_one_thread_.push_back({cell.tile_pixels, std::log(cell.tile_pixels), cell.time_per_unit.seconds});
    const bool is_known =
        !operator_rows_.empty() && operator_rows_.back().key == cell.key && operator_rows_.back().type == cell.type;
    if (!is_known) operator_rows_.push_back({cell.key, cell.type, {}});
    std::vector<CellsOfParameter>& points = operator_rows_.back().points;
    if (points.empty() || points.back().parameter != cell.parameter) points.push_back({cell.parameter, i, i});
    points.back().last = i + 1;
  }
  for (OperatorRow& row : operator_rows_) add_larger_sizes(row.points);
  std::ranges::sort(operator_rows_, {}, [](const OperatorRow& row) { return std::tie(row.type, row.key); });
}

/// A calibration has no time for some parameters' largest tiles: those take what lies between the next lower and the
/// next higher parameter of which they were measured.
void MachineProfile::add_larger_sizes(std::vector<CellsOfParameter>& points) {
  const auto largest = [&](const CellsOfParameter& point) { return by_one_thread_[point.last - 1].pixels; };
  const std::vector<CellsOfParameter> measured = points;
  for (std::size_t i = 1; i + 1 < points.size(); ++i) {
    const auto reaches_further = [&](const CellsOfParameter& point) { return largest(point) > largest(measured[i]); };
    const auto here = measured.begin() + static_cast<std::ptrdiff_t>(i);
    const auto low = std::find_if(std::make_reverse_iterator(here), measured.rend(), reaches_further);
    const auto high = std::find_if(here + 1, measured.end(), reaches_further);
    if (low == measured.rend() || high == measured.end()) continue;
    const double pixels = std::min(largest(*low), largest(*high));
    const double log_pixels = std::log(pixels);
    const auto begin = by_one_thread_.begin();
    std::vector<TimeOfSize> sizes(begin + static_cast<std::ptrdiff_t>(here->first),
                                  begin + static_cast<std::ptrdiff_t>(here->last));
    for (const int ranks : {1, 2}) {  // alone, and with others: in the order of cells
      const auto at = [&](const CellsOfParameter& point) { return seconds_at(point, pixels, log_pixels, ranks); };
      sizes.push_back(
          {pixels, log_pixels, line(here->parameter, low->parameter, at(*low), high->parameter, at(*high))});
    }
    points[i].first = by_one_thread_.size();
    by_one_thread_.insert(by_one_thread_.end(), sizes.begin(), sizes.end());
    points[i].last = by_one_thread_.size();
  }
}

void MachineProfile::find_thread_losses() {
  for (const OperatorCell& cell : operators_) {
    if (cell.threads == 1) continue;
    const auto alone = seconds_of_one_thread(cell.key, cell.type, cell.parameter, cell.tile_pixels, cell.ranks);
    if (!alone) continue;
    thread_losses_.add(cell.key, cell.type, cell.parameter, cell.tile_pixels, cell.threads,
                       cell.time_per_unit.seconds - *alone / cell.threads);
  }
}

std::optional<double> MachineProfile::seconds_of_one_thread(const std::string& key, PixelType type, double parameter,
                                                            double tile_pixels, int ranks) const {
  const auto row = std::lower_bound(operator_rows_.begin(), operator_rows_.end(), std::tie(type, key),
                                    [](const OperatorRow& candidate, const auto& wanted) {
                                      return std::tie(candidate.type, candidate.key) < wanted;
                                    });
  if (row == operator_rows_.end() || row->key != key || row->type != type) return std::nullopt;
  const double log_pixels = std::log(tile_pixels);
  const auto at = [&](const CellsOfParameter& point) { return seconds_at(point, tile_pixels, log_pixels, ranks); };
  const std::vector<CellsOfParameter>& points = row->points;
  if (points.size() == 1) return at(points.front());
  // The first one that is not below the wanted one, and that before it; the outermost two beyond what was measured.
  const auto not_below = std::find_if(points.begin() + 1, points.end() - 1,
                                      [&](const CellsOfParameter& point) { return parameter <= point.parameter; });
  const CellsOfParameter& low = *(not_below - 1);
  const CellsOfParameter& high = *not_below;
  const double at_low = at(low);
  const double at_high = at(high);
  // Beyond what was measured a line through two cells that err can lead anywhere; not to nothing.
  return std::max(0.5 * std::min(at_low, at_high), line(parameter, low.parameter, at_low, high.parameter, at_high));
}

MachineProfile MachineProfile::with_operators_from(const MachineProfile& other) const {
  std::vector<OperatorCell> operators;
  const auto take = [&](const std::vector<OperatorCell>& cells, bool paces) {
    std::copy_if(cells.begin(), cells.end(), std::back_inserter(operators),
                 [&](const OperatorCell& cell) { return node_of_pace(cell).has_value() == paces; });
  };
  take(other.operators_, false);
  take(operators_, true);
  return {name_, fingerprint_, paths_, std::move(operators)};
}

}  // namespace tilewright
