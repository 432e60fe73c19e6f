#include "fused_operator.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "bands.hpp"
#include "tilewright/core/error.hpp"

namespace tilewright {
namespace {

/// Of pieces where no joint operator says how large they are: so many that a call costs little beside them, so few that
/// what members hand on stays in a near cache.
constexpr std::int64_t values_a_piece = 2048;
/// A smaller tile costs more a pixel, for its rows are short; those of a piece are not.
constexpr std::int64_t fewest_priced_pixels = 128 * 128;

/// Of an area of that width.
Extent piece_extent(int channels, std::int64_t width) {
  const std::int64_t pixels = values_a_piece / channels;
  const std::int64_t columns = std::min(width, pixels);
  return {columns, pixels / columns};
}

std::vector<ImageShape> shapes_of(std::span<const ConstView> views) {
  std::vector<ImageShape> shapes;
  for (const ConstView& view : views) {
    shapes.push_back({{view.area().width(), view.area().height()}, view.format()});
  }
  return shapes;
}

}  // namespace

/// Runs the members on one piece after the other; each thread has its own.
class FusedOperator::PieceRun final : public PieceSink {
 public:
  PieceRun(const FusedOperator& fused, std::span<const ConstView> inputs, std::span<const MutableView> outputs)
      : fused_(fused), inputs_(inputs), outputs_(outputs), buffers_(fused.buffers_) {
    const std::vector<ImageShape> shapes = shapes_of(inputs);
    for (const ImageShape& shape : fused.member_shapes(shapes)) {
      formats_.push_back(shape.format);
      widest_ = std::max(widest_, static_cast<std::int64_t>(shape.format.bytes()));
    }
    views_.resize(formats_.size());
  }

  [[nodiscard]] std::span<const MutableView> targets(const Rect& piece) override {
    for (std::size_t i = 0; i < views_.size(); ++i) {
      const auto result = fused_.result_of_[i];
      views_[i] = result ? outputs_[*result].restricted(piece) : buffer_view(i, piece);
    }
    return std::span(views_).first(fused_.description_.joint);
  }

  void done(const Rect& piece) override {
    const auto& members = fused_.description_.members;
    for (std::size_t i = fused_.description_.joint; i < members.size(); ++i) {
      sources_.clear();
      for (const Origin& origin : members[i].inputs) {
        sources_.push_back(origin.is_member ? ConstView(views_[origin.index])
                                            : inputs_[origin.index].restricted(piece));
      }
      members[i].op->compute(sources_, views_[i], {});
    }
  }

 private:
  /// The piece alone, its rows without gaps, at the place that it has in the image.
  [[nodiscard]] MutableView buffer_view(std::size_t member, const Rect& piece) {
    Raster& buffer = buffers_[fused_.buffer_of_[member]];
    const std::int64_t bytes = piece.pixels() * widest_;  // members of several types take turns in it
    if (buffer.empty() || buffer.bytes() < bytes) buffer = Raster(Rect{0, 0, bytes, 1}, Halo{}, {PixelType::u8, 1});
    return {buffer.view().bytes_at(0, 0), piece, piece, formats_[member]};
  }

