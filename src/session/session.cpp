#include "tilewright/session/session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <sstream>
#include <tuple>
#include <utility>

#include "agreement.hpp"
#include "digests.hpp"
#include "files_read.hpp"
#include "keeping.hpp"
#include "kept_image.hpp"
#include "resume.hpp"
#include "segment_planner.hpp"
#include "simd_agreement.hpp"
#include "telling_sink.hpp"
#include "tilewright/core/error.hpp"
#include "tilewright/core/real_path.hpp"
#include "tilewright/core/standard_output.hpp"
#include "tilewright/core/units.hpp"
#include "tilewright/core/whole_file.hpp"
#include "tilewright/imgops/files.hpp"
#include "tilewright/imgops/fusion.hpp"
#include "tilewright/runtime/executor.hpp"
#include "tilewright/session/failure.hpp"
#include "tilewright/session/options.hpp"
#include "told_plans.hpp"

namespace tilewright {
namespace {

/// A dry run is one process's, also where a program is started on many ranks: the others have nothing to do.
Communicator join_ranks(const SessionOptions& options) {
  if (options.dry_run.empty()) return Communicator::start();
  if (launched_rank() == 0) return Communicator::alone();
  std::fflush(nullptr);
  std::_Exit(0);
}

}  // namespace

struct Session::Implementation {
  Implementation(int argc, const char* const* argv)
      : options(parse_session_options(argc, argv, [](const char* name) { return std::getenv(name); })),
        communicator(join_ranks(options)),
        planner(communicator, options, argc > 0 ? argv[0] : "") {
    if (options.send) communicator.send_as(*options.send);
    if (options.help) {
      if (communicator.is_root()) fmt::print("{}", session_options_help());
      check_printed();
      communicator.finish();
      std::exit(0);
    }
    agree_on_simd_level(communicator, options.simd, best_simd_level());
    if (!options.digest_file.empty()) {
      all_succeed(communicator, [&] {
        if (communicator.is_root()) digests = std::make_shared<Digests>(options.digest_file);
      });
    }
    open_told_plans();
  }

  [[nodiscard]] bool is_dry_run() const { return !options.dry_run.empty(); }

  /// That they cannot be written is found out before anything is run, by all ranks.
  void open_told_plans() {
    if (is_dry_run() || options.explain == Explain::no || options.explain_file.empty()) return;
    all_succeed(communicator, [&] {
      if (!communicator.is_root()) return;
      check_writes_whole(options.explain_file);
      told_plans.emplace(options.explain_file, options.explain_format);
    });
  }

  // --- one segment: plan it, run it, explain it ---

  [[nodiscard]] Pipeline recorded(const std::vector<OutputRequest>& outputs) const {
    Pipeline pipeline = fused(record(outputs));
    files_read.check(pipeline);
    return pipeline;
  }

  ExecutionResult run(const std::vector<OutputRequest>& outputs) {
    const Pipeline pipeline = recorded(outputs);
    ExecutionResult result = run(pipeline, planned(pipeline));
    if (digests) tell(pipeline, result);
    return result;
  }

  /// Of several outputs some may be there when one fails.
  void write(const std::vector<OutputRequest>& requests, const std::vector<std::string>& paths) {
    try {
      (void)run(requests);
    } catch (const RuntimeError&) {
      files_read.overwrite(paths);
      throw;
    }
    files_read.overwrite(paths);
  }

  /// As the root finds them.
  [[nodiscard]] std::vector<std::string> paths_of(const std::vector<FileOutput>& outputs) const {
    return split(begin_call(communicator, "writes images", [&] { return joined(distinct_paths(outputs)); }));
  }

  /// What earlier segments have left on the tiles is brought to the root where it has to be.
  Plan planned(const Pipeline& pipeline) {
    for (const int stray : strays(pipeline, options))
      bring_home(pipeline.images[static_cast<std::size_t>(stray)].source);
    std::optional<Plan> plan = plan_of(pipeline, Purpose::work);
    if (plan) return *std::move(plan);
    for (const PipelineImage& image : pipeline.images) {
      if (is_tiled_source(image)) bring_home(image.source);
    }
    return plan_of(pipeline, Purpose::work).value();
  }

  /// None where images have to be brought to the root first. A dry run tells it, and nobody else.
  std::optional<Plan> plan_of(const Pipeline& pipeline, Purpose purpose) {
    const SegmentQuestion question{pipeline, purpose, loop};
    if (!is_dry_run()) return planner.agreed_plan(question, segment);
    std::optional<Plan> plan = planner.dry_plan(question, dry_plans.size());
    if (!plan) return plan;
    dry_plans.push_back(*plan);
    return plan;
  }

  /// What goes wrong may do so on this rank alone.
  ExecutionResult run(const Pipeline& pipeline, const Plan& plan) {
    try {
      return run_here(pipeline, plan);
    } catch (const std::exception& error) {
      communicator.set_last_words(error.what(), exit_status(error));
      rescue_told_plans();
      communicator.meet_in_error();
      throw;
    }
  }

  ExecutionResult run_here(const Pipeline& pipeline, const Plan& plan) {
    const bool analyze = options.explain == Explain::analyze;
    if (options.explain == Explain::plan) explain(plan);
    ExecutionOptions execution;
    if (analyze) execution.timing = Timing::each_step;
    if (options.progress) execution.on_step = [&](std::size_t index) { tell_step(plan, index); };
    ExecutionResult result = execute(plan, pipeline, planner.ranks(), execution);
    planner.add(result.trace);
    if (analyze) {
      Plan measured = result.trace.plan;
      measured.notes.push_back(fmt::format("measured in all {}", format_seconds(result.trace.measured_seconds)));
      explain(measured);
    }
    ++segment;
    return result;
  }

