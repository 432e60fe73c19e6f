// Which files the program has read, and which of them it has written over since.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tilewright/pipeline/pipeline.hpp"
#include "tilewright/session/session.hpp"

namespace tilewright {

/// A name that is the same for "a.tif" and "./a.tif". Links are not followed: what the file system of one node says may
/// not be what another's does, and all ranks have to come to the same end.
[[nodiscard]] std::string absolute_path(const std::string& path);

/// Throws ParameterError if two outputs of one call go into one file.
void check_paths(const std::vector<FileOutput>& outputs);

/// Of one session. A segment reads its images when it runs: what was written over since the program asked for it would
/// be read instead, and give other results than the same program without that write in between.
class FilesRead {
 public:
  /// Remembers where an image comes from; returns it.
  std::shared_ptr<const Source> add(std::shared_ptr<const Source> source, const std::string& path);
  /// The outputs are there now.
  void overwrite(const std::vector<FileOutput>& outputs);
  /// Throws ParameterError if an image of the pipeline was read from a file that is another one now.
  void check(const Pipeline& pipeline) const;

 private:
  struct File {
    std::weak_ptr<const Source> source;
    std::string path;
    bool is_overwritten = false;
  };
  std::vector<File> files_;
};

}  // namespace tilewright