  const FusedOperator& fused_;
  std::span<const ConstView> inputs_;
  std::span<const MutableView> outputs_;
  std::vector<PixelFormat> formats_;  ///< of each member's image
  std::int64_t widest_ = 0;           ///< bytes of a pixel
  std::vector<Raster> buffers_;
  std::vector<MutableView> views_;  ///< of each member's image: the piece
  std::vector<ConstView> sources_;
};

FusedOperator::FusedOperator(Description description) : description_(std::move(description)) {
  if (description_.joint > 0) {
    std::vector<const Operator*> others;
    for (std::size_t i = 1; i < description_.joint; ++i) others.push_back(description_.members[i].op.get());
    jet_ = description_.members.front().op->joined_with(others);
    if (!jet_) throw InternalError("fused operator: its filters cannot be joined");
  }
  result_of_.resize(description_.members.size());
  for (std::size_t i = 0; i < description_.results.size(); ++i) result_of_[description_.results[i]] = i;
  assign_buffers();
}

/// A buffer is free again after the last member that reads it, and not before the member that does has its own.
void FusedOperator::assign_buffers() {
  const auto& members = description_.members;
  std::vector<std::size_t> last_use(members.size(), 0);
  for (std::size_t i = 0; i < members.size(); ++i) {
    for (const Origin& origin : members[i].inputs) {
      if (origin.is_member) last_use[origin.index] = i;
    }
  }
  std::vector<std::size_t> free;
  buffer_of_.resize(members.size());
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (!result_of_[i]) {
      if (free.empty()) free.push_back(buffers_++);
      buffer_of_[i] = free.back();
      free.pop_back();
    }
    if (i + 1 < description_.joint) continue;  // all of them are made before anything is read
    for (std::size_t earlier = 0; earlier < i; ++earlier) {
      if (last_use[earlier] == i && !result_of_[earlier]) free.push_back(buffer_of_[earlier]);
    }
  }
}

std::string FusedOperator::describe() const {
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < description_.members.size(); ++i) {
    const Member& member = description_.members[i];
    std::vector<std::string> sources;
    for (const Origin& origin : member.inputs) {
      sources.push_back(fmt::format("{}{}", origin.is_member ? "part" : "input", origin.index));
    }
    lines.push_back(fmt::format("part{} = {} of {}", i, member.op->describe(), fmt::join(sources, ", ")));
  }
  return fmt::format("fused({}; results {})", fmt::join(lines, "; "), fmt::join(description_.results, ", "));
}

std::string FusedOperator::summary() const {
  constexpr std::size_t most_named = 6;
  const auto& members = description_.members;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min(members.size(), most_named); ++i) names.push_back(members[i].op->summary());
  const std::string more =
      members.size() > most_named ? fmt::format(" and {} more", members.size() - most_named) : std::string();
  return fmt::format("in one pass: {}{}", fmt::join(names, " + "), more);
}

std::vector<ImageShape> FusedOperator::input_shapes(const Member& member, std::span<const ImageShape> inputs,
                                                    std::span<const ImageShape> members) const {
  std::vector<ImageShape> shapes;
  for (const Origin& origin : member.inputs) {
    shapes.push_back(origin.is_member ? members[origin.index] : inputs[origin.index]);
  }
  return shapes;
}

std::vector<ImageShape> FusedOperator::member_shapes(std::span<const ImageShape> inputs) const {
  std::vector<ImageShape> shapes;
  for (const Member& member : description_.members) {
    shapes.push_back(member.op->shape(input_shapes(member, inputs, shapes)));
  }
  return shapes;
}

std::vector<ImageShape> FusedOperator::shapes(std::span<const ImageShape> inputs) const {
  const std::vector<ImageShape> all = member_shapes(inputs);
  std::vector<ImageShape> results;
  for (const std::size_t member : description_.results) results.push_back(all[member]);
  return results;
}

Halo FusedOperator::halo() const {
  Halo halo;
  for (std::size_t i = 0; i < description_.joint; ++i) halo = united(halo, description_.members[i].op->halo());
  return halo;
}

Border FusedOperator::border() const {
  return description_.members.front().op->border();
}

double FusedOperator::border_value() const {
  return description_.members.front().op->border_value();
}

std::int64_t FusedOperator::piece_pixels(std::span<const ImageShape> inputs, std::int64_t width) const {
  if (!jet_) return piece_extent(inputs.front().format.channels, width).pixels();
  return jet_->piece_pixels(inputs[filtered_input()], width);
}

