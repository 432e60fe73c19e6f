#include "plan_memory.hpp"

#include <algorithm>
#include <functional>
#include <list>
#include <map>
#include <set>
#include <span>
#include <utility>

#include "tilewright/core/edges.hpp"
#include "tilewright/core/raster.hpp"
#include "tilewright/model/concurrent_steps.hpp"
#include "tilewright/model/shared_images.hpp"
#include "tilewright/transfers/plan_transfer.hpp"

namespace tilewright {
namespace {

const PipelineImage& image_of(const Pipeline& pipeline, int index) {
  return pipeline.images[static_cast<std::size_t>(index)];
}

/// What one step touches: a tile or a whole image, told apart by Release::whole.
using Uses = std::vector<Release>;

/// What the root gathers in turn has room from the first step on that feeds ranks in turn.
Uses collected_in_turn(const Plan& plan) {
  Uses uses;
  for (const PlanStep& step : plan.steps) {
    if (step.kind == StepKind::gather && step.in_turn) uses.push_back({step.image, true});
  }
  return uses;
}

/// The uses of every step. A tile that does not exist is cut out of the whole image at its first use. What is made in
/// bands never exists as a whole.
std::vector<Uses> uses_by_step(const Plan& plan, const Pipeline& pipeline) {
  std::vector<Uses> all;
  std::set<int> has_tile;
  std::size_t bands_end = 0;
  Uses collected = collected_in_turn(plan);
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    const PlanStep& step = plan.steps[i];
    Uses uses;
    if (i < bands_end) {
      all.push_back({});
      continue;
    }
    if (is_banded(step)) bands_end = i + steps_together(plan, i);
    const auto use_tile = [&](int image) {
      if (has_tile.insert(image).second) uses.push_back({image, true});
      uses.push_back({image, false});
    };
    switch (step.kind) {
      case StepKind::scatter:
      case StepKind::gather:
        if (step.in_turn) uses = std::exchange(collected, {});
        uses.push_back({step.image, true});
        has_tile.insert(step.image);
        uses.push_back({step.image, false});
        break;
      case StepKind::allgather:
        uses.push_back({step.image, true});
        use_tile(step.image);
        break;
      case StepKind::exchange:
      case StepKind::redistribute:
        use_tile(step.image);
        break;
      case StepKind::read:
        if (step.site == Site::tiles) has_tile.insert(step.image);
        uses.push_back({step.image, step.site != Site::tiles});
        break;
      case StepKind::compute:
        for (const int input : image_of(pipeline, step.image).inputs) {
          if (step.site == Site::tiles)
            use_tile(input);
          else
            uses.push_back({input, true});
        }
        for (int made = step.image; made < step.image + step.results && !is_banded(step); ++made) {
          if (step.site == Site::tiles) has_tile.insert(made);
          uses.push_back({made, step.site != Site::tiles});
        }
        break;
      case StepKind::reduce:
      case StepKind::write:
        if (step.site == Site::tiles)
          use_tile(step.image);
        else
          uses.push_back({step.image, true});
        break;
      case StepKind::broadcast:
        uses.push_back({step.image, true});
        break;
    }
    all.push_back(std::move(uses));
  }
  return all;
}

using Bytes = std::vector<std::int64_t>;  // by rank

/// Of the first ranks, if those that the plan leaves idle have none.
void add(Bytes& sum, const Bytes& more) {
  std::transform(more.begin(), more.end(), sum.begin(), sum.begin(), std::plus<>());
}

void subtract(Bytes& sum, const Bytes& less) {
  std::transform(less.begin(), less.end(), sum.begin(), sum.begin(),
                 [](std::int64_t of_less, std::int64_t of_sum) { return of_sum - of_less; });
}

/// Tiles of a grid have up to four sizes.
struct TileSizes {
  Extent image;
  ProcessGrid grid;
  std::vector<Extent> sizes;
  std::vector<std::size_t> size_of;  // by rank: an index into sizes
};

TileSizes tile_sizes(const Extent& image, const ProcessGrid& grid) {
  TileSizes tiles{image, grid, {}, {}};
  for (int rank = 0; rank < grid.ranks(); ++rank) {
    const Rect tile = tile_of(image, grid, rank);
    const Extent size{tile.width(), tile.height()};
    const auto known = std::find(tiles.sizes.begin(), tiles.sizes.end(), size);
    tiles.size_of.push_back(static_cast<std::size_t>(known - tiles.sizes.begin()));
    if (known == tiles.sizes.end()) tiles.sizes.push_back(size);
  }
  return tiles;
}

/// Of every rank's tile of a number, 0 of one without pixels; few are asked for.
template <class OfTile>
Bytes by_tile(const TileSizes& tiles, OfTile&& of_tile) {
  Bytes of_sizes;
  for (const Extent& size : tiles.sizes) of_sizes.push_back(size.pixels() == 0 ? 0 : of_tile(size));
  Bytes bytes;
  bytes.reserve(tiles.size_of.size());
  for (const std::size_t size : tiles.size_of) bytes.push_back(of_sizes[size]);
  return bytes;
}

/// Runs a plan in mind and counts bytes.
class MemoryCount {
  /// A whole image.
  struct Whole {
    std::size_t holders = 0;  ///< ranks, from the root on
    bool is_lent = false;     ///< the root has it in somebody else's memory
  };

