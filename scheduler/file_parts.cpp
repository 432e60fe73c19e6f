#include "file_parts.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tilewright {
namespace {

bool are_measured(const std::vector<Work>& works, const MachineProfile& profile, int ranks) {
  return std::all_of(works.begin(), works.end(), [&](const Work& work) {
    return profile.operator_seconds(work.key, work.type, work.parameter, work.piece, ranks).has_value();
  });
}

}  // namespace

std::string why_not_in_parts(const Pipeline& pipeline, int image, const MachineProfile& profile,
                             const SearchSpace& space) {
  const Source& source = *pipeline.images[static_cast<std::size_t>(image)].source;
  if (std::string reason = source.why_no_parts(); !reason.empty()) return reason;
  if (space.files == FileAccess::root) return "reading by the root is forced";
  if (space.max_ranks < 2) return "there is one rank only";
  if (const auto unseen = space.unseen.find(image); unseen != space.unseen.end()) return unseen->second;
  if (are_measured(source.part_work(source.shape().extent), profile, space.max_ranks)) return {};
  return fmt::format("machine '{}' has no measurement of files read in parts: calibrate it again, with 2 ranks or more",
                     profile.name());
}

std::vector<bool> images_in_parts(const Pipeline& pipeline, const MachineProfile& profile, const SearchSpace& space) {
  std::vector<bool> offered;
  for (int i = 0; i < static_cast<int>(pipeline.images.size()); ++i) {
    const bool is_source = pipeline.images[static_cast<std::size_t>(i)].source != nullptr;
    offered.push_back(is_source && why_not_in_parts(pipeline, i, profile, space).empty());
  }
  return offered;
}

}  // namespace tilewright
