// One rank of several ends by an exception that the program catches: the run ends, and says why.
#include <stdexcept>

#include "tilewright/runtime/communicator.hpp"

int main() {
  try {
    tilewright::Communicator communicator = tilewright::Communicator::start();
    communicator.set_last_words("the disk is full");
    if (communicator.rank() == 1) throw std::runtime_error("the disk is full");
    communicator.barrier();
  } catch (const std::exception&) {
    return 1;  // too late to tell: the others have been ended
  }
  return 0;
}
