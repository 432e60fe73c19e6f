// What reading and writing take: by the root, or by each rank its tile.
#include <algorithm>

#include "banded_outputs.hpp"
#include "transition_costs.hpp"

namespace tilewright {

/// What is in memory and not lent is copied.
WorkCost TransitionPricer::read_on_root(int index) {
  const PipelineImage& image = pipeline_.images[static_cast<std::size_t>(index)];
  WorkCost cost = works_.cost(image.source->work(), image.shape.extent, false);
  const Halo room = configuration_.ranks == 1 ? pipeline_.whole_halo(index) : Halo{};
  const bool is_copied = image.source->is_resident() && !is_lent(image, room);
  if (is_copied) cost.seconds += copy_seconds(profile_, image.shape, image.shape.extent.pixels());
  return cost;
}

/// Of the largest tile. Files are read by one thread of each rank.
WorkCost TransitionPricer::read_tiles(const Transition& transition) {
  const ImageShape& shape = shape_of(transition.subject);
  const ProcessGrid& grid = configuration_.grid_of(transition);
  const Source& source = *pipeline_.images[static_cast<std::size_t>(transition.subject)].source;
  return on_tiles(shape.extent, grid, in_cut_directions(filled_halo(transition), grid),
                  [&](const Extent& part) { return works_.cost(source.part_work(part), part, true); });
}

/// Of the largest tile, by one thread of each rank, after the root has made the file and before it finishes it.
WorkCost TransitionPricer::write_tiles_work(const Transition& transition) {
  const PipelineOutput& output = pipeline_.outputs[static_cast<std::size_t>(transition.subject)];
  const ImageShape& shape = shape_of(output.image);
  WorkCost cost = on_tiles(shape.extent, configuration_.grid_of(transition), {}, [&](const Extent& part) {
    return works_.cost(output.sink->part_work(shape, part), part, true);
  });
  const WorkCost frame = works_.cost(output.sink->frame_work(shape), shape.extent, false);
  cost.seconds += frame.seconds;
  cost.known = cost.known && frame.known;
  return cost;
}

/// Whether some operator could do so.
bool TransitionPricer::is_read_on_tiles(int image) const {
  const auto& images = pipeline_.images;
  return in_parts_[static_cast<std::size_t>(image)] &&
         std::any_of(images.begin(), images.end(), [&](const PipelineImage& reader) {
           return std::find(reader.inputs.begin(), reader.inputs.end(), image) != reader.inputs.end();
         });
}

bool TransitionPricer::is_written_on_tiles(int output) const {
  const int image = pipeline_.outputs[static_cast<std::size_t>(output)].image;
  return out_parts_[static_cast<std::size_t>(output)] && pipeline_.images[static_cast<std::size_t>(image)].op;
}

WorkCost TransitionPricer::write_on_root(int index) {
  const PipelineOutput& output = pipeline_.outputs[static_cast<std::size_t>(index)];
  const ImageShape& shape = shape_of(output.image);
  return works_.cost(output.sink->work(shape), shape.extent, false);
}

/// What one rank's threads do together, writes that follow each other and the computing in bands of what they write and
/// of what is reduced, takes as long as the longest output, or as the sum shared evenly by the threads. Each pays the
/// same part of its own cost, for a transition is priced by itself. That files do not slow each other down is assumed;
/// and with several ranks, where a gather mostly comes before each write, each pays all.
void TransitionPricer::share_outputs() {
  output_shares_.assign(pipeline_.outputs.size(), 1);
  band_shares_.assign(pipeline_.images.size(), 1);
  const auto is_write = [&](const Task& task) {
    return task.kind == Task::Kind::output &&
           pipeline_.outputs[static_cast<std::size_t>(task.index)].kind == OutputKind::write;
  };
  const auto& tasks = pipeline_.tasks;
  for (auto begin = tasks.begin(); begin != tasks.end();) {
    const bool is_banded = begin->kind == Task::Kind::obtain && bands_[static_cast<std::size_t>(begin->index)] > 1;
    if (!is_banded && !is_write(*begin)) {
      ++begin;
      continue;
    }
    const auto first_output = is_banded ? begin + 1 : begin;
    const auto end = std::find_if_not(first_output, tasks.end(), [&](const Task& task) {
      return is_banded ? takes_bands_of(pipeline_, task, begin->index) : is_write(task);
    });
    double longest = 0;
    double sum = is_banded ? compute_bands(begin->index).seconds : 0;
    for (auto task = first_output; task != end; ++task) {
      const bool is_written = is_write(*task);
      const double seconds = (is_written ? write_on_root(task->index) : reduce_on_root(task->index, true, 1)).seconds;
      longest = std::max(longest, seconds);
      sum += seconds;
    }
    const int at_once = std::min(threads_of_rank(space_, ProcessGrid{}), std::max(1, space_.cores_per_node));
    const double share = sum > 0 ? std::max(longest / sum, 1.0 / at_once) : 1;
    if (is_banded) band_shares_[static_cast<std::size_t>(begin->index)] = share;
    for (auto task = first_output; task != end; ++task) output_shares_[static_cast<std::size_t>(task->index)] = share;
    begin = end;
  }
}

}  // namespace tilewright
