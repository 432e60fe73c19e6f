// Exchanges that pass while tiles are computed as far as they need nothing of a neighbour.
#include <algorithm>
#include <limits>

#include "overlap.hpp"
#include "tilewright/core/edges.hpp"
#include "tilewright/transfers/schedule.hpp"
#include "transition_costs.hpp"

namespace tilewright {
namespace {

using Kind = Transition::Kind;

constexpr double infinity = std::numeric_limits<double>::infinity();

Transition computing_meanwhile(const Transition& exchange) {
  return {.kind = Kind::compute_tiles, .subject = exchange.meanwhile, .grid = exchange.grid};
}

/// Of a tile with a neighbour on each side on which one can have any: both, or one where the grid has but two.
Edges edges_of_inner_tile(const Extent& tile, const Halo& halo, const ProcessGrid& grid) {
  const auto before = [](int parts) { return parts > 1 ? 1 : 0; };
  const auto after = [](int parts) { return parts > 2 ? 1 : 0; };
  const Rect inner = shifted(rect_of(tile), before(grid.x), before(grid.y));
  return edges_of_tile(inner, inner, halo, {inner.x1 + after(grid.x), inner.y1 + after(grid.y)});
}

Extent extent_of(const Rect& rect) {
  return {rect.width(), rect.height()};
}

/// The messages of an exchange across the cuts of one direction are about alike; this is the largest.
std::int64_t message_bytes(const TransferSpec& spec) {
  const Extent tile = largest_tile(spec.image.extent, spec.grid);
  const std::int64_t pixels = in_cut_directions(spec.exchanged, spec.grid).x > 0
                                  ? spec.exchanged.x * tile.height
                                  : spec.exchanged.y * (tile.width + 2 * spec.exchanged.x);
  return pixels * static_cast<std::int64_t>(spec.image.format.bytes());
}

/// What was measured of exchanges: by themselves, and what is left of them while ranks work.
struct MeasuredExchange {
  Path by_itself = Path::shift;
  Path left = Path::exposed;

