// main() of the tests that run on several ranks: every rank runs every test, and the program fails if one fails
// anywhere.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <memory>

#include "mpi_environment.hpp"

namespace tilewright::test {
namespace {

constexpr unsigned seconds_until_a_hang_is_certain = 280;

std::unique_ptr<Communicator>& joined() {
  static std::unique_ptr<Communicator> communicator;
  return communicator;
}

/// Ranks meet after every test, so that a test which went wrong on one rank cannot confuse the next.
class MeetAfterEachTest final : public ::testing::EmptyTestEventListener {
  void OnTestEnd(const ::testing::TestInfo&) override { world().barrier(); }
};

}  // namespace

const Communicator& world() {
  return *joined();
}

int run(int argc, char** argv) {
  alarm(seconds_until_a_hang_is_certain);
  ::testing::InitGoogleTest(&argc, argv);
  joined() = std::make_unique<Communicator>(Communicator::start());
  auto& listeners = ::testing::UnitTest::GetInstance()->listeners();
  if (!world().is_root()) {
    delete listeners.Release(listeners.default_result_printer());
    // Failures are told by every rank, success by the root alone.
    class Failures final : public ::testing::EmptyTestEventListener {
      void OnTestPartResult(const ::testing::TestPartResult& result) override {
        if (!result.failed()) return;
        std::printf("rank %d: %s:%d: %s\n", world().rank(), result.file_name(), result.line_number(), result.message());
        std::fflush(stdout);
      }
    };
    listeners.Append(new Failures);
  }
  listeners.Append(new MeetAfterEachTest);
  const int failed = RUN_ALL_TESTS();
  std::string verdict = "0";
  for (const std::string& text : world().gather(failed != 0 ? "1" : "0")) {
    if (text != "0") verdict = "1";
  }
  const int status = world().broadcast(verdict) == "0" ? 0 : 1;
  joined()->finish();
  return status;
}

}  // namespace tilewright::test

int main(int argc, char** argv) {
  return tilewright::test::run(argc, argv);
}