 public:
  MemoryCount(const Plan& plan, const Pipeline& pipeline)
      : plan_(plan),
        pipeline_(pipeline),
        shared_(images_in_shared_memory(plan)),
        held_(ranks(), 0),
        peaks_(ranks(), 0) {}

  Bytes peaks() {
    const std::vector<Uses> uses = uses_by_step(plan_, pipeline_);
    for (std::size_t i = 0, count = 1; i < plan_.steps.size(); i += count) {
      count = steps_together(plan_, i);
      const std::span<const PlanStep> steps = std::span(plan_.steps).subspan(i, count);
      for (std::size_t step = 0; step < count; ++step) {
        for (const Release& use : uses[i + step]) hold(use, steps[step]);
      }
      Bytes needed = scratch_of(steps);
      add(needed, held_);
      std::transform(peaks_.begin(), peaks_.end(), needed.begin(), peaks_.begin(),
                     [](std::int64_t peak, std::int64_t now) { return std::max(peak, now); });
      if (steps.front().kind == StepKind::redistribute) move_tiles(steps.front());
      for (const PlanStep& step : steps) {
        for (const Release& release : step.releases) let_go(release);
      }
    }
    return peaks_;
  }

 private:
  /// With those that the plan leaves idle, if they get an image all the same.
  [[nodiscard]] std::size_t ranks() const { return static_cast<std::size_t>(listeners(plan_)); }

  [[nodiscard]] const Bytes& tile_bytes(int image, const ProcessGrid& grid) {
    const PlanImage& i = plan_.images[static_cast<std::size_t>(image)];
    const auto known = std::find_if(tiles_.begin(), tiles_.end(), [&](const Tiles& tiles) {
      return tiles.shape == i.shape && tiles.storage_halo == i.storage_halo && tiles.grid == grid;
    });
    if (known != tiles_.end()) return known->bytes;
    Bytes bytes = by_tile(sizes_of(i.shape.extent, grid), [&](const Extent& tile) {
      return raster_bytes(rect_of(tile), i.storage_halo, i.shape.format);
    });
    return tiles_.emplace_back(Tiles{i.shape, i.storage_halo, grid, std::move(bytes)}).bytes;
  }

  [[nodiscard]] const TileSizes& sizes_of(const Extent& image, const ProcessGrid& grid) {
    const auto known = std::find_if(sizes_.begin(), sizes_.end(),
                                    [&](const TileSizes& tiles) { return tiles.image == image && tiles.grid == grid; });
    return known != sizes_.end() ? *known : sizes_.emplace_back(tile_sizes(image, grid));
  }

  [[nodiscard]] std::int64_t whole_bytes(int image, const Halo& halo) const {
    const PlanImage& i = plan_.images[static_cast<std::size_t>(image)];
    return raster_bytes(rect_of(i.shape.extent), halo, i.shape.format);
  }

  [[nodiscard]] Halo whole_halo(int image) const {
    return plan_.ranks == 1 ? plan_.images[static_cast<std::size_t>(image)].storage_halo : Halo{};
  }

  void hold(const Release& use, const PlanStep& step) {
    if (!use.whole) {
      const ProcessGrid grid = grid_of(plan_, step);
      if (tiles_held_.try_emplace(use.image, grid).second) add(held_, tile_bytes(use.image, grid));
      return;
    }
    Whole& whole = whole_held_[use.image];
    if (whole.holders == 0) {
      whole.is_lent = step.kind == StepKind::read && step.site == Site::root &&
                      !shared_[static_cast<std::size_t>(use.image)] &&
                      is_lent(image_of(pipeline_, use.image), whole_halo(use.image));
    }
    const auto makers = static_cast<std::size_t>(makes_whole_everywhere(step) ? grid_of(plan_, step).ranks() : 1);
    const std::size_t wanted = std::max(whole.holders, makers);
    for (; whole.holders < wanted; ++whole.holders) held_[whole.holders] += bytes_of(whole, whole.holders, use.image);
  }