  // --- images that earlier segments have left on the tiles ---

  /// In a segment of its own.
  void bring_home(const std::shared_ptr<const Source>& source) {
    const Pipeline pipeline = bringing_home(Image(source));
    const Plan plan = plan_of(pipeline, Purpose::bring_home).value();
    std::shared_ptr<const Raster> pixels;
    if (!is_dry_run()) pixels = run(pipeline, plan).outputs.front().pixels;
    kept.at(source.get()).lock()->move_to_root(std::move(pixels));
  }

  Image keep(std::shared_ptr<KeptImage> image) {
    std::erase_if(kept, [](const auto& entry) { return entry.second.expired(); });
    kept.insert_or_assign(image.get(), image);
    return Image(std::move(image));
  }

  /// What is no file; files tell of themselves. What is kept tells by what is made of it.
  void tell(const Pipeline& pipeline, const ExecutionResult& result) const {
    for (std::size_t i = 0; i < result.outputs.size(); ++i) {
      const OutputResult& output = result.outputs[i];
      if (output.pixels && pipeline.outputs[i].kind == OutputKind::fetch) {
        digests->add_image("pixels", output.pixels->view());
      }
      if (!output.values.empty()) digests->add_values(output.values);
    }
    digests->end_segment();
  }

  void explain(const Plan& plan) {
    if (!communicator.is_root()) return;
    if (told_plans) {
      told_plans->add(plan);
      return;
    }
    fmt::print("{}", render({plan}, options.explain_format));
    if (std::fflush(stdout) != 0) throw RuntimeError("cannot write the plan to standard output");
  }

  /// After an error, which is what is told, whatever comes of this.
  void rescue_told_plans() {
    try {
      if (told_plans) told_plans->finish();
    } catch (const RuntimeError&) {
      told_plans.reset();
    }
  }

  static void tell_step(const Plan& plan, std::size_t index) {
    const PlanStep& step = plan.steps[index];
    const std::string& image = plan.images[static_cast<std::size_t>(step.image)].name;
    fmt::print(stderr, "tilewright: step {} of {}: {} {} {}\n", index + 1, plan.steps.size(), to_string(step.kind),
               image, step.operation);
  }

  /// In step with the others, unless an error ends the session.
  void end() const {
    if (!is_dry_run() && !communicator.is_left_by_exception()) (void)begin_call(communicator, "ends");
  }

  // --- a dry run ---

  Plan plan_only(const std::vector<OutputRequest>& outputs) { return planned(recorded(outputs)); }

  /// Once, when all is planned: of a loop of many turns, writing takes longer than planning.
  void keep_dry_plans() const {
    if (is_dry_run() && !dry_plans.empty()) write_whole(options.dry_run, render(dry_plans, PlanFormat::json));
  }

  /// The program goes on with a value that only a run can give: what is planned so far is all there is.
  [[noreturn]] void end_dry_run() {
    dry_plans.back().partial = true;
    keep_dry_plans();
    std::fflush(nullptr);
    std::_Exit(0);
  }

  // --- sources ---

  std::shared_ptr<const Source> read(const std::string& path) {
    if (is_dry_run()) return files_read.add(source_for_planning(path), real_path(path));
    // Only the root's file counts; the others learn from it which that is, and its shape.
    std::shared_ptr<const Source> source;
    const std::vector<std::string> told = split(begin_call(communicator, "reads an image", [&] {
      source = image_file(path);
      const ImageShape s = source->shape();
      const std::string shape =
          fmt::format("{} {} {} {}", s.extent.width, s.extent.height, to_string(s.format.type), s.format.channels);
      return joined({real_path(path), shape});
    }));
    if (!source) source = assumed_file(path, parse_shape(told.back()));
    return files_read.add(source, told.front());
  }

  [[nodiscard]] std::shared_ptr<const Source> source_for_planning(const std::string& path) const {
    for (const AssumedImage& assumed : options.assumed_images) {
      if (assumed.name == path) return assumed_file(path, assumed.shape);
    }
    return image_file(path);
  }

  static ImageShape parse_shape(const std::string& text) {
    ImageShape shape;
    std::istringstream stream(text);
    std::string type;
    stream >> shape.extent.width >> shape.extent.height >> type >> shape.format.channels;
    shape.format.type = parse_pixel_type(type);
    return shape;
  }

  SessionOptions options;
  Communicator communicator;
  SegmentPlanner planner;
  std::map<const Source*, std::weak_ptr<KeptImage>> kept;  ///< that the program still has
  LoopHint loop;
  FilesRead files_read;
  std::map<std::tuple<std::string, std::uint_least32_t, std::uint_least32_t>, int> turns;  ///< of loops, by their place
  std::size_t segment = 0;                                                                 ///< how many have run
  std::shared_ptr<Digests> digests;  ///< on the root, if they are wanted
  int images_in_memory = 0;          ///< how many the program has given
  std::vector<Plan> dry_plans;
  std::optional<ToldPlans> told_plans;  ///< on the root, if they go into a file
};

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
  if (session.options.resume) {
    const std::string open = begin_call(session.communicator, "writes what is not complete yet", [&] {
      std::string flags;
      for (const FileOutput& output : outputs) flags += journal.is_finished(output.path, output.image) ? '0' : '1';
      return flags;
    });
    std::vector<OutputRequest> left;
    for (std::size_t i = 0; i < requests.size(); ++i) {
      if (open[i] == '1') left.push_back(requests[i]);
    }
    if (session.communicator.is_root() && left.size() < requests.size()) {
      fmt::print(stderr, "tilewright: {} of {} outputs are complete already\n", requests.size() - left.size(),
                 requests.size());
    }
    requests = std::move(left);
  }
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
