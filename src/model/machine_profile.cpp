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
#include "tilewright/model/message_overheads.hpp"
#include "tilewright/model/not_measured.hpp"
#include "tilewright/model/protocol_switches.hpp"

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
  refresh_ = refresh_of(fingerprint_);
  warmth_ = Warmth(small_runs_now(), ranks_per_node(fingerprint_));
  make_rows();
  make_stride_costs();
  operator_costs_ = OperatorCosts(operators_);
  node_speeds_ = node_speeds_of(operators_);
}

namespace {

/// So many samples have a spread of some meaning, of which the typical one is made.
constexpr std::int64_t fewest_with_spread = 3;

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

double standard_error(Estimate time, double typical_spread) {
  if (time.samples < samples_enough) time.spread_s = std::max(time.spread_s, typical_spread * time.seconds);
  return standard_error_s(time);
}

}  // namespace

double MachineProfile::standard_error_s(const PathCell& cell) const {
  return standard_error(cell.time, cell.within_node ? typical_relative_spread_within_nodes_ : typical_relative_spread_);
}

double MachineProfile::standard_error_s(const OperatorCell& cell) const {
  return standard_error(cell.time_per_unit, typical_relative_operator_spread_);
}

std::vector<PathCell> MachineProfile::small_runs_now() const {
  std::vector<PathCell> now;
  for (const PathCell& cell : paths_) {
    if (is_of_small_runs(cell.path)) now.emplace_back(cell).time.seconds *= refresh_.factor_of(cell);
    if (cell.path == Path::passing) now.push_back(cell);
  }
  return now;
}

MachineProfile MachineProfile::slower_by_errors_of(Path path) const {
  std::vector<PathCell> slower = paths_;
  for (PathCell& cell : slower) {
    if (cell.path == path) cell.time.seconds += standard_error_s(cell);
  }
  return with_cells(std::move(slower), operators_, fingerprint_);
}

MachineProfile MachineProfile::slower_by_errors_of(const std::string& key) const {
  std::vector<OperatorCell> slower = operators_;
  for (OperatorCell& cell : slower) {
    if (cell.key == key) cell.time_per_unit.seconds += standard_error_s(cell);
  }
  return with_cells(paths_, std::move(slower), fingerprint_);
}

std::optional<MachineProfile> MachineProfile::within_nodes() const {
  std::vector<PathCell> cells;
  for (const PathCell& cell : paths_) {
    if (cell.within_node) cells.emplace_back(cell).within_node = false;
  }
  if (cells.empty()) return std::nullopt;
  Refresh refresh = refresh_;
  refresh.messages = {};  // those between nodes
  refresh.exchanges.reset();
  return MachineProfile(name_, fingerprint_, std::move(cells), operators_).with_refresh(refresh);
}

double MachineProfile::uncertainty_s(const Estimate& time) const {
  if (time.samples == 0 || time.samples >= samples_enough) return time.spread_s;
  const auto missing = static_cast<double>(1 + samples_enough - time.samples);
  return std::max(time.spread_s, missing * typical_relative_spread_ * time.seconds);
}

Estimate MachineProfile::message_time(const PathCell& cell) const {
  const double factor = refresh_.factor_of(cell) * warmth_of_run_.factor(cell);
  return {factor * cell.time.seconds, factor * cell.time.spread_s, cell.time.samples};
}

void MachineProfile::make_rows() {
  const auto is_within = [](const PathCell& cell) { return cell.within_node; };
  typical_relative_spread_ = typical_relative_spread(paths_, std::not_fn(is_within));
  typical_relative_spread_within_nodes_ = typical_relative_spread(paths_, is_within);
  typical_relative_operator_spread_ = typical_relative_spread(operators_, [](const OperatorCell&) { return true; });
  for (const PathCell& cell : paths_) {
    if (!cell.has_paper_blocks() || cell.within_node) continue;
    const Estimate time = message_time(cell);
    row(cell.path, cell.layout, cell.packing)
        .add({static_cast<double>(cell.bytes), time.seconds, uncertainty_s(time), time.samples});
  }
  for (auto& of_path : rows_) {
    for (auto& of_layout : of_path) {
      for (PathRow& row : of_layout) row.settle();
    }
  }
}

/// Of longer messages than were measured in blocks the contiguous ones are known: there it is the difference that
/// grows as the bytes do, but not what some of them gain by going another way.
std::optional<double> MachineProfile::extra_seconds(const StrideCosts::Row& row, const BlockShape& shape) const {
  if (!stride_costs_.has(row) || row.packing != Packing::datatype) return stride_costs_.seconds(row, shape);
  BlockShape known = shape;
  known.bytes = std::min(shape.bytes, stride_costs_.longest_bytes(row));
  if (known.bytes <= 0) return 0;
  const auto bytes = static_cast<double>(known.bytes);
  const double in_blocks_s = path_seconds(row.path, Layout::cc, 0) + *stride_costs_.seconds(row, known);
  const double extra_s = in_blocks_s - path_seconds(row.path, Layout::cc, bytes);
  return extra_s > 0 ? extra_s * static_cast<double>(shape.bytes) / bytes : extra_s;
}

