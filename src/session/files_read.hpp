// Which files the program has read, and which of them it has written over since.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tilewright/pipeline/pipeline.hpp"
#include "tilewright/session/session.hpp"

namespace tilewright {

/// The real_path() of each output of one call. Throws ParameterError if two of them go into one file.
[[nodiscard]] std::vector<std::string> distinct_paths(const std::vector<FileOutput>& outputs);

/// Several texts that have no '\0' (as no path has) as one, and back.
[[nodiscard]] std::string joined(const std::vector<std::string>& texts);
[[nodiscard]] std::vector<std::string> split(const std::string& text);

/// Of one session. A segment reads its images when it runs: what was written over since the program asked for it would
/// be read instead, and give other results than the same program without that write in between. Paths are those that
/// real_path() gives on the root: the file system of another node may say something else, and all ranks have to come to
/// the same end.
class FilesRead {
 public:
  /// Remembers where an image comes from; returns it.
  std::shared_ptr<const Source> add(std::shared_ptr<const Source> source, std::string path);
  /// The outputs at these paths are there now.
  void overwrite(const std::vector<std::string>& paths);
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
