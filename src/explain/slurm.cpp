// A batch script for Slurm that runs the program as planned.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "renderers.hpp"
#include "tilewright/core/node_mapping.hpp"
#include "tilewright/core/units.hpp"
#include "totals.hpp"
#include "words.hpp"

namespace tilewright {
namespace {

constexpr double start_up_s = 300;  ///< granted beside the predicted time, and so the least limit
constexpr double time_factor = 3;   ///< on the predicted time
constexpr std::int64_t unknown_minutes = 60;
constexpr std::int64_t mebibyte = 1 << 20;
constexpr std::int64_t program_bytes = 256 * mebibyte;  ///< of a rank beside its images: program, libraries, MPI
constexpr double memory_factor = 1.25;                  ///< on the images' memory

std::int64_t limit_minutes(const std::optional<double>& predicted_s) {
  if (!predicted_s) return unknown_minutes;
  return static_cast<std::int64_t>(std::ceil((start_up_s + time_factor * *predicted_s) / 60));
}

/// "1-02:03:00" or "02:03:00".
std::string limit_text(std::int64_t minutes) {
  const std::int64_t days = minutes / (24 * 60);
  const std::string clock = fmt::format("{:02}:{:02}:00", minutes / 60 % 24, minutes % 60);
  return days == 0 ? clock : fmt::format("{}-{}", days, clock);
}

std::string limit_reason(const std::optional<double>& predicted_s) {
  if (!predicted_s) {
    return fmt::format("the predicted time is unknown: {} minutes are a guess, set them as you know better",
                       unknown_minutes);
  }
  return fmt::format("{:.0f} minutes for starting up and {:.0f} times the predicted {}", start_up_s / 60, time_factor,
                     format_seconds(*predicted_s));
}

/// Of the fullest node.
std::int64_t node_mebibytes(const Plan& all, int ranks_on_node) {
  const double images = memory_factor * static_cast<double>(node_bytes(all));
  const auto bytes = static_cast<std::int64_t>(images) + ranks_on_node * program_bytes;
  return (bytes + mebibyte - 1) / mebibyte;
}

/// What a job asks for, so that each segment finds the nodes and the ranks on them that it is laid out on.
struct JobSize {
  int nodes = 1;
  int tasks_on_node = 1;
  int tasks = 1;
};

JobSize size_of_job(const std::vector<Plan>& segments) {
  JobSize job;
  for (const Plan& segment : segments) {
    job.nodes = std::max(job.nodes, nodes_of(segment.ranks, segment.ranks_per_node));
    job.tasks_on_node = std::max(job.tasks_on_node, std::min(segment.ranks_per_node, segment.ranks));
    job.tasks = std::max(job.tasks, segment.ranks);
  }
  const bool all_on_fewer = nodes_of(job.tasks, job.tasks_on_node) < job.nodes;
  if (all_on_fewer) job.tasks = job.nodes * job.tasks_on_node;
  return job;
}

/// So that a node has the cores for the threads of all its ranks, in whatever segment most are at work.
int cores_a_task(const std::vector<Plan>& segments, int ranks_on_node) {
  int cores = 1;
  for (const Plan& segment : segments) {
    const int at_work = std::min(ranks_on_node, segment.ranks) * segment.threads;
    cores = std::max(cores, (at_work + ranks_on_node - 1) / ranks_on_node);
  }
  return cores;
}

}  // namespace

std::string render_slurm(const std::vector<Plan>& segments, const BatchJob& job) {
  const Plan all = summary_of(segments);
  const auto [nodes, on_node, tasks] = size_of_job(segments);
  std::string text = "#!/bin/bash\n";
  text += fmt::format("# {}, planned for machine {} by model {}.\n", one_line(configuration_text(all)),
                      one_line(all.machine), one_line(all.model));
  text += fmt::format("# Time limit: {}.\n", limit_reason(all.predicted_seconds));
  text += fmt::format("# Memory: {:.2f} times the {} of the root and {} of each other rank, and {} a rank beside.\n",
                      memory_factor, format_bytes(all.root_bytes), format_bytes(all.rank_bytes),
                      format_bytes(program_bytes));
  if (all.partial) text += "# Only part of the program is planned: it goes on with a value that only a run can give.\n";
  for (const std::string& note : all.notes) text += fmt::format("# Note: {}\n", one_line(note));
  text += "#SBATCH --job-name=tilewright\n";
  text += fmt::format("#SBATCH --nodes={}\n", nodes);
  text += fmt::format("#SBATCH --ntasks={}\n", tasks);
  text += fmt::format("#SBATCH --ntasks-per-node={}\n", on_node);
  text += fmt::format("#SBATCH --cpus-per-task={}\n", cores_a_task(segments, on_node));
  text += fmt::format("#SBATCH --time={}\n", limit_text(limit_minutes(all.predicted_seconds)));
  text += fmt::format("#SBATCH --mem={}M\n", node_mebibytes(all, on_node));
  text += '\n';
  for (const std::string& variable : job.variables) text += fmt::format("export {}\n", variable);
  return text + fmt::format("mpiexec -n {} {}\n", tasks, job.command);
}

}  // namespace tilewright
