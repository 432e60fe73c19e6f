#include "pointwise_program.hpp"

#include <hwy/aligned_allocator.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "tilewright/core/error.hpp"
#include "tilewright/pipeline/bands.hpp"

namespace tilewright {

/// Writes the instructions. A step whose operand the step before has made finds it in the accumulator; what is read
/// later is kept in a row of the program's own, which others take over after its last reader. A product with a constant
/// that the next step adds to the accumulator, or subtracts, leaves it there: both are one instruction.
template <class T>
class PointwiseProgram<T>::Compiler {
 public:
  using Instruction = PointwiseInstruction<T>;
  using Code = PointwiseCode;

  Compiler(PointwiseProgram& program, std::vector<PixelType> inputs, const std::vector<PointwiseStep>& steps)
      : program_(program), inputs_(std::move(inputs)), steps_(steps) {
    for (const PointwiseStep& step : steps_) {
      if (step.result) program_.outputs_ = std::max(program_.outputs_, *step.result + 1);
    }
    find_readers();
    for (std::size_t i = 0; i < steps_.size(); ++i) is_joined_.push_back(is_joined_product(i));
    find_rows_read();
  }

  void run() {
    is_near_.resize(inputs_.size());
    row_of_input_.resize(inputs_.size());
    row_of_step_.resize(steps_.size());
    for (std::size_t i = 0; i < inputs_.size(); ++i) row_of_input_[i] = prepared_input(i);
    for (std::size_t i = 0; i < steps_.size(); ++i) append(i);
  }

 private:
  static bool is_same(const PointwiseOperand& a, const PointwiseOperand& b) {
    return a.is_step == b.is_step && a.index == b.index;
  }

  /// Whether the accumulator holds it when that step begins.
  [[nodiscard]] bool is_in_accumulator(const PointwiseOperand& operand, std::size_t step) const {
    const std::size_t steps_ago = takes_product(step) ? 2 : 1;
    return operand.is_step && operand.index + steps_ago == step;
  }

  void find_readers() {
    readers_of_step_.assign(steps_.size(), 0);
    first_reader_of_input_.assign(inputs_.size(), steps_.size());
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      for (const PointwiseOperand& operand : steps_[i].operands) {
        if (operand.is_step) {
          ++readers_of_step_[operand.index];
        } else {
          first_reader_of_input_[operand.index] = std::min(first_reader_of_input_[operand.index], i);
        }
      }
    }
  }

  /// Whether a step is one instruction with the product that the step before it makes.
  [[nodiscard]] bool takes_product(std::size_t step) const { return step > 0 && is_joined_[step - 1]; }

  [[nodiscard]] bool reads(std::size_t step, const PointwiseOperand& operand) const {
    return std::ranges::any_of(steps_[step].operands, [&](const auto& other) { return is_same(other, operand); });
  }

  /// A product with a constant of what is in a cache by then, that only the next step reads: a sum or difference with
  /// what the step before the product has left in the accumulator.
  [[nodiscard]] bool is_joined_product(std::size_t step) const {
    if (step == 0 || step + 1 >= steps_.size()) return false;
    const PointwiseStep& product = steps_[step];
    const PointwiseStep& sum = steps_[step + 1];
    const bool scales = product.function.operation == PointwiseOperation::multiply && product.function.constant;
    const bool sums =
        (sum.function.operation == PointwiseOperation::add || sum.function.operation == PointwiseOperation::subtract) &&
        sum.operands.size() == 2;
    if (!scales || !sums || product.result || readers_of_step_[step] > 1) return false;
    const PointwiseOperand made{true, step};
    const PointwiseOperand before{true, step - 1};
    if (!reads(step + 1, made) || !reads(step + 1, before)) return false;
    const PointwiseOperand& scaled = product.operands.front();
    if (scaled.is_step) return scaled.index + 1 != step;
    return load_of(inputs_[scaled.index]) == Code::load && first_reader_of_input_[scaled.index] < step;
  }

  /// The operand that is, or is to be, in the accumulator: the first, unless only the second is there.
  [[nodiscard]] std::size_t accumulated(std::size_t step) const {
    const auto& operands = steps_[step].operands;
    const bool is_second =
        operands.size() > 1 && !is_in_accumulator(operands[0], step) && is_in_accumulator(operands[1], step);
    return is_second ? 1 : 0;
  }

