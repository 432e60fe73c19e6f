#include "tilewright/runtime/files_in_sight.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <functional>
#include <memory>
#include <sstream>
#include <utility>

#include "tilewright/core/error.hpp"

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

/// None if there is no such output that is written.
const PipelineOutput* output_of(const Pipeline& pipeline, int index) {
  if (index >= static_cast<int>(pipeline.outputs.size())) return nullptr;
  const PipelineOutput& output = pipeline.outputs[static_cast<std::size_t>(index)];
  return output.sink ? &output : nullptr;
}

/// What went wrong, as text; empty if nothing did.
std::string failure_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const std::exception& error) {
    return error.what();
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

DiscardOfParts::DiscardOfParts(const Pipeline& pipeline, const Communicator& communicator) {
  std::string mark;
  for (const PipelineOutput& output : pipeline.outputs) {
    if (mark.empty() && output.sink && communicator.is_root()) mark = output.sink->parts_mark();
  }
  mark = communicator.broadcast(std::move(mark));
  act_.emplace(communicator, [&pipeline, mark] {
    for (const PipelineOutput& output : pipeline.outputs) {
      if (output.sink) output.sink->discard_parts(mark);
    }
  });
  (void)communicator.gather(std::string());
}

std::map<int, std::string> unseen_outputs(const Pipeline& pipeline, const std::vector<int>& outputs,
                                          const Communicator& communicator) {
  std::istringstream asked(communicator.broadcast(fmt::format("{}", fmt::join(outputs, " "))));
  std::map<int, std::string> unseen;
  for (int index = 0; asked >> index;) {
    const PipelineOutput* output = output_of(pipeline, index);
    std::string failure;
    std::unique_ptr<PartsOutput> file;
    if (communicator.is_root()) {
      failure = failure_of([&] { file = output->sink->open_probe(); });
    }
    const std::string place = communicator.broadcast(file ? file->place() : std::string());
    const bool sees = output != nullptr && !place.empty() && output->sink->sees(place);
    const std::vector<std::string> answers = communicator.gather(sees ? "yes" : "");
    if (communicator.is_root() && failure.empty()) failure = why_unseen(answers);
    if (!failure.empty()) unseen.emplace(index, failure);
  }
  return unseen;
}

void write_in_parts(const Sink& sink, const ImageShape& image, const ConstView* part,
                    const Communicator& communicator) {
  std::unique_ptr<PartsOutput> file;
  std::string failure;
  if (communicator.is_root()) {
    failure = failure_of([&] { file = sink.open_parts(image); });
  }
  const std::string place = communicator.broadcast(file ? file->place() : std::string());
  if (part != nullptr && !place.empty()) {
    failure = failure_of([&] { sink.write_part(place, image, *part); });
  }
  for (const std::string& other : communicator.gather(failure)) {
    if (failure.empty()) failure = other;
  }
  if (communicator.is_root() && failure.empty()) failure = failure_of([&] { file->finish(); });
  file.reset();  // before anybody ends the run: an unfinished one leaves nothing
  failure = communicator.broadcast(failure);
  if (!failure.empty()) throw RuntimeError(failure);
}

}  // namespace tilewright
