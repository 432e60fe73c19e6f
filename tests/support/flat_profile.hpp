// A machine on which every value of every operator costs the same, whatever it is.
#pragma once

#include "tilewright/imgops/benchmarks.hpp"
#include "tilewright/model/machine_profile.hpp"

namespace tilewright::test {

inline MachineProfile flat_profile(double seconds_per_value = 1e-8, double seconds_per_mebibyte = 1e-3) {
  std::vector<PathCell> paths;
  for (const Path path : all_paths) {
    for (const Layout layout : all_layouts) {
      paths.push_back({path, layout, 0, {1e-5, 0, 0}});
      paths.push_back({path, layout, 1 << 20, {seconds_per_mebibyte, 0, 0}});
    }
  }
  for (const Layout layout : {Layout::cc, Layout::nn}) {
    paths.push_back({Path::shared, layout, 0, {1e-5, 0, 0}});
    paths.push_back({Path::shared, layout, 1 << 20, {2e-4, 0, 0}});
  }
  std::vector<OperatorCell> operators;
  for (const OperatorBenchmark& benchmark : operator_benchmarks()) {
    for (const PixelType type : benchmark.types) {
      operators.push_back({benchmark.key, type, 0, 65536, {seconds_per_value, 0, 0}});
    }
  }
  return {"flat", {}, std::move(paths), std::move(operators)};
}

}  // namespace tilewright::test
