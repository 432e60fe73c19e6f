#include "telling_sink.hpp"

#include <string>
#include <utility>
#include <vector>

namespace tilewright {
namespace {

class TellingWriter final : public ImageWriter {
 public:
  TellingWriter(std::unique_ptr<ImageWriter> writer, std::function<void()> on_stored)
      : writer_(std::move(writer)), on_stored_(std::move(on_stored)) {}
  void put(const ConstView& rows) override { writer_->put(rows); }
  void finish() override { writer_->finish(); }
  void commit() override {
    writer_->commit();
    on_stored_();
  }

 private:
  std::unique_ptr<ImageWriter> writer_;
  std::function<void()> on_stored_;
};

class TellingParts final : public PartsOutput {
 public:
  TellingParts(std::unique_ptr<PartsOutput> parts, std::function<void()> on_stored)
      : parts_(std::move(parts)), on_stored_(std::move(on_stored)) {}
  [[nodiscard]] std::string place() const override { return parts_->place(); }
  void finish() override {
    parts_->finish();
    on_stored_();
  }

 private:
  std::unique_ptr<PartsOutput> parts_;
  std::function<void()> on_stored_;
};

class TellingSink final : public Sink {
 public:
  TellingSink(std::shared_ptr<const Sink> sink, std::function<void()> on_stored)
      : sink_(std::move(sink)), on_stored_(std::move(on_stored)) {}

  [[nodiscard]] std::string describe() const override { return sink_->describe(); }
  [[nodiscard]] std::vector<Work> work(const ImageShape& image) const override { return sink_->work(image); }
  [[nodiscard]] std::int64_t scratch_bytes(const ImageShape& image) const override {
    return sink_->scratch_bytes(image);
  }
  void check(const ImageShape& image) const override { sink_->check(image); }
  void check_writable() const override { sink_->check_writable(); }
  void store(const ConstView& image) const override {
    sink_->store(image);
    on_stored_();
  }
  [[nodiscard]] std::unique_ptr<ImageWriter> open(const ImageShape& image) const override {
    return std::make_unique<TellingWriter>(sink_->open(image), on_stored_);
  }
  [[nodiscard]] std::int64_t writer_bytes(const ImageShape& image) const override { return sink_->writer_bytes(image); }

  [[nodiscard]] std::string why_no_parts(const ImageShape& image) const override { return sink_->why_no_parts(image); }
  [[nodiscard]] std::vector<Work> part_work(const ImageShape& image, const Extent& part) const override {
    return sink_->part_work(image, part);
  }
  [[nodiscard]] std::vector<Work> frame_work(const ImageShape& image) const override {
    return sink_->frame_work(image);
  }
  [[nodiscard]] std::unique_ptr<PartsOutput> open_parts(const ImageShape& image) const override {
    return std::make_unique<TellingParts>(sink_->open_parts(image), on_stored_);
  }
  [[nodiscard]] std::unique_ptr<PartsOutput> open_probe() const override { return sink_->open_probe(); }
  [[nodiscard]] bool sees(const std::string& place) const override { return sink_->sees(place); }
  void write_part(const std::string& place, const ImageShape& image, const ConstView& part) const override {
    sink_->write_part(place, image, part);
  }
  [[nodiscard]] std::string parts_mark() const override { return sink_->parts_mark(); }
  void discard_parts(const std::string& mark) const noexcept override { sink_->discard_parts(mark); }

 private:
  std::shared_ptr<const Sink> sink_;
  std::function<void()> on_stored_;
};

}  // namespace

std::shared_ptr<const Sink> telling_sink(std::shared_ptr<const Sink> sink, std::function<void()> on_stored) {
  return std::make_shared<const TellingSink>(std::move(sink), std::move(on_stored));
}

}  // namespace tilewright