  [[nodiscard]] bool is_known(const MachineProfile& profile) const {
    const auto has = [&](Path path) { return profile.has(path, Layout::cc, Packing::blocked); };
    return has(by_itself) && has(left);
  }
};
constexpr MeasuredExchange of_shifts{Path::shift, Path::exposed};
constexpr MeasuredExchange of_swaps{Path::swap, Path::exposed_swap};

/// Along the direction of the exchange.
bool has_two_neighbours(const TransferSpec& exchange) {
  return (in_cut_directions(exchange.exchanged, exchange.grid).x > 0 ? exchange.grid.x : exchange.grid.y) > 2;
}

/// The same pattern, or the other one where that alone was measured; null where neither was.
const MeasuredExchange* measured(const MachineProfile& profile, bool shifts) {
  const MeasuredExchange& wanted = shifts ? of_shifts : of_swaps;
  const MeasuredExchange& other = shifts ? of_swaps : of_shifts;
  if (wanted.is_known(profile)) return &wanted;
  return other.is_known(profile) ? &other : nullptr;
}

}  // namespace

bool offers_overlap(const MachineProfile& profile, const SearchSpace& space) {
  return space.overlap.value_or(measured(profile, true) != nullptr);
}

double hidden_part(const MachineProfile& profile, const TransferSpec& exchange) {
  const MeasuredExchange* paths = measured(profile, has_two_neighbours(exchange));
  if (paths == nullptr) return 0;
  const auto bytes = static_cast<double>(message_bytes(exchange));
  const auto seconds = [&](Path path) { return profile.path_seconds(path, Layout::cc, bytes, Packing::blocked); };
  const double by_itself_s = seconds(paths->by_itself);
  return by_itself_s > 0 ? std::clamp(1 - seconds(paths->left) / by_itself_s, 0.0, 1.0) : 0;
}

std::optional<PathCell> wanted_of_hidden(const MachineProfile& profile, const TransferSpec& exchange) {
  const MeasuredExchange* paths = measured(profile, has_two_neighbours(exchange));
  if (paths == nullptr) return std::nullopt;
  return PathCell{paths->left, Layout::cc, message_bytes(exchange), {}, Packing::blocked};
}

std::string TransitionPricer::why_not_overlapped(const Transition& transition) const {
  if (is_in_turn()) return "ranks that are fed in turn do not compute at the same time: no exchange can be overlapped";
  if (configuration_.second && !space_.overlap.value_or(false)) return "plans on two grids wait for their exchanges";
  const bool travels_on = !is_of_one_phase(transfer_spec(transition));
  return travels_on ? "an exchange in two directions cannot be overlapped: the corners travel on" : "";
}

/// Columns of a strip are too few to be worked on at their best: they count with those that are read beside them.
TransitionPricer::ComputingInParts TransitionPricer::computing_in_parts(const Transition& exchange) {
  const Transition computing = computing_meanwhile(exchange);
  ComputingInParts seconds{compute_seconds(computing) - step_overhead_s_};
  if (seconds.whole_s == infinity) return seconds;
  const auto subject = static_cast<std::size_t>(exchange.meanwhile);
  const PipelineImage& made = pipeline_.images[subject];
  const ProcessGrid& grid = configuration_.grid_of(exchange);
  const int threads = threads_of(computing);
  const auto part_s = [&](const Rect& part) {
    if (part.empty()) return 0.0;
    const Extent extent = extent_of(part);
    return works_.cost(made.op->work(input_shapes_[subject], extent), extent, true, threads).seconds;
  };
  const auto seconds_of = [&](auto&& of_edges) {
    return on_tiles(made.shape.extent, grid, {},
                    [&](const Extent& tile) -> WorkCost {
                      return {of_edges(edges_of_inner_tile(tile, made.op->halo(), grid))};
                    })
        .seconds;
  };
  seconds.middle_s = seconds_of([&](const Edges& edges) { return part_s(edges.middle); });
  seconds.strips_s = seconds_of([&](const Edges& edges) {
    double sum = 0;
    for (const Rect& strip : edges.strips) {
      const bool is_beside = strip.y0 >= edges.middle.y0 && strip.y1 <= edges.middle.y1;
      sum += part_s(is_beside ? padded(strip, {made.op->halo().x, 0}) : strip);
    }
    return sum;
  });
  return seconds;
}

TransitionPricer::Overlap TransitionPricer::overlap(const Transition& transition) {
  return overlap(transition, known_in_parts(transition));
}

TransitionPricer::Overlap TransitionPricer::overlap(const Transition& transition, const ComputingInParts& computing) {
  const TransferSpec spec = transfer_spec(transition);
  if (in_cut_directions(spec.exchanged, spec.grid).empty()) return {};  // nothing to send
  if (computing.whole_s == infinity) return {infinity, 0, 0};
  const double exchange_s = transfers_.seconds(spec, PackingChoice::of_spec);
  return {exchange_s, std::max(0.0, computing.middle_s + computing.strips_s - computing.whole_s),
          std::min(computing.middle_s, hidden_part(spec) * exchange_s)};
}

const TransitionPricer::ComputingInParts& TransitionPricer::known_in_parts(const Transition& exchange) {
  const std::size_t alike = priced_as_[static_cast<std::size_t>(exchange.meanwhile)];
  const auto [known, is_new] = known_in_parts_.try_emplace({exchange.grid, alike});
  if (is_new) known->second = computing_in_parts(exchange);
  return known->second;
}

/// An exchange is hidden by no more than all of the computing, and only in part. It takes no less than one that may be
/// packed as it likes, of which the same is asked anyway.
double TransitionPricer::least_overlapped_seconds(Transition transition, double enough) {
  const double whole_s = compute_seconds(computing_meanwhile(transition));
  if (whole_s == infinity) return infinity;
  transition.meanwhile = -1;
  const TransferSpec spec = transfer_spec(transition);
  const double exchange_s = transfers_.least_seconds(spec, PackingChoice::of_images, enough + whole_s);
  return exchange_s - std::min(whole_s, hidden_part(spec) * exchange_s);
}

double TransitionPricer::hidden_part(const TransferSpec& exchange) {
  const auto [known, is_new] =
      hidden_parts_.try_emplace(std::pair(message_bytes(exchange), has_two_neighbours(exchange)), 0.0);
  if (is_new) known->second = tilewright::hidden_part(profile_, exchange);
  return known->second;
}

}  // namespace tilewright
