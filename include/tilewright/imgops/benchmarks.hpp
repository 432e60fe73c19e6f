// The explicit list of what the calibration measures of the operators.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tilewright/core/raster.hpp"

namespace tilewright {

/// One run of a benchmark that is ready to be timed.
struct PreparedBenchmark {
  std::function<void()> run;
  double units = 0;  ///< of work that one run does, as operators state them in Work::units
  std::function<void(int threads)> run_shared = {};  ///< the same work, shared; only where threads can share it
};

/// Ranks that measure at the same time, with a folder for files that those of a node share.
struct BenchmarkTeam {
  std::string folder;
  int rank = 0;
  int ranks = 1;
};

/// How to measure one benchmark key. Cells are the product of the types, the parameters and the tile sizes.
struct OperatorBenchmark {
  std::string key;
  std::vector<PixelType> types;
  std::vector<double> parameters;  ///< {0} if the cost depends on nothing but the size
  /// Makes its data and returns what is to be timed. `parameter` is one of parameters.
  std::function<PreparedBenchmark(PixelType type, double parameter, const Extent& tile)> prepare;
  bool waits_for_files = false;       ///< its time is not the processor's alone
  bool is_shared_by_threads = false;  ///< the threads of a rank do such work together
  bool of_all_ranks = false;          ///< what all ranks do at once: of no use while one is at work alone
  /// Instead of prepare, of what ranks do to one file; may be empty.
  std::function<PreparedBenchmark(PixelType type, double parameter, const Extent& tile, const BenchmarkTeam& team)>
      prepare_in_team = {};
};

/// Every key that an operator, reduction, source or sink of imgops names in its Work, once.
[[nodiscard]] const std::vector<OperatorBenchmark>& operator_benchmarks();

}  // namespace tilewright
