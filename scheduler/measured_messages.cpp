#include "measured_messages.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "tilewright/core/units.hpp"

namespace tilewright {
namespace {

std::string bytes_in_words(double bytes) {
  return format_bytes(static_cast<std::int64_t>(bytes));
}

std::string up_to(std::string_view what, double wanted, double measured) {
  return fmt::format("{} of up to {}, measured up to {}", what, bytes_in_words(wanted), bytes_in_words(measured));
}

std::string path_in_words(const PathCell& cell) {
  return fmt::format("{}{}", to_string(cell.path), cell.within_node ? " within nodes" : "");
}

/// Blocks two lengths apart are measured with each length.
bool is_near(const PathCell& cell) {
  return cell.stride_bytes <= 2 * cell.block_bytes;
}

}  // namespace

void add_to(std::optional<Range>& range, double value) {
  if (!range) range = Range{value, value};
  range = Range{std::min(range->least, value), std::max(range->most, value)};
}

BeyondMeasured::Key BeyondMeasured::key_of(const PathCell& cell) {
  return {cell.path, cell.layout, cell.packing, cell.within_node, cell.has_paper_blocks()};
}

BeyondMeasured::BeyondMeasured(const MachineProfile& profile) {
  for (const PathCell& cell : profile.paths()) {
    Row& row = rows_[key_of(cell)];
    add_to(row.bytes, static_cast<double>(cell.bytes));
    if (cell.has_paper_blocks()) continue;
    add_to(row.block_bytes, static_cast<double>(cell.block_bytes));
    if (!is_near(cell)) row.far_stride_bytes = std::max(row.far_stride_bytes, static_cast<double>(cell.stride_bytes));
  }
}

void BeyondMeasured::add(const PathCell& wanted) {
  const auto found = rows_.find(key_of(wanted));
  if (found == rows_.end()) return;  // then nothing is read off it
  const Row& row = found->second;
  if (!wanted.has_paper_blocks()) return add_blocks(wanted, row);
  const auto bytes = static_cast<double>(wanted.bytes);
  const double factor = bytes / std::max(1.0, row.bytes->most);
  if (bytes <= row.bytes->most) return;
  Excess& known = sizes_[path_in_words(wanted)];
  if (factor > known.factor) known = {factor, up_to("messages", bytes, row.bytes->most)};
}

void BeyondMeasured::add_blocks(const PathCell& wanted, const Row& row) {
  const auto bytes = static_cast<double>(wanted.bytes);
  const auto length = static_cast<double>(wanted.block_bytes);
  const auto stride = static_cast<double>(wanted.stride_bytes);
  const auto keep = [](Excess& known, double factor, auto&& words) {
    if (factor > std::max(tolerated_factor, known.factor)) known = {factor, words()};
  };
  keep(strided_, bytes / row.bytes->most, [&] { return up_to("strided messages", bytes, row.bytes->most); });
  const auto [shortest, longest] = *row.block_bytes;
  keep(lengths_, std::max(length / longest, shortest / length), [&, shortest = shortest, longest = longest] {
    return fmt::format("blocks of {}, measured with {} to {}", bytes_in_words(length), bytes_in_words(shortest),
                       bytes_in_words(longest));
  });
  const double widest = std::max(2 * length, row.far_stride_bytes);
  keep(strides_, stride / widest, [&] {
    return fmt::format("blocks {} apart, measured up to {} apart", bytes_in_words(stride), bytes_in_words(widest));
  });
}

std::vector<std::string> BeyondMeasured::notes() const {
  std::map<std::string, std::vector<std::string>> paths_by_words;
  for (const auto& [path, excess] : sizes_) paths_by_words[excess.words].push_back(path);
  std::vector<std::string> notes;
  for (const auto& [words, paths] : paths_by_words)
    notes.push_back(fmt::format("extrapolated: {} ({})", words, fmt::join(paths, ", ")));
  for (const Excess& excess : {strided_, lengths_, strides_}) {
    if (!excess.words.empty()) notes.push_back("extrapolated: " + excess.words);
  }
  return notes;
}

}  // namespace tilewright
