#include "files_read.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <utility>

#include "tilewright/core/error.hpp"
#include "tilewright/core/real_path.hpp"

namespace tilewright {

namespace {

constexpr char end_of_text = '\0';

}  // namespace

std::vector<std::string> distinct_paths(const std::vector<FileOutput>& outputs) {
  std::vector<std::string> paths;
  for (const FileOutput& output : outputs) {
    if (output.path.empty()) throw ParameterError("an image is to be written, but the name of its file is empty");
    std::string path = real_path(output.path);
    if (std::find(paths.begin(), paths.end(), path) != paths.end()) {
      throw ParameterError(
          fmt::format("two images are to be written into {}: give each a file of its own", output.path));
    }
    paths.push_back(std::move(path));
  }
  return paths;
}

std::string joined(const std::vector<std::string>& texts) {
  std::string all;
  for (const std::string& text : texts) all += text + end_of_text;
  return all;
}

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> texts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, end_of_text);) texts.push_back(part);
  return texts;
}

std::shared_ptr<const Source> FilesRead::add(std::shared_ptr<const Source> source, std::string path) {
  std::erase_if(files_, [](const File& file) { return file.source.expired(); });
  files_.push_back({source, std::move(path)});
  return source;
}

void FilesRead::overwrite(const std::vector<std::string>& paths) {
  for (File& file : files_) {
    const bool is_written = std::find(paths.begin(), paths.end(), file.path) != paths.end();
    file.is_overwritten = file.is_overwritten || is_written;
  }
}

void FilesRead::check(const Pipeline& pipeline) const {
  for (const PipelineImage& image : pipeline.images) {
    const auto file = std::find_if(files_.begin(), files_.end(), [&](const File& read) {
      return image.source && read.is_overwritten && read.source.lock() == image.source;
    });
    if (file == files_.end()) continue;
    throw ParameterError(
        fmt::format("{} was read, and has been written over since: read it again to go on with what it holds now, or "
                    "write into another file",
                    file->path));
  }
}

}  // namespace tilewright
