#include "../../src/calibrate/kriging.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "tilewright/core/statistics.hpp"

namespace tilewright {
namespace {

constexpr double deviation = 0.2;

/// Between -1.7 and 1.7, with a standard deviation of 1.
double noise(std::mt19937& engine) {
  return std::sqrt(12.0) * (static_cast<double>(engine() >> 5) * 0x1p-27 - 0.5);
}

/// What a message takes: on a wire, with a step, which is less steep in a round trip, and longer where rows have gaps.
double true_seconds(const PathCell& cell) {
  const auto bytes = static_cast<double>(cell.bytes);
  const double step = cell.path == Path::full ? 50e-6 : 200e-6;
  const double wire = 40e-6 + 8e-9 * bytes + (cell.bytes > 18000 ? step : 0);
  return wire * (cell.layout == Layout::cc ? 1 : 1.15);
}

std::vector<std::int64_t> sizes() {
  return {400, 800, 1600, 3200, 4800, 6400, 9600, 12800, 16000, 19200, 25600, 38400, 51200, 102400, 204800, 409600};
}

std::vector<PathCell> true_cells(std::int64_t samples = 3) {
  std::vector<PathCell> cells;
  for (const Path path : all_paths) {
    for (const Layout layout : all_layouts) {
      for (const std::int64_t bytes : sizes()) {
        PathCell cell{path, layout, bytes, {}};
        const double seconds = true_seconds(cell);
        cell.time = {seconds, deviation / 2.47 * seconds, samples};
        cells.push_back(cell);
      }
    }
  }
  return cells;
}

/// As three samples tell them.
std::vector<PathCell> noisy_cells(std::uint32_t seed, std::int64_t samples = 3) {
  std::mt19937 engine(seed);
  std::vector<PathCell> cells = true_cells(samples);
  for (PathCell& cell : cells) cell.time.seconds *= std::exp(deviation / std::sqrt(3.0) * noise(engine));
  return cells;
}

std::vector<double> errors_of(const std::vector<PathCell>& cells, Path path) {
  std::vector<double> errors;
  for (const PathCell& cell : cells) {
    if (cell.path == path) errors.push_back(std::abs(relative_error(cell.time.seconds, true_seconds(cell))));
  }
  return errors;
}

TEST(Kriging, FewSamplesOfMessagesThatAreAlikeTellEachOther) {
  for (const std::uint32_t seed : {1U, 2U, 3U}) {
    const std::vector<PathCell> before = noisy_cells(seed);
    const std::vector<PathCell> after = kriged(before);
    for (const Path path : all_paths) {
      EXPECT_LT(mean(errors_of(after, path)), 0.7 * mean(errors_of(before, path))) << to_string(path);
      EXPECT_LT(quantile(errors_of(after, path), 0.9), 0.75 * quantile(errors_of(before, path), 0.9));
    }
  }
}

TEST(Kriging, SpreadsAndSamplesStayAndSoDoesTheOrder) {
  const std::vector<PathCell> before = noisy_cells(1);
  const std::vector<PathCell> after = kriged(before);
  ASSERT_EQ(after.size(), before.size());
  for (std::size_t i = 0; i < after.size(); ++i) {
    PathCell as_before = after[i];
    as_before.time.seconds = before[i].time.seconds;
    EXPECT_EQ(as_before, before[i]);
  }
}

TEST(Kriging, AStepThatAllHaveStays) {
  const std::vector<PathCell> cells = kriged(true_cells());
  EXPECT_NE(cells, true_cells());
  const auto at = [&](std::int64_t bytes) {
    const auto found = std::ranges::find(cells, bytes, &PathCell::bytes);
    return found->time.seconds / true_seconds(*found);
  };
  EXPECT_NEAR(at(16000), 1, 0.1) << "the last below a step to 2.1 times the time";
  EXPECT_NEAR(at(19200), 1, 0.1) << "the first above it";
}

/// As round trips over TCP had them at 1 Gbit/s: one layout waits where the others do not.
TEST(Kriging, AStepThatOneLayoutHasStays) {
  const auto waits = [](const PathCell& cell) {
    return cell.path == Path::full && cell.layout == Layout::nn && cell.bytes >= 9600 && cell.bytes <= 25600;
  };
  std::vector<double> errors;
  for (const std::uint32_t seed : {1U, 2U, 3U}) {
    std::vector<PathCell> cells = noisy_cells(seed);
    for (PathCell& cell : cells) cell.time.seconds *= waits(cell) ? 2.2 : 1;
    for (const PathCell& cell : kriged(cells)) {
      if (waits(cell)) errors.push_back(std::abs(relative_error(cell.time.seconds, 2.2 * true_seconds(cell))));
    }
  }
  EXPECT_LT(mean(errors), 0.12) << "three samples are " << deviation / std::sqrt(3.0) << " off";
}

TEST(Kriging, WhatHasSamplesEnoughTellsItself) {
  const std::vector<PathCell> cells = noisy_cells(1, 60);
  EXPECT_EQ(kriged(cells), cells);
  EXPECT_NE(kriged(noisy_cells(1, 6)), noisy_cells(1, 6));
}

TEST(Kriging, TheMoreSamplesACellHasTheMoreItIsItsOwn) {
  std::vector<PathCell> cells = true_cells();
  const auto odd =
      std::ranges::find_if(cells, [](const PathCell& cell) { return cell.layout == Layout::nn && cell.bytes == 9600; });
  const auto index = static_cast<std::size_t>(odd - cells.begin());
  cells[index].time.seconds *= 1.5;
  const double of_three = kriged(cells)[index].time.seconds;
  cells[index].time.samples = 60;
  const double of_many = kriged(cells)[index].time.seconds;
  EXPECT_LT(of_three, 1.25 * true_seconds(cells[index]));
  EXPECT_GT(of_many, 1.4 * true_seconds(cells[index]));
}

TEST(Kriging, FewCellsOtherPathsAndEmptyMessagesStay) {
  std::vector<PathCell> few = noisy_cells(1);
  few.resize(20);
  EXPECT_EQ(kriged(few), few);
  std::vector<PathCell> cells = noisy_cells(1);
  const PathCell empty{Path::full, Layout::cc, 0, {1e-6, 1e-6, 3}};
  const PathCell copy{Path::copy, Layout::cc, 4096, {1e-6, 1e-6, 3}};
  const PathCell instant{Path::send, Layout::cc, 4096, {0, 0, 3}};
  cells.insert(cells.end(), {empty, copy, instant});
  const std::vector<PathCell> after = kriged(cells);
  EXPECT_EQ(after[after.size() - 3], empty);
  EXPECT_EQ(after[after.size() - 2], copy);
  EXPECT_EQ(after[after.size() - 1], instant);
}

TEST(Kriging, MessagesWithinANodeStayAndTellOthersNothing) {
  std::vector<PathCell> cells = noisy_cells(1);
  std::vector<PathCell> expected = kriged(cells);
  for (PathCell cell : noisy_cells(2)) {
    cell.within_node = true;
    cell.time.seconds /= 30;
    cells.push_back(cell);
    expected.push_back(cell);
  }
  EXPECT_EQ(kriged(cells), expected);
}

}  // namespace
}  // namespace tilewright
