#include "tilewright/scheduler/point_to_point_model.hpp"

#include <algorithm>

namespace tilewright {
namespace {

constexpr int root = 0;

/// The messages of a tree in order, with what the root and the longest chain have spent so far.
class TreePricing {
 public:
  TreePricing(const PointToPointModel& model, const Schedule& schedule)
      : model_(model),
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
    const Layout layout = schedule_.layout(message);
    const auto bytes = static_cast<double>(schedule_.bytes(message));
    const double full = model_.message_seconds(Path::full, layout, bytes);
    double& sender = chains_[static_cast<std::size_t>(message.sender)];
    double& receiver = chains_[static_cast<std::size_t>(message.receiver)];
    sender = receiver = std::max(sender, receiver) + full;
    if (message.sender == root || message.receiver == root) {
      last_served_ = std::max(last_served_, root_busy_ + full);
      root_busy_ += model_.message_seconds(root_path_, layout, bytes);
    }
  }

  const PointToPointModel& model_;
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
  double sum = 0;
  for (const Round& round : schedule.rounds) {
    double slowest = 0;
    const Path path = is_shift(round) ? Path::shift : Path::full;
    for (const Message& message : round) {
      slowest = std::max(
          slowest, model.message_seconds(path, schedule.layout(message), static_cast<double>(schedule.bytes(message))));
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

double P3pcModel::message_seconds(Path path, Layout layout, double bytes) const {
  const bool unknown_shift = path == Path::shift && !profile_.has(path, layout);
  return profile_.path_seconds(unknown_shift ? Path::full : path, layout, bytes);
}

double LogGpStarModel::message_seconds(Path path, Layout /*layout*/, double bytes) const {
  const double full = profile_.path_seconds(Path::full, Layout::cc, bytes);
  if (path == Path::full || path == Path::shift) return full;
  const double additional = full - profile_.path_seconds(Path::full, Layout::cc, 0);
  return profile_.path_seconds(Path::send, Layout::cc, 0) + additional;
}

}  // namespace tilewright
