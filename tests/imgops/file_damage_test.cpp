// Bad input and bad places for output: clear errors, no noise, nothing left behind.
#include <sys/resource.h>

#include <csignal>
#include <iostream>
#include <thread>

#include "file_fixture.hpp"

namespace tilewright {
namespace {

using test::content_of;
using BadInput = test::FileTest;
using Stage = test::ReadResult::Stage;

void expect_refused(const std::string& path, const char* reason, int exit_status = 2) {
  testing::internal::CaptureStderr();
  const test::ReadResult result = test::try_to_read(path);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "") << path;
  EXPECT_EQ(result.exit_status, exit_status) << result.message;
  EXPECT_NE(result.message.find(path), std::string::npos) << result.message;
  EXPECT_NE(result.message.find(reason), std::string::npos) << result.message;
}

TEST_F(BadInput, ThatIsNoImageIsRefused) {
  expect_refused(path("absent.png"), "No such file");
  expect_refused(path(""), "folder");
  expect_refused("/dev/null", "no regular file");
  expect_refused(write("empty.tif", ""), "empty");
  expect_refused(write("text.png", "This is no image.\n"), "no image of a known format");
  expect_refused(write("short.tif", "II*"), "no image");
  expect_refused(write("header.tif", std::string("II*\0", 4)), "damaged");
  expect_refused(write("wild.tif", std::string("II*\0\xFF\xFF\xFF\x7F", 8)), "damaged");
  expect_refused(write("header.png", "\x89PNG\r\n\x1A\n"), "truncated within its header");
  expect_refused(write("header.jpg", "\xFF\xD8\xFF\xE0"), "truncated within its header");
  expect_refused(write("bad.pgm", "P5 x y 255\n"), "PNM header");
  expect_refused(write("bad.bmp", "BM" + std::string(60, '\x7F')), "no image");
  expect_refused(write("huge.pgm", "P5 1000000000 1000000000 65535\n"), "claims a size");
}

/// Headers that OpenCV gives up at, without saying so.
TEST_F(BadInput, OfKindsThatNobodyDecodesIsRefused) {
  image_file_sink(path("a.jpg"))->store(test::random_raster({31, 17}, {PixelType::u8, 3}, 4).view());
  std::string lossless = content_of(path("a.jpg"));
  lossless[lossless.find("\xFF\xC0") + 1] = '\xC3';
  expect_refused(write("lossless.jpg", lossless), "lossless");
  const auto png = [&](const char* name, std::uint32_t width, int bits, int colours) {
    std::string header = test::big_endian(width) + test::big_endian(1);
    for (const int byte : {bits, colours, 0, 0, 0}) header.push_back(static_cast<char>(byte));
    return write(name, "\x89PNG\r\n\x1A\n" + test::png_chunk("IHDR", header) +
                           test::png_chunk("IDAT", test::stored(std::string(2, '\0'))) + test::png_chunk("IEND", ""));
  };
  expect_refused(png("bits.png", 1, 3, 0), "damaged");
  expect_refused(png("palette.png", 1, 16, 3), "damaged");
  expect_refused(png("kind.png", 1, 8, 5), "damaged");
  expect_refused(png("wide.png", 1000001, 8, 0), "at most 1000000");
}

TEST_F(BadInput, BeyondWhatOpenCvDecodesIsRefusedAtOnce) {
  expect_refused(write("long.pgm", "P5 2000000 2 255\n"), "convert it to TIFF");
  expect_refused(write("many.pgm", "P5 1000000 2000 255\n"), "convert it to TIFF");
}

/// Of this kind only OpenCV knows.
TEST_F(BadInput, ThatIsNoImageAnyMoreIsRefused) {
  image_file_sink(path("a.bmp"))->store(test::random_raster({31, 17}, {PixelType::u8, 3}, 4).view());
  const auto source = image_file(path("a.bmp"));
  EXPECT_NO_THROW((void)source->load({}));
  write("a.bmp", "This is no image any more.\n");
  EXPECT_THROW((void)source->load({}), RuntimeError);
}

std::vector<std::string> pictures(const std::function<std::string(const std::string&)>& path) {
  const Raster pixels = test::random_raster({31, 17}, {PixelType::u8, 3}, 4);
  std::vector<std::string> paths;
  for (const char* name : {"a.tif", "a.png", "a.jpg", "a.ppm"}) {
    paths.push_back(path(name));
    image_file_sink(paths.back())->store(pixels.view());
  }
  return paths;
}

/// Cut off anywhere, no file passes for an image, nor does anything print.
TEST_F(BadInput, ThatIsTruncatedIsRefused) {
  for (const std::string& whole : pictures([&](const std::string& name) { return path(name); })) {
    const std::string content = content_of(whole);
    ASSERT_EQ(test::try_to_read(whole).reached, Stage::read) << whole;
    testing::internal::CaptureStderr();
    for (std::size_t length = 1; length < content.size();
         length += length < 200 || length + 40 > content.size() ? 1 : 37) {
      const std::string cut = write("cut" + whole.substr(whole.size() - 4), content.substr(0, length));
      const test::ReadResult result = test::try_to_read(cut);
      EXPECT_NE(result.reached, Stage::read) << whole << " cut to " << length << " of " << content.size();
      EXPECT_EQ(result.exit_status, result.reached == Stage::pixels ? 1 : 2) << result.message;
      EXPECT_NE(result.message.find(cut), std::string::npos) << result.message;
    }
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "") << whole;
  }
}

