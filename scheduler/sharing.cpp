#include "sharing.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "node_use.hpp"
#include "tilewright/transfers/outline.hpp"

namespace tilewright {

std::string why_nothing_is_shared(const MachineProfile& profile, const SearchSpace& space) {
  if (space.sharing_ranks < 2) return "no ranks share memory";
  if (space.packing) return "a packing is forced, which messages alone have";
  if (profile.has(Path::shared, Layout::cc) && profile.has(Path::shared, Layout::nn)) return {};
  return fmt::format(
      "machine '{}' has no measurement of shared memory: calibrate it again, with 2 ranks or more a node",
      profile.name());
}

std::string why_not_shared(const MachineProfile& profile, const SearchSpace& space, const ProcessGrid& grid) {
  std::string reason = why_nothing_is_shared(profile, space);
  const int sharing = sharing_ranks(space, grid);
  if (!reason.empty() || grid.ranks() <= sharing) return reason;
  return fmt::format("{} ranks share memory, not {}", sharing, grid.ranks());
}

std::span<const Algorithm> offered_algorithms(const MachineProfile& profile, const SearchSpace& space) {
  if (why_nothing_is_shared(profile, space).empty()) return all_algorithms;
  return all_trees;
}

namespace {

/// What a rank gathers it has just made, and writes where others write beside it. Older profiles have scatters only.
Path measured_path(const MachineProfile& profile, TransferKind kind, Layout layout) {
  const bool has_own = kind == TransferKind::gather && profile.has(Path::shared_gather, layout);
  return has_own ? Path::shared_gather : Path::shared;
}

/// Rows of the image that several ranks have parts of: each core's prefetcher reaches for lines that another one
/// writes.
bool cuts_rows(const TransferSpec& spec) {
  return spec.kind != TransferKind::broadcast && spec.grid.x > 1;
}

}  // namespace

SharingSeconds sharing_seconds(const MachineProfile& profile, const TransferSpec& spec) {
  const MessageForm copy = largest_copy(spec);
  const Layout layout = cuts_rows(spec) ? Layout::nn : Layout::cc;
  const Path path = measured_path(profile, spec.kind, layout);
  const double empty_s = profile.path_seconds(path, layout, 0);
  const double all_s = profile.path_seconds(path, layout, static_cast<double>(copy.bytes));
  return {std::min(empty_s, all_s), std::max(0.0, all_s - empty_s)};
}

}  // namespace tilewright
