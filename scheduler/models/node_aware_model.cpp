#include "node_aware_model.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "tilewright/model/not_measured.hpp"

namespace tilewright {
namespace {

/// All messages that share the link, as one.
MessageForm all_on_link(MessageForm form) {
  form.bytes *= form.on_link;
  return form;
}

}  // namespace

NodeAwareModel::NodeAwareModel(std::unique_ptr<PointToPointModel> between, std::unique_ptr<PointToPointModel> within)
    : between_(std::move(between)), within_(std::move(within)) {}

ModelStatement NodeAwareModel::statement() const {
  ModelStatement statement = between_->statement();
  statement.message += "; messages within a node have costs of their own";
  return statement;
}

double NodeAwareModel::message_seconds(Path path, const MessageForm& form) const {
  if (form.within_node) return within_->message_seconds(path, form);
  const double alone_s = between_->message_seconds(path, form);
  if (form.on_link == 1) return alone_s;
  return std::max(alone_s, between_->message_seconds(path, all_on_link(form)));
}

std::vector<PathCell> NodeAwareModel::wanted_cells(Path path, const MessageForm& form) const {
  if (!form.within_node) return between_->wanted_cells(path, all_on_link(form));
  std::vector<PathCell> wanted = within_->wanted_cells(path, form);
  for (PathCell& cell : wanted) cell.within_node = true;
  return wanted;
}

bool NodeAwareModel::depends_on(Path path, TransferKind kind) const {
  return between_->depends_on(path, kind);
}

std::vector<Packing> NodeAwareModel::packings() const {
  const std::vector<Packing> within = within_->packings();
  std::vector<Packing> known = between_->packings();
  std::erase_if(known,
                [&](Packing packing) { return std::find(within.begin(), within.end(), packing) == within.end(); });
  return known;
}

namespace {

bool has_price(const PointToPointModel& model, Path path, Layout layout) {
  constexpr std::int64_t bytes = 4096, block = 16, stride = 64;
  try {
    (void)model.message_seconds(path, {layout, bytes, block, stride, stride});
    return true;
  } catch (const NotMeasured&) {
    return false;
  }
}

}  // namespace

bool knows_as_many_messages(const PointToPointModel& within, const PointToPointModel& between) {
  for (const Path path : {Path::send, Path::recv, Path::full, Path::shift, Path::swap}) {
    const bool lacks_one = std::any_of(std::begin(all_layouts), std::end(all_layouts), [&](Layout layout) {
      return has_price(between, path, layout) && !has_price(within, path, layout);
    });
    if (lacks_one) return false;
  }
  return true;
}

}  // namespace tilewright
