// What a program computes, told by a few characters an output instead of stored.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "tilewright/pipeline/operator.hpp"

namespace tilewright {

/// A file with a line an output. Root only.
class Digests {
 public:
  /// Begins the file anew. Throws RuntimeError if it cannot be written.
  explicit Digests(std::string path);

  void add(const std::string& name, std::uint64_t digest);
  void add_image(const std::string& name, const ConstView& image);
  void add_values(const std::vector<double>& values);
  /// Of the segment that has run; in an order that does not depend on which output was done first. Throws RuntimeError.
  void end_segment();

  /// What takes its place: it accepts what `sink` accepts, and stores nothing.
  [[nodiscard]] static std::shared_ptr<const Sink> sink_of(std::shared_ptr<const Sink> sink,
                                                           std::shared_ptr<Digests> digests);

 private:
  std::string path_;
  std::mutex mutex_;  // images are stored by several threads
  std::vector<std::string> lines_;
  int segment_ = 0;
};

/// Equal for equal pixels, any NaN being equal to any NaN; continues a former one.
[[nodiscard]] std::uint64_t digest_of(const ConstView& rows, std::uint64_t digest);

}  // namespace tilewright
