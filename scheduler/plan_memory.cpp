#include "plan_memory.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <utility>

#include "tilewright/core/edges.hpp"
#include "tilewright/core/raster.hpp"
#include "tilewright/model/concurrent_steps.hpp"
#include "tilewright/transfers/schedule.hpp"

namespace tilewright {
namespace {

const PipelineImage& image_of(const Pipeline& pipeline, int index) {
  return pipeline.images[static_cast<std::size_t>(index)];
}

/// What one step touches: a tile or a whole image, told apart by Release::whole.
using Uses = std::vector<Release>;

/// The uses of every step. A tile that does not exist is cut out of the whole image at its first use.
std::vector<Uses> uses_by_step(const Plan& plan, const Pipeline& pipeline) {
  std::vector<Uses> all;
  std::set<int> has_tile;
  for (const PlanStep& step : plan.steps) {
    Uses uses;
    const auto use_tile = [&](int image) {
      if (has_tile.insert(image).second) uses.push_back({image, true});
      uses.push_back({image, false});
    };
    switch (step.kind) {
      case StepKind::scatter:
      case StepKind::gather:
        uses.push_back({step.image, true});
        has_tile.insert(step.image);
        uses.push_back({step.image, false});
        break;
      case StepKind::exchange:
        use_tile(step.image);
        break;
      case StepKind::compute:
        for (const int input : image_of(pipeline, step.image).inputs) {
          if (step.site == Site::tiles)
            use_tile(input);
          else
            uses.push_back({input, true});
        }
        for (int made = step.image; made < step.image + step.results; ++made) {
          if (step.site == Site::tiles) has_tile.insert(made);
          uses.push_back({made, step.site == Site::root});
        }
        break;
      case StepKind::reduce:
        if (step.site == Site::tiles)
          use_tile(step.image);
        else
          uses.push_back({step.image, true});
        break;
      default:
        uses.push_back({step.image, true});
        break;
    }
    all.push_back(std::move(uses));
  }
  return all;
}

/// Runs a plan in mind and counts bytes.
class MemoryCount {
 public:
  MemoryCount(const Plan& plan, const Pipeline& pipeline)
      : plan_(plan), pipeline_(pipeline), held_(ranks()), peaks_(ranks()) {}

  std::vector<std::int64_t> peaks() {
    const std::vector<Uses> uses = uses_by_step(plan_, pipeline_);
    for (std::size_t i = 0, count = 1; i < plan_.steps.size(); i += count) {
      count = steps_together(plan_, i);
      const std::span<const PlanStep> steps = std::span(plan_.steps).subspan(i, count);
      for (std::size_t step = 0; step < count; ++step) {
        for (const Release& use : uses[i + step]) hold(use, steps[step]);
      }
      const std::vector<std::int64_t> scratch = scratch_of(steps);
      for (std::size_t rank = 0; rank < ranks(); ++rank) {
        peaks_[rank] = std::max(peaks_[rank], held_[rank] + scratch[rank]);
      }
      for (const PlanStep& step : steps) {
        for (const Release& release : step.releases) let_go(release);
      }
    }
    return peaks_;
  }

 private:
  [[nodiscard]] std::size_t ranks() const { return static_cast<std::size_t>(plan_.ranks); }

  [[nodiscard]] std::int64_t tile_bytes(int image, std::size_t rank) const {
    const PlanImage& i = plan_.images[static_cast<std::size_t>(image)];
    const Rect tile = tile_of(i.shape.extent, plan_.grid, static_cast<int>(rank));
    return raster_bytes(tile, i.storage_halo, i.shape.format);
  }

  [[nodiscard]] std::int64_t whole_bytes(int image) const {
    const PlanImage& i = plan_.images[static_cast<std::size_t>(image)];
    return raster_bytes(rect_of(i.shape.extent), whole_halo(image), i.shape.format);
  }

  [[nodiscard]] Halo whole_halo(int image) const {
    return plan_.ranks == 1 ? plan_.images[static_cast<std::size_t>(image)].storage_halo : Halo{};
  }

  void hold(const Release& use, const PlanStep& step) {
    const bool everywhere = !use.whole || step.kind == StepKind::broadcast;
    const bool is_counted =
        step.kind != StepKind::read || !is_lent(image_of(pipeline_, use.image), whole_halo(use.image));
    for (std::size_t rank = 0; rank < (everywhere ? ranks() : 1); ++rank) {
      const auto [position, is_new] = buffers_.try_emplace({use.image, use.whole, rank}, 0);
      if (!is_new || !is_counted) continue;
      position->second = use.whole ? whole_bytes(use.image) : tile_bytes(use.image, rank);
      held_[rank] += position->second;
    }
  }