  /// Operands that are read as the other one of two, or loaded.
  void find_rows_read() {
    last_input_row_.assign(inputs_.size(), {});
    last_step_row_.assign(steps_.size(), {});
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      const auto& operands = steps_[i].operands;
      if (is_joined_[i]) {  // read by the next step, as its row
        note_row_read(operands.front(), i + 1);
        continue;
      }
      if (takes_product(i)) continue;
      const std::size_t own = accumulated(i);
      for (std::size_t k = 0; k < operands.size(); ++k) {
        const bool is_loaded = k == own && !is_in_accumulator(operands[k], i);
        if (k == own && !is_loaded) continue;
        if (operands[k].is_step || !is_loaded) note_row_read(operands[k], i);
      }
    }
  }

  void note_row_read(const PointwiseOperand& operand, std::size_t step) {
    (operand.is_step ? last_step_row_ : last_input_row_)[operand.index] = step;
  }

  /// `steps_done`: before its values are written.
  [[nodiscard]] std::size_t free_row(std::size_t steps_done) {
    for (std::size_t i = 0; i < needed_for_steps_.size(); ++i) {
      if (needed_for_steps_[i] <= steps_done) return i;
    }
    needed_for_steps_.push_back(0);
    program_.own_rows_ = needed_for_steps_.size();
    return needed_for_steps_.size() - 1;
  }
  [[nodiscard]] std::size_t own_row(std::size_t index) const { return inputs_.size() + program_.outputs_ + index; }

  std::size_t keep(std::size_t steps_done, std::size_t last_reader) {
    const std::size_t row = free_row(steps_done);
    needed_for_steps_[row] = last_reader + 1;
    program_.instructions_.push_back({.code = Code::keep, .row = own_row(row)});
    return own_row(row);
  }

  [[nodiscard]] static std::uint8_t load_of(PixelType type) {
    if (type == pixel_type_of<T>) return Code::load;
    switch (type) {
      case PixelType::u8:
        return Code::load_u8;
      case PixelType::u16:
        return Code::load_u16;
      case PixelType::f32:
        return Code::load_f32;
      case PixelType::f64:
        break;
    }
    throw InternalError("pointwise program: the type would lose values");
  }

  /// The row with an input's values in T.
  std::size_t prepared_input(std::size_t index) {
    if (load_of(inputs_[index]) == Code::load || !last_input_row_[index]) return index;
    program_.instructions_.push_back({.code = load_of(inputs_[index]), .row = index});
    return keep(0, *last_input_row_[index]);
  }

  [[nodiscard]] std::size_t row_of(const PointwiseOperand& operand) const {
    return operand.is_step ? row_of_step_[operand.index] : row_of_input_[operand.index];
  }

  /// What is read again has come to a near cache.
  void load(const PointwiseOperand& operand) {
    if (operand.is_step) {
      program_.instructions_.push_back({.code = Code::load_again, .row = row_of_step_[operand.index]});
      return;
    }
    const std::uint8_t first = load_of(inputs_[operand.index]);
    const bool is_near = is_near_[operand.index] && first == Code::load;
    is_near_[operand.index] = true;
    program_.instructions_.push_back({.code = is_near ? std::uint8_t{Code::load_again} : first, .row = operand.index});
  }

  void append(std::size_t index) {
    if (is_joined_[index]) return;
    const PointwiseStep& step = steps_[index];
    if (takes_product(index)) {
      append_sum(index);
    } else {
      const std::size_t own = accumulated(index);
      if (!is_in_accumulator(step.operands[own], index)) load(step.operands[own]);
      append_operation(step, own);
    }
    if (step.result) program_.instructions_.push_back({.code = Code::store, .row = inputs_.size() + *step.result});
    if (last_step_row_[index]) row_of_step_[index] = keep(index + 1, *last_step_row_[index]);
  }

  /// With the product that the step before makes.
  void append_sum(std::size_t index) {
    const PointwiseStep& product = steps_[index - 1];
    const bool adds = steps_[index].function.operation == PointwiseOperation::add;
    const bool product_is_first = steps_[index].operands.front().index == index - 1;
    Instruction instruction{.code = Code::add_scaled, .row = row_of(product.operands.front())};
    if (!adds) instruction.code = product_is_first ? Code::subtract_from_scaled : Code::subtract_scaled;
    instruction.constant = static_cast<T>(*product.function.constant);
    program_.instructions_.push_back(instruction);
  }

  /// `own`: of its operands, that in the accumulator.
  void append_operation(const PointwiseStep& step, std::size_t own) {
    const PointwiseFunction& function = step.function;
    Instruction instruction;
    if (step.operands.size() == 2) {
      const PointwiseOperand& other = step.operands[1 - own];
      instruction.code = code_of(function.operation, own == 0 ? OperandForm::row : OperandForm::row_first);
      instruction.row = row_of(other);
    } else if (function.constant) {
      const OperandForm form = function.constant_is_first ? OperandForm::constant_first : OperandForm::constant;
      instruction.code = code_of(function.operation, form);
      instruction.constant = static_cast<T>(*function.constant);
      if (joins_scaling(instruction) || joins_load(instruction)) return;
    } else {
      instruction.code = code_of_one(function.operation);
      instruction.constant = static_cast<T>(function.comparison.level);
      instruction.below = static_cast<T>(function.comparison.below);
      instruction.above = static_cast<T>(function.comparison.above);
    }
    program_.instructions_.push_back(instruction);
  }

  [[nodiscard]] static std::uint8_t code_of_one(PointwiseOperation operation) {
    switch (operation) {
      case PointwiseOperation::square_root:
        return Code::square_root;
      case PointwiseOperation::magnitude:
        return Code::magnitude;
      case PointwiseOperation::compare:
        return Code::compare;
      default:
        throw InternalError("pointwise program: an operation lacks an operand");
    }
  }

  /// A constant that what is just loaded again is multiplied by.
  [[nodiscard]] bool joins_load(const Instruction& next) {
    if (program_.instructions_.empty() || program_.instructions_.back().code != Code::load_again) return false;
    const bool scales = next.code == code_of(PointwiseOperation::multiply, OperandForm::constant) ||
                        next.code == code_of(PointwiseOperation::multiply, OperandForm::constant_first);
    if (!scales) return false;
    program_.instructions_.back().code = Code::load_scaled;
    program_.instructions_.back().constant = next.constant;
    return true;
  }

  /// A constant that is added to, or subtracted from, what was just scaled by one. The values are the same: to subtract
  /// a number is to add its negative.
  [[nodiscard]] bool joins_scaling(const Instruction& next) {
    if (program_.instructions_.empty() || !std::isfinite(next.constant)) return false;
    const bool is_added = next.code == code_of(PointwiseOperation::add, OperandForm::constant);
    const bool is_subtracted = next.code == code_of(PointwiseOperation::subtract, OperandForm::constant);
    Instruction& scaling = program_.instructions_.back();
    if (scaling.code != code_of(PointwiseOperation::multiply, OperandForm::constant)) return false;
    if (!is_added && !is_subtracted) return false;
    scaling.code = Code::scale_and_add;
    scaling.added = is_added ? next.constant : -next.constant;
    return true;
  }

  PointwiseProgram& program_;
  std::vector<PixelType> inputs_;
  const std::vector<PointwiseStep>& steps_;
  std::vector<std::size_t> readers_of_step_, first_reader_of_input_;
  std::vector<bool> is_joined_;  ///< by step: a product that is one instruction with the step after it
  std::vector<bool> is_near_;    ///< by input: whether it has been loaded
  std::vector<std::optional<std::size_t>> last_input_row_, last_step_row_;  ///< the last step that reads it so
  std::vector<std::size_t> row_of_input_, row_of_step_;
  std::vector<std::size_t> needed_for_steps_;  ///< of each own row: how many steps there are up to its last reader
};

