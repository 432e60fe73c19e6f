// Runs the tests; ends with 77 if none failed but some had to be skipped, so that CTest reports that.
#include <gtest/gtest.h>

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  constexpr int skipped = 77;
  const int status = RUN_ALL_TESTS();
  return status == 0 && ::testing::UnitTest::GetInstance()->skipped_test_count() > 0 ? skipped : status;
}
