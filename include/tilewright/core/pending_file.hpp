// A file that is written aside and takes its name only when it is complete.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace tilewright {

class RemovalAfterDeath;

/// What becomes of a file with a name when this process is killed: it stays, or a process that was made for it removes
/// it, which takes the time of making one.
enum class Survivor : std::uint8_t { none, removes };

/// Creates an empty file in the folder of `target`, without a name or under one of its own; removes it unless commit()
/// was reached.
/// Its permissions follow from the umask.
class PendingFile {
 public:
  /// Throws RuntimeError if the folder is missing or cannot be written to, or if `target` exists and is not a file.
  explicit PendingFile(const std::string& target);
  /// One that others can open by its path(), which no file has had before.
  [[nodiscard]] static std::unique_ptr<PendingFile> visible(const std::string& target, Survivor survivor);
  /// What the names of such files begin with, by host and process.
  [[nodiscard]] static std::string mark_of_this_process();
  /// Removes those that a process of that mark has left in the folder of `target`. Throws nothing.
  static void discard_visible(const std::string& target, const std::string& mark) noexcept;
  ~PendingFile();
  PendingFile(const PendingFile&) = delete;
  PendingFile& operator=(const PendingFile&) = delete;

  /// Where to write for now.
  [[nodiscard]] const std::string& path() const { return path_; }
  /// Replaces the whole content. Throws RuntimeError, for example if the disk is full.
  void write(std::span<const std::byte> content) const;
  /// After the last byte. Where a file cannot be without a name, the file system may be another host's, which tells
  /// only when it is asked that the disk is full. Throws RuntimeError.
  void check_stored() const;
  /// Renames it to `target`. Throws RuntimeError.
  void commit();

 private:
  PendingFile(std::string target, std::string path);

  std::string target_;
  std::string path_;
  int file_ = -1;
  std::unique_ptr<RemovalAfterDeath> removal_;
  bool is_named_ = false;  ///< and has to be removed
};

}  // namespace tilewright
