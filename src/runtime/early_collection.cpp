#include "early_collection.hpp"

#include <array>
#include <utility>

#include "message_tags.hpp"

namespace tilewright {
namespace {

const Message* message_of(const Schedule& gather, int sender) {
  for (const Round& round : gather.rounds) {
    if (round.front().sender == sender) return &round.front();
  }
  return nullptr;
}

}  // namespace

EarlyCollection::EarlyCollection(const Schedule& gather, const MutableView& whole, int number,
                                 const Communicator& communicator)
    : own_(gather.tiles.front()), whole_(whole), communicator_(communicator) {
  for (const Round& round : gather.rounds) {
    const Message& message = round.front();
    const Leg leg{block_of(whole, message.target_area), message.sender, gather.spec.packing};
    tiles_.push_back(begin_receive(communicator, leg, tag_of_collection(number)));
  }
}

void EarlyCollection::finish(const ConstView& own_tile) {
  copy_pixels(own_tile, whole_, own_);
  complete(communicator_, tiles_);
}

void send_to_collection(const Schedule& gather, const MutableView& tile, int number, const Communicator& communicator) {
  const Message* const message = message_of(gather, communicator.rank());
  if (message == nullptr) return;
  const Leg leg{block_of(tile, message->source_area), 0, gather.spec.packing};
  std::array<PendingMessage, 1> sent{begin_send(communicator, leg, tag_of_collection(number))};
  complete(communicator, sent);
}

}  // namespace tilewright
