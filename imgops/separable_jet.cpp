#include "separable_jet.hpp"

#include <algorithm>

namespace tilewright {
namespace {

template <class Action>
auto with_computing_type(PixelType source, const Action& action) {
  return computing_type(source) == PixelType::f64 ? action(TypeTag<double>{}) : action(TypeTag<float>{});
}

}  // namespace

/// One filter is priced by its own taps. Of several the cost of a result depends on its share of all taps, those along
/// the rows counted once for each distinct kernel, those along the columns twice without symmetry.
std::vector<Work> SeparableJet::work(const ImageShape& input, const Extent& tile) const {
  double taps_x = 0;
  double taps_y = 0;
  double lead_in_rows = 0;  // above and below the tile, convolved along x only
  for (std::size_t i = 0; i < filters_.size(); ++i) {
    const SeparableKernels& filter = filters_[i];
    const double reads = folded<float>(filter.y).symmetry == Symmetry::none ? 2 : 1;  // along x they cost alike
    taps_y += reads * static_cast<double>(filter.y.size());
    lead_in_rows = std::max(lead_in_rows, static_cast<double>(filter.y.size() - 1));
    const bool is_new = std::none_of(filters_.begin(), filters_.begin() + static_cast<std::ptrdiff_t>(i),
                                     [&](const auto& other) { return other.x == filter.x; });
    if (is_new) taps_x += static_cast<double>(filter.x.size());
  }
  const auto results = static_cast<double>(filters_.size());
  const double rows = static_cast<double>(tile.height) + lead_in_rows * taps_x / (taps_x + taps_y);
  Work all{filters_.size() == 1 ? "convolve_separable" : "convolve_jet", input.format.type, (taps_x + taps_y) / results,
           static_cast<double>(tile.width * input.format.channels) * rows * results};
  if (filters_.size() == 1) return {all};
  for (const SeparableKernels& filter : filters_) {
    for (Work& alone : SeparableJet({filter}).work(input, tile)) all.otherwise.push_back(std::move(alone));
  }
  return {all};
}

std::int64_t SeparableJet::scratch_bytes(const ImageShape& input, const Extent& tile) const {
  return with_computing_type(input.format.type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    return SeparableBank<T>::scratch_bytes(filters_, input.format.channels, tile.width);
  });
}

std::int64_t SeparableJet::piece_pixels(const ImageShape& input, std::int64_t width) const {
  return with_computing_type(input.format.type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    return SeparableBank<T>::piece_pixels(filters_, input.format.channels, width);
  });
}

void SeparableJet::compute(const ConstView& input, const Rect& area, PieceSink& sink, bool streamed) const {
  with_computing_type(input.format().type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    SeparableBank<T> bank(filters_, input.format().channels, area.width());
    const auto bytes = area.pixels() * static_cast<std::int64_t>(filters_.size() * input.format().channels * sizeof(T));
    bank.run(input, area, sink, streamed ? storing_of(bytes) : Storing::cached);
  });
}

bool SeparableJet::fits_cache() const {
  constexpr std::int64_t near_cache = 1024 * 1024;
  return SeparableBank<float>::scratch_bytes(filters_, 1, 256) <= near_cache;
}

}  // namespace tilewright
