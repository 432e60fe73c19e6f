#include "tilewright/core/message.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <utility>
#include <vector>

#include "tilewright/core/error.hpp"

namespace tilewright {
namespace {

/// The one table of names an enumeration has; printing and parsing both read it.
template <class Enum, std::size_t N>
using Names = std::array<std::pair<Enum, std::string_view>, N>;

constexpr Names<Path, path_count> path_names{{{Path::send, "send"},
                                              {Path::recv, "recv"},
                                              {Path::full, "full"},
                                              {Path::shift, "shift"},
                                              {Path::swap, "swap"},
                                              {Path::exposed, "exposed"},
                                              {Path::exposed_swap, "exposed-swap"},
                                              {Path::collected, "collected"},
                                              {Path::overhead, "overhead"},
                                              {Path::to_self, "to-self"},
                                              {Path::copy, "copy"},
                                              {Path::barrier, "barrier"},
                                              {Path::one_to_one, "one-to-one"},
                                              {Path::all_to_all, "all-to-all"},
                                              {Path::one_to_all, "one-to-all"},
                                              {Path::all_to_one, "all-to-one"},
                                              {Path::all_to_one_to_all, "all-to-one-to-all"},
                                              {Path::passing, "passing"},
                                              {Path::shared, "shared"},
                                              {Path::shared_gather, "shared-gather"},
                                              {Path::message_scatter, "message-scatter"},
                                              {Path::shared_warm, "shared-warm"},
                                              {Path::shared_gather_warm, "shared-gather-warm"},
                                              {Path::message_scatter_warm, "message-scatter-warm"},
                                              {Path::shared_rested, "shared-rested"},
                                              {Path::shared_gather_rested, "shared-gather-rested"},
                                              {Path::message_scatter_rested, "message-scatter-rested"},
                                              {Path::shared_spilled, "shared-spilled"},
                                              {Path::shared_gather_spilled, "shared-gather-spilled"},
                                              {Path::message_scatter_spilled, "message-scatter-spilled"}}};
constexpr Names<Layout, 4> layout_names{
    {{Layout::cc, "cc"}, {Layout::cn, "cn"}, {Layout::nc, "nc"}, {Layout::nn, "nn"}}};
constexpr Names<TransferKind, 6> transfer_names{{{TransferKind::scatter, "scatter"},
                                                 {TransferKind::gather, "gather"},
                                                 {TransferKind::broadcast, "broadcast"},
                                                 {TransferKind::allgather, "allgather"},
                                                 {TransferKind::exchange, "exchange"},
                                                 {TransferKind::redistribute, "redistribute"}}};
constexpr Names<Algorithm, 3> algorithm_names{
    {{Algorithm::oft, "oft"}, {Algorithm::sbt, "sbt"}, {Algorithm::shared, "shared"}}};
constexpr Names<Packing, 3> packing_names{
    {{Packing::datatype, "datatype"}, {Packing::manual, "manual"}, {Packing::blocked, "blocked"}}};

template <class Enum, std::size_t N>
std::string_view name_of(const Names<Enum, N>& names, Enum value) {
  for (const auto& [candidate, name] : names) {
    if (candidate == value) return name;
  }
  throw InternalError("to_string: value outside its enumeration");
}

template <class Enum, std::size_t N>
Enum parse(const Names<Enum, N>& names, std::string_view text, std::string_view what) {
  std::vector<std::string_view> known;
  for (const auto& [value, name] : names) {
    if (name == text) return value;
    known.push_back(name);
  }
  throw ParameterError(fmt::format("'{}' is no {} that is available; known: {}", text, what, fmt::join(known, " ")));
}

}  // namespace

Layout layout_of(bool sender_contiguous, bool receiver_contiguous) {
  if (sender_contiguous) return receiver_contiguous ? Layout::cc : Layout::cn;
  return receiver_contiguous ? Layout::nc : Layout::nn;
}

Packing travels_as(Packing packing) {
  return packing == Packing::blocked ? Packing::blocked : Packing::datatype;
}

bool sender_contiguous(Layout layout) {
  return layout == Layout::cc || layout == Layout::cn;
}
bool receiver_contiguous(Layout layout) {
  return layout == Layout::cc || layout == Layout::nc;
}

std::string_view to_string(Path path) {
  return name_of(path_names, path);
}
std::string_view to_string(Layout layout) {
  return name_of(layout_names, layout);
}
std::string_view to_string(TransferKind kind) {
  return name_of(transfer_names, kind);
}
std::string_view to_string(Algorithm algorithm) {
  return name_of(algorithm_names, algorithm);
}
std::string_view to_string(Packing packing) {
  return name_of(packing_names, packing);
}

Path parse_path(std::string_view text) {
  return parse(path_names, text, "path");
}
Layout parse_layout(std::string_view text) {
  return parse(layout_names, text, "layout");
}
TransferKind parse_transfer_kind(std::string_view text) {
  return parse(transfer_names, text, "transfer");
}
Algorithm parse_algorithm(std::string_view text) {
  return parse(algorithm_names, text, "algorithm (tree)");
}
Packing parse_packing(std::string_view text) {
  return parse(packing_names, text, "packing");
}

}  // namespace tilewright
