#include "tie_zone.hpp"

#include <algorithm>
#include <utility>

#include "node_use.hpp"
#include "share_out.hpp"
#include "simplicity.hpp"
#include "wishes.hpp"

namespace tilewright {
namespace {

/// What a simpler plan may take longer than the fastest, as a part of its time: a poor measurement is no reason to
/// expect that a plan which looks half as fast is as good.
constexpr double most_given_up = 0.05;

/// Told without their plans.
bool may_be_simpler(const Candidate& candidate, const Candidate& than) {
  if (candidate.changes_grid() != than.changes_grid()) return than.changes_grid();
  return candidate.configuration.ranks <= than.configuration.ranks;
}

/// The candidates near the best one, from which it is told by what both have in common, and the simplest of those from
/// which it cannot be told so far.
class Zone {
 public:
  Zone(const SearchSpace& space, Search& search, Choice best, CandidateErrors& errors, const PlanMaker& make)
      : space_(space),
        search_(search),
        errors_(errors),
        make_(make),
        best_(std::move(best)),
        best_seconds_(search[best_.index].path->seconds) {
    best_.effects = errors.of(0, best_.index);
    const double error_s = standard_error(best_.effects);
    if (errors.source().has_errors()) best_.plan.uncertainty_seconds = error_s;
    widest_s_ = std::min(error_s, most_given_up * best_seconds_);
    choice_ = best_;
  }

  [[nodiscard]] const Choice& choice() const { return choice_; }

  [[nodiscard]] bool may_be_chosen(std::size_t i) const {
    const bool is_within = search_[i].is_possible() && search_[i].least_seconds <= best_seconds_ + widest_s_;
    return is_within && i != best_.index && may_be_simpler(search_[i], search_[choice_.index]) &&
           are_comparable(search_[i], search_[best_.index], space_);
  }

  void look_at(const std::vector<std::size_t>& indices) {
    std::vector<ErrorEffects> effects(indices.size());
    search_.price_within(indices, best_seconds_ + widest_s_, [&](std::size_t worker, std::size_t position) {
      if (is_near(indices[position])) effects[position] = errors_.of(worker, indices[position]);
    });
    for (std::size_t i = 0; i < indices.size(); ++i) {
      if (is_near(indices[i]) && may_be_chosen(indices[i])) consider(indices[i], std::move(effects[i]));
    }
  }

 private:
  [[nodiscard]] bool is_near(std::size_t i) const {
    return search_[i].path && more_seconds(i) <= widest_s_ && !takes_too_many_node_hours(search_[i], space_);
  }

  void consider(std::size_t i, ErrorEffects effects) {
    const double zone_s = std::min(widest_s_, standard_error_of_difference(effects, best_.effects));
    if (more_seconds(i) > zone_s) return;
    Plan plan = make_(search_[i]);
    if (!fits(plan, space_) || complexity_of(plan) >= complexity_of(choice_.plan)) return;
    if (best_.plan.uncertainty_seconds) plan.uncertainty_seconds = standard_error(effects);
    if (more_seconds(i) > 0) plan.tie = TieZone{best_seconds_, search_[best_.index].configuration.grid, zone_s};
    choice_ = {i, std::move(plan), std::move(effects)};
  }

  /// Than the best one takes.
  [[nodiscard]] double more_seconds(std::size_t i) const { return search_[i].path->seconds - best_seconds_; }

  const SearchSpace& space_;
  Search& search_;
  CandidateErrors& errors_;
  const PlanMaker& make_;
  Choice best_;
  double best_seconds_;
  double widest_s_ = 0;
  Choice choice_;
};

}  // namespace

CandidateErrors::CandidateErrors(const Pipeline& pipeline, const MachineProfile& profile, const CostModel& model,
                                 const SearchSpace& space, Search& search)
    : make_source_([&](std::size_t worker) {
        return std::make_unique<ErrorSource>(source(), pipeline, space, search.finder_of(worker).schedules());
      }),
      search_(search),
      sources_(static_cast<std::size_t>(worker_count())) {
  sources_.front() = std::make_unique<ErrorSource>(pipeline, profile, model, space, search.finder_of(0).schedules());
}

ErrorEffects CandidateErrors::of(std::size_t worker, std::size_t index) {
  std::unique_ptr<ErrorSource>& source = sources_[worker];
  if (!source) source = make_source_(worker);
  TransitionPricer& pricer = search_.finder_of(worker).pricer();
  pricer.configure(search_[index].configuration);
  return source->effects(pricer, search_.transitions(search_[index]));
}

/// Looks at some candidates at a time, whatever the number of processors: what is found simpler saves the next ones
/// their prices.
Choice simplest_in_tie_zone(const SearchSpace& space, Search& search, const Choice& best, CandidateErrors& errors,
                            const PlanMaker& make) {
  constexpr std::size_t at_a_time = 32;
  Zone zone(space, search, best, errors, make);
  std::vector<std::size_t> next;
  for (std::size_t i = 0; i < search.size(); ++i) {  // one grid before two, fewer ranks first
    if (zone.may_be_chosen(i)) next.push_back(i);
    if (next.size() == at_a_time) zone.look_at(std::exchange(next, {}));
  }
  zone.look_at(next);
  return zone.choice();
}

}  // namespace tilewright
