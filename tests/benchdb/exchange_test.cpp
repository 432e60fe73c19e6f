#include "tilewright/benchdb/exchange.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "sample_calibration.hpp"
#include "support/temporary_folder.hpp"
#include "tilewright/core/error.hpp"

namespace tilewright {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

class ExchangeTest : public testing::Test {
 protected:
  Calibration read(const std::string& content) const { return read_profile(folder_.file("profile", content), "m"); }
  void expect_fault(const std::string& content, const std::string& reason) const {
    EXPECT_THAT([&] { (void)read(content); },
                ThrowsMessage<ParameterError>(AllOf(HasSubstr(folder_.path().string()), HasSubstr(reason))))
        << content;
  }
  test::TemporaryFolder folder_;
};

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  const std::size_t found = text.find(what);
  if (found == std::string::npos) throw std::logic_error("the text has no " + what);
  return text.replace(found, what.size(), by);
}

TEST_F(ExchangeTest, BothFormatsGiveBackExactlyWhatWasWritten) {
  const Calibration written = test::awkward_calibration("m");
  for (const ProfileFormat format : {ProfileFormat::csv, ProfileFormat::json}) {
    const Calibration read_back = read(write_profile(written, format));
    EXPECT_EQ(read_back.profile, written.profile);
    EXPECT_EQ(read_back.samples, written.samples);
    const Calibration empty{MachineProfile("m", {}, {}, {}), {}};
    EXPECT_EQ(read(write_profile(empty, format)).profile, empty.profile);
  }
}

TEST_F(ExchangeTest, FilesThatDoNotTellMessagesWithinANodeApartHaveNone) {
  const MachineProfile between("m", {}, {{Path::full, Layout::nc, 64, {1, 0, 1}, Packing::manual, 4, 8}}, {});
  std::string csv = write_profile({between, {}}, ProfileFormat::csv);
  csv = replaced(csv, ",stride_bytes,within_node", ",stride_bytes");
  csv = replaced(csv, ",manual,4,8,0", ",manual,4,8");
  EXPECT_EQ(read(csv).profile, between);
  const std::string json = write_profile({between, {}}, ProfileFormat::json);
  EXPECT_EQ(read(replaced(json, ",\"within_node\":false", "")).profile, between);
}

TEST_F(ExchangeTest, TheCallerNamesTheMachine) {
  const std::string text = write_profile(test::awkward_calibration("written as"), ProfileFormat::json);
  EXPECT_EQ(read(text).profile.name(), "m");
  EXPECT_THROW((void)read_profile(folder_.file("p", text), ""), ParameterError);
}

TEST_F(ExchangeTest, WhatCannotBeWrittenIsRefused) {
  Calibration calibration = test::awkward_calibration("m");
  calibration.samples.front().seconds = std::numeric_limits<double>::infinity();
  EXPECT_THROW((void)write_profile(calibration, ProfileFormat::csv), ParameterError);
  Fingerprint latin1;
  latin1.host = "gr\xfc\xdf";
  const Calibration not_utf8{MachineProfile("m", latin1, {}, {}), {}};
  EXPECT_THAT([&] { (void)write_profile(not_utf8, ProfileFormat::json); },
              ThrowsMessage<ParameterError>(HasSubstr("UTF-8")));
  EXPECT_EQ(read(write_profile(not_utf8, ProfileFormat::csv)).profile, not_utf8.profile);
}

TEST_F(ExchangeTest, FilesThatCannotBeReadAreTheCallersMistake) {
  const auto names_file = [](const std::string& path, const std::string& reason) {
    return ThrowsMessage<ParameterError>(AllOf(HasSubstr(path), HasSubstr(reason)));
  };
  const std::string missing = (folder_.path() / "missing.csv").string();
  EXPECT_THAT([&] { (void)read_profile(missing, "m"); }, names_file(missing, "does not exist"));
  EXPECT_THAT([&] { (void)read_profile(folder_.path(), "m"); }, names_file(folder_.path().string(), "folder"));
  expect_fault("", "is empty");
  expect_fault("  \n\n", "is empty");
  expect_fault("# only a comment\n", "is no machine profile");
  expect_fault("\n\nhello,world\n", "line 3: is no machine profile");
  expect_fault(std::string("\x89PNG\r\n\x1a\n\0\0", 10), "is no machine profile");
}