/// What a member without a neighbourhood reads and writes within a piece costs what it costs on a tile of that size; an
/// image that is asked for goes to memory, and its operator is priced as if it were alone. So are the filters, for a
/// call on a small tile would spend more on its beginning.
std::vector<Work> FusedOperator::work(std::span<const ImageShape> inputs, const Extent& tile) const {
  const std::vector<ImageShape> shapes = member_shapes(inputs);
  const std::int64_t in_cache = std::max(fewest_priced_pixels, piece_pixels(inputs, tile.width));
  const auto piece = static_cast<double>(std::min(tile.pixels(), in_cache));
  std::vector<Work> all;
  if (jet_) all = jet_->work(inputs[filtered_input()], tile);
  for (std::size_t i = description_.joint; i < description_.members.size(); ++i) {
    const Member& member = description_.members[i];
    for (Work& work : member.op->work(input_shapes(member, inputs, shapes), tile)) {
      if (!result_of_[i]) work.piece = piece;
      all.push_back(std::move(work));
    }
  }
  return all;
}

std::int64_t FusedOperator::scratch_bytes(std::span<const ImageShape> inputs, const Extent& tile) const {
  const std::vector<ImageShape> shapes = member_shapes(inputs);
  const std::int64_t pixels = piece_pixels(inputs, tile.width);
  const Extent piece{pixels, 1};
  std::int64_t widest = 0;
  std::int64_t most = 0;
  for (std::size_t i = 0; i < description_.members.size(); ++i) {
    const Member& member = description_.members[i];
    widest = std::max(widest, static_cast<std::int64_t>(shapes[i].format.bytes()));
    if (i < description_.joint) continue;
    most = std::max(most, member.op->scratch_bytes(input_shapes(member, inputs, shapes), piece));
  }
  const std::int64_t jet = jet_ ? jet_->scratch_bytes(inputs[filtered_input()], tile) : 0;
  return jet + most + static_cast<std::int64_t>(buffers_) * pixels * widest;
}

void FusedOperator::compute(std::span<const ConstView> inputs, const MutableView& output,
                            const ComputeContext& context) const {
  compute_all(inputs, {&output, 1}, context);
}

void FusedOperator::compute_all(std::span<const ConstView> inputs, std::span<const MutableView> outputs,
                                const ComputeContext& context) const {
  if (outputs.size() != results()) throw InternalError("fused operator: not as many outputs as results");
  for_each_band(outputs.front().area(), context.threads, [&](const Rect& band) {
    PieceRun run(*this, inputs, outputs);
    if (jet_) {
      const bool only_stored = description_.members.size() == description_.joint;
      jet_->compute(inputs[filtered_input()], band, run, only_stored);
      return;
    }
    const Extent most = piece_extent(outputs.front().format().channels, band.width());
    for (std::int64_t y = band.y0; y < band.y1; y += most.height) {
      for (std::int64_t x = band.x0; x < band.x1; x += most.width) {
        const Rect piece{x, y, std::min(x + most.width, band.x1), std::min(y + most.height, band.y1)};
        (void)run.targets(piece);
        run.done(piece);
      }
    }
  });
}

void FusedOperator::reference(std::span<const ConstView> inputs, const MutableView& output) const {
  reference_all(inputs, {&output, 1});
}

void FusedOperator::reference_all(std::span<const ConstView> inputs, std::span<const MutableView> outputs) const {
  std::vector<Raster> images;
  for (const ImageShape& shape : member_shapes(shapes_of(inputs))) images.emplace_back(shape);
  for (std::size_t i = 0; i < images.size(); ++i) {
    std::vector<ConstView> sources;
    for (const Origin& origin : description_.members[i].inputs) {
      sources.push_back(origin.is_member ? std::as_const(images[origin.index]).view() : inputs[origin.index]);
    }
    description_.members[i].op->reference(sources, images[i].view());
  }
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    copy_pixels(std::as_const(images[description_.results[i]]).view(), outputs[i], outputs[i].area());
  }
}

}  // namespace tilewright
