#include "extrapolation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "measured_messages.hpp"
#include "models/point_to_point_model.hpp"
#include "overlap.hpp"

namespace tilewright {
namespace {

using KeyAndType = std::pair<std::string, PixelType>;

/// Parameters and tiles that an operator was measured with.
struct OperatorRange {
  std::optional<Range> parameters;
  std::optional<Range> pixels;
};

std::map<KeyAndType, OperatorRange> measured_operators(const MachineProfile& profile) {
  std::map<KeyAndType, OperatorRange> ranges;
  for (const OperatorCell& cell : profile.operators()) {
    OperatorRange& range = ranges[{cell.key, cell.type}];
    add_to(range.parameters, cell.parameter);
    add_to(range.pixels, cell.tile_pixels);
  }
  return ranges;
}

std::string operator_note(const UnitCost& unit, const OperatorRange& measured) {
  const std::string what = fmt::format("extrapolated: {} of {}", unit.key, to_string(unit.type));
  const Range& parameters = *measured.parameters;
  if (unit.parameter < parameters.least || unit.parameter > parameters.most) {
    return fmt::format("{} with {:g} taps, measured with {:g} to {:g}", what, unit.parameter, parameters.least,
                       parameters.most);
  }
  const Range& pixels = *measured.pixels;
  if (unit.pixels > tolerated_factor * pixels.most || unit.pixels * tolerated_factor < pixels.least) {
    return fmt::format("{} on {:.3g} pixels, measured on {:.3g} to {:.3g}", what, unit.pixels, pixels.least,
                       pixels.most);
  }
  return {};
}

/// On which paths the messages of a transfer are priced: what CostModel::transfer_seconds() asks for.
template <class Add>
void add_messages(const ClassifiedSchedule& transfer, Add&& add) {
  const TransferKind kind = transfer.schedule.spec.kind;
  std::size_t index = 0;
  for (std::size_t round = 0; round < transfer.schedule.rounds.size(); ++round) {
    const std::size_t end = index + transfer.schedule.rounds[round].size();
    for (; index < end; ++index) {
      const MessageForm& form = transfer.forms[transfer.form_of[index]];
      if (goes_along_tree(kind)) {
        add(path_of_root(kind), form);
        add(Path::full, form);
      } else {
        add(kind == TransferKind::exchange ? path_of_round(transfer.shifts[round]) : Path::shift, form);
      }
    }
  }
}

std::vector<std::string> notes_on_operators(const TransitionPricer& pricer, const MachineProfile& profile) {
  std::vector<std::string> notes;
  const auto measured = measured_operators(profile);
  for (const UnitCost& unit : pricer.units_priced()) {
    const auto range = measured.find({unit.key, unit.type});
    if (range == measured.end()) continue;  // not known at all, which the plan says elsewhere
    std::string note = operator_note(unit, range->second);
    if (!note.empty() && std::find(notes.begin(), notes.end(), note) == notes.end()) notes.push_back(std::move(note));
  }
  return notes;
}

/// Of a transfer by messages, each form once on each path.
void add_transfer(BeyondMeasured& beyond, const CostModel& model, const ClassifiedSchedule& transfer, Packing packing) {
  std::set<std::pair<Path, const MessageForm*>> seen;
  add_messages(transfer, [&](Path path, const MessageForm& form) {
    if (!seen.emplace(path, &form).second) return;
    MessageForm packed = form;
    packed.packing = packing;
    for (const PathCell& wanted : model.wanted_cells(path, packed)) beyond.add(wanted);
  });
}

std::vector<std::string> notes_on_messages(TransitionPricer& pricer, const MachineProfile& profile,
                                           const CostModel& model, const std::vector<Transition>& path,
                                           KnownSchedules& schedules) {
  BeyondMeasured beyond(profile);
  for (const Transition& transition : path) {
    if (pricer.is_in_turn() && transition.kind == Transition::Kind::compute_tiles) {
      const std::int64_t bytes = pricer.bytes_of_others_tile(transition);
      beyond.add({Path::collected, Layout::cc, bytes, {}, Packing::blocked});
    }
    if (!moves_pixels(transition) || transition.algorithm == Algorithm::shared) continue;
    const TransferSpec spec = pricer.spec(transition);
    add_transfer(beyond, model, schedules.of(spec), spec.packing);
    const auto left_of_exchange = transition.meanwhile >= 0 ? wanted_of_hidden(profile, spec) : std::nullopt;
    if (left_of_exchange) beyond.add(*left_of_exchange);
  }
  return beyond.notes();
}

/// Two ranks and their messages do not tell how many share links and switches.
std::optional<std::string> note_on_ranks(const MachineProfile& profile, int ranks) {
  const int calibrated = profile.fingerprint().ranks;
  if (calibrated < 1 || ranks <= calibrated) return std::nullopt;
  return fmt::format("extrapolated: {} ranks, calibrated with {}", ranks, calibrated);
}

}  // namespace

std::vector<std::string> extrapolations(const Pipeline& pipeline, const MachineProfile& profile, const CostModel& model,
                                        const SearchSpace& space, const Configuration& configuration,
                                        const std::vector<Transition>& path,
                                        std::shared_ptr<KnownSchedules> schedules) {
  TransitionPricer pricer(pipeline, profile, model, space, schedules);
  pricer.configure(configuration);
  for (const Transition& transition : path) (void)pricer.price(transition);
  std::vector<std::string> notes = notes_on_operators(pricer, profile);
  if (configuration.ranks == 1) return notes;
  if (auto note = note_on_ranks(profile, configuration.ranks)) notes.push_back(*std::move(note));
  std::ranges::move(notes_on_messages(pricer, profile, model, path, *schedules), std::back_inserter(notes));
  return notes;
}

}  // namespace tilewright