template <class T>
PointwiseProgram<T>::PointwiseProgram(std::vector<PixelType> inputs, const std::vector<PointwiseStep>& steps)
    : inputs_(inputs.size()) {
  Compiler(*this, std::move(inputs), steps).run();
}

template <class T>
void PointwiseProgram<T>::run(std::span<const ConstView> inputs, std::span<const MutableView> outputs, const Rect& area,
                              Storing storing) const {
  if (inputs.size() != inputs_ || outputs.size() != outputs_) {
    throw InternalError("pointwise program: not as many images as it reads and makes");
  }
  const int channels = outputs.front().format().channels;
  const auto has_them = [&](const auto& view) { return view.format().channels == channels; };
  if (!std::all_of(inputs.begin(), inputs.end(), has_them) || !std::all_of(outputs.begin(), outputs.end(), has_them)) {
    throw InternalError("pointwise program: images of different numbers of channels");
  }
  const auto own = hwy::AllocateAligned<std::byte>(std::max<std::size_t>(1, own_rows_) * pointwise_block_bytes);
  std::vector<PointwiseRow> rows;
  bool is_contiguous = true;
  std::int64_t values = area.width() * channels;
  const auto add = [&](std::byte* first, std::int64_t pitch, PixelType type) {
    is_contiguous = is_contiguous && pitch == values;
    rows.push_back({first, pitch * static_cast<std::int64_t>(bytes_of(type)), false});
  };
  // The program reads these, and writes only to outputs.
  for (const ConstView& view : inputs) {
    add(const_cast<std::byte*>(view.bytes_at(area.x0, area.y0)), view.pitch(), view.format().type);
  }
  for (const MutableView& view : outputs) add(view.bytes_at(area.x0, area.y0), view.pitch(), view.format().type);
  for (std::size_t i = 0; i < own_rows_; ++i) rows.push_back({own.get() + i * pointwise_block_bytes, 0, true});
  std::int64_t height = area.height();
  if (is_contiguous) {
    values *= height;
    height = 1;
  }
  run_instructions(instructions_, rows, values, height, storing);
}

template class PointwiseProgram<float>;
template class PointwiseProgram<double>;

namespace {

template <class T>
void compute_in(const PointwiseFunction& function, std::span<const ConstView> inputs, const MutableView& output,
                int threads) {
  std::vector<PixelType> types;
  PointwiseStep step{function, {}, 0};
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    types.push_back(inputs[i].format().type);
    step.operands.push_back({false, i});
  }
  const PointwiseProgram<T> program(std::move(types), {step});
  const Storing storing = storing_of({&output, 1});
  for_each_band(output.area(), threads, [&](const Rect& band) {
    program.run(inputs, {&output, 1}, band, storing);
    finish_streaming();
  });
}

}  // namespace

void compute_function(const PointwiseFunction& function, std::span<const ConstView> inputs, const MutableView& output,
                      int threads) {
  if (output.format().type == PixelType::f64) {
    compute_in<double>(function, inputs, output, threads);
  } else {
    compute_in<float>(function, inputs, output, threads);
  }
}

}  // namespace tilewright
