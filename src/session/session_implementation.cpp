#include "session_implementation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <utility>

#include "agreement.hpp"
#include "keeping.hpp"
#include "simd_agreement.hpp"
#include "tilewright/core/error.hpp"
#include "tilewright/core/real_path.hpp"
#include "tilewright/core/standard_output.hpp"
#include "tilewright/core/units.hpp"
#include "tilewright/core/whole_file.hpp"
#include "tilewright/imgops/files.hpp"
#include "tilewright/imgops/fusion.hpp"
#include "tilewright/session/failure.hpp"

namespace tilewright {
namespace {

/// A dry run is one process's, also where a program is started on many ranks: the others have nothing to do.
Communicator join_ranks(const SessionOptions& options) {
  if (options.dry_run.empty()) return Communicator::start();
  if (launched_rank() == 0) return Communicator::alone();
  std::fflush(nullptr);
  std::_Exit(0);
}

void tell_step(const Plan& plan, std::size_t index) {
  const PlanStep& step = plan.steps[index];
  const std::string& image = plan.images[static_cast<std::size_t>(step.image)].name;
  fmt::print(stderr, "tilewright: step {} of {}: {} {} {}\n", index + 1, plan.steps.size(), to_string(step.kind), image,
             step.operation);
}

ImageShape parse_shape(const std::string& text) {
  ImageShape shape;
  std::istringstream stream(text);
  std::string type;
  stream >> shape.extent.width >> shape.extent.height >> type >> shape.format.channels;
  shape.format.type = parse_pixel_type(type);
  return shape;
}

}  // namespace

Session::Implementation::Implementation(int argc, const char* const* argv)
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

void Session::Implementation::open_told_plans() {
  if (is_dry_run() || options.explain == Explain::no || options.explain_file.empty()) return;
  all_succeed(communicator, [&] {
    if (!communicator.is_root()) return;
    check_writes_whole(options.explain_file);
    told_plans.emplace(options.explain_file, options.explain_format);
  });
}

Pipeline Session::Implementation::recorded(const std::vector<OutputRequest>& outputs) const {
  Pipeline pipeline = fused(record(outputs));
  files_read.check(pipeline);
  return pipeline;
}

ExecutionResult Session::Implementation::run(const std::vector<OutputRequest>& outputs) {
  const Pipeline pipeline = recorded(outputs);
  ExecutionResult result = run(pipeline, planned(pipeline));
  if (digests) tell(pipeline, result);
  return result;
}

void Session::Implementation::write(const std::vector<OutputRequest>& requests, const std::vector<std::string>& paths) {
  try {
    (void)run(requests);
  } catch (const RuntimeError&) {
    files_read.overwrite(paths);
    throw;
  }
  files_read.overwrite(paths);
}

std::vector<std::string> Session::Implementation::paths_of(const std::vector<FileOutput>& outputs) const {
  return split(begin_call(communicator, "writes images", [&] { return joined(distinct_paths(outputs)); }));
}

std::vector<OutputRequest> Session::Implementation::incomplete(const std::vector<FileOutput>& outputs,
                                                               const std::vector<OutputRequest>& requests,
                                                               const OutputJournal& journal) const {
  const std::string open = begin_call(communicator, "writes what is not complete yet", [&] {
    std::string flags;
    for (const FileOutput& output : outputs) flags += journal.is_finished(output.path, output.image) ? '0' : '1';
    return flags;
  });
  std::vector<OutputRequest> left;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    if (open[i] == '1') left.push_back(requests[i]);
  }
  if (communicator.is_root() && left.size() < requests.size()) {
    fmt::print(stderr, "tilewright: {} of {} outputs are complete already\n", requests.size() - left.size(),
               requests.size());
  }
  return left;
}

Plan Session::Implementation::planned(const Pipeline& pipeline) {
  for (const int stray : strays(pipeline, options)) bring_home(pipeline.images[static_cast<std::size_t>(stray)].source);
  std::optional<Plan> plan = plan_of(pipeline, Purpose::work);
  if (plan) return *std::move(plan);
  for (const PipelineImage& image : pipeline.images) {
    if (is_tiled_source(image)) bring_home(image.source);
  }
  return plan_of(pipeline, Purpose::work).value();
}

std::optional<Plan> Session::Implementation::plan_of(const Pipeline& pipeline, Purpose purpose) {
  const SegmentQuestion question{pipeline, purpose, loop};
  if (!is_dry_run()) return planner.agreed_plan(question, segment);
  std::optional<Plan> plan = planner.dry_plan(question, dry_plans.size());
  if (!plan) return plan;
  dry_plans.push_back(*plan);
  return plan;
}

ExecutionResult Session::Implementation::run(const Pipeline& pipeline, const Plan& plan) {
  try {
    return run_here(pipeline, plan);
  } catch (const std::exception& error) {
    communicator.set_last_words(error.what(), exit_status(error));
    rescue_told_plans();
    communicator.meet_in_error();
    throw;
  }
}

ExecutionResult Session::Implementation::run_here(const Pipeline& pipeline, const Plan& plan) {
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

void Session::Implementation::bring_home(const std::shared_ptr<const Source>& source) {
  const Pipeline pipeline = bringing_home(Image(source));
  const Plan plan = plan_of(pipeline, Purpose::bring_home).value();
  std::shared_ptr<const Raster> pixels;
  if (!is_dry_run()) pixels = run(pipeline, plan).outputs.front().pixels;
  kept.at(source.get()).lock()->move_to_root(std::move(pixels));
}

Image Session::Implementation::keep(std::shared_ptr<KeptImage> image) {
  std::erase_if(kept, [](const auto& entry) { return entry.second.expired(); });
  kept.insert_or_assign(image.get(), image);
  return Image(std::move(image));
}

void Session::Implementation::tell(const Pipeline& pipeline, const ExecutionResult& result) const {
  for (std::size_t i = 0; i < result.outputs.size(); ++i) {
    const OutputResult& output = result.outputs[i];
    if (output.pixels && pipeline.outputs[i].kind == OutputKind::fetch) {
      digests->add_image("pixels", output.pixels->view());
    }
    if (!output.values.empty()) digests->add_values(output.values);
  }
  digests->end_segment();
}

void Session::Implementation::explain(const Plan& plan) {
  if (!communicator.is_root()) return;
  if (told_plans) {
    told_plans->add(plan);
    return;
  }
  fmt::print("{}", render({plan}, options.explain_format));
  if (std::fflush(stdout) != 0) throw RuntimeError("cannot write the plan to standard output");
}

void Session::Implementation::rescue_told_plans() {
  try {
    if (told_plans) told_plans->finish();
  } catch (const RuntimeError&) {
    told_plans.reset();
  }
}

void Session::Implementation::end() const {
  if (!is_dry_run() && !communicator.is_left_by_exception()) (void)begin_call(communicator, "ends");
}

void Session::Implementation::keep_dry_plans() const {
  if (is_dry_run() && !dry_plans.empty()) write_whole(options.dry_run, render(dry_plans, PlanFormat::json));
}

void Session::Implementation::end_dry_run() {
  dry_plans.back().partial = true;
  keep_dry_plans();
  std::fflush(nullptr);
  std::_Exit(0);
}

std::shared_ptr<const Source> Session::Implementation::read(const std::string& path) {
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

std::shared_ptr<const Source> Session::Implementation::source_for_planning(const std::string& path) const {
  for (const AssumedImage& assumed : options.assumed_images) {
    if (assumed.name == path) return assumed_file(path, assumed.shape);
  }
  return image_file(path);
}

}  // namespace tilewright
