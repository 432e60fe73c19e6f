// Files on another host's file system, as NFS: it keeps none without a name, and tells late that it is full.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>

#include "../../imgops/tiff_frame.hpp"
#include "support/temporary_folder.hpp"
#include "tilewright/core/error.hpp"
#include "tilewright/imgops/files.hpp"

namespace {

/// What the system's calls of this thread fail with; 0: they do what they always do.
struct Failures {
  int open_without_name = 0;
  int fsync = 0;
  int close = 0;
};
thread_local Failures failures;

int failed(int error) {
  errno = error;
  return -1;
}

}  // namespace

// These take the place of libc's.

extern "C" int open(const char* path, int flags, ...) {
  std::va_list arguments;
  va_start(arguments, flags);
  const auto mode = (flags & (O_CREAT | __O_TMPFILE)) != 0 ? va_arg(arguments, mode_t) : mode_t{0};
  va_end(arguments);
  if ((flags & O_TMPFILE) == O_TMPFILE && failures.open_without_name != 0) return failed(failures.open_without_name);
  return static_cast<int>(::syscall(SYS_openat, AT_FDCWD, path, flags, mode));
}

extern "C" int fsync(int file) {
  return failures.fsync != 0 ? failed(failures.fsync) : static_cast<int>(::syscall(SYS_fsync, file));
}

extern "C" int close(int file) {
  const auto result = static_cast<int>(::syscall(SYS_close, file));
  return failures.close != 0 ? failed(failures.close) : result;
}

namespace tilewright {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::ThrowsMessage;

const ImageShape shape{{20, 10}, {PixelType::u8, 1}};

class ForeignFiles : public testing::Test {
 protected:
  ~ForeignFiles() override { failures = {}; }
  [[nodiscard]] std::string path() const { return (folder_.path() / "a.tif").string(); }

  test::TemporaryFolder folder_;
};

TEST_F(ForeignFiles, ThatCannotBeStoredAreNotPutInPlace) {
  failures.open_without_name = EOPNOTSUPP;
  const auto sink = image_file_sink(path());
  const auto in_parts = [&] { sink->open_parts(shape)->finish(); };
  const auto whole = [&] { sink->store(Raster(shape).view()); };
  failures.fsync = ENOSPC;
  EXPECT_THAT(in_parts, ThrowsMessage<RuntimeError>(HasSubstr("a.tif: No space left on device")));
  EXPECT_THAT(whole, ThrowsMessage<RuntimeError>(HasSubstr("a.tif: No space left on device")));
  EXPECT_TRUE(fs::is_empty(folder_.path()));
  failures.fsync = 0;
  in_parts();
  EXPECT_TRUE(fs::exists(path()));
}

TEST_F(ForeignFiles, OfThisHostAreNotWaitedFor) {
  failures.fsync = EIO;
  image_file_sink(path())->open_parts(shape)->finish();
  EXPECT_TRUE(fs::exists(path()));
}

TEST_F(ForeignFiles, TellOfAFullDiskWhenTheFrameIsClosed) {
  const std::string empty = folder_.file("a.tif", "").string();
  failures.close = ENOSPC;
  EXPECT_THAT([&] { (void)write_tiff_frame(empty, shape); },
              ThrowsMessage<RuntimeError>(HasSubstr("No space left on device")));
}

}  // namespace
}  // namespace tilewright
