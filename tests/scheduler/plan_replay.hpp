// Goes through a plan as an executor would: which pixels are where, and how many bytes every rank holds.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "support/schedule_simulation.hpp"
#include "tilewright/core/edges.hpp"
#include "tilewright/model/concurrent_steps.hpp"
#include "tilewright/model/plan.hpp"
#include "tilewright/pipeline/pipeline.hpp"
#include "tilewright/transfers/schedule.hpp"

namespace tilewright::test {

/// Every step must find what it needs; fails the test where it does not.
class PlanReplay {
 public:
  PlanReplay(const Plan& plan, const Pipeline& pipeline)
      : plan_(plan), pipeline_(pipeline), peaks_(static_cast<std::size_t>(listeners(plan)), 0) {}

  void run() {
    for (std::size_t i = 0, together = 1; i < plan_.steps.size(); i += together) {
      together = steps_together(plan_, i);
      const std::span<const PlanStep> steps = std::span(plan_.steps).subspan(i, together);
      const PlanStep& first = steps.front();
      SCOPED_TRACE(std::string(to_string(first.kind)) + " of image " + std::to_string(first.image));
      for (const PlanStep& step : steps) perform(step);
      count(steps);
      for (const PlanStep& step : steps) {
        for (const Release& release : step.releases) let_go(release);
      }
    }
    expect_only_wishes_held();
    EXPECT_EQ(served_.size(), outputs_with_steps()) << "an output was not served";
  }

  /// By rank, the most bytes held at a time.
  [[nodiscard]] const std::vector<std::int64_t>& peaks() const { return peaks_; }

 private:
  /// The ranks that hold an image: whole, or their tile of it.
  struct Held {
    std::set<int> whole;
    bool tiles = false;
    Halo valid;  // of the tiles: so much of the halo is filled
    bool wrapped = false;
    ProcessGrid grid;  // of the tiles
  };

  [[nodiscard]] bool everywhere(const Held& held) const { return static_cast<int>(held.whole.size()) >= plan_.ranks; }
  static void hold_whole(Held& held, int ranks) {
    for (int rank = 0; rank < ranks; ++rank) held.whole.insert(rank);
  }

  void perform(const PlanStep& step) {
    Held& held = held_[step.image];
    const bool root = held.whole.contains(0);
    switch (step.kind) {
      case StepKind::read:
        if (step.site != Site::tiles)
          held.whole.insert(0);
        else
          held = {held.whole, true, step.exchanged, false, grid_of(plan_, step)};
        break;
      case StepKind::scatter:
        EXPECT_TRUE(root);
        held = {held.whole, true, step.exchanged, false, grid_of(plan_, step)};
        if (step.in_turn) make_room_for_results();
        break;
      case StepKind::gather:
        expect_tiles(step, step.image);
        if (step.in_turn) make_room_for_results();
        held.whole.insert(0);
        break;
      case StepKind::broadcast:
        EXPECT_TRUE(root);
        hold_whole(held, grid_of(plan_, step).ranks());
        break;
      case StepKind::allgather:
        expect_tiles(step, step.image);
        hold_whole(held, plan_.ranks);
        break;
      case StepKind::exchange:
        expect_tiles(step, step.image);
        EXPECT_TRUE(step.exchanged == storage_halo(step.image));
        held.valid = step.exchanged;
        held.wrapped = held.wrapped || step.cyclic;
        break;
      case StepKind::redistribute:
        EXPECT_TRUE(held.tiles);
        ASSERT_TRUE(step.former);
        EXPECT_EQ(held.grid, *step.former);
        held = {held.whole, true, {}, false, grid_of(plan_, step)};
        break;
      case StepKind::compute:
        compute(step);
        break;
      case StepKind::reduce:
        if (step.site == Site::tiles)
          expect_tiles(step, step.image);
        else
          EXPECT_TRUE(root);
        EXPECT_TRUE(served_.insert(step.output).second);
        break;
      case StepKind::write:
        if (step.site == Site::tiles)
          expect_tiles(step, step.image);
        else
          EXPECT_TRUE(root);
        EXPECT_TRUE(served_.insert(step.output).second);
        break;
    }
  }

  /// Of all gathers in turn, at the first step that serves ranks so.
  void make_room_for_results() {
    if (std::exchange(has_room_for_results_, true)) return;
    for (const PlanStep& step : plan_.steps) {
      if (step.kind == StepKind::gather && step.in_turn) held_[step.image].whole.insert(0);
    }
  }

