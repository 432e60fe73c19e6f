#include "loggp.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "fits.hpp"
#include "tilewright/scheduler/log_np.hpp"

namespace tilewright {
namespace {

/// L, o and g of messages of `bytes` bytes. Where the send call was not timed alone, that of a stream has to do for o;
/// only 2o + L is in a price.
LogGpParameters parameters_at(const MachineProfile& profile, double bytes) {
  const double full = profile.path_seconds(Path::full, Layout::cc, bytes);
  const double gap = profile.path_seconds(Path::send, Layout::cc, bytes);
  const bool was_alone = profile.has(Path::overhead, Layout::cc);
  const double call = was_alone ? profile.path_seconds(Path::overhead, Layout::cc, bytes) : gap;
  const double overhead = std::min(call, full / 2);
  return {full - 2 * overhead, overhead, gap, 0};
}

std::vector<ModelParameter> stated(const LogGpParameters& parameters) {
  return {{"L", parameters.latency_s, "s", "T(full, cc) of a short message, less 2o"},
          {"o", parameters.overhead_s, "s", "the send call of a short message that travels alone"},
          {"g", parameters.gap_s, "s", "T(send, cc) of a short message in a stream"}};
}

bool is_full(Path path) {
  return path == Path::full || is_of_exchange(path);
}

}  // namespace

ModelStatement LogGpStarModel::statement() const {
  const double empty_full = profile_.path_seconds(Path::full, Layout::cc, 0);
  return {"Seinstra and Koelma 2002, section 5.1",
          "full: T(full, cc, n); send, recv: T(send, cc, 0) + T(full, cc, n) - T(full, cc, 0)",
          transfer_rule(),
          "",
          {{"t_cs, t_cr", profile_.path_seconds(Path::send, Layout::cc, 0), "s", "the empty message: T(send, cc)"},
           {"t_cf", empty_full, "s", "the empty message: T(full, cc)"},
           {"t_a", profile_.path_seconds(Path::full, Layout::cc, stated_bytes) - empty_full, "s",
            "16 KiB: T(full, cc) less t_cf, linear between the sizes measured"}}};
}

double LogGpStarModel::message_seconds(Path path, const MessageForm& form) const {
  const double full = profile_.path_seconds(Path::full, Layout::cc, static_cast<double>(form.bytes));
  if (is_full(path)) return full;
  const double additional = full - profile_.path_seconds(Path::full, Layout::cc, 0);
  return profile_.path_seconds(Path::send, Layout::cc, 0) + additional;
}

LogGpModel::LogGpModel(const MachineProfile& profile) : parameters_(parameters_at(profile, 0)) {
  // As Kielmann et al. 2000 have it: G = g(m) / m of the longest message m.
  const TimedSize longest = measured_row(profile, Path::send, name()).back();
  parameters_.gap_s_a_byte = longest.seconds / longest.size;
}

ModelStatement LogGpModel::statement() const {
  const int terms = log_gp(parameters_.overhead_s, parameters_.latency_s, parameters_.gap_s_a_byte).terms();
  ModelStatement statement{"Alexandrov et al. 1995; Cameron, Ge and Sun 2007, section 4.3",
                           "full: 2o + L + (n-1) G; send, recv: g + (n-1) G",
                           transfer_rule() + "; g between the messages of a chain",
                           fmt::format("{{o + (n-1) G}} {{L}} {{o}}, {} terms", terms), stated(parameters_)};
  statement.parameters.push_back(
      {"G", parameters_.gap_s_a_byte, "s/byte", "T(send, cc, n) / n of the longest message"});
  return statement;
}

double LogGpModel::message_seconds(Path path, const MessageForm& form) const {
  const double bytes = std::max(0.0, static_cast<double>(form.bytes) - 1) * parameters_.gap_s_a_byte;
  return bytes + (is_full(path) ? 2 * parameters_.overhead_s + parameters_.latency_s : parameters_.gap_s);
}

LogPModel::LogPModel(const MachineProfile& profile) : parameters_(parameters_at(profile, short_bytes)) {}

ModelStatement LogPModel::statement() const {
  const int terms = log_p(parameters_.overhead_s, parameters_.latency_s).terms();
  return {"Culler et al. 1996; Cameron, Ge and Sun 2007, section 5",
          "full: 2o + L + (m-1) max(g, o); send, recv: m max(g, o); m = ceil(n / 1 KiB)",
          transfer_rule() + "; g between the messages of a chain", fmt::format("{{o}} {{L}} {{o}}, {} terms", terms),
          stated(parameters_)};
}

double LogPModel::message_seconds(Path path, const MessageForm& form) const {
  const double messages = std::max(1.0, std::ceil(static_cast<double>(form.bytes) / short_bytes));
  const double each = std::max(parameters_.gap_s, parameters_.overhead_s);
  if (!is_full(path)) return messages * each;
  return 2 * parameters_.overhead_s + parameters_.latency_s + (messages - 1) * each;
}

HockneyModel::HockneyModel(const MachineProfile& profile) {
  const Line line = fitted_line(measured_row(profile, Path::full, name()));
  startup_s_ = line.constant;
  seconds_a_byte_ = line.slope;
}

ModelStatement HockneyModel::statement() const {
  return {"Hockney 1994",
          "t_0 + n / r_inf",
          transfer_rule(),
          "",
          {{"t_0", startup_s_, "s", "least squares of relative errors over T(full, cc, n)"},
           {"r_inf", seconds_a_byte_ > 0 ? 1 / seconds_a_byte_ : 0, "byte/s", "the same"}}};
}

double HockneyModel::message_seconds(Path /*path*/, const MessageForm& form) const {
  return startup_s_ + static_cast<double>(form.bytes) * seconds_a_byte_;
}

}  // namespace tilewright
