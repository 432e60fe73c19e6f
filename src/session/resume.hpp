// Which outputs an earlier run has completed already.
#pragma once

#include <mutex>
#include <string>

#include "tilewright/pipeline/pipeline.hpp"

namespace tilewright {

/// Remembers completed outputs in the database. Root only. In any thread.
class OutputJournal {
 public:
  explicit OutputJournal(std::string database) : database_(std::move(database)) {}

  /// True if the file is as a run of the same pipeline on the same input files left it.
  [[nodiscard]] bool is_finished(const std::string& path, const Image& image) const;
  void record(const std::string& path, const Image& image) const;

 private:
  std::string database_;
  mutable std::mutex mutex_;  // several outputs may be complete at a time
};

}  // namespace tilewright
