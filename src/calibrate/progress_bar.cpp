#include "tilewright/calibrate/progress_bar.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "stopwatch.hpp"

namespace tilewright {
namespace {

constexpr double redraw_interval_s = 0.1;
constexpr int bar_cells = 30;
constexpr int default_width = 80;

int width_of(std::FILE* stream) {
  winsize size{};
  const bool known = ioctl(fileno(stream), TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? size.ws_col : default_width;
}

std::string time_left(double share, double elapsed_s) {
  if (share <= 0 || share >= 1) return {};
  return fmt::format("  ({:.0f} s left)", std::ceil(elapsed_s * (1 - share) / share));
}

}  // namespace

std::string progress_line(double share, const std::string& what, double elapsed_s, int width) {
  const double done = std::clamp(share, 0.0, 1.0);
  const auto filled = static_cast<std::size_t>(done * bar_cells);
  std::string line =
      fmt::format("[{}{}] {:3.0f} %  {}{}", std::string(filled, '#'), std::string(bar_cells - filled, '-'),
                  std::floor(done * 100), what, time_left(done, elapsed_s));
  line.resize(static_cast<std::size_t>(std::max(width, 0)), ' ');
  return line;
}

ProgressBar::ProgressBar(std::FILE* stream)
    : ProgressBar(stream, isatty(fileno(stream)) != 0 ? ProgressStyle::bar : ProgressStyle::lines, now_s) {}

ProgressBar::ProgressBar(std::FILE* stream, ProgressStyle style, Clock clock)
    : stream_(stream), style_(style), clock_(std::move(clock)), start_s_(clock_()) {}

ProgressBar::~ProgressBar() {
  finish();
}

void ProgressBar::finish() {
  if (drawn_ && style_ == ProgressStyle::bar) {
    std::fputc('\n', stream_);
    std::fflush(stream_);
  }
  drawn_ = false;
}

void ProgressBar::show(double share, const std::string& what) {
  const double now = clock_();
  if (style_ == ProgressStyle::bar) {
    const bool too_soon = drawn_ && now - last_drawn_s_ < redraw_interval_s;
    if (too_soon && share < 1) return;
    last_drawn_s_ = now;
  } else {
    const int tenth = static_cast<int>(share * 10);
    if (tenth <= last_tenth_) return;
    last_tenth_ = tenth;
  }
  draw(share, what, now - start_s_);
}

void ProgressBar::draw(double share, const std::string& what, double elapsed_s) {
  drawn_ = true;
  if (style_ == ProgressStyle::bar) {
    // One column short of the full width, for some terminals wrap there.
    fmt::print(stream_, "\r{}", progress_line(share, what, elapsed_s, width_of(stream_) - 1));
  } else {
    fmt::print(stream_, "{:3.0f} %  {}{}\n", std::floor(share * 100), what, time_left(share, elapsed_s));
  }
  std::fflush(stream_);
}

}  // namespace tilewright
