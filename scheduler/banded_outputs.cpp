#include "banded_outputs.hpp"

#include <algorithm>
#include <set>
#include <span>
#include <string>

#include "plan_memory.hpp"

namespace tilewright {
namespace {

/// Of all results: few enough that they are still in a cache when they are written, enough that a band costs little.
constexpr std::int64_t wanted_band_bytes = std::int64_t{4} << 20;
/// Rows of a band for each row of the halo: what a filter begins anew above each band stays a small part of it.
constexpr std::int64_t rows_a_halo_row = 8;

/// Whether the task reads, or hands out, a result of that operator.
bool wants_result_of(const Pipeline& pipeline, const Task& task, int first_result) {
  const auto is_result = [&](int image) {
    return image >= first_result && image < first_result + pipeline.results(first_result);
  };
  if (task.kind == Task::Kind::output) return is_result(pipeline.output(task.index).image);
  const std::vector<int>& inputs = pipeline.image(task.index).inputs;
  return std::any_of(inputs.begin(), inputs.end(), is_result);
}

/// Whether all that the operator makes goes to reductions and to different targets right after it, and nowhere else.
bool is_only_put_out(const Pipeline& pipeline, int first_result, std::span<const Task> after) {
  std::set<std::string> targets;
  const auto end = std::find_if(after.begin(), after.end(), [&](const Task& task) {
    if (!takes_bands_of(pipeline, task, first_result)) return true;
    const PipelineOutput& output = pipeline.output(task.index);
    return output.kind == OutputKind::write && !targets.insert(output.sink->describe()).second;
  });
  return end != after.begin() && std::none_of(end, after.end(), [&](const Task& task) {
           return wants_result_of(pipeline, task, first_result);
         });
}

int worthwhile_bands(const Pipeline& pipeline, int first_result) {
  const PipelineImage& first = pipeline.image(first_result);
  std::int64_t row_bytes = 0;
  for (int made = first_result; made < first_result + pipeline.results(first_result); ++made) {
    row_bytes += first.shape.extent.width * static_cast<std::int64_t>(pipeline.image(made).shape.format.bytes());
  }
  const std::int64_t rows =
      std::max({wanted_band_bytes / row_bytes, rows_a_halo_row * first.op->halo().y, std::int64_t{1}});
  return static_cast<int>(std::max(first.shape.extent.height / rows, std::int64_t{1}));
}

}  // namespace

bool takes_bands_of(const Pipeline& pipeline, const Task& task, int first_result) {
  if (task.kind != Task::Kind::output || !wants_result_of(pipeline, task, first_result)) return false;
  const OutputKind kind = pipeline.output(task.index).kind;
  return kind == OutputKind::write || kind == OutputKind::reduce;
}

std::vector<int> bands_by_image(const Pipeline& pipeline) {
  std::vector<int> bands(pipeline.images.size(), 1);
  const std::span<const Task> tasks(pipeline.tasks);
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    if (tasks[i].kind != Task::Kind::obtain || !pipeline.image(tasks[i].index).op) continue;
    const int made = tasks[i].index;
    const bool is_banded = is_only_put_out(pipeline, made, tasks.subspan(i + 1)) && !needs_edges(pipeline, made, 1);
    if (is_banded) bands[static_cast<std::size_t>(made)] = worthwhile_bands(pipeline, made);
  }
  return bands;
}

}  // namespace tilewright
