// A progress bar for a terminal; on anything else, a line now and then.
#pragma once

#include <cstdio>
#include <functional>
#include <string>

namespace tilewright {

enum class ProgressStyle {
  bar,    ///< redrawn in place, at most 10 times a second
  lines,  ///< a line every 10 percent
};

/// "[######----]  60 %  send cc, 4.00 KiB  (8 s left)", cut or padded to `width` characters. The remaining time is
/// extrapolated from `elapsed_s`; it is not told before anything is done.
[[nodiscard]] std::string progress_line(double share, const std::string& what, double elapsed_s, int width);

/// Draws on a stream that outlives it. Its show() is made for CalibrationOptions::on_progress.
class ProgressBar {
 public:
  using Clock = std::function<double()>;  ///< seconds since any moment

  /// A bar if `stream` is a terminal, else lines.
  explicit ProgressBar(std::FILE* stream = stderr);
  ProgressBar(std::FILE* stream, ProgressStyle style, Clock clock);
  /// As finish().
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  /// `share` of the work is done, 0 to 1; `what` is done now.
  void show(double share, const std::string& what);
  /// Ends the line, so that what is printed next stands alone. May be called again.
  void finish();

 private:
  void draw(double share, const std::string& what, double elapsed_s);

  std::FILE* stream_;
  ProgressStyle style_;
  Clock clock_;
  double start_s_;
  double last_drawn_s_ = 0;
  int last_tenth_ = -1;
  bool drawn_ = false;
};

}  // namespace tilewright
