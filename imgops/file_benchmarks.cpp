#include <fmt/format.h>

#include <filesystem>
#include <iterator>
#include <utility>

#include "benchmark_data.hpp"
#include "opencv_codec.hpp"
#include "tiff_frame.hpp"
#include "tilewright/core/error.hpp"
#include "tilewright/core/pending_file.hpp"
#include "tilewright/core/temporary_folder.hpp"
#include "tilewright/imgops/files.hpp"

namespace tilewright {
namespace {

struct FileData {
  [[nodiscard]] std::string file(const std::string& extension) const {
    return (folder.path() / ("image" + extension)).string();
  }

  TemporaryFolder folder;
  Raster pixels;
  std::shared_ptr<const Sink> sink;
  std::shared_ptr<const Source> source;
};

std::shared_ptr<FileData> file_data(PixelType type, const Extent& tile) {
  const auto data = std::make_shared<FileData>();
  data->pixels = benchmark_raster(tile, {}, type);
  return data;
}

using Prepare = std::function<PreparedBenchmark(PixelType, double, const Extent&)>;

Prepare writing(const std::string& extension) {
  return [extension](PixelType type, double, const Extent& tile) -> PreparedBenchmark {
    const auto data = file_data(type, tile);
    data->sink = image_file_sink(data->file(extension));
    return {[data] { data->sink->store(data->pixels.view()); }, static_cast<double>(tile.pixels())};
  };
}

/// Also writes what image_file_sink() does not offer.
void write_any(const FileData& data, const std::string& extension) {
  const Bytes content = encode(data.pixels.view(), extension);
  PendingFile file(data.file(extension));
  file.write(std::as_bytes(std::span(content)));
  file.commit();
}

PreparedBenchmark reading(PixelType type, const Extent& tile, const std::string& extension) {
  const auto data = file_data(type, tile);
  if (extension == ".tif") {
    image_file_sink(data->file(extension))->store(data->pixels.view());
  } else {
    write_any(*data, extension);
  }
  data->source = image_file(data->file(extension));
  return {[data] { (void)data->source->load({}); }, static_cast<double>(tile.pixels())};
}

Prepare reading(const std::string& extension) {
  return [extension](PixelType type, double, const Extent& tile) { return reading(type, tile, extension); };
}

/// The middle of an image, row by row if there is more to both sides, into a tile with a halo, as a rank reads its own.
PreparedBenchmark reading_part(PixelType type, double by_rows, const Extent& tile) {
  const Extent whole{by_rows > 0 ? 2 * tile.width : tile.width, tile.height};
  const auto data = file_data(type, whole);
  const std::string path = data->file(".tif");
  image_file_sink(path)->store(data->pixels.view());
  data->pixels = Raster();
  data->source = image_file(path);
  const std::int64_t x = (whole.width - tile.width) / 2;
  const Rect area{x, 0, x + tile.width, tile.height};
  return {[data, area, type] {
            constexpr Halo halo{4, 4};
            Raster part(area, halo, {type, 1});
            data->source->read_part(area, part.view());
          },
          static_cast<double>(tile.pixels())};
}

/// Each rank its tile of one file, beside or below those of the others; a new file for every run.
PreparedBenchmark writing_part_in_team(PixelType type, double by_rows, const Extent& tile, const BenchmarkTeam& team) {
  const bool beside = by_rows > 0;
  // Narrower than the image also where there is one rank.
  const ImageShape image{{beside ? (team.ranks + 1) * tile.width : tile.width, team.ranks * tile.height}, {type, 1}};
  const std::int64_t x = beside ? team.rank * tile.width : 0;
  const std::int64_t y = beside ? 0 : team.rank * tile.height;
  constexpr Halo halo{4, 4};
  const auto data = std::make_shared<Raster>(Rect{x, y, x + tile.width, y + tile.height}, halo, PixelFormat{type, 1});
  data->touch();
  const std::string name = fmt::format("{}/part-{}-{}", team.folder, tile.width, beside ? "rows" : "whole");
  return {[data, image, name, run = 0]() mutable {
            const std::string path = fmt::format("{}-{}", name, run);
            // Another rank may be ahead and have removed it.
            FilePieces pieces(path, FilePieces::Direction::make);
            constexpr std::int64_t header_bytes = 8;
            write_tiff_part(pieces, header_bytes, image, std::as_const(*data).view());
            std::error_code gone_already;
            std::filesystem::remove(fmt::format("{}-{}", name, run - 1), gone_already);
            ++run;
          },
          static_cast<double>(tile.pixels())};
}

/// In a folder of its own.
PreparedBenchmark writing_part(PixelType type, double by_rows, const Extent& tile) {
  const auto folder = std::make_shared<TemporaryFolder>();
  PreparedBenchmark prepared = writing_part_in_team(type, by_rows, tile, {folder->path().string(), 0, 1});
  return {[folder, run = std::move(prepared.run)] { run(); }, prepared.units};
}

/// What ranks write their parts into, made and finished again and again under one name.
PreparedBenchmark writing_frame(PixelType type, double /*parameter*/, const Extent& tile) {
  const auto data = file_data(type, tile);
  data->sink = image_file_sink(data->file(".tif"));
  return {[data, shape = ImageShape{tile, {type, 1}}] { data->sink->open_parts(shape)->finish(); },
          static_cast<double>(tile.pixels())};
}

PreparedBenchmark reading_other(PixelType type, double /*parameter*/, const Extent& tile) {
  return reading(type, tile, type == PixelType::f32 ? ".pfm" : ".pgm");
}

}  // namespace

std::vector<OperatorBenchmark> file_benchmarks() {
  using enum PixelType;
  const std::vector<PixelType> all(std::begin(all_pixel_types), std::end(all_pixel_types));
  std::vector<OperatorBenchmark> list{
      {"read_tiff", all, {0}, reading(".tif")},           {"write_tiff", all, {0}, writing(".tif")},
      {"read_png", {u8, u16}, {0}, reading(".png")},      {"write_png", {u8, u16}, {0}, writing(".png")},
      {"read_jpeg", {u8}, {0}, reading(".jpg")},          {"write_jpeg", {u8}, {0}, writing(".jpg")},
      {"read_other", {u8, u16, f32}, {0}, reading_other}, {"write_other", {u8, u16}, {0}, writing(".pgm")}};
  list.push_back(
      {.key = "read_part", .types = {f32}, .parameters = {0, 1}, .prepare = reading_part, .of_all_ranks = true});
  list.push_back({.key = "write_part",
                  .types = {f32},
                  .parameters = {0, 1},
                  .prepare = writing_part,
                  .of_all_ranks = true,
                  .prepare_in_team = writing_part_in_team});
  list.push_back({"write_frame", {f32}, {0}, writing_frame});
  for (OperatorBenchmark& benchmark : list) benchmark.waits_for_files = true;
  return list;
}

}  // namespace tilewright
