// TIFF files as others write them: every layout is read, and what is no plain picture is refused.
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/wait.h>
#include <tiffio.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <fstream>
#include <functional>
#include <memory>
#include <thread>

#include "file_fixture.hpp"
#include "tilewright/core/grid.hpp"

namespace tilewright {
namespace {

struct TiffOptions {
  int compression = COMPRESSION_NONE;
  int planes = PLANARCONFIG_CONTIG;
  int tile = 0;  ///< 0: strips
  const char* mode = "w";
  int predictor = 0;
};

struct CloseTiff {
  void operator()(TIFF* tiff) const { TIFFClose(tiff); }
};
using Tiff = std::unique_ptr<TIFF, CloseTiff>;

void set_tags(TIFF* tiff, const ImageShape& shape, const TiffOptions& options) {
  TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, static_cast<std::uint32_t>(shape.extent.width));
  TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, static_cast<std::uint32_t>(shape.extent.height));
  TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, shape.format.channels);
  TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, static_cast<int>(8 * bytes_of(shape.format.type)));
  const bool is_float = shape.format.type == PixelType::f32 || shape.format.type == PixelType::f64;
  TIFFSetField(tiff, TIFFTAG_SAMPLEFORMAT, is_float ? SAMPLEFORMAT_IEEEFP : SAMPLEFORMAT_UINT);
  TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, shape.format.channels >= 3 ? PHOTOMETRIC_RGB : PHOTOMETRIC_MINISBLACK);
  TIFFSetField(tiff, TIFFTAG_PLANARCONFIG, options.planes);
  TIFFSetField(tiff, TIFFTAG_COMPRESSION, options.compression);
  if (options.predictor != 0) TIFFSetField(tiff, TIFFTAG_PREDICTOR, options.predictor);
  if (options.tile > 0) {
    TIFFSetField(tiff, TIFFTAG_TILEWIDTH, options.tile);
    TIFFSetField(tiff, TIFFTAG_TILELENGTH, options.tile);
  } else {
    TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, 5);
  }
}

/// The rectangle's values, of one channel or of all.
std::vector<std::byte> chunk(const Raster& pixels, const Rect& area, int plane) {
  const std::size_t value = bytes_of(pixels.format().type);
  const int first = plane < 0 ? 0 : plane;
  const int last = plane < 0 ? pixels.format().channels : plane + 1;
  std::vector<std::byte> bytes;
  for (std::int64_t y = area.y0; y < area.y1; ++y) {
    for (std::int64_t x = area.x0; x < area.x1; ++x) {
      const Rect whole = pixels.area();
      const std::byte* pixel = pixels.view().bytes_at(std::min(x, whole.x1 - 1), std::min(y, whole.y1 - 1));
      for (int channel = first; channel < last; ++channel) {
        bytes.insert(bytes.end(), pixel + static_cast<std::size_t>(channel) * value,
                     pixel + static_cast<std::size_t>(channel + 1) * value);
      }
    }
  }
  return bytes;
}

void write_tiff(const std::string& path, const Raster& pixels, const TiffOptions& options) {
  const Tiff tiff(TIFFOpen(path.c_str(), options.mode));
  set_tags(tiff.get(), pixels.shape(), options);
  const Extent extent = pixels.shape().extent;
  const bool has_planes = options.planes == PLANARCONFIG_SEPARATE;
  for (int plane = has_planes ? 0 : -1; plane < (has_planes ? pixels.format().channels : 0); ++plane) {
    const auto sample = static_cast<std::uint16_t>(std::max(plane, 0));
    const std::int64_t height = options.tile > 0 ? options.tile : 5;
    const std::int64_t width = options.tile > 0 ? options.tile : extent.width;
    for (std::int64_t y = 0; y < extent.height; y += height) {
      for (std::int64_t x = 0; x < extent.width; x += width) {
        const std::int64_t bottom = options.tile > 0 ? y + height : std::min(y + height, extent.height);
        std::vector<std::byte> bytes = chunk(pixels, {x, y, x + width, bottom}, plane);
        const auto column = static_cast<std::uint32_t>(x);
        const auto row = static_cast<std::uint32_t>(y);
        const auto size = static_cast<tmsize_t>(bytes.size());
        const tmsize_t written =
            options.tile > 0
                ? TIFFWriteEncodedTile(tiff.get(), TIFFComputeTile(tiff.get(), column, row, 0, sample), bytes.data(),
                                       size)
                : TIFFWriteEncodedStrip(tiff.get(), TIFFComputeStrip(tiff.get(), row, sample), bytes.data(), size);
        ASSERT_EQ(written, size);
      }
    }
  }
}

using test::content_of;
using ForeignTiff = test::FileTest;