  void let_go(const Release& release) {
    for (std::size_t rank = 0; rank < ranks(); ++rank) {
      const auto buffer = buffers_.find({release.image, release.whole, rank});
      if (buffer == buffers_.end()) continue;
      held_[rank] -= buffer->second;
      buffers_.erase(buffer);
    }
  }

  /// Of steps that are done at the same time.
  [[nodiscard]] std::vector<std::int64_t> scratch_of(std::span<const PlanStep> steps) const {
    if (steps.size() == 1) return scratch_of(steps.front());
    std::vector<std::vector<std::int64_t>> by_rank(ranks());
    for (const PlanStep& step : steps) {
      const std::vector<std::int64_t> scratch = scratch_of(step);
      for (std::size_t rank = 0; rank < ranks(); ++rank) by_rank[rank].push_back(scratch[rank]);
    }
    std::vector<std::int64_t> together;
    for (std::vector<std::int64_t>& bytes : by_rank)
      together.push_back(bytes_together(std::move(bytes), plan_.threads));
    return together;
  }

  [[nodiscard]] std::vector<std::int64_t> scratch_of(const PlanStep& step) const {
    std::vector<std::int64_t> scratch(ranks(), 0);
    const PipelineImage& image = image_of(pipeline_, step.image);
    switch (step.kind) {
      case StepKind::read:
        scratch[0] = image.source->scratch_bytes();
        break;
      case StepKind::write:
        scratch[0] = pipeline_.outputs[static_cast<std::size_t>(step.output)].sink->scratch_bytes(image.shape);
        break;
      case StepKind::scatter:
      case StepKind::gather:
      case StepKind::exchange:
        add_messages(step, scratch);
        break;
      case StepKind::compute:
        add_computing(step, scratch);
        break;
      default:
        break;
    }
    return scratch;
  }

  void add_messages(const PlanStep& step, std::vector<std::int64_t>& scratch) const {
    const PlanImage& image = plan_.images[static_cast<std::size_t>(step.image)];
    const Schedule schedule =
        make_schedule({transfer_kind(step.kind), step.algorithm, plan_.grid, image.shape, image.storage_halo,
                       step.exchanged, step.cyclic, step.packing.value_or(Packing::datatype)});
    for (std::size_t rank = 0; rank < ranks(); ++rank) scratch[rank] = schedule.scratch_bytes(static_cast<int>(rank));
  }

  void add_computing(const PlanStep& step, std::vector<std::int64_t>& scratch) const {
    const PipelineImage& image = image_of(pipeline_, step.image);
    const std::vector<ImageShape> inputs = pipeline_.input_shapes(step.image);
    if (step.site == Site::tiles) {
      for (std::size_t rank = 0; rank < ranks(); ++rank) {
        const Extent& extent = image.shape.extent;
        const Rect area = grown(tile_of(extent, plan_.grid, static_cast<int>(rank)), step.margin, extent);
        scratch[rank] = plan_.threads * image.op->scratch_bytes(inputs, {area.width(), area.height()});
      }
      return;
    }
    scratch[0] = plan_.threads * image.op->scratch_bytes(inputs, image.shape.extent);
    const Halo halo = image.op->halo();
    if (!needs_edges(pipeline_, step.image, plan_.ranks)) return;
    const std::set<int> distinct(image.inputs.begin(), image.inputs.end());
    std::int64_t most = 0;
    for (const Rect& strip : edges_of(inputs, halo).strips) {
      std::int64_t copies = 0;
      for (const int input : distinct) copies += raster_bytes(strip, halo, image_of(pipeline_, input).shape.format);
      most = std::max(most, copies);
    }
    scratch[0] += most;
  }

  const Plan& plan_;
  const Pipeline& pipeline_;
  std::map<std::tuple<int, bool, std::size_t>, std::int64_t> buffers_;  // image, whole, rank
  std::vector<std::int64_t> held_;
  std::vector<std::int64_t> peaks_;
};

}  // namespace

bool needs_edges(const Pipeline& pipeline, int result, int ranks) {
  const PipelineImage& image = image_of(pipeline, result);
  if (image.op->halo().empty()) return false;
  return ranks > 1 || std::any_of(image.inputs.begin(), image.inputs.end(), [&](int input) {
           return is_lent(image_of(pipeline, input), pipeline.storage_halo(input));
         });
}

void add_releases(Plan& plan, const Pipeline& pipeline) {
  std::set<Release, decltype([](const Release& a, const Release& b) {
             return std::pair(a.image, a.whole) < std::pair(b.image, b.whole);
           })>
      later;
  for (const PipelineOutput& output : pipeline.outputs) {
    const bool stays = output.kind == OutputKind::fetch || output.kind == OutputKind::keep;
    if (stays) later.insert({output.image, true});
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