  void let_go(const Release& release) {
    if (!release.whole) {
      const auto tiles = tiles_held_.extract(release.image);
      if (!tiles.empty()) subtract(held_, tile_bytes(release.image, tiles.mapped()));
      return;
    }
    Whole& whole = whole_held_[release.image];
    for (; whole.holders > 0; --whole.holders) {
      held_[whole.holders - 1] -= bytes_of(whole, whole.holders - 1, release.image);
    }
  }

  /// Those of the former grid go when the new ones are complete.
  void move_tiles(const PlanStep& step) {
    ProcessGrid& grid = tiles_held_.at(step.image);
    subtract(held_, tile_bytes(step.image, grid));
    grid = grid_of(plan_, step);
    add(held_, tile_bytes(step.image, grid));
  }

  [[nodiscard]] std::int64_t bytes_of(const Whole& whole, std::size_t rank, int image) const {
    if (rank == 0) return whole.is_lent ? 0 : whole_bytes(image, whole_halo(image));
    return whole_bytes(image, {});  // nobody computes there with a border
  }

  /// Of steps that are done at the same time.
  [[nodiscard]] Bytes scratch_of(std::span<const PlanStep> steps) {
    std::vector<Bytes> by_step;
    if (is_banded(steps.front())) {
      by_step.push_back({banded_bytes(steps)});
    } else {
      for (const PlanStep& step : steps) by_step.push_back(scratch_of(step));
    }
    for (Bytes& scratch : by_step) scratch.resize(ranks(), 0);
    if (by_step.size() == 1) return by_step.front();
    const int at_a_time = steps.front().overlapped ? static_cast<int>(steps.size()) : plan_.threads;
    Bytes together;
    for (std::size_t rank = 0; rank < ranks(); ++rank) {
      const bool is_as_last = rank > 0 && std::ranges::all_of(by_step, [&](const Bytes& scratch) {
                                return scratch[rank] == scratch[rank - 1];
                              });  // of most ranks, quickly
      if (is_as_last) {
        together.push_back(together.back());
        continue;
      }
      Bytes of_rank;
      for (const Bytes& scratch : by_step) of_rank.push_back(scratch[rank]);
      together.push_back(bytes_together(std::move(of_rank), at_a_time));
    }
    return together;
  }

  /// Bands, what computing them takes, and the writers of all files, which are open at the same time.
  [[nodiscard]] std::int64_t banded_bytes(std::span<const PlanStep> steps) const {
    const PlanStep& made = steps.front();
    const PipelineImage& first = image_of(pipeline_, made.image);
    const Extent band = largest_tile(first.shape.extent, {1, made.bands});
    std::int64_t bytes = bytes_of_bands(plan_, made);
    bytes += plan_.threads * first.op->scratch_bytes(pipeline_.input_shapes(made.image), band);
    for (const PlanStep& step : steps.subspan(1)) {
      const PipelineOutput& output = pipeline_.outputs[static_cast<std::size_t>(step.output)];
      if (step.kind == StepKind::write) bytes += output.sink->writer_bytes(image_of(pipeline_, step.image).shape);
    }
    return bytes;
  }

  [[nodiscard]] Bytes scratch_of(const PlanStep& step) {
    Bytes scratch(ranks(), 0);
    const PipelineImage& image = image_of(pipeline_, step.image);
    switch (step.kind) {
      case StepKind::read:
        if (step.site == Site::root) scratch[0] = image.source->scratch_bytes();
        break;
      case StepKind::write:
        if (step.site == Site::root)
          scratch[0] = pipeline_.outputs[static_cast<std::size_t>(step.output)].sink->scratch_bytes(image.shape);
        break;
      case StepKind::scatter:
      case StepKind::gather:
      case StepKind::allgather:
      case StepKind::exchange:
        return message_bytes(step);
      case StepKind::redistribute:
        scratch = message_bytes(step);
        add(scratch, tile_bytes(step.image, grid_of(plan_, step)));
        break;
      case StepKind::compute:
        return computing_bytes(step);
      case StepKind::broadcast:
      case StepKind::reduce:
        break;
    }
    return scratch;
  }