  /// A tile that does not exist is cut out of the whole image, with its halo, at its first use.
  void expect_tiles(const PlanStep& step, int image) {
    Held& held = held_[image];
    if (held.tiles) {
      EXPECT_EQ(held.grid, grid_of(plan_, step)) << "image " << image << " is on another grid";
      return;
    }
    EXPECT_TRUE(everywhere(held)) << "image " << image << " is neither tiled nor on every rank";
    held = {held.whole, true, storage_halo(image), true, grid_of(plan_, step)};
  }

  void compute(const PlanStep& step) {
    const PipelineImage& image = pipeline_.images[static_cast<std::size_t>(step.image)];
    for (const int input : image.inputs) {
      if (step.site == Site::root) {
        EXPECT_TRUE(held_[input].whole.contains(0)) << "input " << input;
        continue;
      }
      if (step.site == Site::everywhere) {
        EXPECT_TRUE(everywhere(held_[input])) << "input " << input;
        continue;
      }
      expect_tiles(step, input);
      const Halo reach{image.op->halo().x + step.margin.x, image.op->halo().y + step.margin.y};
      const Halo needed = in_cut_directions(reach, grid_of(plan_, step));
      EXPECT_TRUE(held_[input].valid.covers(needed)) << "halo of input " << input;
      const bool wraps = !image.op->halo().empty() && image.op->border() == Border::wrap;
      EXPECT_TRUE(!wraps || needed.empty() || held_[input].wrapped) << "the other side of input " << input;
    }
    for (const int input : image.inputs) {
      const bool overwrites =
          step.site == Site::tiles && !image.op->halo().empty() && image.op->border() != Border::wrap;
      if (overwrites) held_[input].wrapped = false;
    }
    EXPECT_EQ(step.results, pipeline_.results(step.image));
    for (int made = step.image; made < step.image + step.results; ++made) {
      if (step.site == Site::tiles) {
        held_[made] = {held_[made].whole, true, step.margin, false, grid_of(plan_, step)};
        EXPECT_TRUE(storage_halo(made).covers(step.margin)) << "room around the tiles of image " << made;
      } else if (step.site == Site::everywhere) {
        hold_whole(held_[made], plan_.ranks);
      } else {
        held_[made].whole.insert(0);
      }
    }
  }

  void let_go(const Release& release) {
    Held& held = held_[release.image];
    EXPECT_TRUE(release.whole ? !held.whole.empty() : held.tiles) << "image " << release.image << " is not held";
    if (release.whole)
      held.whole.clear();
    else
      held = {held.whole, false, {}, false, {}};
  }

  void expect_only_wishes_held() {
    std::map<int, OutputKind> wishes;
    for (const PipelineOutput& output : pipeline_.outputs) {
      if (output.kind == OutputKind::keep) wishes.try_emplace(output.image, output.kind);
      if (output.kind == OutputKind::fetch) wishes[output.image] = output.kind;
    }
    for (const auto& [image, held] : held_) {
      EXPECT_FALSE(held.tiles) << "tiles of image " << image;
      EXPECT_TRUE(wishes.contains(image) || held.whole.empty()) << "image " << image;
    }
    for (const auto& [image, kind] : wishes) {
      EXPECT_TRUE(held_[image].whole.contains(0)) << "image " << image;
      EXPECT_TRUE(kind != OutputKind::fetch || everywhere(held_[image])) << "image " << image;
    }
  }

  [[nodiscard]] std::size_t outputs_with_steps() const {
    return static_cast<std::size_t>(std::count_if(
        pipeline_.outputs.begin(), pipeline_.outputs.end(),
        [](const auto& output) { return output.kind == OutputKind::write || output.kind == OutputKind::reduce; }));
  }

  // --- bytes ---

  [[nodiscard]] std::int64_t bytes(int image, const Rect& area) const {
    return area.pixels() * static_cast<std::int64_t>(shape(image).format.bytes());
  }
  [[nodiscard]] const ImageShape& shape(int image) const {
    return pipeline_.images[static_cast<std::size_t>(image)].shape;
  }
  [[nodiscard]] Halo storage_halo(int image) const {
    return plan_.images[static_cast<std::size_t>(image)].storage_halo;
  }
  [[nodiscard]] Rect tile(int image, const ProcessGrid& grid, int rank) const {
    return tile_of(shape(image).extent, grid, rank);
  }

