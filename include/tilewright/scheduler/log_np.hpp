// log_nP as an equation, and the models that it contains (Cameron, Ge and Sun, IEEE TC 2007).
#pragma once

#include <functional>
#include <initializer_list>
#include <span>
#include <utility>
#include <vector>

#include "tilewright/model/stride_costs.hpp"

namespace tilewright {

/// What one implicit transfer takes of a given message: o_i, g_i and l_i.
struct LogNpTerm {
  double overhead_s = 0;
  double gap_s = 0;  ///< 0: o_i, as the paper takes it where nothing contends
  double latency_s = 0;
};

/// Equation (1): the sum over i of max(o_i, g_i) + l_i.
[[nodiscard]] double log_np_seconds(std::span<const LogNpTerm> terms);
[[nodiscard]] inline double log_np_seconds(std::initializer_list<LogNpTerm> terms) {
  return log_np_seconds(std::span(terms.begin(), terms.size()));
}

/// One of the implicit transfers of which a communication consists.
struct ImplicitTransfer {
  std::function<double(double bytes)> overhead;  ///< o_i: of contiguous data
  std::function<double(double bytes)> gap = {};  ///< g_i; none: o_i, as the paper takes it where nothing contends
  std::function<double(const BlockShape&)> latency = {};  ///< l_i: what strided data take beyond that; none: 0
  int sizes = 1;                                          ///< S_i: the sizes for which it is measured
  int strides = 0;                                        ///< D_i: the strides for which it is measured
  int terms_of_contention = 0;                            ///< |C_n| of LoPC and LoGPC
};

/// A model as the functions of which its terms are made: what they come to for a message, and how many there are.
class LogNp {
 public:
  explicit LogNp(std::vector<ImplicitTransfer> transfers) : transfers_(std::move(transfers)) {}
  [[nodiscard]] double seconds(const BlockShape& shape) const;
  /// Section 5: the number of terms, the sum of S_i + S_i D_i, and those of contention.
  [[nodiscard]] int terms() const;
  [[nodiscard]] const std::vector<ImplicitTransfer>& transfers() const { return transfers_; }

 private:
  std::vector<ImplicitTransfer> transfers_;
};

using OfSize = std::function<double(double bytes)>;
using OfShape = std::function<double(const BlockShape&)>;

/// How many sizes and strides a function of both is measured at.
struct Detail {
  int sizes = 1;
  int strides = 0;
};

// The derivations of section 5. Seconds and bytes.
/// {o} {L} {o}: a message of fixed size.
[[nodiscard]] LogNp log_p(double o, double l);
/// {o + (k-1) G} {L} {o} for k bytes.
[[nodiscard]] LogNp log_gp(double o, double l, double g_a_byte);
/// {o} {L} {C_n + o}, where a queueing function of `terms` terms gives the contention C_n.
[[nodiscard]] LogNp lo_pc(double o, double l, double contention, int terms);
/// The same for long messages.
[[nodiscard]] LogNp lo_gpc(double o, double l, double g_a_byte, double contention, int terms);
/// {f(s,1) + f(s,d)} {L} {f(s,1) + f(s,d)}: memory as the end points see it.
[[nodiscard]] LogNp memory_log_p(const OfSize& overhead, const OfShape& latency, double l, const Detail& detail);
/// Every hop of the hardware by what it costs there, strided data included.
[[nodiscard]] LogNp copy_transfer(const std::vector<ImplicitTransfer>& hops);
/// One hop of unit cost.
[[nodiscard]] LogNp pram(double unit);
/// Equation (6): o_mw + l_mw + o_net, with o_mw and l_mw half at either end, as the paper's own numbers have it.
[[nodiscard]] LogNp log_3p(const OfSize& o_mw, const OfShape& l_mw, const OfSize& o_net, const Detail& detail);

}  // namespace tilewright
