// An error that one rank has met and catches, while the others wait for it: the run ends. With `all`, every rank meets
// it, and the run goes on; what rank 0 has sent before is not taken for what it sends afterwards.
#include <string_view>

#include "tilewright/runtime/communicator.hpp"
#include "tilewright/runtime/point_to_point.hpp"

namespace {

using namespace tilewright;

constexpr int tag = 7;

void send(const Communicator& communicator, int number) {
  if (communicator.is_root()) send_block(communicator, {&number, 1, sizeof(number), sizeof(number)}, 1, tag);
}

/// On every other rank it is `number`.
bool receives(const Communicator& communicator, int number) {
  if (communicator.rank() != 1) return true;
  int received = 0;
  receive_block(communicator, {&received, 1, sizeof(received), sizeof(received)}, 0, tag);
  return received == number;
}

}  // namespace

int main(int argc, char** argv) {
  Communicator communicator = Communicator::start();
  const bool all_meet_it = argc > 1 && std::string_view(argv[1]) == "all";
  if (all_meet_it) send(communicator, 1);
  if (all_meet_it || communicator.rank() == 1) {
    communicator.set_last_words("the disk is full", 2);
    communicator.meet_in_error();
  }
  send(communicator, 2);
  const bool is_the_second = receives(communicator, 2);
  const bool alike = communicator.agree_on(1);
  communicator.finish();
  return alike && is_the_second ? 0 : 1;
}