TEST_F(BadInput, ThatIsDamagedWithinIsRefusedWhereItCanBeTold) {
  const Raster pixels = test::random_raster({31, 17}, {PixelType::u8, 3}, 4);
  image_file_sink(path("a.png"))->store(pixels.view());
  std::string content = content_of(path("a.png"));
  content[content.size() / 2] = static_cast<char>(content[content.size() / 2] ^ 1);
  const std::string file = write("b.png", content);
  expect_refused(file, "checksum", 1);
}

TEST_F(BadInput, ThatChangesAfterItsHeaderWasReadIsRefused) {
  for (const char* name : {"a.tif", "a.png", "a.ppm"}) {
    image_file_sink(path(name))->store(test::random_raster({31, 17}, {PixelType::u8, 3}, 4).view());
    const auto source = image_file(path(name));
    image_file_sink(path(name))->store(test::random_raster({30, 17}, {PixelType::u8, 3}, 4).view());
    EXPECT_THROW((void)source->load({}), RuntimeError) << name;
    std::filesystem::remove(path(name));
    EXPECT_THROW((void)source->load({}), RuntimeError) << name;
  }
}

TEST_F(BadInput, AssumedFilesHaveAShapeButNoPixels) {
  const ImageShape shape{{7, 5}, {PixelType::u16, 2}};
  const auto source = assumed_file(path("absent.tif"), shape);
  EXPECT_EQ(source->shape(), shape);
  EXPECT_EQ(source->describe(), path("absent.tif"));
  EXPECT_EQ(source->work().front().key, "read_tiff");
  EXPECT_THROW((void)source->load({}), RuntimeError);
}

TEST(ImageInMemory, IsItsPixels) {
  const Raster pixels = test::random_raster({9, 5}, {PixelType::f64, 2}, 1);
  const auto source = image_in_memory(pixels.copy({3, 3}), "mine");
  EXPECT_EQ(source->describe(), "mine");
  const Raster first = source->load({1, 4});
  EXPECT_TRUE(same_pixels(first.view(), pixels.view()));
  EXPECT_TRUE(source->is_resident());
  EXPECT_EQ(first.owned_bytes(), 0);
  EXPECT_EQ(first.view().bytes_at(0, 0), std::as_const(source)->load({}).view().bytes_at(0, 0)) << "it was copied";
  EXPECT_THROW((void)image_in_memory(Raster({1, 0, 5, 5}, {}, {PixelType::u8, 1}), "shifted"), ParameterError);
  EXPECT_THROW((void)image_in_memory(Raster(), "nothing"), ParameterError);
}

using BadOutput = test::FileTest;

void expect_not_writable(const std::string& path, const char* reason) {
  const auto sink = image_file_sink(path);
  const Raster pixels = test::random_raster({9, 5}, {PixelType::u8, 1}, 1);
  for (const std::function<void()>& action : {std::function<void()>([&] { sink->check_writable(); }),
                                              std::function<void()>([&] { sink->store(pixels.view()); })}) {
    try {
      action();
      ADD_FAILURE() << path << " was accepted";
    } catch (const RuntimeError& error) {
      EXPECT_NE(std::string(error.what()).find(path), std::string::npos) << error.what();
      EXPECT_NE(std::string(error.what()).find(reason), std::string::npos) << error.what();
    }
  }
}

TEST_F(BadOutput, PlacesAreRefused) {
  for (const std::string extension : {".tif", ".png"}) {
    expect_not_writable(path("absent/a" + extension), "No such file or directory");
    expect_not_writable(write("file", "x") + "/a" + extension, "Not a directory");
    std::filesystem::create_directory(path("folder" + extension));
    expect_not_writable(path("folder" + extension), "is a folder");
    expect_not_writable("/proc/a" + extension, "No such file or directory");
  }
}

TEST_F(BadOutput, FoldersAreLeftAsTheyWere) {
  image_file_sink(path("a.png"))->check_writable();
  EXPECT_TRUE(names().empty());
  write("b.tif", "precious");
  image_file_sink(path("b.tif"))->check_writable();
  EXPECT_EQ(content_of(path("b.tif")), "precious");
}