/// Every part of a few sizes is what the whole image has there.
void expect_equal_parts(const Source& source) {
  const Raster whole = source.load({});
  for (const Rect& area :
       {whole.area(), Rect{0, 7, 37, 19}, Rect{5, 0, 11, 23}, Rect{16, 5, 32, 6}, Rect{36, 22, 37, 23}}) {
    constexpr Halo halo{2, 3};
    Raster part(area, halo, whole.format());
    source.read_part(area, part.view());
    EXPECT_TRUE(same_pixels(std::as_const(part).view(), std::as_const(whole).view().restricted(area)))
        << to_string(area) << " of " << to_string(whole.shape());
    EXPECT_EQ(source.part_work({area.width(), area.height()}).size(), 1U);
  }
}

using OwnTiff = test::FileTest;

TEST_F(OwnTiff, WrittenInPartsIsByteForByteTheOneWrittenAsAWhole) {
  for (const PixelType type : all_pixel_types) {
    for (int channels = 1; channels <= max_channels; ++channels) {
      for (const Extent extent : {Extent{37, 23}, Extent{1, 1}, Extent{700, 300}}) {
        const Raster pixels = test::random_raster(extent, {type, channels}, 3);
        image_file_sink(path("whole.tif"))->store(pixels.view());
        const auto sink = image_file_sink(path("parts.tif"));
        EXPECT_EQ(sink->why_no_parts(pixels.shape()), "");
        const auto output = sink->open_parts(pixels.shape());
        EXPECT_TRUE(sink->sees(output->place()));
        for (int rank = 5; rank >= 0; --rank) {  // in any order
          const Rect tile = tile_of(extent, {2, 3}, rank);
          if (tile.empty()) continue;
          Raster part(tile, {2, 3}, pixels.format());
          copy_pixels(pixels.view(), part.view(), tile);
          sink->write_part(output->place(), pixels.shape(), std::as_const(part).view());
        }
        EXPECT_FALSE(names().contains("parts.tif"));
        output->finish();
        EXPECT_EQ(content_of(path("parts.tif")), content_of(path("whole.tif"))) << to_string(pixels.shape());
        std::filesystem::remove(path("parts.tif"));
      }
    }
  }
  EXPECT_EQ(names(), std::set<std::string>{"whole.tif"});
}

TEST_F(OwnTiff, ThatIsNotFinishedLeavesNothing) {
  const auto sink = image_file_sink(path("a.tif"));
  const ImageShape shape{{20, 10}, {PixelType::f32, 1}};
  std::string place;
  {
    const auto output = sink->open_parts(shape);
    place = output->place();
    EXPECT_TRUE(sink->sees(place));
  }
  EXPECT_TRUE(names().empty());
  EXPECT_FALSE(sink->sees(place));
  const Raster part(Rect{0, 0, 5, 5}, {}, shape.format);
  EXPECT_THROW(sink->write_part(place, shape, part.view()), RuntimeError);
  EXPECT_THROW((void)image_file_sink(path("absent/a.tif"))->open_parts(shape), RuntimeError);
  EXPECT_NE(image_file_sink(path("a.png"))->why_no_parts(shape), "");
}

/// In a process of its own: makes a file for parts, tells its place, and is killed when it is told so.
class Writer {
 public:
  Writer(const Sink& sink, const ImageShape& shape) {
    std::array<int, 2> ends{};
    if (::pipe(ends.data()) != 0) throw std::runtime_error("no pipe can be made");
    process_ = ::fork();
    if (process_ == 0) {
      const auto output = sink.open_parts(shape);
      const std::string place = output->place();
      (void)!::write(ends[1], place.data(), place.size());
      for (;;) ::pause();
    }
    std::array<char, 4096> place{};
    const ssize_t size = ::read(ends[0], place.data(), place.size());
    place_.assign(place.data(), static_cast<std::size_t>(std::max<ssize_t>(0, size)));
    ::close(ends[0]);
    ::close(ends[1]);
  }
  [[nodiscard]] const std::string& place() const { return place_; }
  void kill() const {
    ::kill(process_, SIGKILL);
    ::waitpid(process_, nullptr, 0);
  }

 private:
  pid_t process_ = 0;
  std::string place_;
};

TEST_F(OwnTiff, WhoseWriterIsKilledLeavesNothing) {
  const ImageShape shape{{20, 10}, {PixelType::f32, 1}};
  const auto sink = image_file_sink(path("it's a.tif"));
  const Writer writer(*sink, shape);
  ASSERT_TRUE(sink->sees(writer.place()));
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  EXPECT_TRUE(sink->sees(writer.place())) << "the writer lives";
  writer.kill();
  for (int turn = 0; turn < 1000 && !names().empty(); ++turn)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_TRUE(names().empty());
}

