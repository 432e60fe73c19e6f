#include "operator_merge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <sstream>
#include <tuple>
#include <utility>

#include "tilewright/calibrate/fit.hpp"
#include "tilewright/core/error.hpp"
#include "tilewright/core/statistics.hpp"

namespace tilewright {
namespace {

using Key = std::tuple<std::string, PixelType, double, double, int, int>;

Key key_of(const OperatorCell& cell) {
  return {cell.key, cell.type, cell.parameter, cell.tile_pixels, cell.ranks, cell.threads};
}

double median_processor_s(const std::vector<OperatorSample>& samples) {
  std::vector<double> seconds;
  for (const OperatorSample& sample : samples) seconds.push_back(sample.processor_s);
  return quantile(seconds, 0.5);
}

/// Not told by the processor time of one thread.
bool is_on_clock(const OperatorSeries& series) {
  return series.waits_for_files || series.cell.threads > 1;
}

/// All samples of each computing cell, of all ranks.
std::map<Key, std::vector<OperatorSample>> pooled(const std::vector<OperatorMeasurement>& by_rank) {
  std::map<Key, std::vector<OperatorSample>> pool;
  for (const OperatorMeasurement& measurement : by_rank) {
    for (const OperatorSeries& series : measurement.series) {
      if (is_on_clock(series)) continue;
      auto& samples = pool[key_of(series.cell)];
      samples.insert(samples.end(), series.samples.begin(), series.samples.end());
    }
  }
  return pool;
}

double median_elapsed_s(const std::vector<OperatorSample>& samples) {
  std::vector<double> seconds;
  for (const OperatorSample& sample : samples) seconds.push_back(sample.elapsed_s);
  return quantile(seconds, 0.5);
}

/// A cell, by the samples of all ranks.
struct Common {
  double processor_s = 0;  ///< their median
  std::size_t samples = 0;
};

/// At least 1.
double slowest_of(const std::vector<double>& slowdowns) {
  return std::accumulate(slowdowns.begin(), slowdowns.end(), 1.0, [](double a, double b) { return std::max(a, b); });
}

/// What waits for files, or is shared by threads: the root's series, for only the root reads and writes whole ones; of
/// what all ranks do at once, the series of the slowest.
std::map<Key, OperatorSeries> series_on_clock(const std::vector<OperatorMeasurement>& by_rank) {
  std::map<Key, OperatorSeries> all;
  for (const OperatorMeasurement& measurement : by_rank) {
    for (const OperatorSeries& series : measurement.series) {
      const bool counts = series.of_all_ranks || &measurement == &by_rank.front();
      if (!is_on_clock(series) || !counts) continue;
      const auto [position, is_new] = all.try_emplace(key_of(series.cell), series);
      const bool is_slower = median_elapsed_s(series.samples) > median_elapsed_s(position->second.samples);
      if (!is_new && is_slower) position->second = series;
    }
  }
  return all;
}

}  // namespace

std::string to_text(const OperatorMeasurement& measurement) {
  std::string text = fmt::format("{} {} {} {}\n", measurement.computing.processor_s, measurement.computing.elapsed_s,
                                 measurement.computing_alone.processor_s, measurement.computing_alone.elapsed_s);
  for (const OperatorSeries& series : measurement.series) {
    const OperatorCell& cell = series.cell;
    text += fmt::format("{} {} {} {} {} {} {} {} {}", cell.key, to_string(cell.type), cell.parameter, cell.tile_pixels,
                        cell.ranks, cell.threads, series.waits_for_files ? 1 : 0, series.of_all_ranks ? 1 : 0,
                        series.samples.size());
    for (const OperatorSample& sample : series.samples) {
      text += fmt::format(" {} {} {}", sample.processor_s, sample.elapsed_s, sample.disturbed ? 1 : 0);
    }
    text += '\n';
  }
  return text;
}

OperatorMeasurement operator_measurement_from(std::string_view text) {
  std::istringstream stream{std::string(text)};
  OperatorMeasurement measurement;
  for (OperatorSample* sum : {&measurement.computing, &measurement.computing_alone}) {
    stream >> sum->processor_s >> sum->elapsed_s;
  }
  OperatorSeries series;
  std::string type;
  std::size_t samples = 0;
  int files = 0;
  int all_ranks = 0;
  while (stream >> series.cell.key >> type >> series.cell.parameter >> series.cell.tile_pixels >> series.cell.ranks >>
         series.cell.threads >> files >> all_ranks >> samples) {
    series.cell.type = parse_pixel_type(type);
    series.waits_for_files = files != 0;
    series.of_all_ranks = all_ranks != 0;
    series.samples.assign(samples, {});
    for (OperatorSample& sample : series.samples) {
      stream >> sample.processor_s >> sample.elapsed_s >> sample.disturbed;
    }
    measurement.series.push_back(series);
  }
  if (!stream.eof()) throw InternalError("a rank's measurement of the operators cannot be read");
  return measurement;
}

std::vector<double> slowdowns(const std::vector<OperatorMeasurement>& by_rank) {
  std::map<Key, Common> common;
  for (const auto& [key, samples] : pooled(by_rank)) {
    common.emplace(key, Common{median_processor_s(samples), samples.size()});
  }
  std::vector<double> slowdowns;
  for (const OperatorMeasurement& measurement : by_rank) {
    std::vector<double> ratios;  // this rank's processor against the common one, cell by cell
    for (const OperatorSeries& series : measurement.series) {
      if (is_on_clock(series)) continue;
      const Common& of_all = common.at(key_of(series.cell));
      if (of_all.samples == series.samples.size()) continue;  // nobody else has measured it
      if (of_all.processor_s > 0) ratios.push_back(median_processor_s(series.samples) / of_all.processor_s);
    }
    const double slower = ratios.empty() ? 1 : quantile(ratios, 0.5);
    slowdowns.push_back(slower * measurement.slowdown());
  }
  return slowdowns;
}

std::vector<MergedSeries> node_paces(const std::vector<OperatorMeasurement>& by_rank,
                                     const std::vector<std::string>& node_of_rank) {
  const std::vector<double> of_ranks = slowdowns(by_rank);
  std::vector<std::string> nodes;  // in the order of their first ranks
  std::vector<double> of_nodes;
  for (std::size_t rank = 0; rank < of_ranks.size(); ++rank) {
    const auto known = std::find(nodes.begin(), nodes.end(), node_of_rank[rank]);
    if (known == nodes.end()) {
      nodes.push_back(node_of_rank[rank]);
      of_nodes.push_back(of_ranks[rank]);
    } else {
      double& slowdown = of_nodes[static_cast<std::size_t>(known - nodes.begin())];
      slowdown = std::max(slowdown, of_ranks[rank]);
    }
  }
  if (nodes.size() < 2) return {};
  const double slowest = *std::max_element(of_nodes.begin(), of_nodes.end());
  std::vector<MergedSeries> paces;
  for (std::size_t node = 0; node < nodes.size(); ++node) {
    MergedSeries pace{node_pace_cell(static_cast<int>(node), nodes[node]), {{of_nodes[node] / slowest}}};
    pace.cell.time_per_unit = fit(counted(pace.samples));
    paces.push_back(std::move(pace));
  }
  return paces;
}

std::vector<MergedSeries> merge(const std::vector<OperatorMeasurement>& by_rank, double takers) {
  const std::vector<double> of_ranks = slowdowns(by_rank);
  const double slowdown = std::max(1.0, slowest_of(of_ranks) / takers);
  const OperatorMeasurement& root = by_rank.front();
  const bool was_alone = root.computing_alone.processor_s > 0;
  const double slowdown_alone = root.slowdown_alone() * slowest_of(of_ranks) / of_ranks.front();
  std::vector<MergedSeries> merged;
  for (const auto& [key, samples] : pooled(by_rank)) {
    const auto& [name, type, parameter, tile_pixels, ranks, threads] = key;
    MergedSeries series{{name, type, parameter, tile_pixels, {}, ranks, threads}, {}};
    const double factor = was_alone && ranks == 1 ? slowdown_alone : slowdown;
    for (const OperatorSample& sample : samples) {
      series.samples.push_back({sample.processor_s * factor, sample.disturbed});
    }
    merged.push_back(std::move(series));
  }
  for (const auto& [key, clocked] : series_on_clock(by_rank)) {
    MergedSeries series{clocked.cell, {}};
    for (const OperatorSample& sample : clocked.samples) {
      const double least_s = clocked.waits_for_files ? sample.processor_s * slowdown : 0;
      series.samples.push_back({std::max(least_s, sample.elapsed_s), sample.disturbed});
    }
    merged.push_back(std::move(series));
  }
  for (MergedSeries& series : merged) series.cell.time_per_unit = fit(counted(series.samples));
  return merged;
}

}  // namespace tilewright
