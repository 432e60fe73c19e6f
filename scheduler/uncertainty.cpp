#include "uncertainty.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

namespace tilewright {
namespace {

/// Of the time in which some ranks are served while others compute. Measured, a fifth to a half of it was not gained,
/// for those who compute are disturbed by those who send.
constexpr double uncertain_part_of_hidden = 1.0 / 3;

/// Local copies are part of transfers.
constexpr const char* copying = "copy";

void add_keys(std::set<std::string>& keys, const std::vector<Work>& works) {
  for (const Work& work : works) {
    keys.insert(work.key);
    add_keys(keys, work.otherwise);
  }
}

/// So are fillings of borders of operators with a neighbourhood.
constexpr const char* filling = "fill_border";

/// By image, the keys that its operator's costs are made of; none of a source's.
std::vector<std::set<std::string>> keys_of_operators(const Pipeline& pipeline) {
  std::vector<std::set<std::string>> all(pipeline.images.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    const PipelineImage& image = pipeline.images[i];
    if (image.op) add_keys(all[i], image.op->work(pipeline.input_shapes(static_cast<int>(i)), image.shape.extent));
  }
  return all;
}

/// All keys that the pipeline's costs are made of.
std::set<std::string> keys_of(const Pipeline& pipeline, const std::vector<std::set<std::string>>& of_operators) {
  std::set<std::string> keys{copying, filling};
  for (const std::set<std::string>& of_operator : of_operators) keys.insert(of_operator.begin(), of_operator.end());
  for (const PipelineImage& image : pipeline.images) {
    if (!image.source) continue;
    add_keys(keys, image.source->work());
    add_keys(keys, image.source->part_work(image.shape.extent));
  }
  for (const PipelineOutput& output : pipeline.outputs) {
    const ImageShape& shape = pipeline.images[static_cast<std::size_t>(output.image)].shape;
    if (output.sink) add_keys(keys, output.sink->work(shape));
    if (output.sink) add_keys(keys, output.sink->part_work(shape, shape.extent));
    if (output.sink) add_keys(keys, output.sink->frame_work(shape));
    if (output.reduction) add_keys(keys, output.reduction->work(shape, shape.extent));
  }
  return keys;
}

/// By image, whether the key has a part in what its operator takes. Near the edges of the image, those with a
/// neighbourhood fill borders, and the root copies what is beside the tiles.
std::vector<bool> operators_with(const std::string& key, const Pipeline& pipeline,
                                 const std::vector<std::set<std::string>>& of_operators) {
  const bool is_of_borders = key == filling || key == copying;
  std::vector<bool> all;
  for (std::size_t i = 0; i < of_operators.size(); ++i) {
    const PipelineImage& image = pipeline.images[i];
    all.push_back(of_operators[i].contains(key) || (is_of_borders && image.op && !image.op->halo().empty()));
  }
  return all;
}

template <class Cell, class Belongs>
bool any_errs(const MachineProfile& profile, const std::vector<Cell>& cells, Belongs&& belongs) {
  return std::any_of(cells.begin(), cells.end(),
                     [&](const Cell& cell) { return belongs(cell) && profile.standard_error_s(cell) > 0; });
}

}  // namespace

double standard_error(const ErrorEffects& effects) {
  double squares = 0;
  for (const double effect : effects) squares += effect * effect;
  return std::sqrt(squares);
}

double standard_error_of_difference(const ErrorEffects& a, const ErrorEffects& b) {
  ErrorEffects differences;
  std::transform(a.begin(), a.end(), b.begin(), std::back_inserter(differences), std::minus<>());
  return standard_error(differences);
}

ErrorSource::ErrorSource(const Pipeline& pipeline, const MachineProfile& profile, const CostModel& model,
                         const SearchSpace& space, std::shared_ptr<KnownSchedules> schedules)
    : model_(model), schedules_(std::move(schedules)) {
  std::set<Path> paths;
  for (const PathCell& cell : profile.paths()) paths.insert(cell.path);
  for (const Path path : paths) {
    const bool errs = any_errs(profile, profile.paths(), [&](const PathCell& cell) { return cell.path == path; });
    if (errs)
      add_group(pipeline, space, {fmt::format("messages ({})", to_string(path)), Prices::transfers, path},
                profile.slower_by_errors_of(path));
  }
  const std::vector<std::set<std::string>> of_operators = keys_of_operators(pipeline);
  for (const std::string& key : keys_of(pipeline, of_operators)) {
    const bool errs = any_errs(profile, profile.operators(), [&](const OperatorCell& cell) { return cell.key == key; });
    const Prices prices = key == copying ? Prices::all : Prices::all_else;
    if (errs)
      add_group(pipeline, space, {key, prices, {}, operators_with(key, pipeline, of_operators)},
                profile.slower_by_errors_of(key));
  }
}

ErrorSource::ErrorSource(const ErrorSource& other, const Pipeline& pipeline, const SearchSpace& space,
                         std::shared_ptr<KnownSchedules> schedules)
    : model_(other.model_), schedules_(std::move(schedules)) {
  for (const Group& group : other.groups_) add_group(pipeline, space, group.machine);
}

void ErrorSource::add_group(const Pipeline& pipeline, const SearchSpace& space, Cells cells, MachineProfile profile) {
  auto machine = std::make_shared<SlowerMachine>(SlowerMachine{std::move(cells), std::move(profile)});
  machine->model = make_cost_model(model_.name(), machine->profile);
  add_group(pipeline, space, std::move(machine));
}

void ErrorSource::add_group(const Pipeline& pipeline, const SearchSpace& space,
                            std::shared_ptr<const SlowerMachine> machine) {
  auto pricer = std::make_unique<TransitionPricer>(pipeline, machine->profile, *machine->model, space, schedules_);
  groups_.push_back({std::move(machine), std::move(pricer)});
}

std::vector<std::string> ErrorSource::names() const {
  std::vector<std::string> names;
  for (const Group& group : groups_) names.push_back(group.cells().name);
  if (has_errors()) names.emplace_back("what passes at the same time");
  return names;
}

bool ErrorSource::has_part(const Cells& cells, const Transition& transition) const {
  if (has_small_messages(transition)) return true;
  if (computes(transition.kind)) return cells.are_of(transition.subject);
  if (transition.meanwhile >= 0) return has_part_in_overlapped(cells, transition);
  if (cells.prices == Prices::all) return true;
  if (!moves_pixels(transition)) return cells.prices == Prices::all_else;
  if (cells.prices != Prices::transfers) return false;
  const bool is_shared = transition.algorithm == Algorithm::shared;  // then no model has a part in it
  const bool of_sharing = cells.path && is_through_shared_memory(*cells.path);
  if (is_shared || of_sharing) return is_shared && of_sharing;
  return model_.depends_on(*cells.path, transfer_kind(step_kind(transition.kind)).value());
}

/// What is computed meanwhile counts, too, and how much of the exchange is hidden by it.
bool ErrorSource::has_part_in_overlapped(const Cells& cells, const Transition& exchange) const {
  if (!cells.path) return cells.prices == Prices::all || cells.are_of(exchange.meanwhile);
  return is_of_exchange(*cells.path) || is_left_of_exchange(*cells.path) ||
         model_.depends_on(*cells.path, TransferKind::exchange);
}

/// Computing meanwhile costs the same where messages are slower, and is made from parts of a tile: it is found once.
TransitionTimes ErrorSource::slower_times(Group& group, TransitionPricer& pricer, const Transition& transition) {
  const bool computes_alike = group.cells().path && transition.meanwhile >= 0;
  const double seconds = computes_alike ? group.pricer->overlap(transition, pricer.known_in_parts(transition)).seconds()
                                        : group.pricer->price_seconds(transition);
  return group.pricer->times(transition, seconds);
}

ErrorEffects ErrorSource::effects(TransitionPricer& pricer, const std::vector<Transition>& path) {
  std::vector<TransitionTimes> times;
  for (const Transition& transition : path) {
    times.push_back(pricer.times(transition, pricer.price_seconds(transition)));
  }
  const double seconds = seconds_of(times);
  ErrorEffects effects;
  for (Group& group : groups_) {
    group.pricer->configure(pricer.configuration());
    std::vector<TransitionTimes> slower = times;
    for (std::size_t i = 0; i < path.size(); ++i) {
      if (has_part(group.cells(), path[i])) slower[i] = slower_times(group, pricer, path[i]);
    }
    effects.push_back(seconds_of(slower) - seconds);
  }
  double by_themselves = 0;
  for (const TransitionTimes& transition : times) by_themselves += transition.seconds;
  for (const Transition& transition : path) {
    if (transition.meanwhile >= 0) by_themselves += pricer.overlap(transition).hidden_s;
  }
  if (has_errors()) effects.push_back(uncertain_part_of_hidden * (by_themselves - seconds));
  return effects;
}

}  // namespace tilewright
