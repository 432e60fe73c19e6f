#include "tilewright/scheduler/point_to_point_model.hpp"

#include <algorithm>
#include <iterator>

namespace tilewright {
namespace {

constexpr int root = 0;

/// The costs of a schedule's messages, of which most are alike.
class MessageCosts {
 public:
  explicit MessageCosts(const PointToPointModel& model) : model_(model) {}

  double seconds(Path path, const MessageForm& form) {
    const auto known = std::find_if(priced_.begin(), priced_.end(),
                                    [&](const Priced& entry) { return entry.path == path && entry.form == form; });
    if (known != priced_.end()) return known->seconds;
    return priced_.emplace_back(path, form, model_.message_seconds(path, form)).seconds;
  }

 private:
  struct Priced {
    Path path;
    MessageForm form;
    double seconds;
    Priced(Path p, const MessageForm& f, double s) : path(p), form(f), seconds(s) {}
  };
  const PointToPointModel& model_;
  std::vector<Priced> priced_;
};

/// The messages of a tree in order, with what the root and the longest chain have spent so far.
class TreePricing {
 public:
  TreePricing(const PointToPointModel& model, const Schedule& schedule)
      : costs_(model),
        schedule_(schedule),
        root_path_(schedule.spec.kind == TransferKind::gather ? Path::recv : Path::send),
        chains_(schedule.tiles.size(), 0.0) {}

  double seconds() {
    for (const Round& round : schedule_.rounds) {
      for (const Message& message : round) add(message);
    }
    const bool flat = schedule_.spec.algorithm == Algorithm::oft;
    return std::max(root_busy_, flat ? last_served_ : *std::max_element(chains_.begin(), chains_.end()));
  }

 private:
  void add(const Message& message) {
    const MessageForm form = schedule_.form(message);
    const double full = costs_.seconds(Path::full, form);
    double& sender = chains_[static_cast<std::size_t>(message.sender)];
    double& receiver = chains_[static_cast<std::size_t>(message.receiver)];
    sender = receiver = std::max(sender, receiver) + full;
    if (message.sender == root || message.receiver == root) {
      last_served_ = std::max(last_served_, root_busy_ + full);
      root_busy_ += costs_.seconds(root_path_, form);
    }
  }

  MessageCosts costs_;
  const Schedule& schedule_;
  Path root_path_;
  std::vector<double> chains_;  // by rank: the longest chain of full paths that it has taken part in
  double root_busy_ = 0;
  double last_served_ = 0;
};

/// Whether some rank both sends and receives in the round.
bool is_shift(const Round& round) {
  return std::any_of(round.begin(), round.end(), [&](const Message& sent) {
    return std::any_of(round.begin(), round.end(),
                       [&](const Message& received) { return received.receiver == sent.sender; });
  });
}

double exchange_seconds(const PointToPointModel& model, const Schedule& schedule) {
  MessageCosts costs(model);
  double sum = 0;
  for (const Round& round : schedule.rounds) {
    double slowest = 0;
    const Path path = is_shift(round) ? Path::shift : Path::full;
    for (const Message& message : round) {
      slowest = std::max(slowest, costs.seconds(path, schedule.form(message)));
    }
    sum += slowest;
  }
  return sum;
}

}  // namespace

double PointToPointModel::transfer_seconds(const Schedule& schedule) const {
  if (schedule.rounds.empty()) return 0;
  if (schedule.spec.kind == TransferKind::exchange) return exchange_seconds(*this, schedule);
  return TreePricing(*this, schedule).seconds();
}

Path P3pcModel::priced_as(Path path, Layout layout) const {
  return path == Path::shift && !profile_.has(path, layout) ? Path::full : path;
}

double P3pcModel::message_seconds(Path path, const MessageForm& form) const {
  return profile_.path_seconds(priced_as(path, form.layout), form.layout, static_cast<double>(form.bytes));
}

std::optional<double> StrideAwareP3pcModel::extra_seconds(Path path, const MessageForm& form) const {
  const StrideCosts& costs = profile().stride_costs();
  const BlockShape sent{form.bytes, form.block_bytes, form.sender_stride};
  const BlockShape received{form.bytes, form.block_bytes, form.receiver_stride};
  // Both ends at once where they were measured so, as those of a shift are.
  if (const auto both =
          costs.extra_seconds({path, form.layout, form.packing}, sender_contiguous(form.layout) ? received : sent)) {
    return both;
  }
  const auto at_sender = costs.extra_seconds({path, Layout::nc, form.packing}, sent);
  const auto at_receiver = costs.extra_seconds({path, Layout::cn, form.packing}, received);
  if (form.layout == Layout::nn && at_sender && at_receiver) return *at_sender + *at_receiver;
  if (form.packing == Packing::datatype) return std::nullopt;
  // What is packed by hand travels as what is contiguous does: the extra cost is that of the packing, on any path.
  if (form.packing == Packing::blocked) {
    MessageForm in_one_piece = form;
    in_one_piece.packing = Packing::manual;
    return extra_seconds(path, in_one_piece);
  }
  return path == Path::full ? std::nullopt : extra_seconds(Path::full, form);
}

double StrideAwareP3pcModel::by_hand_seconds(Path path, const MessageForm& form) const {
  const Packing whole = travels_as(form.packing);
  const Path priced = profile().has(path, Layout::cc, whole) ? path : Path::full;
  const double contiguous = profile().path_seconds(priced, Layout::cc, static_cast<double>(form.bytes), whole);
  return std::max(0.0, contiguous + (form.layout == Layout::cc ? 0 : extra_seconds(path, form).value_or(0)));
}

double StrideAwareP3pcModel::message_seconds(Path path, const MessageForm& form) const {
  if (form.packing != Packing::datatype && is_known(form.packing)) return by_hand_seconds(path, form);
  const Path priced = priced_as(path, form.layout);
  const auto extra = form.layout == Layout::cc ? std::nullopt : extra_seconds(priced, form);
  if (!extra) return P3pcModel::message_seconds(path, form);
  MessageForm of_paper = form;
  const BlockShape blocks = paper_blocks(form.bytes);
  of_paper.block_bytes = blocks.block_bytes;
  of_paper.sender_stride = of_paper.receiver_stride = blocks.stride_bytes;
  return std::max(0.0, P3pcModel::message_seconds(path, form) + *extra - *extra_seconds(priced, of_paper));
}

bool StrideAwareP3pcModel::is_known(Packing packing) const {
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

double LogGpStarModel::message_seconds(Path path, const MessageForm& form) const {
  const auto bytes = static_cast<double>(form.bytes);
  const double full = profile_.path_seconds(Path::full, Layout::cc, bytes);
  if (path == Path::full || path == Path::shift) return full;
  const double additional = full - profile_.path_seconds(Path::full, Layout::cc, 0);
  return profile_.path_seconds(Path::send, Layout::cc, 0) + additional;
}

}  // namespace tilewright