TEST_F(ExchangeTest, FaultsInCsvCarryTheirLine) {
  const std::string good =
      "tilewright.profile/1\nsection,fingerprint\nname,value\nhost,h\nsection,path_cells\n"
      "path,layout,bytes,seconds,spread_s,samples\nsend,cc,0,1e-6,0,1\n"
      "section,operator_cells\nkey,type,parameter,tile_pixels,seconds,spread_s,samples,ranks\nsum,f32,0,1,1e-9,0,1,1\n"
      "section,samples\ncell,launch,order,seconds\nsend/cc/0,0,0,1e-6\n";
  EXPECT_EQ(read(good).samples.size(), 1U);
  EXPECT_EQ(read(replaced(good, "send,cc,0", "\r\n# a comment\nsend,cc,0")).profile.paths().size(), 1U);
  expect_fault(replaced(good, "send,cc,0,1e-6", "send,cc,0,fast"), "line 7: field 4 is 'fast'");
  expect_fault(replaced(good, "send,cc,0,1e-6", "send,cc,0,nan"), "line 7");
  expect_fault(replaced(good, "send,cc,0,1e-6", "send,cc,0,-1e-6"), "line 7: a time or a count is negative");
  expect_fault(replaced(good, "send,cc,0,1e-6", "send,cc,0.5,1e-6"), "line 7: field 3 is '0.5'");
  expect_fault(replaced(good, "send,cc,0,", "send,cc,"), "line 7: 5 fields, where 6 are needed");
  expect_fault(replaced(good, "send,cc,0", "sent,cc,0"), "line 7: 'sent' is no path");
  expect_fault(replaced(good, "send,cc,0,1e-6,0,1\n", "send,cc,0,1e-6,0,1\nsend,cc,0,2e-6,0,1\n"), "line 8");
  expect_fault(replaced(good, "sum,f32", "sum,f16"), "line 10: 'f16'");
  expect_fault(replaced(good, "host,h", "hots,h"), "line 4: 'hots'");
  expect_fault(replaced(good, "host,h", "host,\"h"), "line 4: a quote is not closed");
  expect_fault(replaced(good, "host,h", "host,h\nhost,i"), "line 5: 'host' is given twice");
  expect_fault(replaced(good, "host,h", "cores_per_node,4000000000"), "line 4");
  expect_fault(replaced(good, "section,operator_cells", "section,operators"),
               "line 8: 'section,operator_cells' is needed");
  expect_fault(good.substr(0, good.find("section,samples")), "cut off");
  expect_fault(good + "section,more\n", "line 14");
}

TEST_F(ExchangeTest, FaultsInJsonNameTheValueOrTheLine) {
  const std::string good =
      "{\"schema\": \"tilewright.profile/1\",\n\"fingerprint\": {\"host\":\"\",\"processor\":\"\",\"mpi\":\"\","
      "\"effort\":\"\",\"date\":\"\",\"source\":\"\",\"simd\":\"\",\"cores_per_node\":1,\"nodes\":1,\"ranks\":2,"
      "\"memory_per_node\":5,\"settings\":{}},\n\"path_cells\": [{\"path\":\"send\",\"layout\":\"cc\",\"bytes\":0,"
      "\"seconds\":1e-6,\"spread_s\":0,\"samples\":1}],\n\"operator_cells\": [],\n\"samples\": []}";
  EXPECT_EQ(read(good).profile.paths().size(), 1U);
  expect_fault(good.substr(0, good.size() - 3), "line 5");
  expect_fault(replaced(good, "profile/1", "profile/2"), "tilewright.profile/2");
  expect_fault(replaced(good, "\"samples\": []", "\"samplez\": []"), "lacks \"samples\"");
  expect_fault(replaced(good, "\"samples\": []", "\"samples\": {}"), "\"samples\" is not an array");
  expect_fault(replaced(good, "\"samples\": []", "\"samples\": [1]"), "samples[0] is not an object");
  expect_fault(replaced(good, "\"bytes\":0", "\"bytes\":0.5"), "path_cells[0] \"bytes\"");
  expect_fault(replaced(good, "\"bytes\":0", "\"bytes\":18446744073709551615"), "\"bytes\"");
  expect_fault(replaced(good, "\"seconds\":1e-6", "\"seconds\":\"1\""), "\"seconds\" is not a number");
  expect_fault(replaced(good, "\"seconds\":1e-6", "\"seconds\":-1"), "negative");
  expect_fault(replaced(good, "\"seconds\":1e-6", "\"seconds\":1e999"), "");
  expect_fault(replaced(good, "\"path\":\"send\"", "\"path\":\"sent\""), "'sent' is no path");
  expect_fault(replaced(good, "\"settings\":{}", "\"settings\":{\"UCX\":1}"), "fingerprint.settings");
  expect_fault(replaced(good, "\"cores_per_node\":1", "\"cores_per_node\":4000000000"), "\"cores_per_node\"");
  expect_fault("{}", "lacks \"schema\"");
}

}  // namespace
}  // namespace tilewright
