#include "tilewright/runtime/files_in_sight.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <sstream>

namespace tilewright {
namespace {

/// Empty if there is no such source: another pipeline is somebody else's complaint.
std::string identity_of(const Pipeline& pipeline, int image) {
  if (image >= static_cast<int>(pipeline.images.size())) return {};
  const PipelineImage& source = pipeline.images[static_cast<std::size_t>(image)];
  return source.source ? source.source->identity() : std::string();
}

/// What the ranks see, the root first; empty if all see the same.
std::string why_unseen(const std::vector<std::string>& identities) {
  for (std::size_t rank = 0; rank < identities.size(); ++rank) {
    if (identities[rank].empty()) return fmt::format("rank {} does not see the file", rank);
    if (identities[rank] != identities.front()) return fmt::format("rank {} sees another file of that name", rank);
  }
  return {};
}

}  // namespace

std::map<int, std::string> unseen_files(const Pipeline& pipeline, const std::vector<int>& images,
                                        const Communicator& communicator) {
  std::istringstream asked(communicator.broadcast(fmt::format("{}", fmt::join(images, " "))));
  std::map<int, std::string> unseen;
  for (int image = 0; asked >> image;) {
    const std::string reason = why_unseen(communicator.gather(identity_of(pipeline, image)));
    if (!reason.empty()) unseen.emplace(image, reason);
  }
  return unseen;
}

}  // namespace tilewright
