#include "separable_jet.hpp"

#include <algorithm>
#include <array>

#include "benchmark_parameters.hpp"
#include "computing_type.hpp"
#include "pointwise.hpp"
#include "work_parts.hpp"

namespace tilewright {
namespace {

/// Of a tile with that many results of one channel, which are surely not stored past the caches.
double cached_pixels(double results) {
  return static_cast<double>(streamed_bytes) / (2 * sizeof(float) * results);
}

constexpr const char* convolve_separable = "convolve_separable";
constexpr const char* convolve_pair = "convolve_pair";
/// The same with nearly all taps along the rows, each of which costs more than one along the columns.
constexpr const char* convolve_rows = "convolve_separable_rows";

/// Two filters whose results are handed on, and whose sum is stored: the gradient's magnitude and the Laplacian are of
/// that kind, and come more often than all others.
constexpr const char* convolve_joined_pair = "convolve_joined_pair";

/// Of more, the mean says enough.
constexpr double most_row_kernels = 2;

/// How much of a pass of `taps` taps to price by convolve_rows, where so many more of them are along the rows than in
/// one with as many along the columns.
double row_share(double more_in_rows, double taps) {
  const double most = taps / 2 - few_taps;  // as many more has the pass that is measured
  return most >= few_taps ? more_in_rows / most : 0;
}

}  // namespace

/// What is measured are passes with 1, 2 and 3 row kernels and 1, 2 and 5 results. A pass has a cost of its own, one
/// for each row kernel and one for each result: that of any other pass is the sum of those three with the weights that
/// give it as many row kernels and results, some of them negative. All by the mean length of the kernels; those along
/// the columns count twice without symmetry. What it has more taps along the rows than that is priced by the difference
/// between two filters of as many taps, one of which has nearly all of them there.
std::vector<Work> SeparableJet::pass_work(const ImageShape& input, const Extent& tile, bool streamed) const {
  double taps_x = 0;
  double taps_y = 0;
  double row_kernels = 0;
  double lead_in_rows = 0;  // above and below the tile, convolved along x only
  for (std::size_t i = 0; i < filters_.size(); ++i) {
    const SeparableKernels& filter = filters_[i];
    const double reads = folded<float>(filter.y).symmetry == Symmetry::none ? 2 : 1;  // along x they cost alike
    taps_y += reads * static_cast<double>(filter.y.size());
    lead_in_rows = std::max(lead_in_rows, static_cast<double>(filter.y.size() - 1));
    const bool is_new = std::none_of(filters_.begin(), filters_.begin() + static_cast<std::ptrdiff_t>(i),
                                     [&](const auto& other) { return other.x == filter.x; });
    if (!is_new) continue;
    taps_x += static_cast<double>(filter.x.size());
    ++row_kernels;
  }
  const auto results = static_cast<double>(filters_.size());
  const double taps = (taps_x + taps_y) / (row_kernels + results);
  const double rows = static_cast<double>(tile.height) + lead_in_rows * taps_x / (taps_x + taps_y);
  const double values = static_cast<double>(tile.width * input.format.channels) * rows;
  struct Measured {
    const char* key;
    double row_kernels, results, weight;
  };
  const double rows_weight = row_kernels <= most_row_kernels ? row_share(taps_x - taps * row_kernels, 2 * taps) : 0;
  const std::array<Measured, 4> measured{
      {{convolve_rows, 1, 1, rows_weight},
       {convolve_separable, 1, 1, 2 - 1.5 * row_kernels + 0.5 * results - rows_weight},
       {convolve_pair, 2, 2, 2 * row_kernels - 1 - results},
       {"convolve_jet", 3, 5, (results - row_kernels) / 2}}};
  std::vector<Work> all;
  for (const Measured& pass : measured) {
    if (pass.weight == 0) continue;
    const double parameter = taps * (pass.row_kernels + pass.results) / pass.results;
    Work& work = all.emplace_back(Work{pass.key, input.format.type, parameter, pass.weight * pass.results * values});
    if (!streamed) work.piece = std::min(static_cast<double>(tile.pixels()), cached_pixels(pass.results));
    if (work.key != convolve_separable) {
      work.otherwise = {{convolve_separable, work.type, 2 * taps, work.units, work.piece}};
    }
  }
  return all;
}

/// What handing results on in pieces takes was found to be about what storing them in a near cache takes, and a call on
/// a small tile would spend more on its beginning.
std::vector<Work> SeparableJet::work(const ImageShape& input, const Extent& tile, std::size_t stored) const {
  const std::vector<Work> to_memory = pass_work(input, tile, true);
  if (stored >= filters_.size()) return to_memory;
  std::vector<Work> in_part = stored_in_part(to_memory, pass_work(input, tile, false), stored, filters_.size());
  const bool is_pair = to_memory.size() == 1 && to_memory.front().key == convolve_pair;
  if (!is_pair || stored != 1 || computing_type(input.format.type) != PixelType::f32) return in_part;
  // The sum is measured with them, and the caller will count what makes of them the image that is stored.
  const Work sum{"pointwise_binary", PixelType::f32, 0, values_of(input, tile),
                 priced_piece(largest_piece(input, tile.width), tile)};
  Work joined{convolve_joined_pair, PixelType::f32, to_memory.front().parameter, to_memory.front().units};
  joined.otherwise = std::move(in_part);
  joined.otherwise.push_back(sum);
  return {std::move(joined), part_of(sum, -1)};
}

std::int64_t SeparableJet::scratch_bytes(const ImageShape& input, const Extent& tile) const {
  return with_computing_type(input.format.type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    return SeparableBank<T>::scratch_bytes(filters_, input.format.channels, tile.width);
  });
}

Extent SeparableJet::largest_piece(const ImageShape& input, std::int64_t width) const {
  return with_computing_type(input.format.type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    return SeparableBank<T>::largest_piece(filters_, input.format.channels, width);
  });
}

void SeparableJet::compute(const ConstView& input, const Rect& area, PieceSink& sink, bool streamed) const {
  with_computing_type(input.format().type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    SeparableBank<T> bank(filters_, rule_, input.format().channels, area.width());
    const auto bytes = area.pixels() * static_cast<std::int64_t>(filters_.size() * input.format().channels * sizeof(T));
    bank.run(input, area, sink, streamed ? storing_of(bytes) : Storing::cached);
  });
}

bool SeparableJet::is_worth_while() const {
  constexpr std::int64_t near_cache = 1024 * 1024;
  return SeparableBank<float>::scratch_bytes(filters_, 1, 256) <= near_cache;
}

}  // namespace tilewright