/// Only long messages are measured in pieces: what consists of one piece was measured as packed by hand.
void MachineProfile::make_stride_costs() {
  for (const ProtocolSwitch& found : protocol_switches(paths_)) {
    if (found.layout == Layout::cc && found.packing == Packing::datatype)
      stride_costs_.change_protocol(found.path, found.above_bytes);
  }
  std::set<std::pair<Path, Layout>> in_pieces;
  for (const PathCell& cell : paths_) {
    if (!cell.has_paper_blocks() && cell.packing == Packing::blocked) in_pieces.insert({cell.path, cell.layout});
  }
  for (const PathCell& cell : paths_) {
    const Packing whole = travels_as(cell.packing);
    if (cell.has_paper_blocks() || cell.within_node || !has(cell.path, Layout::cc, whole)) continue;
    const BlockShape shape{cell.bytes, cell.block_bytes, cell.stride_bytes};
    const Estimate time = message_time(cell);
    const auto bytes = static_cast<double>(cell.bytes);
    const PathRow& row_of_whole = row(cell.path, Layout::cc, whole);
    const double contiguous = row_of_whole.seconds(bytes);
    // Packing by hand only adds work. A difference within the noise is none: taken a byte, it would grow with the size.
    // One that makes strided data the faster ones needs more to be believed.
    Estimate slower = time;
    slower.seconds = std::max(slower.seconds, contiguous);
    slower.spread_s = uncertainty_s(slower);
    const PathRow::Point& whole_cell = row_of_whole.nearest(bytes);
    const double uncertainty =
        std::hypot(noise_s(slower), noise_s({whole_cell.seconds, whole_cell.uncertainty_s, whole_cell.samples}));
    double extra_s = time.seconds - contiguous;
    const bool is_gain = extra_s < 0;
    const bool is_by_hand = cell.packing != Packing::datatype;
    if (std::abs(extra_s) <= (is_gain ? 2 : 1) * uncertainty || (is_gain && is_by_hand)) extra_s = 0;
    const double without_blocks_s = is_by_hand ? 0 : contiguous - row_of_whole.seconds(0);
    stride_costs_.add({cell.path, cell.layout, cell.packing}, shape, without_blocks_s + extra_s);
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
    throw NotMeasured(
        fmt::format("machine '{}' has no measurement of path {} with layout {}: calibrate it with 2 "
                    "ranks or more",
                    name_, to_string(path), to_string(layout)));
  }
  return row.seconds(bytes);
}

MachineProfile MachineProfile::with_operators_from(const MachineProfile& other) const {
  std::vector<OperatorCell> operators;
  const auto is_of_machine = [](const OperatorCell& cell) {
    return node_of_pace(cell).has_value() || is_message_overhead(cell);
  };
  const auto take = [&](const std::vector<OperatorCell>& cells, bool of_machine) {
    std::copy_if(cells.begin(), cells.end(), std::back_inserter(operators),
                 [&](const OperatorCell& cell) { return is_of_machine(cell) == of_machine; });
  };
  take(other.operators_, false);
  take(operators_, true);
  Refresh refresh = other.refresh_;
  refresh.messages = refresh_.messages;
  refresh.sharing = refresh_.sharing;
  refresh.exchanges = refresh_.exchanges;
  const bool knows_messages =
      refresh.messages != MessageFactors{} || refresh.sharing != SharingFactors{} || refresh.exchanges.has_value();
  if (refresh.date.empty() && knows_messages) refresh.date = refresh_.date;
  return with_cells(paths_, std::move(operators), fingerprint_).with_refresh(refresh);
}

MachineProfile MachineProfile::with_refresh(const Refresh& refresh) const {
  Fingerprint fingerprint = fingerprint_;
  for (const auto& [name, value] : settings_of(refresh_)) fingerprint.settings.erase(name);
  fingerprint.settings.merge(settings_of(refresh));
  return with_cells(paths_, operators_, std::move(fingerprint));
}

MachineProfile MachineProfile::with_cells(std::vector<PathCell> paths, std::vector<OperatorCell> operators,
                                          Fingerprint fingerprint) const {
  MachineProfile other(name_, std::move(fingerprint), std::move(paths), std::move(operators));
  other.repeat(run_);
  return other;
}

MachineProfile MachineProfile::for_repeated(const RepeatedRun& run) const {
  MachineProfile own = *this;
  own.repeat(run);
  return own;
}

void MachineProfile::repeat(const std::optional<RepeatedRun>& run) {
  if (run == run_) return;
  run_ = run;
  warmth_of_run_ = run ? warmth_.in(*run) : RunWarmth();
  rows_ = {};
  stride_costs_ = {};
  make_rows();
  make_stride_costs();
}

}  // namespace tilewright