  void count(std::span<const PlanStep> steps) {
    for (int rank = 0; rank < static_cast<int>(peaks_.size()); ++rank) {
      const bool works = rank < plan_.ranks;
      std::vector<std::int64_t> largest;
      for (const PlanStep& step : steps) largest.push_back(works ? scratch(step, rank) : 0);
      std::sort(largest.rbegin(), largest.rend());
      const std::size_t at_once = steps.front().overlapped ? 2 : static_cast<std::size_t>(plan_.threads);
      largest.resize(std::min(largest.size(), at_once));
      std::int64_t sum = std::accumulate(largest.begin(), largest.end(), std::int64_t{0});
      for (const auto& [image, held] : held_) {
        const Halo halo = storage_halo(image);
        const Rect whole = rect_of(shape(image).extent);
        if (held.whole.contains(rank)) sum += bytes(image, plan_.ranks == 1 && rank == 0 ? padded(whole, halo) : whole);
        if (works && held.tiles) sum += bytes(image, with_halo(tile(image, held.grid, rank), halo));
      }
      std::int64_t& peak = peaks_[static_cast<std::size_t>(rank)];
      peak = std::max(peak, sum);
    }
  }

  [[nodiscard]] std::int64_t scratch(const PlanStep& step, int rank) const {
    const PipelineImage& image = pipeline_.images[static_cast<std::size_t>(step.image)];
    const bool changes_grid = step.kind == StepKind::redistribute;
    if (changes_grid || step.kind == StepKind::scatter || step.kind == StepKind::gather ||
        step.kind == StepKind::allgather || step.kind == StepKind::exchange) {
      const Halo halo = plan_.images[static_cast<std::size_t>(step.image)].storage_halo;
      const std::int64_t messages =
          make_schedule({transfer_kind(step.kind).value(), step.algorithm, grid_of(plan_, step), image.shape, halo,
                         step.exchanged, step.cyclic, step.packing.value_or(Packing::datatype),
                         step.former.value_or(ProcessGrid{})})
              .scratch_bytes(rank);
      // The new tiles are held by now; those before are still there.
      return changes_grid ? messages + bytes(step.image, with_halo(tile(step.image, *step.former, rank), halo))
                          : messages;
    }
    if (step.kind == StepKind::compute && step.site == Site::tiles) {
      const Rect whole = rect_of(image.shape.extent);
      return computing(step, image,
                       intersection(with_halo(tile(step.image, grid_of(plan_, step), rank), step.margin), whole));
    }
    if (step.site == Site::tiles || (rank != 0 && step.site == Site::root)) return 0;
    if (step.kind == StepKind::read) return image.source->scratch_bytes();
    if (step.kind == StepKind::write) {
      return pipeline_.outputs[static_cast<std::size_t>(step.output)].sink->scratch_bytes(image.shape);
    }
    return step.kind == StepKind::compute ? computing(step, image, rect_of(image.shape.extent)) + padded_inputs(image)
                                          : 0;
  }

  [[nodiscard]] std::int64_t computing(const PlanStep& step, const PipelineImage& image, const Rect& area) const {
    if (area.empty()) return 0;
    std::vector<ImageShape> inputs;
    for (const int input : image.inputs) inputs.push_back(shape(input));
    return threads_of(plan_, step) * image.op->scratch_bytes(inputs, {area.width(), area.height()});
  }

  /// On the root of several ranks, whole images have no halo: an operator that needs one works on padded copies, for
  /// no image here is so large that its edges alone would be copied.
  [[nodiscard]] std::int64_t padded_inputs(const PipelineImage& image) const {
    if (plan_.ranks == 1 || image.op->halo().empty()) return 0;
    std::int64_t sum = 0;
    for (const int input : std::set<int>(image.inputs.begin(), image.inputs.end())) {
      EXPECT_LT(shape(input).bytes(), cut_from_bytes);
      sum += bytes(input, padded(rect_of(shape(input).extent), image.op->halo()));
    }
    return sum;
  }

  const Plan& plan_;
  const Pipeline& pipeline_;
  std::map<int, Held> held_;
  std::set<int> served_;
  bool has_room_for_results_ = false;
  std::vector<std::int64_t> peaks_;
};

}  // namespace tilewright::test
