// A rank's memory grows by no more than its plan states, and 64 MiB.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "support/flat_profile.hpp"
#include "support/mpi_environment.hpp"
#include "tilewright/imgops/arithmetic.hpp"
#include "tilewright/imgops/files.hpp"
#include "tilewright/imgops/gaussian.hpp"
#include "tilewright/runtime/executor.hpp"
#include "tilewright/scheduler/planner.hpp"

namespace tilewright {
namespace {

using test::world;

/// Most memory that this process has had resident, in bytes.
std::int64_t peak_resident() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    std::istringstream words(line);
    std::string name;
    std::int64_t kibibytes = 0;
    if (words >> name >> kibibytes && name == "VmHWM:") return kibibytes * 1024;
  }
  return 0;
}

TEST(Memory, StaysWithinThePlan) {
  const std::string folder =
      world().broadcast(std::filesystem::temp_directory_path() / ("tilewright-memory-" + std::to_string(getpid())));
  if (world().is_root()) std::filesystem::create_directories(folder);
  world().barrier();
  const ImageShape shape{{3000, 2000}, {PixelType::u16, 1}};
  const std::string input = folder + "/in.tif";
  if (world().is_root()) {
    Raster raster(shape);
    std::fill_n(raster.at<std::uint16_t>(0, 0), shape.extent.pixels(), std::uint16_t{77});
    image_file_sink(input)->store(std::as_const(raster).view());
  }
  const Image in(world().is_root() ? image_file(input) : assumed_file(input, shape));
  const Image lx = gaussian_derivative(in, {.sigma = 3, .order_x = 1});
  const Image ly = gaussian_derivative(in, {.sigma = 3, .order_y = 1});
  const Pipeline pipeline = record({{OutputKind::write, lx, image_file_sink(folder + "/lx.tif"), nullptr},
                                    {OutputKind::write, convert(sqrt(lx * lx + ly * ly), PixelType::u8),
                                     image_file_sink(folder + "/m.png"), nullptr}});
  const MachineProfile profile = test::flat_profile();
  for (const Algorithm tree : all_algorithms) {
    for (const Distribution distribution : {Distribution::scatter, Distribution::broadcast}) {
      if (tree == Algorithm::shared && world().ranks() == 1) continue;  // nobody to share with
      SearchSpace space{.max_ranks = world().ranks(), .ranks_per_node = world().ranks()};
      space.sharing_ranks = world().sharing_ranks();
      space.ranks = world().ranks();
      space.tree = tree;
      space.distribution = distribution;
      const bool can_be_in_turn = tree == Algorithm::oft && world().ranks() >= 3;
      if (can_be_in_turn && distribution == Distribution::scatter) space.in_turn = true;
      const Plan plan = plan_pipeline(pipeline, profile, *make_cost_model("p3pc", profile), space);
      const std::int64_t before = peak_resident();
      (void)execute(plan, pipeline, world());
      const std::int64_t stated = world().is_root() ? plan.root_bytes : plan.rank_bytes;
      EXPECT_LE(peak_resident() - before, stated + (std::int64_t{64} << 20)) << to_string(plan.grid);
    }
  }
  world().barrier();
  if (world().is_root()) std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace tilewright
