#include "tilewright/calibrate/progress_bar.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

namespace tilewright {
namespace {

/// A file in memory to print to.
class Paper {
 public:
  Paper() : file_(std::tmpfile(), &std::fclose) {}
  [[nodiscard]] std::FILE* file() { return file_.get(); }
  [[nodiscard]] std::string text() {
    std::rewind(file());
    std::string text;
    for (int c = std::fgetc(file()); c != EOF; c = std::fgetc(file())) text.push_back(static_cast<char>(c));
    return text;
  }

 private:
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
};

auto count(const std::string& text, char wanted) {
  return std::count(text.begin(), text.end(), wanted);
}

TEST(ProgressLine, ShowsShareWorkAndRemainingTime) {
  const std::string line = progress_line(0.5, "send cc", 4, 79);
  EXPECT_EQ(line.size(), 79U);
  EXPECT_EQ(count(line, '#'), 15);
  EXPECT_EQ(count(line, '-'), 15);
  EXPECT_NE(line.find(" 50 %  send cc  (4 s left)"), std::string::npos) << line;
}

TEST(ProgressLine, SaysNothingOfTheTimeAtTheStartAndAtTheEnd) {
  EXPECT_EQ(progress_line(0, "x", 0, 79).find("left"), std::string::npos);
  EXPECT_EQ(progress_line(1, "x", 9, 79).find("left"), std::string::npos);
  EXPECT_NE(progress_line(1, "x", 9, 79).find("100 %"), std::string::npos);
}

TEST(ProgressLine, FitsNarrowTerminals) {
  EXPECT_EQ(progress_line(0.3, "recv nn, 2.00 MiB", 1, 20).size(), 20U);
}

TEST(ProgressBar, DrawsAtMostTenTimesASecond) {
  Paper paper;
  double now = 0;
  {
    ProgressBar bar(paper.file(), ProgressStyle::bar, [&] { return now; });
    for (int i = 0; i <= 1000; ++i) {
      now = i * 0.001;
      bar.show(i / 2000.0, "work");
    }
    EXPECT_GE(count(paper.text(), '\r'), 9);
    EXPECT_LE(count(paper.text(), '\r'), 11);
    bar.show(1, "done");  // the end is shown at once
  }
  EXPECT_NE(paper.text().find("100 %  done"), std::string::npos);
  EXPECT_EQ(paper.text().back(), '\n');
  EXPECT_EQ(count(paper.text(), '\n'), 1);
}

TEST(ProgressBar, ElsewherePrintsALineEveryTenPercent) {
  Paper paper;
  {
    ProgressBar bar(paper.file(), ProgressStyle::lines, [] { return 0.0; });
    for (int i = 0; i <= 1000; ++i) bar.show(i / 1000.0, "work");
  }
  EXPECT_EQ(count(paper.text(), '\n'), 11);
  EXPECT_EQ(count(paper.text(), '\r'), 0);
}

TEST(ProgressBar, ThatWasNeverShownPrintsNothing) {
  Paper paper;
  {
    ProgressBar bar(paper.file(), ProgressStyle::bar, [] { return 0.0; });
  }
  EXPECT_EQ(paper.text(), "");
}

}  // namespace
}  // namespace tilewright
