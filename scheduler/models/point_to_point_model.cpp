#include "point_to_point_model.hpp"

#include <algorithm>

namespace tilewright {
namespace {

constexpr int root = 0;

/// The costs of a schedule's messages, of which most are alike.
class MessageCosts {
 public:
  explicit MessageCosts(const PointToPointModel& model) : model_(model) {}

  double seconds(Path path, const MessageForm& form) {
    const auto known = std::find_if(priced_.rbegin(), priced_.rend(),  // most are like one of the last
                                    [&](const Priced& entry) { return entry.path == path && entry.form == form; });
    if (known != priced_.rend()) return known->seconds;
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

Path path_of_root(TransferKind kind) {
  return kind == TransferKind::gather ? Path::recv : Path::send;
}

/// The messages of a tree in order, with what the root and the longest chain have spent so far.
class TreePricing {
 public:
  TreePricing(const PointToPointModel& model, const Schedule& schedule)
      : costs_(model),
        between_s_(model.between_messages_seconds()),
        schedule_(schedule),
        root_path_(path_of_root(schedule.spec.kind)),
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
    const double so_far = std::max(sender, receiver);
    sender = receiver = so_far + (so_far > 0 ? between_s_ : 0) + full;
    if (message.sender == root || message.receiver == root) {
      last_served_ = std::max(last_served_, root_busy_ + full);
      root_busy_ += costs_.seconds(root_path_, form);
    }
  }

  MessageCosts costs_;
  double between_s_;
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

/// The root is busy with all its messages, and the last one is complete when it has taken its full path.
double least_of_flat_tree(const PointToPointModel& model, const TransferOutline& outline) {
  if (outline.of_root.empty()) return 0;
  const Path path = path_of_root(outline.spec.kind);
  double busy = 0;
  double last = 0;
  for (const AlikeMessages& alike : outline.of_root) {
    last = model.message_seconds(path, alike.form);
    busy += static_cast<double>(alike.count) * last;
  }
  return std::max(busy, busy - last + model.message_seconds(Path::full, outline.of_root.back().form));
}

/// The root's messages are a chain.
double least_of_binomial_tree(const PointToPointModel& model, const TransferOutline& outline) {
  double chain = 0;
  for (const AlikeMessages& alike : outline.of_root) {
    const double full = model.message_seconds(Path::full, alike.form);
    for (std::int64_t i = 0; i < alike.count; ++i) chain += (chain > 0 ? model.between_messages_seconds() : 0) + full;
  }
  return chain;
}

}  // namespace

double PointToPointModel::least_seconds(const TransferOutline& outline) const {
  if (outline.spec.algorithm == Algorithm::oft) return least_of_flat_tree(*this, outline);
  if (outline.spec.algorithm == Algorithm::sbt) return least_of_binomial_tree(*this, outline);
  double sum = 0;
  for (const RoundOutline& round : outline.rounds) {
    sum += message_seconds(round.shift ? Path::shift : Path::full, round.form);
  }
  return sum;
}

double PointToPointModel::transfer_seconds(const Schedule& schedule) const {
  if (schedule.rounds.empty()) return 0;
  if (schedule.spec.kind == TransferKind::exchange) return exchange_seconds(*this, schedule);
  return TreePricing(*this, schedule).seconds();
}

std::string PointToPointModel::transfer_rule() {
  return "P-3PC's Fig. 6: the larger of all the root's sends in a row and the longest chain of full paths; an exchange "
         "is "
         "its rounds one after another";
}

}  // namespace tilewright
