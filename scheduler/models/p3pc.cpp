#include "p3pc.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>
#include <vector>

#include "fits.hpp"
#include "tilewright/core/error.hpp"

namespace tilewright {

namespace {

const char* how_measured(Path path) {
  switch (path) {
    case Path::send:
      return "in the send calls of a stream";
    case Path::recv:
      return "in the receive calls of a stream";
    case Path::full:
      return "a round trip with an empty message back";
    case Path::shift:
    case Path::swap:
      return "half of both steps of an exchange by all ranks, of the slowest";
    case Path::exposed:
    case Path::exposed_swap:
    case Path::collected:
    case Path::overhead:
    case Path::to_self:
    case Path::copy:
    case Path::barrier:
    case Path::one_to_one:
    case Path::all_to_all:
    case Path::one_to_all:
    case Path::all_to_one:
    case Path::all_to_one_to_all:
    case Path::passing:
    case Path::shared:
    case Path::shared_gather:
    case Path::message_scatter:
    case Path::shared_warm:
    case Path::shared_gather_warm:
    case Path::message_scatter_warm:
    case Path::shared_rested:
    case Path::shared_gather_rested:
    case Path::message_scatter_rested:
    case Path::shared_spilled:
    case Path::shared_gather_spilled:
    case Path::message_scatter_spilled:
      break;
  }
  throw InternalError("how_measured: P-3PC takes nothing from this path");
}

/// t_c of each path, and t_a of each layout, of what the profile has.
std::vector<ModelParameter> stated_paths(const MachineProfile& profile) {
  std::vector<ModelParameter> stated;
  for (const Path path : {Path::send, Path::recv, Path::full, Path::shift, Path::swap}) {
    if (!profile.has(path, Layout::cc)) continue;
    const double constant = profile.path_seconds(path, Layout::cc, 0);
    stated.push_back({fmt::format("t_c({})", to_string(path)), constant, "s",
                      fmt::format("the empty message: {}", how_measured(path))});
    for (const Layout layout : all_layouts) {
      if (!profile.has(path, layout)) continue;
      stated.push_back({fmt::format("t_a({}, {})", to_string(path), to_string(layout)),
                        profile.path_seconds(path, layout, stated_bytes) - constant, "s",
                        "16 KiB, the paper's blocks: the same less t_c, linear between the sizes measured"});
    }
  }
  return stated;
}

/// x of each path, layout and packing of which the profile knows what blocks cost.
std::vector<ModelParameter> stated_blocks(const MachineProfile& profile) {
  std::vector<ModelParameter> stated;
  for (const Path path : {Path::send, Path::recv, Path::full, Path::shift, Path::swap}) {
    for (const Layout layout : all_layouts) {
      for (const Packing packing : all_packings) {
        const auto extra = profile.extra_seconds({path, layout, packing}, stated_shape);
        if (!extra) continue;
        stated.push_back({fmt::format("x({}, {}, {})", to_string(path), to_string(layout), to_string(packing)), *extra,
                          "s", "16 KiB of 8 bytes each, 1 KiB apart: the same less a contiguous message"});
      }
    }
  }
  return stated;
}

}  // namespace

P3pcModel::P3pcModel(const MachineProfile& profile) : profile_(profile) {}

ModelStatement P3pcModel::statement() const {
  return {"Seinstra and Koelma 2002, section 3.3", "T(path, layout, n) = t_c(path) + t_a(path, layout, n)",
          transfer_rule(), "", stated_paths(profile_)};
}

Path P3pcModel::priced_as(Path path, Layout layout, Packing packing) const {
  if (!is_of_exchange(path) || profile_.has(path, layout, packing)) return path;
  return path == Path::shift && profile_.has(Path::swap, layout, packing) ? Path::swap : Path::full;
}

double P3pcModel::message_seconds(Path path, const MessageForm& form) const {
  return profile_.path_seconds(priced_as(path, form.layout), form.layout, static_cast<double>(form.bytes));
}

std::vector<PathCell> P3pcModel::wanted_cells(Path path, const MessageForm& form) const {
  return {{priced_as(path, form.layout), form.layout, form.bytes, {}}};
}

bool P3pcModel::depends_on(Path path, TransferKind kind) const {
  if (path == Path::full) return true;
  return goes_along_tree(kind) ? path == path_of_root(kind) : is_of_exchange(path);
}

StrideAwareP3pcModel::StrideAwareP3pcModel(const MachineProfile& profile) : P3pcModel(profile) {
  for (const Packing packing : all_packings) is_known_[static_cast<std::size_t>(packing)] = is_measured(packing);
}

ModelStatement StrideAwareP3pcModel::statement() const {
  std::vector<ModelParameter> parameters = stated_paths(profile());
  const std::vector<ModelParameter> of_blocks = stated_blocks(profile());
  parameters.insert(parameters.end(), of_blocks.begin(), of_blocks.end());
  return {"Seinstra and Koelma 2002, section 3.3, and what its section 6 misses: docs/design.md",
          "T(path, layout, n) + x(blocks, stride, packing) - x(the paper's 100 blocks)", transfer_rule(), "",
          std::move(parameters)};
}

StrideAwareP3pcModel::BlocksOfMessage StrideAwareP3pcModel::blocks_of(Path path, const MessageForm& form) const {
  const StrideCosts& costs = profile().stride_costs();
  const BlockShape sent{form.bytes, form.block_bytes, form.sender_stride};
  const BlockShape received{form.bytes, form.block_bytes, form.receiver_stride};
  // Both ends at once where they were measured so: as far apart as the two are in the middle (geometric).
  const StrideCosts::Row of_layout{path, form.layout, form.packing};
  if (costs.has(of_layout)) {
    if (form.layout != Layout::nn) return {{{{of_layout, sender_contiguous(form.layout) ? received : sent}}}, 1};
    const double middle =
        std::sqrt(static_cast<double>(form.sender_stride) * static_cast<double>(form.receiver_stride));
    return {{{{of_layout, {form.bytes, form.block_bytes, std::llround(middle)}}}}, 1};
  }
  if (form.layout == Layout::nn) {
    const StrideCosts::Row at_sender{path, Layout::nc, form.packing};
    const StrideCosts::Row at_receiver{path, Layout::cn, form.packing};
    if (costs.has(at_sender) && costs.has(at_receiver)) return {{{{at_sender, sent}, {at_receiver, received}}}, 2};
  }
  if (form.packing == Packing::datatype) return {};
  // What is packed by hand travels as what is contiguous does: the extra cost is that of the packing, on any path.
  if (form.packing == Packing::blocked) {
    MessageForm in_one_piece = form;
    in_one_piece.packing = Packing::manual;
    return blocks_of(path, in_one_piece);
  }
  return path == Path::full ? BlocksOfMessage{} : blocks_of(Path::full, form);
}

/// Of a stream, whose next message the sender packs while the receiver unpacks this one, the end that takes longer.
std::optional<double> StrideAwareP3pcModel::extra_seconds(Path path, const MessageForm& form) const {
  const BlocksOfMessage blocks = blocks_of(path, form);
  std::optional<double> extra;
  for (const PricedBlocks& end : blocks.priced()) {
    const double seconds = *profile().extra_seconds(end.row, end.shape);
    extra = !extra ? seconds : is_of_one_end(path) ? std::max(*extra, seconds) : *extra + seconds;
  }
  return extra;
}

double StrideAwareP3pcModel::by_hand_seconds(Path path, const MessageForm& form) const {
  const Packing whole = travels_as(form.packing);
  const double extra = form.layout == Layout::cc ? 0 : extra_seconds(path, form).value_or(0);
  return std::max(0.0, contiguous_seconds(path, form.bytes, whole) + extra);
}

double StrideAwareP3pcModel::contiguous_seconds(Path path, std::int64_t bytes, Packing packing) const {
  return profile().path_seconds(priced_as(path, Layout::cc, packing), Layout::cc, static_cast<double>(bytes), packing);
}

/// What the paper's row, which has many sizes, says of the paper's blocks, and by how much longer these blocks take
/// than those, of which few sizes tell. None is quicker than the paper's or a contiguous one but for what messages in
/// blocks were measured to be: where a difference of differences says otherwise it is noise, and a short message, whose
/// time is all latency, would take nothing.
double StrideAwareP3pcModel::message_seconds(Path path, const MessageForm& form) const {
  if (form.packing != Packing::datatype && is_known(form.packing)) return by_hand_seconds(path, form);
  const Path priced = priced_as(path, form.layout);
  const auto extra = form.layout == Layout::cc ? std::nullopt : extra_seconds(priced, form);
  if (!extra) return P3pcModel::message_seconds(path, form);
  MessageForm of_paper = form;
  const BlockShape blocks = paper_blocks(form.bytes);
  of_paper.block_bytes = blocks.block_bytes;
  of_paper.sender_stride = of_paper.receiver_stride = blocks.stride_bytes;
  const double paper = P3pcModel::message_seconds(path, form);
  const double least = std::min(paper, contiguous_seconds(path, form.bytes, Packing::datatype) + std::min(0.0, *extra));
  return std::max(least, paper + *extra - *extra_seconds(priced, of_paper));
}

std::vector<PathCell> StrideAwareP3pcModel::wanted_cells(Path path, const MessageForm& form) const {
  const bool by_hand = form.packing != Packing::datatype && is_known(form.packing);
  const Packing whole = by_hand ? travels_as(form.packing) : Packing::datatype;
  const Layout layout = by_hand ? Layout::cc : form.layout;
  const Path priced = priced_as(path, layout, whole);
  std::vector<PathCell> wanted{{priced, layout, form.bytes, {}, whole}};
  if (form.layout == Layout::cc) return wanted;
  const BlocksOfMessage blocks = blocks_of(by_hand ? path : priced, form);
  for (const auto& [row, shape] : blocks.priced())
    wanted.push_back({row.path, row.layout, shape.bytes, {}, row.packing, shape.block_bytes, shape.stride_bytes});
  return wanted;
}

bool StrideAwareP3pcModel::is_measured(Packing packing) const {
  const StrideCosts& costs = profile().stride_costs();
  const bool packs =
      costs.has({Path::full, Layout::nc, Packing::manual}) && costs.has({Path::full, Layout::cn, Packing::manual});
  if (packing != Packing::blocked) return packing == Packing::datatype || packs;
  return packs && std::all_of(std::begin(all_paths), std::end(all_paths),
                              [&](Path path) { return profile().has(path, Layout::cc, Packing::blocked); });
}

std::vector<Packing> StrideAwareP3pcModel::packings() const {
  std::vector<Packing> known;
  std::copy_if(std::begin(all_packings), std::end(all_packings), std::back_inserter(known),
               [&](Packing packing) { return is_known(packing); });
  return known;
}

namespace {

std::size_t index_of(Path path) {
  return static_cast<std::size_t>(is_of_exchange(path) ? Path::full : path);
}

}  // namespace

ThreePcModel::ThreePcModel(const MachineProfile& profile) {
  for (const Path path : all_paths) {
    const double constant = profile.path_seconds(path, Layout::cc, 0);
    costs_[index_of(path)] = {constant, fitted_slope(measured_row(profile, path, name()), constant)};
  }
}

ModelStatement ThreePcModel::statement() const {
  ModelStatement statement{"Seinstra and Koelma 2002, section 3.2", "t_c(path) + n t_a(path)", transfer_rule(), "", {}};
  for (const Path path : all_paths) {
    const Costs& costs = costs_[index_of(path)];
    statement.parameters.push_back(
        {fmt::format("t_c({})", to_string(path)), costs.constant_s, "s", "the empty message"});
    statement.parameters.push_back({fmt::format("t_a({})", to_string(path)), costs.seconds_a_byte, "s/byte",
                                    "least squares of relative errors over the contiguous sizes"});
  }
  return statement;
}

double ThreePcModel::message_seconds(Path path, const MessageForm& form) const {
  const Costs& costs = costs_[index_of(path)];
  return costs.constant_s + static_cast<double>(form.bytes) * costs.seconds_a_byte;
}

}  // namespace tilewright
