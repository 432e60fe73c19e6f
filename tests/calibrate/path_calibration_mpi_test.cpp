// Which messages are measured: what would leave no time for the others is not.
#include <gmock/gmock.h>

#include <set>
#include <utility>
#include <vector>

#include "../../src/calibrate/path_calibration.hpp"
#include "support/mpi_environment.hpp"
#include "tilewright/calibrate/message_shape.hpp"
#include "tilewright/model/cell_names.hpp"

namespace tilewright {
namespace {

using test::world;
using ::testing::ElementsAre;

const std::vector<std::int64_t> sizes{0, 1024, 32 * 1024, 128 * 1024, 512 * 1024};  // values of 4 bytes

/// On the root; elsewhere empty.
std::set<std::int64_t> bytes_measured(double longest_message_s) {
  const MessageTeam team = team_between_nodes(world());
  if (!team.pairs_this_rank()) return {};
  CellGroup group{row_cells(Path::full, Layout::cc, sizes), 0.2};
  group.longest_message_s = longest_message_s;
  SampleLog log;
  Progress progress({}, 1);
  std::set<std::int64_t> bytes;
  for (const PathCell& cell : cells_of(measure_groups(team, {group}, {3, 1}, log, progress))) bytes.insert(cell.bytes);
  return bytes;
}

TEST(PathCalibration, LeavesOutMessagesThatTakeTooLongButForThoseOfAnyWire) {
  if (world().ranks() < 2) GTEST_SKIP() << "one rank sends no messages";
  const std::set<std::int64_t> none_is_short = bytes_measured(1e-9);
  const std::set<std::int64_t> all_are_short = bytes_measured(1e3);
  const std::set<std::int64_t> no_limit = bytes_measured(0);
  if (!world().is_root()) return;
  EXPECT_THAT(none_is_short, ElementsAre(0, 4096, 131072));
  EXPECT_THAT(all_are_short, ElementsAre(0, 4096, 131072, 524288, 2097152));
  EXPECT_EQ(no_limit, all_are_short);
}

/// Beside the paper's cells, those of a group that is measured in so many seconds.
std::vector<PathCell> measured_beside(CellGroup group) {
  const MessageTeam team = team_between_nodes(world());
  if (!team.pairs_this_rank()) return {};
  const std::size_t given = row_cells(Path::full, Layout::cc, sizes).size();
  const CellGroup paper{row_cells(Path::full, Layout::cc, sizes), 0.2};
  SampleLog log;
  Progress progress({}, 1);
  std::vector<PathCell> cells = cells_of(measure_groups(team, {paper, std::move(group)}, {3, 1}, log, progress));
  if (world().is_root()) cells.erase(cells.begin(), cells.begin() + static_cast<std::ptrdiff_t>(given));
  return cells;
}

CellGroup blocks_of_512_kib(Need need, double budget_s) {
  CellGroup group;
  for (const std::int64_t block : {4, 65536}) {
    group.cells.push_back({Path::send, Layout::nn, 512 * 1024, {}, Packing::manual, block, 2 * block});
  }
  group.budget_s = budget_s;
  group.need = need;
  return group;
}

TEST(PathCalibration, LeavesOutAllOrSomeThatThereIsNoTimeFor) {
  if (world().ranks() < 2) GTEST_SKIP() << "one rank sends no messages";
  for (const Need need : {Need::if_there_is_time, Need::all_or_none}) {
    const auto with_time = measured_beside(blocks_of_512_kib(need, 2));
    const auto without = measured_beside(blocks_of_512_kib(need, 0));
    const auto too_little = measured_beside(blocks_of_512_kib(need, 1e-7));
    if (!world().is_root()) continue;
    EXPECT_EQ(with_time.size(), 2U);
    EXPECT_EQ(without.size(), 0U);
    EXPECT_LE(too_little.size(), need == Need::all_or_none ? 0U : 1U);
  }
  const auto always = measured_beside(blocks_of_512_kib(Need::always, 0));
  EXPECT_EQ(always.size(), world().is_root() ? 2U : 0U);
}

/// Not even messages that contradict the empty one: what an interrupted calibration had is the same when it goes on.
TEST(PathCalibration, WithoutTimeMeasuresNothingAgain) {
  if (world().ranks() < 2) GTEST_SKIP() << "one rank sends no messages";
  const MessageTeam team = team_between_nodes(world());
  if (!team.pairs_this_rank()) return;
  CellGroup group{row_cells(Path::full, Layout::cc, sizes), 0};
  group.longest_message_s = 1;
  std::vector<RawSample> before;
  for (const PathCell& cell : group.cells) {
    if (cell.bytes == 2 << 20) continue;  // which took too long then
    const double seconds = cell.bytes == 0 ? 1 : 1e-6;
    before.push_back({cell_name(cell), 0, static_cast<std::int64_t>(before.size()), seconds, false});
  }
  SampleLog log(before, 0, {});
  Progress progress({}, 1);
  const auto cells = measure_groups(team, {group}, {3, 1}, log, progress);
  EXPECT_EQ(log.samples(), before);
  EXPECT_EQ(cells.size(), world().is_root() ? group.cells.size() - 1 : 0);
}

}  // namespace
}  // namespace tilewright
