#include "digests.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <type_traits>
#include <utility>

#include "tilewright/core/error.hpp"
#include "tilewright/core/units.hpp"

namespace tilewright {
namespace {

template <class T>
std::uint64_t digest_of_values(const T* values, std::size_t count, std::uint64_t digest) {
  const auto text = [](const T* first, std::size_t n) {
    return std::string_view(reinterpret_cast<const char*>(first), n * sizeof(T));
  };
  if constexpr (std::is_floating_point_v<T>) {
    std::vector<T> copy(values, values + count);
    for (T& value : copy) {
      if (std::isnan(value)) value = std::numeric_limits<T>::quiet_NaN();
    }
    return hash_text(text(copy.data(), count), digest);
  }
  return hash_text(text(values, count), digest);
}

void append(const std::string& path, const std::vector<std::string>& lines, std::ios::openmode mode) {
  std::ofstream file(path, mode);
  for (const std::string& line : lines) file << line << '\n';
  file.close();
  if (!file) throw RuntimeError(fmt::format("cannot write {}", path));
}

}  // namespace

std::uint64_t digest_of(const ConstView& rows, std::uint64_t digest) {
  const Rect& area = rows.area();
  const auto count = static_cast<std::size_t>(area.width() * rows.format().channels);
  with_type(rows.format().type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    for (std::int64_t y = area.y0; y < area.y1; ++y) {
      digest = digest_of_values(rows.at<T>(area.x0, y), count, digest);
    }
  });
  return digest;
}

Digests::Digests(std::string path) : path_(std::move(path)) {
  append(path_, {}, std::ios::trunc);
}

void Digests::add(const std::string& name, std::uint64_t digest) {
  const std::lock_guard lock(mutex_);
  lines_.push_back(fmt::format("{:016x} {}", digest, name));
}

void Digests::add_image(const std::string& name, const ConstView& image) {
  add(fmt::format("{} {}", name, to_string(ImageShape{{image.area().width(), image.area().height()}, image.format()})),
      digest_of(image, hash_seed));
}

void Digests::add_values(const std::vector<double>& values) {
  add("values", digest_of_values(values.data(), values.size(), hash_seed));
}

void Digests::end_segment() {
  ++segment_;
  std::sort(lines_.begin(), lines_.end(), [](const std::string& a, const std::string& b) {
    return a.substr(a.find(' ')) < b.substr(b.find(' '));  // by name
  });
  for (std::string& line : lines_) line += fmt::format(", segment {}", segment_);
  append(path_, lines_, std::ios::app);
  lines_.clear();
}

namespace {

/// Rows come from the first to the last.
class DigestWriter final : public ImageWriter {
 public:
  DigestWriter(std::string name, std::shared_ptr<Digests> digests)
      : name_(std::move(name)), digests_(std::move(digests)) {}
  void put(const ConstView& rows) override { digest_ = digest_of(rows, digest_); }
  void finish() override { digests_->add(name_, digest_); }

 private:
  std::string name_;
  std::shared_ptr<Digests> digests_;
  std::uint64_t digest_ = hash_seed;
};

class DigestSink final : public Sink {
 public:
  DigestSink(std::shared_ptr<const Sink> sink, std::shared_ptr<Digests> digests)
      : sink_(std::move(sink)), digests_(std::move(digests)) {}

  [[nodiscard]] std::string describe() const override { return sink_->describe(); }
  [[nodiscard]] std::vector<Work> work(const ImageShape& image) const override { return sink_->work(image); }
  [[nodiscard]] std::int64_t scratch_bytes(const ImageShape& image) const override {
    return sink_->scratch_bytes(image);
  }
  void check(const ImageShape& image) const override { sink_->check(image); }
  void check_writable() const override {}
  void store(const ConstView& image) const override { digests_->add_image(describe(), image); }
  [[nodiscard]] std::unique_ptr<ImageWriter> open(const ImageShape& image) const override {
    return std::make_unique<DigestWriter>(fmt::format("{} {}", describe(), to_string(image)), digests_);
  }
  [[nodiscard]] std::int64_t writer_bytes(const ImageShape& image) const override { return sink_->writer_bytes(image); }

 private:
  std::shared_ptr<const Sink> sink_;
  std::shared_ptr<Digests> digests_;
};

}  // namespace

std::shared_ptr<const Sink> Digests::sink_of(std::shared_ptr<const Sink> sink, std::shared_ptr<Digests> digests) {
  return std::make_shared<const DigestSink>(std::move(sink), std::move(digests));
}

}  // namespace tilewright