/// OpenCV is kept quiet while it encodes.
TEST_F(BadOutput, SeveralAtOnceLeaveStandardErrorAlone) {
  const Raster pixels = test::random_raster({64, 48}, {PixelType::u8, 3}, 1);
  const std::streambuf* const buffer = std::cerr.rdbuf();
  std::vector<std::jthread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&, thread] {
      const auto sink = image_file_sink(path("a" + std::to_string(thread) + ".jpg"));
      for (int i = 0; i < 50; ++i) sink->store(pixels.view());
    });
  }
  threads.clear();
  EXPECT_EQ(std::cerr.rdbuf(), buffer);
}

/// Rows come to a writer; the file takes its place with commit().
TEST_F(BadOutput, NothingIsThereBeforeItIsCommitted) {
  const Raster pixels = test::random_raster({64, 48}, {PixelType::u8, 3}, 1);
  for (const char* name : {"a.tif", "a.png", "a.jpg", "a.ppm"}) {
    const auto sink = image_file_sink(path(name));
    const auto writer = sink->open({{64, 48}, {PixelType::u8, 3}});
    writer->put(pixels.view());
    writer->finish();
    EXPECT_TRUE(names().empty()) << name;
    writer->commit();
    const std::string by_rows = content_of(path(name));
    sink->store(pixels.view());
    EXPECT_EQ(by_rows, content_of(path(name))) << name;
    std::filesystem::remove(path(name));
  }
}

std::string refusal(const std::string& path, const ImageShape& shape) {
  try {
    image_file_sink(path)->check(shape);
  } catch (const ParameterError& error) {
    return error.what();
  }
  return "accepted";
}

TEST_F(BadOutput, FormatsThatCannotStoreTheImageAreRefused) {
  const auto expect = [&](const char* name, const ImageShape& shape, const char* reason) {
    EXPECT_NE(refusal(path(name), shape).find(reason), std::string::npos) << refusal(path(name), shape);
  };
  const Extent extent{100, 50};
  expect("a.png", {extent, {PixelType::f32, 1}}, "PNG stores u8, u16 with 1 or 3 or 4 channels; convert() it first");
  expect("a.png", {extent, {PixelType::u8, 2}}, "100x50 u8 x2");
  expect("a.jpg", {extent, {PixelType::u16, 1}}, "JPEG stores u8");
  expect("a.jpeg", {{70000, 5}, {PixelType::u8, 1}}, "65500 pixels a side");
  expect("a.ppm", {extent, {PixelType::u8, 1}}, "PPM stores");
  expect("a.bmp", {{30000, 30000}, {PixelType::u8, 3}}, "at most 2 GiB; write it as .tif");
  expect("a.tif", {extent, {PixelType::f64, 4}}, "accepted");
  EXPECT_THROW((void)image_file_sink(path("a.xyz")), ParameterError);
  EXPECT_THROW((void)image_file_sink(path("png")), ParameterError);
  EXPECT_TRUE(names().empty());
}

/// Files may not grow beyond some size while it lives: like a disk that is full.
class FullDisk {
 public:
  explicit FullDisk(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FullDisk() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }
  FullDisk(const FullDisk&) = delete;
  FullDisk& operator=(const FullDisk&) = delete;

 private:
  rlimit before_{};
  void (*handler_)(int);
};

TEST_F(BadOutput, AFullDiskLosesNeitherTheOldFileNorLeavesAPart) {
  const Raster pixels = test::random_raster({301, 207}, {PixelType::u8, 3}, 1);
  for (const char* name : {"a.tif", "a.png"}) {
    write(name, "the old one");
    // At several points: in the pixels, and in the tables that libtiff writes at the end.
    for (const rlim_t bytes : {rlim_t{0}, rlim_t{4}, rlim_t{1000}, rlim_t{100000}, rlim_t{301 * 207 * 3 + 60}}) {
      std::string message = "written";
      testing::internal::CaptureStderr();
      {
        const FullDisk full(bytes);
        try {
          image_file_sink(path(name))->store(pixels.view());
        } catch (const RuntimeError& error) {
          message = error.what();
        }
      }
      EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
      const bool fits = message == "written";
      EXPECT_FALSE(fits && bytes < 180000) << name << " " << bytes;
      if (fits) continue;  // PNG may need less
      EXPECT_NE(message.find(path(name)), std::string::npos) << message;
      EXPECT_EQ(content_of(path(name)), "the old one") << name;
    }
  }
  EXPECT_EQ(names(), (std::set<std::string>{"a.tif", "a.png"}));
}

}  // namespace
}  // namespace tilewright
