#include "point_to_point_model.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <utility>
#include <vector>

#include "tilewright/core/error.hpp"
#include "tilewright/core/node_mapping.hpp"

namespace tilewright {
namespace {

constexpr int root = 0;

/// The costs of a schedule's messages, of each form once.
class MessageCosts {
 public:
  MessageCosts(const PointToPointModel& model, const ClassifiedSchedule& transfer, Packing packing)
      : model_(model), transfer_(transfer), packing_(packing) {}

  /// Of the message that comes as the index-th one.
  double seconds(Path path, std::size_t index) {
    std::vector<double>& of_path = seconds_[static_cast<std::size_t>(path)];
    if (of_path.empty()) of_path.assign(transfer_.forms.size(), not_priced);
    const std::size_t form = transfer_.form_of[index];
    if (of_path[form] == not_priced) of_path[form] = of_form(path, transfer_.forms[form]);
    return of_path[form];
  }
  /// Of all forms.
  [[nodiscard]] std::vector<double> all(Path path) const {
    std::vector<double> seconds;
    for (const MessageForm& form : transfer_.forms) seconds.push_back(of_form(path, form));
    return seconds;
  }

 private:
  [[nodiscard]] double of_form(Path path, MessageForm form) const {
    form.packing = packing_;
    return model_.message_seconds(path, form);
  }

  static constexpr double not_priced = -1;
  const PointToPointModel& model_;
  const ClassifiedSchedule& transfer_;
  Packing packing_;
  std::array<std::vector<double>, path_count> seconds_;  // by form
};

/// The root's messages one after another, each of which may be the last one to arrive.
double flat_tree_seconds(MessageCosts costs, const ClassifiedSchedule& transfer) {
  const Path path = path_of_root(transfer.schedule.spec.kind);
  const std::vector<double> full = costs.all(Path::full);
  double busy = 0;
  double last_served = 0;
  std::size_t index = 0;
  for (const Round& round : transfer.schedule.rounds) {
    for (const Message& message : round) {
      const double full_s = full[transfer.form_of[index]];
      const double in_row_s = costs.seconds(path, index++);
      last_served = std::max(last_served, busy + full_s);
      busy += message.acknowledged ? std::max(in_row_s, full_s) : in_row_s;
    }
  }
  return std::max(busy, last_served);
}

/// The root's messages in a row, or the longest chain of full paths.
double binomial_tree_seconds(MessageCosts costs, const ClassifiedSchedule& transfer, double between_s) {
  const Path path = path_of_root(transfer.schedule.spec.kind);
  const std::vector<double> full = costs.all(Path::full);
  std::vector<double> chains(transfer.schedule.tiles.size(), 0.0);  // by rank: the longest one it has taken part in
  double root_busy = 0;
  std::size_t index = 0;
  for (const Round& round : transfer.schedule.rounds) {
    for (const Message& message : round) {
      double& sender = chains[static_cast<std::size_t>(message.sender)];
      double& receiver = chains[static_cast<std::size_t>(message.receiver)];
      const double so_far = std::max(sender, receiver);
      sender = receiver = so_far + (so_far > 0 ? between_s : 0) + full[transfer.form_of[index]];
      if (message.sender == root || message.receiver == root) root_busy += costs.seconds(path, index);
      ++index;
    }
  }
  return std::max(root_busy, *std::max_element(chains.begin(), chains.end()));
}

double exchange_seconds(MessageCosts costs, const ClassifiedSchedule& transfer) {
  double sum = 0;
  std::size_t index = 0;
  for (std::size_t i = 0; i < transfer.shifts.size(); ++i) {
    double slowest = 0;
    const Path path = path_of_round(transfer.shifts[i]);
    const std::size_t end = index + transfer.schedule.rounds[i].size();
    for (; index < end; ++index) slowest = std::max(slowest, costs.seconds(path, index));
    sum += slowest;
  }
  return sum;
}

/// In a total exchange, and round a ring, ranks send and receive at once. A turn of a rank begins when both it and its
/// partners are through with the turns before.
double seconds_in_turns(MessageCosts costs, const Schedule& schedule) {
  std::vector<double> busy(schedule.tiles.size(), 0.0);  // by rank: until when
  std::vector<double> after;
  std::size_t index = 0;
  for (const Round& round : schedule.rounds) {
    after = busy;
    for (const Message& message : round) {
      const auto sender = static_cast<std::size_t>(message.sender);
      const auto receiver = static_cast<std::size_t>(message.receiver);
      const double end = std::max(busy[sender], busy[receiver]) + costs.seconds(Path::shift, index++);
      after[sender] = std::max(after[sender], end);
      after[receiver] = std::max(after[receiver], end);
    }
    busy.swap(after);
  }
  return *std::max_element(busy.begin(), busy.end());
}

/// A model's messages in one packing, each priced once as far as that stays known.
class Prices {
 public:
  Prices(const PointToPointModel& model, Packing packing, KnownMessages& known)
      : model_(model), packing_(packing), known_(known) {}

  [[nodiscard]] double operator()(Path path, MessageForm form) {
    form.packing = packing_;
    return known_.seconds(path, form, [&] { return model_.message_seconds(path, form); });
  }
  [[nodiscard]] double between_messages() const { return model_.between_messages_seconds(); }

 private:
  const PointToPointModel& model_;
  Packing packing_;
  KnownMessages& known_;
};

/// Adds up messages, so many of which may stay within the root's node: those that gain most by it, for which these are
/// is not known.
class LeastSum {
 public:
  LeastSum(Prices& prices, std::int64_t within) : prices_(prices), within_(within) {}

