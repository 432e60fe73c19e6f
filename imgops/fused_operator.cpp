#include "fused_operator.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "bands.hpp"
#include "pointwise.hpp"
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

/// What an instruction is priced by where its operands are in registers.
constexpr const char* fused_arithmetic = "fused_arithmetic";

std::string fused_key(PointwiseOperation operation) {
  switch (operation) {
    case PointwiseOperation::divide:
      return "fused_division";
    case PointwiseOperation::square_root:
      return "fused_sqrt";
    default:
      return fused_arithmetic;
  }
}

std::vector<ImageShape> shapes_of(std::span<const ConstView> views) {
  std::vector<ImageShape> shapes;
  for (const ConstView& view : views) {
    shapes.push_back({{view.area().width(), view.area().height()}, view.format()});
  }
  return shapes;
}

}  // namespace

/// Runs the stages on one piece after the other; each thread has its own.
class FusedOperator::PieceRun final : public PieceSink {
 public:
  PieceRun(const FusedDescription& description, const FusedStages& stages, std::span<const ConstView> inputs,
           std::span<const MutableView> outputs, Storing storing)
      : description_(description),
        stages_(stages),
        inputs_(inputs),
        outputs_(outputs),
        storing_(storing),
        buffers_(stages.buffers()),
        views_(description.members.size()) {}

  [[nodiscard]] std::span<const MutableView> targets(const Rect& piece) override {
    for (std::size_t i = 0; i < description_.joint; ++i) views_[i] = view_of(i, piece);
    for (const FusedStage& stage : stages_.all()) {
      for (const std::size_t member : stage.stored) views_[member] = view_of(member, piece);
    }
    return std::span(views_).first(description_.joint);
  }

  void done(const Rect& piece) override {
    for (const FusedStage& stage : stages_.all()) {
      if (!stage.is_program()) {
        run_alone(stage.members.front(), piece);
        continue;
      }
      find_sources(stage.inputs, piece);
      targets_.clear();
      for (const std::size_t member : stage.stored) targets_.push_back(views_[member]);
      // What a later stage reads had better stay in a cache.
      const Storing storing = &stage == &stages_.all().back() ? storing_ : Storing::cached;
      stage.with_program([&](const auto& program) { program.run(sources_, targets_, piece, storing); });
    }
  }

 private:
  void run_alone(std::size_t member, const Rect& piece) {
    const FusedMember& alone = description_.members[member];
    find_sources(alone.inputs, piece);
    alone.op->compute(sources_, views_[member], {});
  }

  void find_sources(const std::vector<FusedOrigin>& origins, const Rect& piece) {
    sources_.clear();
    for (const FusedOrigin& origin : origins) {
      sources_.push_back(origin.is_member ? ConstView(views_[origin.index]) : inputs_[origin.index].restricted(piece));
    }
  }

  /// Of a result the image itself; else the piece alone, its rows without gaps, at the place that it has in the image.
  [[nodiscard]] MutableView view_of(std::size_t member, const Rect& piece) {
    if (const auto result = stages_.result_of(member)) return outputs_[*result].restricted(piece);
    Raster& buffer = buffers_[stages_.buffer_of(member)];
    const std::int64_t bytes = piece.pixels() * stages_.bytes_a_pixel();
    if (buffer.empty() || buffer.bytes() < bytes) buffer = Raster(Rect{0, 0, bytes, 1}, Halo{}, {PixelType::u8, 1});
    return {buffer.view().bytes_at(0, 0), piece, piece, stages_.shapes()[member].format};
  }

  const FusedDescription& description_;
  const FusedStages& stages_;
  std::span<const ConstView> inputs_;
  std::span<const MutableView> outputs_;
  Storing storing_;
  std::vector<Raster> buffers_;
  std::vector<MutableView> views_;  ///< of each stored member's image: the piece
  std::vector<ConstView> sources_;
  std::vector<MutableView> targets_;
};

FusedOperator::FusedOperator(FusedDescription description) : description_(std::move(description)) {
  if (description_.joint > 0) {
    std::vector<const Operator*> others;
    for (std::size_t i = 1; i < description_.joint; ++i) others.push_back(description_.members[i].op.get());
    jet_ = description_.members.front().op->joined_with(others);
    if (!jet_) throw InternalError("fused operator: its filters cannot be joined");
  }
}

