#include "tilewright/benchdb/store.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <optional>

#include "sample_calibration.hpp"
#include "support/temporary_folder.hpp"
#include "tilewright/core/error.hpp"

namespace tilewright {
namespace {

using test::awkward_calibration;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::ThrowsMessage;

class StoreTest : public testing::Test {
 protected:
  test::TemporaryFolder folder_;
  std::filesystem::path file_ = folder_.path() / "deep" / "folder" / "bench.sqlite";
};

const Calibrator me{"here", 1, 100};
const Calibrator other{"there", 2, 100};

/// Of a claim while the one before is at work; its process, if that has it.
std::optional<std::int64_t> claimed_by_another(Store& store, const std::string& machine, const Calibrator& who,
                                               bool other_is_at_work = true) {
  const auto found = store.claim(machine, who, [&](const Calibrator&) { return other_is_at_work; });
  return found ? std::optional(found->process) : std::nullopt;
}

TEST_F(StoreTest, GivesBackExactlyWhatWasSaved) {
  const Calibration saved = awkward_calibration("das");
  Store(file_, OpenMode::create).save(saved);
  const Store store(file_, OpenMode::existing);
  EXPECT_EQ(store.profile("das"), saved.profile);
  EXPECT_EQ(store.samples("das"), saved.samples);
  EXPECT_THAT(store.check(), IsEmpty());
}

TEST_F(StoreTest, SavingAgainReplacesTheMachineAndNoOther) {
  Store store(file_, OpenMode::create);
  store.save(awkward_calibration("a"));
  store.save(awkward_calibration("b"));
  Calibration smaller{MachineProfile("a", {}, {}, {}), {}};
  store.save(smaller);
  EXPECT_EQ(store.profile("a"), smaller.profile);
  EXPECT_THAT(store.samples("a"), IsEmpty());
  EXPECT_EQ(store.profile("b"), awkward_calibration("b").profile);
}

TEST_F(StoreTest, WhatIsUnfinishedStandsBesideTheMachineUntilItIsSaved) {
  Store store(file_, OpenMode::create);
  const Calibration old = awkward_calibration("m");
  store.save(old);
  EXPECT_EQ(store.unfinished("m"), std::nullopt);
  Calibration first{MachineProfile("m", {}, {}, {}), {{"send/cc/4", 0, 0, 1e-6}}};
  ASSERT_EQ(claimed_by_another(store, "m", me), std::nullopt);
  store.save_unfinished(first, me);
  first.samples.push_back({"send/cc/4", 0, 1, 2e-6});
  store.save_unfinished(first, me);
  ASSERT_TRUE(store.unfinished("m"));
  EXPECT_EQ(store.unfinished("m")->profile, first.profile);
  EXPECT_EQ(store.unfinished("m")->samples, first.samples);
  EXPECT_EQ(store.profile("m"), old.profile) << "which is in use meanwhile";
  EXPECT_EQ(store.machines().size(), 1U);
  store.finish(first, me);
  EXPECT_EQ(store.unfinished("m"), std::nullopt);
  EXPECT_EQ(store.profile("m"), first.profile);
  EXPECT_THROW(store.save({MachineProfile("a\x1f"
                                          "b",
                                          {}, {}, {}),
                           {}}),
               ParameterError);
}

TEST_F(StoreTest, AMachineIsCalibratedByOneAtATime) {
  Store store(file_, OpenMode::create);
  EXPECT_EQ(claimed_by_another(store, "m", me), std::nullopt);
  EXPECT_EQ(claimed_by_another(store, "m", me), std::nullopt) << "it is its own";
  EXPECT_EQ(claimed_by_another(store, "m", other), me.process);
  EXPECT_EQ(claimed_by_another(store, "n", other), std::nullopt);
  EXPECT_THAT(store.machines(), IsEmpty()) << "nothing is measured";
  store.release("m", other);
  EXPECT_EQ(claimed_by_another(store, "m", other), me.process) << "it was not the other's to give";
  store.release("m", me);
  EXPECT_EQ(claimed_by_another(store, "m", other), std::nullopt);
}

TEST_F(StoreTest, OneThatWasTakenForDeadSpoilsNothing) {
  Store store(file_, OpenMode::create);
  const Calibration mine{MachineProfile("m", {}, {}, {}), {{"send/cc/4", 0, 0, 1e-6}}};
  const Calibration others{MachineProfile("m", {}, {}, {}), {{"recv/cc/4", 0, 0, 1e-6}}};
  EXPECT_THAT([&] { store.save_unfinished(mine, me); }, ThrowsMessage<RuntimeError>(HasSubstr("given away")));
  ASSERT_EQ(claimed_by_another(store, "m", me), std::nullopt);
  store.save_unfinished(mine, me);
  ASSERT_EQ(claimed_by_another(store, "m", other, false), std::nullopt);
  EXPECT_EQ(store.unfinished("m")->samples, mine.samples) << "to be gone on with";
  store.save_unfinished(others, other);
  const auto taken = ThrowsMessage<RuntimeError>(HasSubstr("process 2 on there has taken its place"));
  EXPECT_THAT([&] { store.save_unfinished(mine, me); }, taken);
  EXPECT_THAT([&] { store.finish(mine, me); }, taken);
  EXPECT_EQ(store.unfinished("m")->samples, others.samples);
  store.save(mine);  // as a first run does, or an import
  EXPECT_EQ(store.unfinished("m")->samples, others.samples);
  EXPECT_EQ(claimed_by_another(store, "m", me), other.process);
  store.finish(others, other);
  EXPECT_EQ(store.samples("m"), others.samples);
}

TEST_F(StoreTest, SummariesCountWhatThereIs) {
  Store store(file_, OpenMode::create);
  EXPECT_THAT(store.machines(), IsEmpty());
  store.save(awkward_calibration("zebra"));
  store.save(awkward_calibration("ant"));
  const std::vector<MachineSummary> machines = store.machines();
  ASSERT_EQ(machines.size(), 2U);
  EXPECT_EQ(machines[0].name, "ant");
  EXPECT_EQ(machines[1].name, "zebra");
  EXPECT_EQ(machines[1].fingerprint, test::awkward_fingerprint());
  EXPECT_EQ(machines[1].path_cells, 40U);
  EXPECT_EQ(machines[1].operator_cells, 5U);
  EXPECT_EQ(machines[1].raw_samples, 60U);
}

TEST_F(StoreTest, AnUnknownMachineIsTheCallersMistakeAndTheKnownAreListed) {
  Store store(file_, OpenMode::create);
  EXPECT_THAT([&] { (void)store.profile("x"); }, ThrowsMessage<ParameterError>(HasSubstr("holds none")));
  store.save(awkward_calibration("ant"));
  store.save(awkward_calibration("bee"));
  const auto lists_both = ThrowsMessage<ParameterError>(testing::AllOf(HasSubstr("'x'"), HasSubstr("ant bee")));
  EXPECT_THAT([&] { (void)store.profile("x"); }, lists_both);
  EXPECT_THAT([&] { (void)store.samples("x"); }, lists_both);
  EXPECT_THAT([&] { store.remove("x"); }, lists_both);
}

TEST_F(StoreTest, RemovingTakesEverythingOfTheMachineAlong) {
  Store store(file_, OpenMode::create);
  store.save(awkward_calibration("a"));
  store.save(awkward_calibration("b"));
  store.remove("a");
  ASSERT_EQ(store.machines().size(), 1U);
  EXPECT_EQ(store.machines()[0].raw_samples, 60U);
  EXPECT_THAT(store.check(), IsEmpty());
  EXPECT_THROW((void)store.profile("a"), ParameterError);
}

TEST_F(StoreTest, RemovingTakesWhatIsUnfinishedAlong) {
  Store store(file_, OpenMode::create);
  store.save(awkward_calibration("m"));
  ASSERT_EQ(claimed_by_another(store, "m", me), std::nullopt);
  store.save_unfinished(awkward_calibration("m"), me);
  store.remove("m");
  EXPECT_EQ(store.unfinished("m"), std::nullopt);
  EXPECT_THAT([&] { store.save_unfinished(awkward_calibration("m"), me); },
              ThrowsMessage<RuntimeError>(HasSubstr("or the machine was removed")));
  EXPECT_EQ(claimed_by_another(store, "m", other), std::nullopt) << "nobody has it";
  store.save_unfinished(awkward_calibration("m"), other);
  store.remove("m");  // though nothing of it was ever finished
  EXPECT_EQ(store.unfinished("m"), std::nullopt);
  EXPECT_THROW(store.remove("m"), ParameterError);
}

TEST_F(StoreTest, AProcessOfTheSameNumberIsAnotherIfItBeganAtAnotherTime) {
  Store store(file_, OpenMode::create);
  const Calibrator first{"here", 7, 0, "boot/1"}, later{"here", 7, 0, "boot/2"}, unknown{"here", 7, 0};
  ASSERT_EQ(claimed_by_another(store, "m", first), std::nullopt);
  EXPECT_EQ(claimed_by_another(store, "m", later), first.process);
  EXPECT_EQ(claimed_by_another(store, "m", first), std::nullopt);
  EXPECT_EQ(claimed_by_another(store, "m", unknown), std::nullopt) << "it may be the same";
}

TEST_F(StoreTest, NamesThatJsonCannotHoldAreRefused) {
  Store store(file_, OpenMode::create);
  EXPECT_THAT(
      [&] {
        store.save({MachineProfile("caf\xe9", {}, {}, {}), {}});
      },
      ThrowsMessage<ParameterError>(HasSubstr("not UTF-8")));
  store.save({MachineProfile("caf\xc3\xa9", {}, {}, {}), {}});
  EXPECT_EQ(store.machines().size(), 1U);
}

Calibration of_host(const std::string& name, const std::string& host, const std::string& date) {
  Fingerprint fingerprint;
  fingerprint.host = host;
  fingerprint.date = date;
  return {MachineProfile(name, fingerprint, {}, {}), {}};
}

TEST_F(StoreTest, TheNewestProfileOfAHostIsFound) {
  Store store(file_, OpenMode::create);
  store.save(of_host("new", "fs0", "2024-02-01T00:00:00Z"));
  store.save(of_host("old", "fs0", "2023-02-01T00:00:00Z"));
  store.save(of_host("other", "fs1", "2025-02-01T00:00:00Z"));
  store.save(of_host("nowhere", "", "2025-02-01T00:00:00Z"));
  EXPECT_EQ(store.profile_of_host("fs0")->name(), "new");
  store.save(of_host("same date", "fs0", "2024-02-01T00:00:00Z"));
  EXPECT_EQ(store.profile_of_host("fs0")->name(), "same date");  // the one saved later
  EXPECT_FALSE(store.profile_of_host("fs2"));
  EXPECT_FALSE(store.profile_of_host(""));
}

TEST_F(StoreTest, AProfileOfAHostThatHasEverythingComesBeforeNewerOnes) {
  Store store(file_, OpenMode::create);
  Fingerprint fingerprint = of_host("", "fs0", "2023-02-01T00:00:00Z").profile.fingerprint();
  const OperatorCell copy{"copy", PixelType::f32, 0, 64, {1e-9, 0, 1}};
  store.save({MachineProfile("whole", fingerprint, {{Path::send, Layout::cc, 0, {1e-6, 0, 1}}}, {copy}), {}});
  fingerprint.date = "2024-02-01T00:00:00Z";
  store.save({MachineProfile("operators alone", fingerprint, {}, {copy}), {}});
  EXPECT_EQ(store.profile_of_host("fs0")->name(), "whole");
}

TEST_F(StoreTest, NumbersThatAreNotFiniteAreRefusedAndNothingIsLost) {
  Store store(file_, OpenMode::create);
  const Calibration before = awkward_calibration("a");
  store.save(before);
  Calibration spoiled = awkward_calibration("a", 1.0);
  spoiled.samples.back().seconds = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT([&] { store.save(spoiled); }, ThrowsMessage<ParameterError>(HasSubstr("send/cc/4096")));
  const Estimate infinite_spread{1.0, std::numeric_limits<double>::infinity(), 1};
  const MachineProfile profile("a", {}, {{Path::send, Layout::cc, 0, infinite_spread}}, {});
  EXPECT_THROW(store.save({profile, {}}), ParameterError);
  EXPECT_THROW(store.save({MachineProfile("", {}, {}, {}), {}}), ParameterError);
  EXPECT_EQ(store.profile("a"), before.profile);
  EXPECT_EQ(store.samples("a"), before.samples);
}

TEST_F(StoreTest, FinishedOutputsAreKeptByPath) {
  Store store(file_, OpenMode::create);
  const FinishedOutput output{"/data/out, 1.tif", "0123abcd", 1 << 30, 1'700'000'000'123'456'789};
  EXPECT_FALSE(store.finished_output(output.path));
  store.record_output(output);
  FinishedOutput newer = output;
  newer.pipeline = "other";
  EXPECT_EQ(store.finished_output(output.path), output);
  store.record_output(newer);
  EXPECT_EQ(Store(file_, OpenMode::existing).finished_output(output.path), newer);
}

TEST_F(StoreTest, CanBeMoved) {
  Store first(file_, OpenMode::create);
  Store second = std::move(first);
  second.save(awkward_calibration("a"));
  first = std::move(second);
  EXPECT_EQ(first.machines().size(), 1U);
}

TEST_F(StoreTest, CheckTellsWhatIsWrongWithAProfile) {
  Store store(file_, OpenMode::create);
  const MachineProfile one_cell("thin", {}, {{Path::send, Layout::cc, 0, {1e-6, 0, 1}}}, {});
  store.save({one_cell, {{"send/cc/0", 0, 0, 1e-6}, {"recv/cc/8", 0, 1, 1e-6}, {"send/cc/0", 0, 2, -1}}});
  const std::vector<std::string> problems = store.check();
  EXPECT_EQ(problems.size(), 11U + 2U);  // rows that are missing, a sample of no cell, a negative one
  EXPECT_THAT(problems, testing::Contains(testing::AllOf(HasSubstr("thin"), HasSubstr("path recv with layout nn"))));
  EXPECT_THAT(problems, testing::Contains(HasSubstr("recv/cc/8, which is no cell")));
  EXPECT_THAT(problems, testing::Contains(HasSubstr("-1 s")));
}

}  // namespace
}  // namespace tilewright
