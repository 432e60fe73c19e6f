// How far the predicted time of a plan, and the difference between two, may be off because measurements scatter.
//
// The time of a plan is a function of the profile's cells. Cells of one path, or of one operator's key, are taken to be
// wrong together: they were measured in the same moments, neighbouring sizes are interpolated from the same cells, and
// what is strided is priced as the contiguous message and an addition. So each such group is made slower by its
// standard errors, all steps of the plan are priced again, and what that changes is the effect of the group, however
// many steps it has a part in (the cheapest packing is chosen anew). Groups are independent: effects add up as squares.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "transition_costs.hpp"

namespace tilewright {

/// By group of cells, the seconds by which a plan takes longer when they do; last those of what is to pass at the same
/// time, and may not.
using ErrorEffects = std::vector<double>;

/// The root of the sum of squares. Seconds.
[[nodiscard]] double standard_error(const ErrorEffects& effects);
/// Of the difference between two plans: what both have in common makes no difference. Seconds.
[[nodiscard]] double standard_error_of_difference(const ErrorEffects& a, const ErrorEffects& b);

/// Refers to all that it is given.
class ErrorSource {
 public:
  ErrorSource(const Pipeline& pipeline, const MachineProfile& profile, const CostModel& model, const SearchSpace& space,
              std::shared_ptr<KnownSchedules> schedules);

  /// The same for another thread, with schedules of its own.
  ErrorSource(const ErrorSource& other, const Pipeline& pipeline, const SearchSpace& space,
              std::shared_ptr<KnownSchedules> schedules);

  /// False if every cell is exact, as far as the profile says.
  [[nodiscard]] bool has_errors() const { return !groups_.empty(); }
  /// What the groups of cells are, in the order of the effects: "messages (send)", "write_tiff".
  [[nodiscard]] std::vector<std::string> names() const;
  /// Of the plan that consists of these transitions, in the configuration of the pricer, which knows the profile as it
  /// is. All plans of one source can be compared.
  [[nodiscard]] ErrorEffects effects(TransitionPricer& pricer, const std::vector<Transition>& path);

 private:
  enum class Prices : char { transfers, all_else, all };
  /// A group of cells.
  struct Cells {
    std::string name;
    Prices prices;                     ///< that it has a part in
    std::optional<Path> path;          ///< of transfers
    std::vector<bool> operators = {};  ///< of anything else, by image: those of whose costs it has a part
    [[nodiscard]] bool are_of(int image) const { return !path && operators[static_cast<std::size_t>(image)]; }
  };
  /// The machine with one of them slower.
  struct SlowerMachine {
    Cells cells;
    MachineProfile profile;
    std::unique_ptr<CostModel> model = nullptr;
  };
  struct Group {
    std::shared_ptr<const SlowerMachine> machine;  ///< of all threads
    std::unique_ptr<TransitionPricer> pricer;
    [[nodiscard]] const Cells& cells() const { return machine->cells; }
  };
  void add_group(const Pipeline& pipeline, const SearchSpace& space, Cells cells, MachineProfile profile);
  void add_group(const Pipeline& pipeline, const SearchSpace& space, std::shared_ptr<const SlowerMachine> machine);
  /// By the group's machine; the pricer knows the machine as it is.
  [[nodiscard]] static TransitionTimes slower_times(Group& group, TransitionPricer& pricer,
                                                    const Transition& transition);
  [[nodiscard]] bool has_part(const Cells& cells, const Transition& transition) const;
  [[nodiscard]] bool has_part_in_overlapped(const Cells& cells, const Transition& exchange) const;

  const CostModel& model_;
  std::shared_ptr<KnownSchedules> schedules_;
  std::vector<Group> groups_;
};

}  // namespace tilewright
