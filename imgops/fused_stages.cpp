#include "fused_stages.hpp"

#include <algorithm>

namespace tilewright {
namespace {

std::vector<ImageShape> shapes_read(const FusedMember& member, std::span<const ImageShape> inputs,
                                    std::span<const ImageShape> members) {
  std::vector<ImageShape> shapes;
  for (const FusedOrigin& origin : member.inputs) {
    shapes.push_back(origin.is_member ? members[origin.index] : inputs[origin.index]);
  }
  return shapes;
}

template <class Value>
std::size_t position_in(std::vector<Value>& values, const Value& value) {
  const auto known = std::find(values.begin(), values.end(), value);
  if (known != values.end()) return static_cast<std::size_t>(known - values.begin());
  values.push_back(value);
  return values.size() - 1;
}

}  // namespace

std::vector<ImageShape> member_shapes(const FusedDescription& description, std::span<const ImageShape> inputs) {
  std::vector<ImageShape> shapes;
  for (const FusedMember& member : description.members) {
    shapes.push_back(member.op->shape(shapes_read(member, inputs, shapes)));
  }
  return shapes;
}

FusedStages::FusedStages(const FusedDescription& description, std::span<const ImageShape> inputs)
    : description_(description),
      inputs_(inputs.begin(), inputs.end()),
      shapes_(member_shapes(description, inputs)),
      result_of_(description.members.size()) {
  for (const ImageShape& shape : shapes_) {
    bytes_a_pixel_ = std::max(bytes_a_pixel_, static_cast<std::int64_t>(shape.format.bytes()));
  }
  for (std::size_t i = 0; i < description_.results.size(); ++i) result_of_[description_.results[i]] = i;
  form_stages();
  find_readers();
  for (std::size_t i = 0; i < stages_.size(); ++i) complete(stages_[i], i);
  assign_buffers();
}

std::vector<ImageShape> FusedStages::input_shapes(std::size_t member) const {
  return shapes_read(description_.members[member], inputs_, shapes_);
}

PointwiseFunction FusedStages::function_of(std::size_t member) const {
  return dynamic_cast<const PointwiseOperator&>(*description_.members[member].op).function();
}

PixelType FusedStages::type_of(const FusedOrigin& origin) const {
  return origin.is_member ? shapes_[origin.index].format.type : inputs_[origin.index].format.type;
}

bool FusedStages::can_be_programmed(std::size_t member) const {
  const PixelType type = shapes_[member].format.type;
  return dynamic_cast<const PointwiseOperator*>(description_.members[member].op.get()) != nullptr &&
         computing_type(type) == type;
}

/// Neighbours that compute as many channels in one type make a program.
void FusedStages::form_stages() {
  bool may_grow = false;
  for (std::size_t i = description_.joint; i < description_.members.size(); ++i) {
    const bool is_programmed = can_be_programmed(i);
    const bool is_alike = may_grow && shapes_[i].format == shapes_[i - 1].format;
    if (!is_programmed || !is_alike) stages_.emplace_back();
    stages_.back().members.push_back(i);
    may_grow = is_programmed;
  }
}

void FusedStages::find_readers() {
  last_reader_.resize(description_.members.size());
  for (std::size_t i = 0; i < stages_.size(); ++i) {
    const auto& members = stages_[i].members;
    for (const std::size_t member : members) {
      for (const FusedOrigin& origin : description_.members[member].inputs) {
        if (origin.is_member && origin.index < members.front()) last_reader_[origin.index] = i;
      }
    }
  }
}

void FusedStages::complete(FusedStage& stage, std::size_t index) const {
  for (const std::size_t member : stage.members) {
    for (const FusedOrigin& origin : description_.members[member].inputs) {
      if (!origin.is_member || origin.index < stage.members.front()) (void)position_in(stage.inputs, origin);
    }
    if (result_of_[member] || is_read_after(member, index)) stage.stored.push_back(member);
  }
  if (!can_be_programmed(stage.members.front())) return;
  if (shapes_[stage.members.front()].format.type == PixelType::f64) {
    stage.program = program_of<double>(stage);
  } else {
    stage.program = program_of<float>(stage);
  }
}

template <class T>
PointwiseProgram<T> FusedStages::program_of(const FusedStage& stage) const {
  std::vector<PixelType> types;
  std::vector<FusedOrigin> inputs = stage.inputs;
  std::vector<PointwiseStep> steps;
  for (const FusedOrigin& origin : inputs) types.push_back(type_of(origin));
  for (const std::size_t member : stage.members) {
    PointwiseStep& step = steps.emplace_back();
    step.function = function_of(member);
    for (const FusedOrigin& origin : description_.members[member].inputs) {
      const bool is_own = origin.is_member && origin.index >= stage.members.front();
      step.operands.push_back({is_own, is_own ? origin.index - stage.members.front() : position_in(inputs, origin)});
    }
    const auto stored = std::find(stage.stored.begin(), stage.stored.end(), member);
    if (stored != stage.stored.end()) step.result = static_cast<std::size_t>(stored - stage.stored.begin());
  }
  return {std::move(types), steps};
}

/// A buffer is free again for stages after the last one that reads it: within a stage, values may be read once more
/// after others have been written.
void FusedStages::assign_buffers() {
  buffer_of_.resize(description_.members.size());
  std::vector<std::size_t> free;
  const auto assign = [&](std::size_t member) {
    if (result_of_[member]) return;
    if (free.empty()) free.push_back(buffers_++);
    buffer_of_[member] = free.back();
    free.pop_back();
  };
  for (std::size_t i = 0; i < description_.joint; ++i) assign(i);
  for (std::size_t stage = 0; stage < stages_.size(); ++stage) {
    for (const std::size_t member : stages_[stage].stored) assign(member);
    for (const FusedOrigin& origin : stages_[stage].inputs) {
      const bool is_done = origin.is_member && last_reader_[origin.index] == stage && !result_of_[origin.index];
      if (is_done) free.push_back(buffer_of_[origin.index]);
    }
  }
}

}  // namespace tilewright
