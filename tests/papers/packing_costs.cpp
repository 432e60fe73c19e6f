#include "packing_costs.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tilewright/core/error.hpp"

namespace tilewright::papers {
namespace {

MessageForm contiguous(const MessageForm& form) {
  return {Layout::cc, form.bytes, form.bytes, form.bytes, form.bytes};
}

void require_one_strided_end(const MessageForm& form) {
  if (form.layout == Layout::nc || form.layout == Layout::cn) return;
  throw ParameterError(fmt::format("one end is to be strided, nc or cn, not {}", to_string(form.layout)));
}

bool tells_packing_by_hand(const CostModel& model) {
  const std::vector<Packing> known = model.packings();
  return std::find(known.begin(), known.end(), Packing::manual) != known.end();
}

/// The same stride at both ends: of a layout with one strided end only that end's counts.
MessageForm form_of(Layout layout, const BlockShape& shape) {
  return {layout, shape.bytes, shape.block_bytes, shape.stride_bytes, shape.stride_bytes};
}

}  // namespace

double strided_end_seconds(const CostModel& model, MessageForm form) {
  require_one_strided_end(form);
  form.packing = Packing::datatype;
  return std::max(0.0, model.message_seconds(Path::full, form) - model.message_seconds(Path::full, contiguous(form)));
}

double packing_seconds(const CostModel& model, const MachineProfile& profile, MessageForm form) {
  require_one_strided_end(form);
  if (!tells_packing_by_hand(model)) {
    return profile.path_seconds(Path::copy, Layout::cc, static_cast<double>(form.bytes)) +
           strided_end_seconds(model, form);
  }
  form.packing = Packing::manual;
  return std::max(0.0, model.message_seconds(Path::full, form) - model.message_seconds(Path::full, contiguous(form)));
}

double transpose_seconds(const CostModel& model, const MachineProfile& profile, const TransposeShape& shape,
                         Packing packing) {
  const MessageForm sent = form_of(Layout::nc, shape.sent);
  const MessageForm received = form_of(Layout::cn, shape.received);
  const double others = shape.ranks - 1;
  const double travel = model.message_seconds(Path::shift, contiguous(sent));
  if (packing == Packing::datatype) {
    const double ends = strided_end_seconds(model, sent) + strided_end_seconds(model, received);
    const double to_self = profile.path_seconds(Path::to_self, Layout::cc, static_cast<double>(sent.bytes));
    return others * (travel + ends) + to_self + ends;
  }
  const double pack = packing_seconds(model, profile, sent);
  return others * (pack + travel + packing_seconds(model, profile, received)) + pack;
}

}  // namespace tilewright::papers
