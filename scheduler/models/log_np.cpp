#include "log_np.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <set>

#include "fits.hpp"

namespace tilewright {
namespace {

BlockShape at_sender(const MessageForm& form) {
  return {form.bytes, form.block_bytes, form.sender_stride};
}
BlockShape at_receiver(const MessageForm& form) {
  return {form.bytes, form.block_bytes, form.receiver_stride};
}

/// Of one end, as both are half of what a message to oneself takes.
double half_latency_s(const Middleware& middleware, const BlockShape& shape, bool contiguous) {
  return contiguous ? 0 : middleware.latency_s(shape) / 2;
}

PathCell cell_of(const StrideCosts::Row& row, const BlockShape& shape) {
  return {row.path, row.layout, shape.bytes, {}, row.packing, shape.block_bytes, shape.stride_bytes};
}

constexpr StrideCosts::Row to_self{Path::to_self, Layout::nn, Packing::datatype};

/// At how many strides the blocks of messages to oneself were measured; two lengths are one, whatever the length.
int strides_to_self(const MachineProfile& profile) {
  std::set<std::int64_t> strides;
  for (const PathCell& cell : profile.paths()) {
    if (cell.path != Path::to_self || cell.has_paper_blocks() || cell.within_node) continue;
    strides.insert(cell.stride_bytes <= 2 * cell.block_bytes ? 0 : cell.stride_bytes);
  }
  return static_cast<int>(strides.size());
}

}  // namespace

Middleware::Middleware(const MachineProfile& profile, std::string_view model) : profile_(profile) {
  (void)measured_row(profile, Path::to_self, model);
  (void)measured_row(profile, Path::copy, model);
  (void)measured_row(profile, Path::full, model);
}

double Middleware::overhead_s(double bytes) const {
  return std::max(0.0, profile_.path_seconds(Path::to_self, Layout::cc, bytes) -
                           profile_.path_seconds(Path::copy, Layout::cc, bytes));
}

double Middleware::latency_s(const BlockShape& shape) const {
  return std::max(0.0, profile_.extra_seconds(to_self, shape).value_or(0));
}

double Middleware::network_s(double bytes) const {
  return std::max(0.0, profile_.path_seconds(Path::full, Layout::cc, bytes) - overhead_s(bytes));
}

std::vector<PathCell> Middleware::wanted_cells(std::int64_t bytes) {
  return {
      {Path::full, Layout::cc, bytes, {}}, {Path::to_self, Layout::cc, bytes, {}}, {Path::copy, Layout::cc, bytes, {}}};
}

Log3pModel::Log3pModel(const MachineProfile& profile) : middleware_(profile, name()) {}

ModelStatement Log3pModel::statement() const {
  const auto sizes = measured_row(middleware_.profile(), Path::to_self, name()).size();
  const Detail detail{static_cast<int>(sizes), strides_to_self(middleware_.profile())};
  const auto none = [](const auto&) { return 0.0; };
  const int terms = log_3p(none, none, none, detail).terms();
  return {"Cameron, Ge and Sun 2007, equation (6) and section 4.1",
          "full: o_mw(n) + l_mw(n, stride) + o_net(n); send, recv: (o_mw + l_mw) / 2",
          transfer_rule(),
          fmt::format("{{(o_mw + l_mw)/2}} {{o_net}} {{(o_mw + l_mw)/2}}, {} terms", terms),
          {{"o_mw", middleware_.overhead_s(stated_bytes), "s", "16 KiB: to oneself, less copying memory"},
           {"l_mw", middleware_.latency_s(stated_shape), "s",
            "16 KiB of 8 bytes each, 1 KiB apart: to oneself, less the same contiguous"},
           {"o_net", middleware_.network_s(stated_bytes), "s", "16 KiB: T(full, cc) less o_mw"}}};
}

double Log3pModel::message_seconds(Path path, const MessageForm& form) const {
  const double bytes = static_cast<double>(form.bytes);
  const double sender = half_latency_s(middleware_, at_sender(form), sender_contiguous(form.layout));
  const double receiver = half_latency_s(middleware_, at_receiver(form), receiver_contiguous(form.layout));
  const double end = middleware_.overhead_s(bytes) / 2;
  const LogNpTerm at_sender_s{.overhead_s = end, .latency_s = sender};
  const LogNpTerm at_receiver_s{.overhead_s = end, .latency_s = receiver};
  if (path == Path::send) return log_np_seconds({at_sender_s});
  if (path == Path::recv) return log_np_seconds({at_receiver_s});
  return log_np_seconds({at_sender_s, {.overhead_s = middleware_.network_s(bytes)}, at_receiver_s});
}

std::vector<PathCell> Log3pModel::wanted_cells(Path /*path*/, const MessageForm& form) const {
  std::vector<PathCell> wanted = Middleware::wanted_cells(form.bytes);
  if (!sender_contiguous(form.layout)) wanted.push_back(cell_of(to_self, at_sender(form)));
  if (!receiver_contiguous(form.layout)) wanted.push_back(cell_of(to_self, at_receiver(form)));
  return wanted;
}

LogNpModel::LogNpModel(const MachineProfile& profile) : middleware_(profile, name()) {
  (void)measured_row(profile, Path::send, name());
  (void)measured_row(profile, Path::recv, name());
}

ModelStatement LogNpModel::statement() const {
  return {
      "Cameron, Ge and Sun 2007, equation (1)",
      "full: sum of o_i + l_i, i = 0 (sender), 1 (network), 2 (receiver); send, recv: max(o_i, g_i) + l_i",
      transfer_rule(),
      "log_nP itself, n = 3",
      {{"o_0, o_2", middleware_.overhead_s(stated_bytes) / 2, "s", "16 KiB: half of o_mw"},
       {"o_1", middleware_.network_s(stated_bytes), "s", "16 KiB: o_net"},
       {"g_0", middleware_.profile().path_seconds(Path::send, Layout::cc, stated_bytes), "s",
        "16 KiB: T(send, cc) in a stream"},
       {"g_2", middleware_.profile().path_seconds(Path::recv, Layout::cc, stated_bytes), "s",
        "16 KiB: T(recv, cc) in a stream"},
       {"l_0", end_latency_s(Layout::nc, stated_shape), "s", "16 KiB of 8 bytes each: T(full, nc) less T(full, cc)"},
       {"l_2", end_latency_s(Layout::cn, stated_shape), "s", "16 KiB of 8 bytes each: T(full, cn) less T(full, cc)"}}};
}

StrideCosts::Row LogNpModel::row_of_end(Layout end) const {
  const StrideCosts::Row between_two{Path::full, end, Packing::datatype};
  return middleware_.profile().stride_costs().has(between_two) ? between_two : to_self;
}

/// As measured on a message between two ranks; else half of what one to oneself takes.
double LogNpModel::end_latency_s(Layout end, const BlockShape& shape) const {
  const auto measured = middleware_.profile().extra_seconds({Path::full, end, Packing::datatype}, shape);
  return std::max(0.0, measured.value_or(middleware_.latency_s(shape) / 2));
}

double LogNpModel::message_seconds(Path path, const MessageForm& form) const {
  const double bytes = static_cast<double>(form.bytes);
  const double l_0 = sender_contiguous(form.layout) ? 0 : end_latency_s(Layout::nc, at_sender(form));
  const double l_2 = receiver_contiguous(form.layout) ? 0 : end_latency_s(Layout::cn, at_receiver(form));
  const double end = middleware_.overhead_s(bytes) / 2;
  if (is_of_one_end(path)) {
    const double gap = middleware_.profile().path_seconds(path, Layout::cc, bytes);
    return log_np_seconds({{.overhead_s = end, .gap_s = gap, .latency_s = path == Path::send ? l_0 : l_2}});
  }
  return log_np_seconds({{.overhead_s = end, .latency_s = l_0},
                         {.overhead_s = middleware_.network_s(bytes)},
                         {.overhead_s = end, .latency_s = l_2}});
}

std::vector<PathCell> LogNpModel::wanted_cells(Path path, const MessageForm& form) const {
  std::vector<PathCell> wanted = Middleware::wanted_cells(form.bytes);
  if (is_of_one_end(path)) wanted.push_back({path, Layout::cc, form.bytes, {}});
  if (!sender_contiguous(form.layout)) wanted.push_back(cell_of(row_of_end(Layout::nc), at_sender(form)));
  if (!receiver_contiguous(form.layout)) wanted.push_back(cell_of(row_of_end(Layout::cn), at_receiver(form)));
  return wanted;
}

}  // namespace tilewright