TEST_F(OwnTiff, CanBeProbedForBeforeItIsWritten) {
  const auto sink = image_file_sink(path("a.tif"));
  {
    const auto probe = sink->open_probe();
    EXPECT_TRUE(sink->sees(probe->place()));
    EXPECT_THROW(probe->finish(), InternalError);
  }
  EXPECT_TRUE(names().empty());
}

TEST_F(OwnTiff, IsDiscardedByAnotherRankWhereTheRootHasGone) {
  const auto sink = image_file_sink(path("a.tif"));
  const auto output = sink->open_parts({{20, 10}, {PixelType::f32, 1}});
  const std::string others = ".tilewright-elsewhere-1-1.part";
  std::ofstream(path(others)) << "theirs";
  sink->discard_parts(sink->parts_mark());
  EXPECT_THAT(names(), testing::ElementsAre(others)) << "what other processes make stays";
}

TEST_F(OwnTiff, StaysWhenItIsFinishedHoweverTheProcessEnds) {
  const ImageShape shape{{20, 10}, {PixelType::f32, 1}};
  const auto sink = image_file_sink(path("a.tif"));
  {
    const auto output = sink->open_parts(shape);
    sink->write_part(output->place(), shape, test::random_raster(shape.extent, shape.format, 3).view());
    output->finish();
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  EXPECT_EQ(names(), std::set<std::string>{"a.tif"});
}

TEST_F(ForeignTiff, IsReadInPartsIfItIsNotCompressed) {
  for (const TiffOptions& option : std::vector<TiffOptions>{{}, {.mode = "w8"}, {.tile = 16}}) {
    for (const PixelType type : all_pixel_types) {
      for (int channels = 1; channels <= max_channels; ++channels) {
        write_tiff(path("a.tif"), test::random_raster({37, 23}, {type, channels}, 3), option);
        const auto source = image_file(path("a.tif"));
        EXPECT_EQ(source->why_no_parts(), "");
        expect_equal_parts(*source);
        expect_equal_parts(*image_file(path("a.tif")));
        EXPECT_EQ(assumed_file(path("a.tif"), source->shape())->identity(), source->identity());
      }
    }
  }
}

TEST_F(ForeignTiff, IsNotReadInPartsOtherwise) {
  const Raster pixels = test::random_raster({37, 23}, {PixelType::u16, 3}, 3);
  const std::vector<TiffOptions> options{{.compression = COMPRESSION_LZW},
                                         {.mode = "wb"},
                                         {.planes = PLANARCONFIG_SEPARATE},
                                         {.compression = COMPRESSION_PACKBITS, .tile = 16}};
  for (const TiffOptions& option : options) {
    write_tiff(path("a.tif"), pixels, option);
    EXPECT_NE(image_file(path("a.tif"))->why_no_parts(), "") << option.mode << option.compression;
  }
}

TEST_F(ForeignTiff, ThatChangesBetweenItsHeaderAndAPartIsToldSo) {
  write_tiff(path("a.tif"), test::random_raster({37, 23}, {PixelType::u8, 1}, 3), {});
  const auto source = image_file(path("a.tif"));
  const std::string before = source->identity();
  Raster part({0, 0, 10, 10}, {}, source->shape().format);
  write_tiff(path("a.tif"), test::random_raster({37, 24}, {PixelType::u8, 1}, 3), {});
  EXPECT_NE(source->identity(), before);
  EXPECT_THROW(source->read_part(part.area(), part.view()), RuntimeError);
  write_tiff(path("a.tif"), test::random_raster({37, 23}, {PixelType::u8, 1}, 3), {.compression = COMPRESSION_LZW});
  EXPECT_THROW(source->read_part(part.area(), part.view()), RuntimeError);
  std::filesystem::resize_file(path("a.tif"), 100);
  EXPECT_THROW(source->read_part(part.area(), part.view()), RuntimeError);
  std::filesystem::remove(path("a.tif"));
  EXPECT_EQ(source->identity(), "");
  EXPECT_THROW(source->read_part(part.area(), part.view()), RuntimeError);
}

TEST_F(ForeignTiff, IsReadWhateverItsLayout) {
  const std::vector<TiffOptions> options{{},
                                         {.mode = "wb8"},
                                         {.mode = "wb"},
                                         {.mode = "wl"},
                                         {.compression = COMPRESSION_LZW},
                                         {.compression = COMPRESSION_LZW, .predictor = PREDICTOR_HORIZONTAL},
                                         {.compression = COMPRESSION_ADOBE_DEFLATE, .mode = "wb"},
                                         {.compression = COMPRESSION_PACKBITS},
                                         {.planes = PLANARCONFIG_SEPARATE},
                                         {.tile = 16},
                                         {.compression = COMPRESSION_LZW, .planes = PLANARCONFIG_SEPARATE, .tile = 32}};
  for (const TiffOptions& option : options) {
    for (const PixelType type : all_pixel_types) {
      const bool is_float = type == PixelType::f32 || type == PixelType::f64;
      if (option.predictor != 0 && is_float) continue;  // that predictor is for integers
      for (int channels = 1; channels <= max_channels; ++channels) {
        const Raster pixels = test::random_raster({37, 23}, {type, channels}, 3);
        write_tiff(path("a.tif"), pixels, option);
        const auto source = image_file(path("a.tif"));
        EXPECT_EQ(source->shape(), pixels.shape());
        EXPECT_GT(source->scratch_bytes(), 0);
        EXPECT_TRUE(same_pixels(source->load({1, 2}).view(), pixels.view()))
            << "compression " << option.compression << " planes " << option.planes << " tile " << option.tile
            << " mode " << option.mode << " " << to_string(pixels.shape());
      }
    }
  }
}

TEST_F(ForeignTiff, InJpegIsReadAsColours) {
  const Raster grey = [] {
    Raster pixels(ImageShape{{32, 32}, {PixelType::u8, 3}});
    std::fill_n(pixels.at<std::uint8_t>(0, 0), 32 * 32 * 3, std::uint8_t{128});
    return pixels;
  }();
  {
    const Tiff tiff(TIFFOpen(path("a.tif").c_str(), "w"));
    set_tags(tiff.get(), grey.shape(), {.compression = COMPRESSION_JPEG});
    TIFFSetField(tiff.get(), TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_YCBCR);
    TIFFSetField(tiff.get(), TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
    TIFFSetField(tiff.get(), TIFFTAG_ROWSPERSTRIP, 16);
    for (std::uint32_t strip = 0; strip < 2; ++strip) {
      std::vector<std::byte> bytes = chunk(grey, {0, 16 * strip, 32, 16 * strip + 16}, -1);
      ASSERT_GT(TIFFWriteEncodedStrip(tiff.get(), strip, bytes.data(), static_cast<tmsize_t>(bytes.size())), 0);
    }
  }
  const Raster read = image_file(path("a.tif"))->load({});
  EXPECT_EQ(read.shape(), grey.shape());
  EXPECT_NEAR(read.at<std::uint8_t>(20, 20)[1], 128, 2);
}

/// The reason for which a TIFF of that kind is refused.
std::string refusal(const std::string& path, const std::function<void(TIFF*)>& change) {
  {
    const Tiff tiff(TIFFOpen(path.c_str(), "w"));
    set_tags(tiff.get(), {{8, 4}, {PixelType::u8, 1}}, {});
    change(tiff.get());
    std::vector<std::byte> bytes(4096);
    TIFFWriteEncodedStrip(tiff.get(), 0, bytes.data(), TIFFStripSize(tiff.get()));
  }
  const test::ReadResult result = test::try_to_read(path);
  EXPECT_EQ(result.exit_status, 2) << result.message;
  EXPECT_NE(result.message.find(path), std::string::npos) << result.message;
  return result.message;
}

TEST_F(ForeignTiff, IsRefusedIfItIsNoPlainPicture) {
  const auto expect = [&](const char* reason, const std::function<void(TIFF*)>& change) {
    const std::string message = refusal(path("a.tif"), change);
    EXPECT_NE(message.find(reason), std::string::npos) << message;
  };
  expect("1 bit", [](TIFF* tiff) { TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, 1); });
  expect("32 bits", [](TIFF* tiff) { TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, 32); });
  expect("floating-point values of 16 bits", [](TIFF* tiff) {
    TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, 16);
    TIFFSetField(tiff, TIFFTAG_SAMPLEFORMAT, SAMPLEFORMAT_IEEEFP);
  });
  expect("signed", [](TIFF* tiff) { TIFFSetField(tiff, TIFFTAG_SAMPLEFORMAT, SAMPLEFORMAT_INT); });
  expect("white as 0", [](TIFF* tiff) { TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_MINISWHITE); });
  expect("palette", [](TIFF* tiff) {
    std::vector<std::uint16_t> map(256);
    TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_PALETTE);
    TIFFSetField(tiff, TIFFTAG_COLORMAP, map.data(), map.data(), map.data());
  });
  expect("CMYK", [](TIFF* tiff) {
    TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, 4);
    TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_SEPARATED);
  });
  expect("5 channels", [](TIFF* tiff) { TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, 5); });
}

TEST_F(ForeignTiff, IsRefusedIfItHasSeveralPages) {
  const Raster pixels = test::random_raster({8, 5}, {PixelType::u8, 1}, 3);
  write_tiff(path("a.tif"), pixels, {});
  write_tiff(path("a.tif"), pixels, {.mode = "a"});
  const test::ReadResult result = test::try_to_read(path("a.tif"));
  EXPECT_EQ(result.exit_status, 2);
  EXPECT_NE(result.message.find("several pages"), std::string::npos) << result.message;
}

}  // namespace
}  // namespace tilewright
