#include "tilewright/imgops/benchmarks.hpp"

#include "benchmark_data.hpp"

namespace tilewright {

const std::vector<OperatorBenchmark>& operator_benchmarks() {
  static const std::vector<OperatorBenchmark> list = [] {
    std::vector<OperatorBenchmark> all;
    for (auto family : {convolution_benchmarks, pointwise_benchmarks, reduction_benchmarks, file_benchmarks}) {
      for (OperatorBenchmark& benchmark : family()) all.push_back(std::move(benchmark));
    }
    return all;
  }();
  return list;
}

}  // namespace tilewright
