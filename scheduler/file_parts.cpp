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

/// What holds for all files. `works` are those of all ranks at once, `of_root` those of the root alone.
std::string why_none_in_parts(const std::vector<Work>& works, const std::vector<Work>& of_root,
                              const MachineProfile& profile, const SearchSpace& space) {
  if (space.files == FileAccess::root) return "access by the root is forced";
  if (space.max_ranks < 2) return "there is one rank only";
  if (are_measured(works, profile, space.max_ranks) && are_measured(of_root, profile, 1)) return {};
  return fmt::format("machine '{}' has no measurement of files in parts: calibrate it again, with 2 ranks or more",
                     profile.name());
}

}  // namespace

std::string why_not_in_parts(const Pipeline& pipeline, int image, const MachineProfile& profile,
                             const SearchSpace& space) {
  const Source& source = *pipeline.images[static_cast<std::size_t>(image)].source;
  if (source.tiled_on()) return {};
  if (std::string reason = source.why_no_parts(); !reason.empty()) return reason;
  if (const auto unseen = space.unseen.find(image); unseen != space.unseen.end()) return unseen->second;
  return why_none_in_parts(source.part_work(source.shape().extent), {}, profile, space);
}

std::string why_not_written_in_parts(const Pipeline& pipeline, int output, const MachineProfile& profile,
                                     const SearchSpace& space) {
  const auto& [kind, image, sink, reduction] = pipeline.outputs[static_cast<std::size_t>(output)];
  if (kind != OutputKind::write) return "it is not written";
  const ImageShape& shape = pipeline.images[static_cast<std::size_t>(image)].shape;
  if (std::string reason = sink->why_no_parts(shape); !reason.empty()) return reason;
  if (const auto unseen = space.unseen_outputs.find(output); unseen != space.unseen_outputs.end()) {
    return unseen->second;
  }
  return why_none_in_parts(sink->part_work(shape, shape.extent), sink->frame_work(shape), profile, space);
}

std::vector<bool> outputs_in_parts(const Pipeline& pipeline, const MachineProfile& profile, const SearchSpace& space) {
  std::vector<bool> offered;
  for (int i = 0; i < static_cast<int>(pipeline.outputs.size()); ++i) {
    offered.push_back(why_not_written_in_parts(pipeline, i, profile, space).empty());
  }
  return offered;
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
