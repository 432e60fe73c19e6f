// Bursts between the root and several partners: none is left waiting, however few messages there are.
#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "../../src/calibrate/path_bench.hpp"
#include "support/mpi_environment.hpp"

namespace tilewright {
namespace {

using test::world;

constexpr std::int64_t longest = 200'000;

std::vector<int> all_but_root() {
  std::vector<int> partners(static_cast<std::size_t>(world().ranks() - 1));
  std::iota(partners.begin(), partners.end(), 1);
  return partners;
}

std::vector<Burst> bursts() {
  std::vector<Burst> all;
  for (const Path path : {Path::send, Path::recv, Path::full, Path::overhead}) {
    for (const Layout layout : {Layout::cc, Layout::nn}) {
      for (const Packing packing : all_packings) {
        for (const std::int64_t bytes : {std::int64_t{0}, std::int64_t{400}, longest}) {
          for (const std::int64_t rounds : {2, 12}) {
            all.push_back({{path, layout, bytes, {}, packing}, 1, rounds});
          }
        }
      }
    }
  }
  return all;
}

TEST(PathBench, GoesRoundAllPartners) {
  if (world().ranks() < 2) return;
  PathBench bench(world(), world().is_root() ? all_but_root() : std::vector<int>{0}, 2 * longest);
  if (!world().is_root()) {
    bench.serve();
    return;
  }
  for (const Burst& burst : bursts()) {
    const double seconds = bench.measure(burst).seconds;
    EXPECT_GT(seconds, 0) << to_string(burst.cell.path) << " " << burst.cell.bytes << " " << burst.rounds;
  }
  bench.release();
}

}  // namespace
}  // namespace tilewright