  void add(Path path, MessageForm form, std::int64_t count) {
    const double between_s = prices_(path, form);
    seconds_ += static_cast<double>(count) * between_s;
    if (within_ == 0) return;
    form.within_node = true;
    gains_.emplace_back(between_s - prices_(path, form), count);
  }
  [[nodiscard]] double seconds() {
    std::sort(gains_.begin(), gains_.end(), std::greater<>());
    std::int64_t left = within_;
    double seconds = seconds_;
    for (const auto& [gain_s, count] : gains_) {
      if (gain_s <= 0) break;
      const std::int64_t near = std::min(left, count);
      seconds -= static_cast<double>(near) * gain_s;
      left -= near;
    }
    return seconds;
  }

 private:
  Prices& prices_;
  std::int64_t within_;
  double seconds_ = 0;
  std::vector<std::pair<double, std::int64_t>> gains_;  // a message, and how many are alike
};

double least_of_flat_tree_on_nodes(Prices& prices, const TransferOutline& outline) {
  const Path path = path_of_root(outline.spec.kind);
  LeastSum busy(prices, outline.within_root_node);
  for (const AlikeMessages& alike : outline.of_root) busy.add(path, alike.form, alike.count);
  const double seconds = busy.seconds();
  if (nodes_of(outline.spec.grid) == 1 || !outline.is_whole) return seconds;
  // Then the last message goes to another node.
  const MessageForm& last = outline.of_root.back().form;
  return std::max(seconds, seconds - prices(path, last) + prices(Path::full, last));
}

/// The root is busy with all its messages, and the last one is complete when it has taken its full path.
double least_of_flat_tree(Prices& prices, const TransferOutline& outline, double enough) {
  if (outline.of_root.empty()) return 0;
  if (outline.within_root_node > 0) return least_of_flat_tree_on_nodes(prices, outline);
  const Path path = path_of_root(outline.spec.kind);
  double busy = 0;
  double last = 0;
  for (const AlikeMessages& alike : outline.of_root) {
    last = prices(path, alike.form);
    busy += static_cast<double>(alike.count) * last;
    if (busy >= enough) return busy;
  }
  if (!outline.is_whole) return busy;
  return std::max(busy, busy - last + prices(Path::full, outline.of_root.back().form));
}

/// The root's messages are a chain.
double least_of_binomial_tree(Prices& prices, const TransferOutline& outline, double enough) {
  double chain = 0;
  for (const AlikeMessages& alike : outline.of_root) {
    const double full = prices(Path::full, alike.form);
    for (std::int64_t i = 0; i < alike.count; ++i) chain += (chain > 0 ? prices.between_messages() : 0) + full;
    if (chain >= enough) return chain;
  }
  return chain;
}

}  // namespace

Path path_of_root(TransferKind kind) {
  return kind == TransferKind::gather ? Path::recv : Path::send;
}

Path path_of_round(bool shift) {
  return shift ? Path::shift : Path::swap;
}

double PointToPointModel::least_seconds(const TransferOutline& outline, Packing packing, KnownMessages& known,
                                        double enough) const {
  Prices prices(*this, packing, known);
  if (outline.spec.algorithm == Algorithm::oft) return least_of_flat_tree(prices, outline, enough);
  if (outline.spec.algorithm == Algorithm::sbt) return least_of_binomial_tree(prices, outline, enough);
  LeastSum sum(prices, outline.within_root_node);
  for (const RoundOutline& round : outline.rounds) sum.add(path_of_round(round.shift), round.form, round.count);
  return sum.seconds();
}

std::optional<double> PointToPointModel::tree_seconds(TransferKind kind, std::span<const Subtree> subtrees,
                                                      Packing packing, KnownMessages& known) const {
  Prices prices(*this, packing, known);
  std::vector<double> chains;  // by subtree: the longest of full paths
  const auto chain = [&](int subtree) { return subtree < 0 ? 0 : chains[static_cast<std::size_t>(subtree)]; };
  for (const Subtree& subtree : subtrees) {
    const double within_halves = std::max(chain(subtree.kept), chain(subtree.given));
    const double between_s = within_halves > 0 ? between_messages_seconds() : 0;
    chains.push_back(within_halves + between_s + prices(Path::full, subtree.form));
  }
  const int whole = static_cast<int>(subtrees.size()) - 1;
  double root_busy = 0;
  for (int held = whole; held >= 0; held = subtrees[static_cast<std::size_t>(held)].kept)
    root_busy += prices(path_of_root(kind), subtrees[static_cast<std::size_t>(held)].form);
  return std::max(root_busy, chain(whole));
}

double PointToPointModel::transfer_seconds(const ClassifiedSchedule& transfer, Packing packing) const {
  const Schedule& schedule = transfer.schedule;
  if (schedule.rounds.empty()) return 0;
  MessageCosts costs(*this, transfer, packing);
  switch (schedule.spec.kind) {
    case TransferKind::exchange:
      return exchange_seconds(std::move(costs), transfer);
    case TransferKind::allgather:
    case TransferKind::redistribute:
      return seconds_in_turns(std::move(costs), schedule);
    case TransferKind::scatter:
    case TransferKind::gather:
    case TransferKind::broadcast:
      return tree_shape(schedule.spec) == TreeShape::flat
                 ? flat_tree_seconds(std::move(costs), transfer)
                 : binomial_tree_seconds(std::move(costs), transfer, between_messages_seconds());
  }
  throw InternalError("transfer_seconds: unknown transfer");
}

std::string PointToPointModel::transfer_rule() {
  return "P-3PC's Fig. 6: the larger of all the root's sends in a row and the longest chain of full paths; an exchange "
         "is its rounds one after another, a redistribution and an allgather the longest chain of their turns";
}

}  // namespace tilewright
