// What a plan says of costs that it takes from beyond what was measured.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../../scheduler/measured_messages.hpp"
#include "scheduler/planning.hpp"

namespace tilewright {
namespace {

using namespace test;  // NOLINT(google-build-using-namespace)
using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr std::int64_t kibibyte = 1024;

/// Messages of up to 1 MiB between two ranks, exchanges of up to `longest_exchange` bytes, and blocks of 16 to 256
/// bytes up to 1004 apart in messages of 16 KiB, of 8 ranks.
std::vector<PathCell> calibrated_paths(std::int64_t longest_exchange) {
  std::vector<PathCell> paths = test::profile_of(slow_computing).paths();
  for (const Path path : {Path::shift, Path::swap}) {
    for (const Layout layout : {Layout::cc, Layout::nn}) {
      for (const std::int64_t bytes : {std::int64_t{0}, longest_exchange}) {
        paths.push_back({path, layout, bytes, {1e-7 + 1e-12 * static_cast<double>(bytes), 0, 0}});
      }
    }
  }
  for (const Path path : all_paths) {
    for (const Layout layout : {Layout::nc, Layout::cn}) {
      for (const std::int64_t block : {16, 256}) {
        for (const std::int64_t stride : {2 * block, std::int64_t{1004}}) {
          paths.push_back({path, layout, 16 * kibibyte, {2e-7, 0, 0}, Packing::datatype, block, stride});
        }
      }
    }
  }
  return paths;
}

MachineProfile calibrated(std::int64_t longest_exchange = 1024 * kibibyte) {
  const MachineProfile machine = test::profile_of(slow_computing);
  Fingerprint fingerprint = machine.fingerprint();
  fingerprint.ranks = 8;
  return {"calibrated", fingerprint, calibrated_paths(longest_exchange), machine.operators()};
}

/// The notes on messages: operators were measured on 65536 pixels only.
std::vector<std::string> notes_of(const Pipeline& pipeline, const MachineProfile& profile, const SearchSpace& space,
                                  std::string_view model = "p3pc-stride") {
  const Plan plan = plan_pipeline(pipeline, profile, *make_cost_model(model, profile), space);
  std::vector<std::string> notes;
  for (const std::string& note : plan.notes) {
    if (note.starts_with("extrapolated") && !note.ends_with("65536") && note.find(" pixels") == std::string::npos)
      notes.push_back(note);
  }
  return notes;
}

TEST(Extrapolation, TellsOfMoreRanksThanWereCalibrated) {
  EXPECT_THAT(notes_of(filters(), calibrated(), {.max_ranks = 16, .ranks = 16}),
              Contains("extrapolated: 16 ranks, calibrated with 8"));
  EXPECT_THAT(notes_of(filters(), calibrated(), {.max_ranks = 8, .ranks = 8}), Each(Not(HasSubstr("ranks"))));
  EXPECT_THAT(notes_of(filters(), test::profile_of(slow_computing), {.max_ranks = 16, .ranks = 16}, "p3pc"), IsEmpty())
      << "an imported profile does not say with how many";
}

/// Of f32, cut into columns: rows of tiles are blocks.
SearchSpace columns(int ranks) {
  return {.max_ranks = ranks,
          .ranks = ranks,
          .grid = GridPattern{ranks, 1},
          .distribution = Distribution::scatter,
          .packing = Packing::datatype};
}

TEST(Extrapolation, TellsOfBlocksFartherApartThanMeasured) {
  const Pipeline pipeline = filters({4096, 256}, {});
  const std::vector<std::string> notes = notes_of(pipeline, calibrated(), columns(8));
  EXPECT_THAT(notes, Contains("extrapolated: blocks 16.0 KiB apart, measured up to 4.00 KiB apart"))
      << "two lengths apart: 1004 bytes are less than that of blocks of 2 KiB";
  EXPECT_THAT(notes, Contains("extrapolated: blocks of 2.00 KiB, measured with 16 B to 256 B"));
  EXPECT_THAT(notes, Contains("extrapolated: strided messages of up to 512 KiB, measured up to 16.0 KiB"));
  EXPECT_THAT(notes_of(pipeline, calibrated(), columns(8), "p3pc"), Each(Not(HasSubstr("blocks"))))
      << "it does not tell blocks apart";
}

TEST(Extrapolation, SaysNothingOfBlocksLikeThoseMeasured) {
  // Tiles of 32 x 64 values, in images with rows of 1 KiB.
  EXPECT_THAT(notes_of(filters({256, 64}, {}), calibrated(), columns(8)), IsEmpty());
}

/// A filter of a filter, which reads three rows of each neighbour.
Pipeline chain() {
  const Image in = test::source({.extent = {1024, 256}});
  const Image a = test::filter({in}, {.name = "a", .halo = {0, 3}});
  return record({test::write(test::filter({a}, {.name = "b", .halo = {0, 3}}), "b.tif")});
}

TEST(Extrapolation, ComparesExchangesWithTheirOwnRows) {
  const Pipeline pipeline = chain();
  SearchSpace rows{.max_ranks = 8, .ranks = 8, .grid = GridPattern{1, 8}, .halo = HaloChoice::shallow};
  rows.overlap = false;
  EXPECT_THAT(notes_of(pipeline, calibrated(), rows), IsEmpty());
  EXPECT_THAT(notes_of(pipeline, calibrated(kibibyte), rows),
              ElementsAre("extrapolated: messages of up to 12.0 KiB, measured up to 1.00 KiB (shift)"));
}

TEST(BeyondMeasured, TellsEachRowByItsOwnSizes) {
  std::vector<PathCell> paths = calibrated_paths(kibibyte);
  PathCell within = paths.front();
  within.within_node = true;
  paths.push_back(within);
  const MachineProfile profile("rows", {}, paths, {});
  BeyondMeasured beyond(profile);
  EXPECT_THAT(beyond.notes(), IsEmpty());
  beyond.add({Path::send, Layout::cc, 1024 * kibibyte, {}});
  beyond.add({Path::barrier, Layout::cc, 1024 * kibibyte, {}});
  EXPECT_THAT(beyond.notes(), IsEmpty()) << "as long as measured, and a row that there is not";
  beyond.add({Path::send, Layout::cc, 2048 * kibibyte, {}});
  beyond.add({Path::full, Layout::cc, 2048 * kibibyte, {}});
  beyond.add({Path::shift, Layout::cc, 2 * kibibyte, {}});
  beyond.add({Path::shift, Layout::cc, 4 * kibibyte, {}});
  EXPECT_THAT(beyond.notes(), testing::UnorderedElementsAre(
                                  "extrapolated: messages of up to 2.00 MiB, measured up to 1.00 MiB (full, send)",
                                  "extrapolated: messages of up to 4.00 KiB, measured up to 1.00 KiB (shift)"));
}

TEST(BeyondMeasured, ToleratesBlocksNearThoseMeasured) {
  const MachineProfile profile = calibrated();
  const auto notes_on = [&](std::int64_t bytes, std::int64_t block, std::int64_t stride) {
    BeyondMeasured beyond(profile);
    beyond.add({Path::full, Layout::nc, bytes, {}, Packing::datatype, block, stride});
    return beyond.notes();
  };
  EXPECT_THAT(notes_on(16 * kibibyte, 64, 2000), IsEmpty());
  EXPECT_THAT(notes_on(32 * kibibyte, 8, 2000), IsEmpty());
  EXPECT_THAT(notes_on(33 * kibibyte, 64, 128), ElementsAre(HasSubstr("strided messages of up to 33.0 KiB")));
  EXPECT_THAT(notes_on(16 * kibibyte, 4, 2000), ElementsAre(HasSubstr("blocks of 4 B, measured with 16 B to 256 B")));
  EXPECT_THAT(notes_on(16 * kibibyte, 1024, 2048), ElementsAre(HasSubstr("blocks of 1.00 KiB")));
  EXPECT_THAT(notes_on(16 * kibibyte, 64, 2100),
              ElementsAre(HasSubstr("blocks 2.05 KiB apart, measured up to 1004 B apart")));
}

}  // namespace
}  // namespace tilewright
