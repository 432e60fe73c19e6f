#include "resume.hpp"

#include <fmt/format.h>

#include <chrono>
#include <filesystem>

#include "tilewright/benchdb/store.hpp"
#include "tilewright/core/real_path.hpp"
#include "tilewright/core/units.hpp"

namespace tilewright {
namespace {

namespace fs = std::filesystem;

std::int64_t modified_ns(const fs::path& path) {
  const auto since_epoch = fs::last_write_time(path).time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(since_epoch).count();
}

/// What computes the image, and the state of every file that it is computed from.
std::string fingerprint(const Image& image) {
  const Pipeline pipeline = record({{OutputKind::keep, image, nullptr, nullptr}});
  std::string text = pipeline.describe();
  for (const PipelineImage& step : pipeline.images) {
    if (!step.source) continue;
    std::error_code missing;
    const fs::path path = step.source->describe();
    if (!fs::is_regular_file(path, missing)) continue;
    text += fmt::format("{} {} {}\n", fs::absolute(path).string(), fs::file_size(path), modified_ns(path));
  }
  return fmt::format("{:016x}", hash_text(text));
}

FinishedOutput state_of(const std::string& path, const Image& image) {
  return {real_path(path), fingerprint(image), static_cast<std::int64_t>(fs::file_size(path)), modified_ns(path)};
}

bool is_from_memory(const Image& image) {
  const Pipeline pipeline = record({{OutputKind::keep, image, nullptr, nullptr}});
  for (const PipelineImage& step : pipeline.images) {
    std::error_code missing;
    if (step.source && !fs::is_regular_file(step.source->describe(), missing)) return true;
  }
  return false;
}

}  // namespace

bool OutputJournal::is_finished(const std::string& path, const Image& image) const {
  const fs::path database = default_database(database_);
  std::error_code error;
  if (!has_database(database) || !fs::is_regular_file(path, error) || is_from_memory(image)) return false;
  const Store store(database, OpenMode::existing);
  const FinishedOutput now = state_of(path, image);
  return store.finished_output(now.path) == now;
}

void OutputJournal::record(const std::string& path, const Image& image) const {
  const std::lock_guard lock(mutex_);
  if (is_from_memory(image)) return;  // nothing says whether the program's pixels are the same next time
  Store(default_database(database_), OpenMode::create).record_output(state_of(path, image));
}

}  // namespace tilewright