  const Bytes& message_bytes(const PlanStep& step) {
    const TransferSpec spec = transfer_of(plan_, step);
    const auto known = std::find_if(messages_.begin(), messages_.end(),
                                    [&](const Messages& messages) { return messages.spec == spec; });
    if (known != messages_.end()) return known->bytes;
    return messages_.emplace_back(Messages{spec, make_schedule(spec).scratch_bytes()}).bytes;
  }

  [[nodiscard]] Bytes computing_bytes(const PlanStep& step) {
    const PipelineImage& image = image_of(pipeline_, step.image);
    const std::vector<ImageShape> inputs = pipeline_.input_shapes(step.image);
    const Extent& extent = image.shape.extent;
    const int threads = threads_of(plan_, step);
    const auto of_area = [&](const Extent& area) { return threads * image.op->scratch_bytes(inputs, area); };
    if (step.site == Site::tiles && step.margin.empty())
      return by_tile(sizes_of(extent, grid_of(plan_, step)), of_area);
    Bytes scratch(static_cast<std::size_t>(plan_.ranks), 0);
    if (step.site != Site::tiles) {
      scratch[0] = whole_scratch_bytes(pipeline_, step.image, threads, plan_.ranks);
      if (step.site == Site::everywhere) std::fill(scratch.begin() + 1, scratch.end(), scratch.front());
    } else {
      for (std::size_t rank = 0; rank < scratch.size(); ++rank) {
        const Rect area = grown(tile_of(extent, grid_of(plan_, step), static_cast<int>(rank)), step.margin, extent);
        if (!area.empty()) scratch[rank] = of_area({area.width(), area.height()});
      }
    }
    return scratch;
  }

  struct Tiles {
    ImageShape shape;
    Halo storage_halo;
    ProcessGrid grid;
    Bytes bytes;
  };
  struct Messages {
    TransferSpec spec;
    Bytes bytes;
  };

  const Plan& plan_;
  const Pipeline& pipeline_;
  std::vector<bool> shared_;               // by image: in memory of the root that others see
  std::map<int, ProcessGrid> tiles_held_;  // by image
  std::map<int, Whole> whole_held_;        // by image
  std::list<Tiles> tiles_;                 // many images are alike
  std::list<TileSizes> sizes_;
  std::list<Messages> messages_;
  Bytes held_;
  Bytes peaks_;
};

}  // namespace

bool needs_edges(const Pipeline& pipeline, int result, int ranks) {
  const PipelineImage& image = image_of(pipeline, result);
  if (image.op->halo().empty() || image.op->makes_border()) return false;
  return ranks > 1 || std::any_of(image.inputs.begin(), image.inputs.end(), [&](int input) {
           return is_lent(image_of(pipeline, input), pipeline.whole_halo(input));
         });
}

std::int64_t whole_scratch_bytes(const Pipeline& pipeline, int result, int threads, int ranks) {
  const PipelineImage& image = image_of(pipeline, result);
  const std::vector<ImageShape> inputs = pipeline.input_shapes(result);
  const std::int64_t scratch = threads * image.op->scratch_bytes(inputs, image.shape.extent);
  if (!needs_edges(pipeline, result, ranks)) return scratch;
  const Halo halo = image.op->halo();
  const std::set<int> distinct(image.inputs.begin(), image.inputs.end());
  std::int64_t most = 0;
  for (const Rect& strip : edges_of(inputs, halo).strips) {
    std::int64_t copies = 0;
    for (const int input : distinct) copies += raster_bytes(strip, halo, image_of(pipeline, input).shape.format);
    most = std::max(most, copies);
  }
  return scratch + most;
}

void add_releases(Plan& plan, const Pipeline& pipeline) {
  std::set<Release, decltype([](const Release& a, const Release& b) {
             return std::pair(a.image, a.whole) < std::pair(b.image, b.whole);
           })>
      later;
  for (const PipelineOutput& output : pipeline.outputs) {
    const bool stays = output.kind == OutputKind::fetch || output.kind == OutputKind::keep;
    const bool on_tiles = plan.images[static_cast<std::size_t>(output.image)].stays_on_tiles;
    if (stays) later.insert({output.image, output.kind == OutputKind::fetch || !on_tiles});
  }
  const std::vector<Uses> uses = uses_by_step(plan, pipeline);
  for (std::size_t i = plan.steps.size(); i-- > 0;) {
    for (const Release& use : uses[i]) {
      if (later.insert(use).second) plan.steps[i].releases.push_back(use);
    }
  }
}

std::vector<std::int64_t> peak_bytes(const Plan& plan, const Pipeline& pipeline) {
  return MemoryCount(plan, pipeline).peaks();
}

}  // namespace tilewright
