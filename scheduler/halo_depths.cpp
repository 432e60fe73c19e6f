#include "halo_depths.hpp"

#include <algorithm>

namespace tilewright {
namespace {

/// By image.
std::vector<std::vector<int>> readers_of(const Pipeline& pipeline) {
  std::vector<std::vector<int>> readers;
  for (int i = 0; i < static_cast<int>(pipeline.images.size()); ++i) readers.push_back(pipeline.readers(i));
  return readers;
}

/// Calls visit(first, end) for the images of each operator or source, the last ones first: readers before what they
/// read.
template <class Visit>
void for_each_maker_backwards(const Pipeline& pipeline, Visit&& visit) {
  for (std::size_t end = pipeline.images.size(); end > 0;) {
    const std::size_t first = end - 1 - static_cast<std::size_t>(pipeline.images[end - 1].result);
    visit(first, end);
    end = first;
  }
}

Halo sum(const Halo& a, const Halo& b) {
  return {a.x + b.x, a.y + b.y};
}

}  // namespace

HaloDepths::HaloDepths(const Pipeline& pipeline, int generations)
    : depths_(pipeline.images.size(), {Halo{}}),
      first_filled_(pipeline.images.size()),
      is_exchanged_(pipeline.images.size(), false) {
  const Readers readers = readers_of(pipeline);
  find_needs_of_readers(pipeline, readers, generations > 0);
  for (int generation = 1; generation <= generations; ++generation) add_generation(pipeline, readers, generation == 1);
}

void HaloDepths::find_needs_of_readers(const Pipeline& pipeline, const Readers& readers, bool may_be_filled) {
  for_each_maker_backwards(pipeline, [&](std::size_t first, std::size_t end) {
    bool is_useful = false;
    bool is_exchanged = false;
    for (std::size_t i = first; i < end; ++i) {
      for (const int reader : readers[i]) {
        const Operator& op = *pipeline.image(reader).op;
        const bool direct = !op.halo().empty();
        depths_[i].front() = united(depths_[i].front(), op.halo());
        is_exchanged = is_exchanged || direct;
        is_useful = is_useful || (direct ? op.border() != Border::wrap : first_filled(reader).has_value());
      }
    }
    for (std::size_t i = first; i < end; ++i) {
      is_exchanged_[i] = is_exchanged;
      if (is_useful && may_be_filled) first_filled_[i] = 0;
    }
  });
}

void HaloDepths::add_generation(const Pipeline& pipeline, const Readers& readers, bool is_first) {
  std::vector<Halo> before(depths_.size());
  for (std::size_t i = 0; i < depths_.size() && !is_first; ++i) before[i] = depths_[i].back();
  for_each_maker_backwards(pipeline, [&](std::size_t first, std::size_t end) {
    Halo depth;
    for (std::size_t i = first; i < end; ++i) {
      depth = united(depth, depths_[i].front());
      for (const int reader : readers[i]) {
        const Halo halo = pipeline.image(reader).op->halo();
        const auto made = static_cast<std::size_t>(reader);
        // An operator without a neighbourhood passes on what it gets: no generation of its own.
        const Halo beyond = halo.empty() ? depths_[made].back() : before[made];
        if (first_filled(reader)) depth = united(depth, sum(halo, beyond));
      }
    }
    const bool is_common = std::all_of(depths_.begin() + static_cast<std::ptrdiff_t>(first),
                                       depths_.begin() + static_cast<std::ptrdiff_t>(end),
                                       [&](const std::vector<Halo>& depths) { return depths.back() == depth; });
    for (std::size_t i = first; i < end && !is_common; ++i) {
      depths_[i].push_back(depth);
      if (is_first && first_filled_[i]) first_filled_[i] = 1;
    }
  });
}

}  // namespace tilewright
