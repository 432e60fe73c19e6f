#include "tilewright/session/session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "agreement.hpp"
#include "resume.hpp"
#include "session_implementation.hpp"
#include "telling_sink.hpp"
#include "tilewright/core/error.hpp"
#include "tilewright/imgops/files.hpp"
#include "tilewright/session/failure.hpp"

namespace tilewright {

Session::Session(int argc, const char* const* argv) {
  install_failure_handler();
  implementation_ = std::make_unique<Implementation>(argc, argv);
}

Session::~Session() {
  if (!implementation_) return;
  implementation_->planner.keep_history();
  implementation_->end();
  try {
    implementation_->keep_dry_plans();
    if (implementation_->told_plans) implementation_->told_plans->finish();
  } catch (const std::exception& error) {
    fail(error);
  }
}

const std::vector<std::string>& Session::arguments() const {
  return implementation_->options.arguments;
}

const std::string& Session::argument(std::size_t index) const {
  if (index >= arguments().size()) {
    throw ParameterError(
        fmt::format("argument {} is missing: the program was given {}", index + 1, arguments().size()));
  }
  return arguments()[index];
}

int Session::rank() const {
  return implementation_->communicator.rank();
}
int Session::ranks() const {
  return implementation_->communicator.ranks();
}

Image Session::read(const std::string& path) {
  return Image(implementation_->read(path));
}

Image Session::image(Raster pixels) {
  const std::string name = fmt::format("memory #{}", ++implementation_->images_in_memory);
  return Image(image_in_memory(std::move(pixels), name));
}

void Session::create_folder(const std::string& path) {
  if (implementation_->is_dry_run() || !implementation_->options.digest_file.empty()) return;
  (void)begin_call(implementation_->communicator, "makes a folder", [&] {
    if (path.empty()) throw ParameterError("a folder is to be made, but its name is empty");
    std::error_code error;
    std::filesystem::create_directories(path, error);
    if (error) throw RuntimeError(fmt::format("cannot make the folder {}: {}", path, error.message()));
    return std::string();
  });
}

void Session::write(const std::string& path, const Image& image) {
  write({FileOutput{path, image}});
}

void Session::write(const std::vector<FileOutput>& outputs) {
  Implementation& session = *implementation_;
  const std::vector<std::string> paths = session.paths_of(outputs);
  const OutputJournal journal(session.options.database);
  std::vector<OutputRequest> requests;
  for (const FileOutput& output : outputs) {
    std::shared_ptr<const Sink> sink = image_file_sink(output.path);
    sink->check(output.image.shape());
    if (session.digests) sink = Digests::sink_of(sink, session.digests);
    // One by one, for the run may be killed before all are there.
    if (session.options.resume) sink = telling_sink(sink, [&] { journal.record(output.path, output.image); });
    requests.push_back({OutputKind::write, output.image, sink, nullptr});
  }
  if (session.is_dry_run()) {
    session.plan_only(requests);
    session.files_read.overwrite(paths);
    return;
  }
  if (session.options.resume) requests = session.incomplete(outputs, requests, journal);
  if (requests.empty()) return;
  session.write(requests, paths);
  if (!session.options.resume) return;
  // Once more, for one output may have taken the place of a file that the others are made of.
  all_succeed(session.communicator, [&] {
    if (!session.communicator.is_root()) return;
    for (const FileOutput& output : outputs) journal.record(output.path, output.image);
  });
}

double Session::value(const Reduction& reduction, int channel, std::optional<double> assumed) {
  const int channels = reduction.image.channels();
  if (channel < 0 || channel >= channels) {
    throw ParameterError(fmt::format("channel {} of an image with {}: count from 0", channel, channels));
  }
  return values({reduction}, assumed).front()[static_cast<std::size_t>(channel)];
}

std::vector<std::vector<double>> Session::values(const std::vector<Reduction>& reductions,
                                                 std::optional<double> assumed) {
  Implementation& session = *implementation_;
  std::vector<OutputRequest> requests;
  for (const Reduction& reduction : reductions) {
    requests.push_back({OutputKind::reduce, reduction.image, nullptr, reduction.method});
  }
  std::vector<std::vector<double>> results;
  if (session.is_dry_run()) {
    session.plan_only(requests);
    if (!assumed) assumed = session.options.assumed_value;
    if (!assumed) session.end_dry_run();
    for (const Reduction& reduction : reductions) {
      results.emplace_back(static_cast<std::size_t>(reduction.image.channels()), *assumed);
    }
    return results;
  }
  for (OutputResult& output : session.run(requests).outputs) results.push_back(std::move(output.values));
  return results;
}

std::shared_ptr<const Raster> Session::fetch(const Image& image) {
  Implementation& session = *implementation_;
  const std::vector<OutputRequest> requests{{OutputKind::fetch, image, nullptr, nullptr}};
  if (session.is_dry_run()) {
    session.plan_only(requests);
    session.end_dry_run();
  }
  return session.run(requests).outputs.front().pixels;
}

Image Session::run(const Image& image) {
  Implementation& session = *implementation_;
  const std::vector<OutputRequest> requests{{OutputKind::keep, image, nullptr, nullptr}};
  OutputResult result;
  if (session.is_dry_run()) {
    const Plan plan = session.plan_only(requests);
    const bool on_tiles = std::any_of(plan.images.begin(), plan.images.end(),
                                      [](const PlanImage& planned) { return planned.stays_on_tiles; });
    if (on_tiles) result.tiled_on = plan.grid;
  } else {
    result = std::move(session.run(requests).outputs.front());
  }
  return session.keep(std::make_shared<KeptImage>(image.shape(), std::move(result.tiled_on), std::move(result.pixels),
                                                  session.loop.turn));
}

bool Session::repeat(bool goes_on, int expected, std::source_location place) {
  if (expected < 1)
    throw ParameterError(fmt::format("a loop is expected to run {} times: at least 1 is needed", expected));
  int& turns = implementation_->turns[{place.file_name(), place.line(), place.column()}];
  ++turns;
  const bool again = implementation_->is_dry_run() ? turns < expected : goes_on;
  // After two turns it is known which images are handed on from one to the next, and which are the same in all.
  implementation_->loop = {again && turns > 1 ? std::max(1, expected - turns) : 1, implementation_->loop.turn + 1};
  if (!again) turns = 0;  // for the next time that the program comes here
  return again;
}

}  // namespace tilewright
