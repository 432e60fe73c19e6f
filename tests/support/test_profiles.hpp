// Machine profiles for tests: the paper's machine, and machines that are made up to have one property.
#pragma once

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "tilewright/model/machine_profile.hpp"
#include "tilewright/model/message_overheads.hpp"
#include "tilewright/model/step_overhead.hpp"

namespace tilewright::test {

/// Seinstra & Koelma 2002, Table 1: microseconds for 0, 1K, 50K, 100K, 500K values of 4 bytes, by path and layout.
inline constexpr double das_us[3][4][5] = {{{5.98, 61.72, 4355.45, 10246.77, 58596.98},
                                            {8.04, 60.74, 4363.35, 9853.95, 57141.29},
                                            {7.93, 248.88, 5722.00, 15142.74, 90478.81},
                                            {8.29, 133.88, 5582.23, 14137.45, 87870.27}},
                                           {{14.86, 58.08, 5754.93, 12037.78, 60062.70},
                                            {14.89, 127.30, 9527.59, 19467.08, 98016.47},
                                            {14.43, 46.56, 5517.28, 12364.45, 61446.05},
                                            {14.82, 125.05, 9340.63, 19685.86, 98275.11}},
                                           {{23.61, 131.39, 4506.32, 11007.89, 61277.46},
                                            {25.54, 214.10, 8665.39, 19195.53, 97219.23},
                                            {27.05, 206.94, 6696.30, 18015.91, 95546.60},
                                            {24.47, 287.89, 11746.29, 25652.54, 132399.20}}};
inline constexpr double das_values[5] = {0, 1024, 50 * 1024.0, 100 * 1024.0, 500 * 1024.0};

inline MachineProfile das_profile() {
  std::vector<PathCell> cells;
  for (const Path path : all_paths) {
    for (const Layout layout : all_layouts) {
      for (std::size_t i = 0; i < 5; ++i) {
        const double us = das_us[static_cast<std::size_t>(path)][static_cast<std::size_t>(layout)][i];
        cells.push_back({path, layout, static_cast<std::int64_t>(4 * das_values[i]), {us * 1e-6, 0, 0}});
      }
    }
  }
  return {"das", {}, std::move(cells), {}};
}

/// A machine whose costs are straight lines.
struct SyntheticMachine {
  double latency_s = 1e-5;
  double seconds_per_byte = 1e-9;
  double non_contiguous_factor = 2;  ///< for each end of a message that is not contiguous
  double seconds_per_value = 1e-8;   ///< of every operator
  double seconds_per_copied_value = 1e-10;
  std::vector<std::string> keys = {"sum", "total", "copy"};
  int cores_per_node = 0;
  std::int64_t memory_per_node = 0;
  double sharing_s = 0;                 ///< of a transfer through shared memory, beside its copies
  double seconds_per_shared_byte = -1;  ///< copied in it; negative: not measured
  double send_after_computing_s = -1;   ///< message_overhead_cell(), as the next; negative: not measured
  double recv_after_computing_s = -1;
  double step_s = 0;  ///< step_overhead_cell(); 0: not measured
};

inline void add_overheads(std::vector<OperatorCell>& cells, double send_s, double recv_s) {
  for (const auto& [path, seconds] : {std::pair(Path::send, send_s), std::pair(Path::recv, recv_s)}) {
    OperatorCell& cell = cells.emplace_back(message_overhead_cell(path));
    cell.time_per_unit.seconds = seconds;
  }
}

inline void add_step_overhead(std::vector<OperatorCell>& cells, double step_s) {
  OperatorCell& cell = cells.emplace_back(step_overhead_cell());
  cell.time_per_unit.seconds = step_s;
}

inline MachineProfile profile_of(const SyntheticMachine& machine) {
  std::vector<PathCell> paths;
  for (const Path path : all_paths) {
    for (const Layout layout : all_layouts) {
      double byte_s = machine.seconds_per_byte;
      if (!sender_contiguous(layout)) byte_s *= machine.non_contiguous_factor;
      if (!receiver_contiguous(layout)) byte_s *= machine.non_contiguous_factor;
      for (const std::int64_t bytes : {0, 4096, 1 << 20}) {
        const double seconds = machine.latency_s + byte_s * static_cast<double>(bytes);
        paths.push_back({path, layout, bytes, {path == Path::full ? 1.25 * seconds : seconds, 0, 0}});
      }
    }
  }
  for (const Layout layout : {Layout::cc, Layout::nn}) {
    if (machine.seconds_per_shared_byte < 0) break;
    paths.push_back({Path::shared, layout, 0, {machine.sharing_s, 0, 0}});
    paths.push_back({Path::shared, layout, 1000, {machine.sharing_s + 1000 * machine.seconds_per_shared_byte, 0, 0}});
  }
  std::vector<OperatorCell> operators;
  for (const std::string& key : machine.keys) {
    const double seconds = key == "copy" ? machine.seconds_per_copied_value : machine.seconds_per_value;
    operators.push_back({key, PixelType::f32, 0, 65536, {seconds, 0, 0}});
  }
  const bool knows_overheads = machine.send_after_computing_s >= 0 && machine.recv_after_computing_s >= 0;
  if (knows_overheads) add_overheads(operators, machine.send_after_computing_s, machine.recv_after_computing_s);
  if (machine.step_s > 0) add_step_overhead(operators, machine.step_s);
  Fingerprint fingerprint;
  fingerprint.cores_per_node = machine.cores_per_node;
  fingerprint.memory_per_node = machine.memory_per_node;
  return {"synthetic", fingerprint, std::move(paths), std::move(operators)};
}

}  // namespace tilewright::test