std::string FusedOperator::describe() const {
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < description_.members.size(); ++i) {
    const FusedMember& member = description_.members[i];
    std::vector<std::string> sources;
    for (const FusedOrigin& origin : member.inputs) {
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

std::vector<ImageShape> FusedOperator::shapes(std::span<const ImageShape> inputs) const {
  const std::vector<ImageShape> all = member_shapes(description_, inputs);
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

Extent FusedOperator::largest_piece(std::span<const ImageShape> inputs, std::int64_t width) const {
  if (!jet_) return piece_extent(inputs.front().format.channels, width);
  return jet_->largest_piece(inputs[filtered_input()], width);
}

/// An operator outside of programs: within a piece it costs what it costs on a tile of that size; an image that is
/// asked for goes to memory, and its operator is priced as if it were alone.
std::vector<Work> FusedOperator::member_work(const FusedStages& stages, std::size_t member, const Extent& tile,
                                             double piece) const {
  std::vector<Work> all = description_.members[member].op->work(stages.input_shapes(member), tile);
  for (Work& work : all) {
    if (!stages.result_of(member)) work.piece = piece;
  }
  return all;
}

/// Of a program: each image that it stores, as by an operator alone, and what it does besides in registers.
std::vector<Work> FusedOperator::program_work(const FusedStages& stages, const FusedStage& stage, const Extent& tile,
                                              double piece) const {
  constexpr std::size_t instructions_alone = 3;  // of an operator alone: load, operate, store
  struct Group {
    std::size_t instructions = 0;
    std::vector<Work> otherwise;  // for profiles that know nothing of registers
  };
  std::vector<Work> all;
  std::map<std::string, Group> groups;
  std::size_t counted = instructions_alone * stage.stored.size();
  for (const std::size_t member : stage.members) {
    std::vector<Work> alone = member_work(stages, member, tile, piece);
    if (std::find(stage.stored.begin(), stage.stored.end(), member) != stage.stored.end()) {
      std::move(alone.begin(), alone.end(), std::back_inserter(all));
      continue;
    }
    Group& group = groups[fused_key(stages.function_of(member).operation)];
    ++group.instructions;
    ++counted;
    std::move(alone.begin(), alone.end(), std::back_inserter(group.otherwise));
  }
  stage.with_program([&](const auto& program) {
    const auto arithmetic = groups.find(fused_arithmetic);  // which what the members hand on costs as much as
    if (arithmetic != groups.end() && program.length() > counted) {
      arithmetic->second.instructions += program.length() - counted;
    }
  });
  const ImageShape& shape = stages.shapes()[stage.members.front()];
  for (auto& [key, group] : groups) {
    const double units = static_cast<double>(group.instructions) * values_of(shape, tile);
    all.push_back(Work{key, shape.format.type, 0, units, 0, std::move(group.otherwise)});
  }
  return all;
}

/// The filters are priced as if they were alone: what handing their results on in pieces takes was found to be about
/// what storing them takes, and a call on a small tile would spend more on its beginning.
std::vector<Work> FusedOperator::work(std::span<const ImageShape> inputs, const Extent& tile) const {
  const FusedStages stages(description_, inputs);
  const std::int64_t in_cache = std::max(fewest_priced_pixels, largest_piece(inputs, tile.width).pixels());
  const auto piece = static_cast<double>(std::min(tile.pixels(), in_cache));
  std::vector<Work> all;
  if (jet_) all = jet_->work(inputs[filtered_input()], tile, stages.all().empty());
  for (const FusedStage& stage : stages.all()) {
    const std::vector<Work> own = stage.is_program() ? program_work(stages, stage, tile, piece)
                                                     : member_work(stages, stage.members.front(), tile, piece);
    all.insert(all.end(), own.begin(), own.end());
  }
  return all;
}

std::int64_t FusedOperator::scratch_bytes(std::span<const ImageShape> inputs, const Extent& tile) const {
  const FusedStages stages(description_, inputs);
  const Extent piece = largest_piece(inputs, tile.width);
  std::int64_t most = 0;
  for (const FusedStage& stage : stages.all()) {
    stage.with_program([&](const auto& program) { most = std::max(most, program.scratch_bytes()); });
    if (stage.is_program()) continue;
    const std::size_t alone = stage.members.front();
    most = std::max(most, description_.members[alone].op->scratch_bytes(stages.input_shapes(alone), piece));
  }
  const std::int64_t jet = jet_ ? jet_->scratch_bytes(inputs[filtered_input()], tile) : 0;
  return jet + most + static_cast<std::int64_t>(stages.buffers()) * piece.pixels() * stages.bytes_a_pixel();
}

void FusedOperator::compute(std::span<const ConstView> inputs, const MutableView& output,
                            const ComputeContext& context) const {
  compute_all(inputs, {&output, 1}, context);
}

void FusedOperator::compute_all(std::span<const ConstView> inputs, std::span<const MutableView> outputs,
                                const ComputeContext& context) const {
  if (outputs.size() != results()) throw InternalError("fused operator: not as many outputs as results");
  const FusedStages stages(description_, shapes_of(inputs));
  for_each_band(outputs.front().area(), context.threads, [&](const Rect& band) {
    PieceRun run(description_, stages, inputs, outputs, storing_of(outputs));
    if (jet_) {
      jet_->compute(inputs[filtered_input()], band, run, stages.all().empty());
    } else {
      compute_in_pieces(stages, outputs.front().format().channels, band, run);
    }
    finish_streaming();
  });
}

/// One program needs no pieces: what its members hand on stays in registers.
void FusedOperator::compute_in_pieces(const FusedStages& stages, int channels, const Rect& band, PieceSink& run) {
  const bool is_one_program = stages.all().size() == 1 && stages.all().front().is_program();
  const Extent most = is_one_program ? Extent{band.width(), band.height()} : piece_extent(channels, band.width());
  for (std::int64_t y = band.y0; y < band.y1; y += most.height) {
    for (std::int64_t x = band.x0; x < band.x1; x += most.width) {
      const Rect piece{x, y, std::min(x + most.width, band.x1), std::min(y + most.height, band.y1)};
      (void)run.targets(piece);
      run.done(piece);
    }
  }
}

void FusedOperator::reference(std::span<const ConstView> inputs, const MutableView& output) const {
  reference_all(inputs, {&output, 1});
}

void FusedOperator::reference_all(std::span<const ConstView> inputs, std::span<const MutableView> outputs) const {
  std::vector<Raster> images;
  for (const ImageShape& shape : member_shapes(description_, shapes_of(inputs))) images.emplace_back(shape);
  for (std::size_t i = 0; i < images.size(); ++i) {
    std::vector<ConstView> sources;
    for (const FusedOrigin& origin : description_.members[i].inputs) {
      sources.push_back(origin.is_member ? std::as_const(images[origin.index]).view() : inputs[origin.index]);
    }
    description_.members[i].op->reference(sources, images[i].view());
  }
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    copy_pixels(std::as_const(images[description_.results[i]]).view(), outputs[i], outputs[i].area());
  }
}

}  // namespace tilewright
