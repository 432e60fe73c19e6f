#include <algorithm>
#include <numeric>

#include "tilewright/scheduler/log_np.hpp"

namespace tilewright {
namespace {

double latency_of(const ImplicitTransfer& transfer, const BlockShape& shape) {
  return transfer.latency ? transfer.latency(shape) : 0;
}

OfSize constant(double seconds) {
  return [seconds](double) { return seconds; };
}

OfSize long_message(double o, double g_a_byte) {
  return [=](double bytes) { return o + std::max(0.0, bytes - 1) * g_a_byte; };
}

ImplicitTransfer of_fixed_size(double seconds) {
  return {.overhead = constant(seconds)};
}

}  // namespace

double log_np_seconds(std::span<const LogNpTerm> terms) {
  return std::accumulate(terms.begin(), terms.end(), 0.0, [](double sum, const LogNpTerm& term) {
    return sum + std::max(term.overhead_s, term.gap_s) + term.latency_s;
  });
}

double LogNp::seconds(const BlockShape& shape) const {
  const auto bytes = static_cast<double>(shape.bytes);
  std::vector<LogNpTerm> terms;
  for (const ImplicitTransfer& transfer : transfers_) {
    const double gap_s = transfer.gap ? transfer.gap(bytes) : 0;
    terms.push_back({transfer.overhead(bytes), gap_s, latency_of(transfer, shape)});
  }
  return log_np_seconds(terms);
}

int LogNp::terms() const {
  return std::accumulate(transfers_.begin(), transfers_.end(), 0, [](int sum, const ImplicitTransfer& transfer) {
    return sum + transfer.sizes * (1 + transfer.strides) + transfer.terms_of_contention;
  });
}

LogNp log_p(double o, double l) {
  return LogNp({of_fixed_size(o), of_fixed_size(l), of_fixed_size(o)});
}

LogNp log_gp(double o, double l, double g_a_byte) {
  // Two sizes at the sender: short messages, and the bytes of long ones.
  return LogNp({{.overhead = long_message(o, g_a_byte), .sizes = 2}, of_fixed_size(l), of_fixed_size(o)});
}

LogNp lo_pc(double o, double l, double contention, int terms) {
  return LogNp(
      {of_fixed_size(o), of_fixed_size(l), {.overhead = constant(contention + o), .terms_of_contention = terms}});
}

LogNp lo_gpc(double o, double l, double g_a_byte, double contention, int terms) {
  return LogNp({{.overhead = long_message(o, g_a_byte), .sizes = 2},
                of_fixed_size(l),
                {.overhead = constant(contention + o), .terms_of_contention = terms}});
}

LogNp memory_log_p(const OfSize& overhead, const OfShape& latency, double l, const Detail& detail) {
  const ImplicitTransfer end{
      .overhead = overhead, .latency = latency, .sizes = detail.sizes, .strides = detail.strides};
  ImplicitTransfer network = of_fixed_size(l);
  network.sizes = detail.sizes;  // the paper counts all three alike
  network.strides = detail.strides;
  return LogNp({end, network, end});
}

LogNp copy_transfer(const std::vector<ImplicitTransfer>& hops) {
  return LogNp(hops);
}

LogNp pram(double unit) {
  return LogNp({of_fixed_size(unit)});
}

LogNp log_3p(const OfSize& o_mw, const OfShape& l_mw, const OfSize& o_net, const Detail& detail) {
  const ImplicitTransfer end{.overhead = [o_mw](double bytes) { return o_mw(bytes) / 2; },
                             .latency = [l_mw](const BlockShape& shape) { return l_mw(shape) / 2; },
                             .sizes = detail.sizes,
                             .strides = detail.strides};
  const ImplicitTransfer network{.overhead = o_net, .sizes = detail.sizes, .strides = detail.strides};
  return LogNp({end, network, end});
}

}  // namespace tilewright
