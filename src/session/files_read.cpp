#include "files_read.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

#include "tilewright/core/error.hpp"

namespace tilewright {

std::string absolute_path(const std::string& path) {
  return std::filesystem::absolute(path).lexically_normal().string();
}

void check_paths(const std::vector<FileOutput>& outputs) {
  std::set<std::string> paths;
  for (const FileOutput& output : outputs) {
    if (paths.insert(absolute_path(output.path)).second) continue;
    throw ParameterError(fmt::format("two images are to be written into {}: give each a file of its own", output.path));
  }
}

std::shared_ptr<const Source> FilesRead::add(std::shared_ptr<const Source> source, const std::string& path) {
  std::erase_if(files_, [](const File& file) { return file.source.expired(); });
  files_.push_back({source, absolute_path(path)});
  return source;
}

void FilesRead::overwrite(const std::vector<FileOutput>& outputs) {
  for (const FileOutput& output : outputs) {
    const std::string path = absolute_path(output.path);
    for (File& file : files_) file.is_overwritten = file.is_overwritten || file.path == path;
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
