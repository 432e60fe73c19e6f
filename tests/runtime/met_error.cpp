// An error that one rank has met and catches, while the others wait for it: the run ends. With `all`, every rank meets
// it, and the run goes on.
#include <string_view>

#include "tilewright/runtime/communicator.hpp"

int main(int argc, char** argv) {
  using namespace tilewright;
  Communicator communicator = Communicator::start();
  const bool all_meet_it = argc > 1 && std::string_view(argv[1]) == "all";
  if (all_meet_it || communicator.rank() == 1) {
    communicator.set_last_words("the disk is full");
    communicator.meet_in_error();
  }
  const bool alike = communicator.agree_on(1);
  communicator.finish();
  return alike ? 0 : 1;
}
