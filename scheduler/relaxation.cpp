#include "relaxation.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "tilewright/scheduler/rounding.hpp"

namespace tilewright {
namespace {

using Kind = Transition::Kind;

constexpr double infinity = std::numeric_limits<double>::infinity();

/// The root's own time; and where ranks are fed in turn, mostly that of the others, but with so much of the root's that
/// to work there alone does not seem to take less than to share the work.
std::vector<double> weights_of_root(const TransitionPricer& pricer) {
  if (!pricer.is_in_turn()) return {1};
  return {1, 1.2 / pricer.configuration().ranks};
}

/// A way is of no more interest when it takes as long as another one, or `enough`.
double least_of_ways(const std::vector<std::vector<Transition>>& ways, TransitionPricer& pricer, double weight_of_root,
                     double enough = infinity) {
  double least = infinity;
  for (const std::vector<Transition>& way : ways) {
    const double of_interest = std::min(least, enough);
    double sum = 0;
    for (auto transition = way.begin(); transition != way.end() && sum < of_interest; ++transition) {
      sum += pricer.least_added_seconds(*transition, weight_of_root, of_interest - sum);
    }
    least = std::min(least, sum);
  }
  return least;
}

}  // namespace

BoundParts least_of(BoundParts a, const BoundParts& b) {
  const auto take_least = [](std::vector<double>& values, const std::vector<double>& others) {
    std::transform(values.begin(), values.end(), others.begin(), values.begin(),
                   [](double one, double other) { return std::min(one, other); });
  };
  take_least(a.on_root, b.on_root);
  take_least(a.on_tiles, b.on_tiles);
  take_least(a.everywhere, b.everywhere);
  take_least(a.needs, b.needs);
  take_least(a.files, b.files);
  a.replication = std::min(a.replication, b.replication);
  return a;
}

/// What is fetched and computed on tiles takes a gathering and a delivery, or an allgather; of which the less of the
/// last two is charged with the output, wherever it is computed.
double Relaxation::seconds_beyond_delivery(const Need& need, TransitionPricer& pricer, double weight) {
  const double delivered_s = least_of_ways(need.then_delivered, pricer, weight);
  const double at_once_s = least_of_ways({need.or_at_once}, pricer, weight);
  const double charged_s = std::min(delivered_s, at_once_s);
  if (charged_s == infinity) return 0;
  return std::min(least_of_ways(need.ways, pricer, weight) + delivered_s, at_once_s) - charged_s;
}

double Relaxation::seconds_of(const Need& need, TransitionPricer& pricer, const View& view) const {
  const double weight = view.weight_of_root;
  if (!need.then_delivered.empty()) return seconds_beyond_delivery(need, pricer, weight);
  const double least = least_of_ways(need.ways, pricer, weight, view.enough);
  if (need.or_on_tiles.empty()) return least;
  double beyond_s = 0;
  for (const BoundNeeds::FileAccesses& file : need.or_on_tiles) {
    const double on_root_s = pricer.least_added_seconds(file.on_root, weight);
    const double on_tiles_s = least_of_ways(file.on_tiles, pricer, weight);
    if (on_tiles_s > on_root_s) beyond_s += on_tiles_s - on_root_s;
  }
  return std::min(least, beyond_s);
}

std::vector<BoundParts> Relaxation::parts(TransitionPricer& pricer, Counted counted) const {
  std::vector<BoundParts> views;
  for (const double weight : weights_of_root(pricer))
    views.push_back(parts(pricer, {.counted = counted, .weight_of_root = weight}));
  return views;
}

void Relaxation::count_more(std::vector<BoundParts>& parts, TransitionPricer& pricer, Counted known, Counted counted,
                            double enough) const {
  const std::vector<double> weights = weights_of_root(pricer);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    count(parts[i], pricer, {counted, enough, weights[i], known});
  }
}

BoundParts Relaxation::parts(TransitionPricer& pricer, const View& view) const {
  BoundParts parts;
  parts.on_root.reserve(needs_.operators.size());
  parts.on_tiles.reserve(needs_.operators.size());
  if (needs_.may_be_everywhere) parts.everywhere.assign(needs_.operators.size(), infinity);
  for (std::size_t i = 0; i < needs_.operators.size(); ++i) {
    const OperatorTask& task = needs_.operators[i];
    if (!pricer.is_in_turn()) {  // most configurations, quickly
      parts.on_root.push_back(pricer.computing_seconds(Site::root, task.image));
      parts.on_tiles.push_back(pricer.computing_seconds(Site::tiles, task.image));
      if (task.may_be_everywhere) parts.everywhere[i] = pricer.computing_seconds(Site::everywhere, task.image);
      continue;
    }
    parts.on_root.push_back(pricer.least_added_seconds({Kind::compute_root, task.image}, view.weight_of_root));
    parts.on_tiles.push_back(pricer.least_added_seconds({Kind::compute_tiles, task.image}, view.weight_of_root));
    if (!task.may_be_everywhere) continue;
    parts.everywhere[i] = pricer.least_added_seconds({Kind::compute_everywhere, task.image}, view.weight_of_root);
  }
  parts.needs.assign(needs_.of_tiles.size(), 0);
  parts.files.assign(needs_.reads.size() + needs_.outputs.size(), 0);
  count(parts, pricer, view);
  return parts;
}

/// The needs that the view counts, and does not know yet.
void Relaxation::count(BoundParts& parts, TransitionPricer& pricer, const View& view) const {
  const auto count_one = [&](const Need& need, double& seconds) {
    const bool is_known = view.known && need.counted <= *view.known;
    if (need.counted <= view.counted && !is_known) seconds = seconds_of(need, pricer, view);
  };
  const auto count_in = [&](const std::vector<Need>& needs, auto seconds) {
    for (const Need& need : needs) count_one(need, *seconds++);
    return seconds;
  };
  count_in(needs_.of_tiles, parts.needs.begin());
  count_in(needs_.outputs, count_in(needs_.reads, parts.files.begin()));
  if (needs_.replication) count_one(*needs_.replication, parts.replication);
}

double Relaxation::on_tiles(const OperatorTask& task, double work, const std::vector<double>& needs,
                            Counted counted) const {
  return with_needs(with_needs(work, task.results, needs, counted), task.inputs, needs, counted);
}

double Relaxation::with_needs(double work, const std::vector<std::size_t>& needs, const std::vector<double>& seconds,
                              Counted counted) const {
  for (const std::size_t need : needs) {
    if (needs_.of_tiles[need].counted <= counted) work += seconds[need];
  }
  return work;
}

double Relaxation::reading_seconds(const BoundParts& parts) const {
  return std::accumulate(parts.files.begin(), parts.files.begin() + std::ssize(needs_.reads), 0.0);
}

double Relaxation::output_seconds(const BoundParts& parts, std::size_t output, Counted counted) const {
  return needs_.outputs[output].counted <= counted ? parts.files[needs_.reads.size() + output] : 0;
}

Relaxation::Least Relaxation::least(const BoundParts& parts, Counted counted) const {
  Least least{reading_seconds(parts)};
  for (std::size_t i = 0; i < needs_.outputs.size(); ++i) least.seconds += output_seconds(parts, i, counted);
  for (std::size_t i = 0; i < needs_.operators.size(); ++i) {
    const double there = on_tiles(needs_.operators[i], parts.on_tiles[i], parts.needs, counted);
    const double anywhere = std::min(parts.on_root[i], there);
    least.seconds += anywhere;
    least.more_on_tiles = std::min(least.more_on_tiles, there - anywhere);
  }
  return least;
}

/// Of plans in which at least one operator works everywhere. Whoever does not has to deliver what is fetched of its
/// results; if all of them do, something was brought to all ranks.
double Relaxation::least_everywhere(const BoundParts& parts, Counted counted) const {
  if (parts.everywhere.empty()) return infinity;
  double seconds = reading_seconds(parts);
  for (std::size_t i = 0; i < needs_.outputs.size(); ++i) {
    if (!needs_.is_delivered_result[i]) seconds += output_seconds(parts, i, counted);
  }
  double more_everywhere = infinity;
  double more_delivered = infinity;
  for (std::size_t i = 0; i < parts.everywhere.size(); ++i) {
    const OperatorTask& task = needs_.operators[i];
    double elsewhere = std::min(parts.on_root[i], with_needs(parts.on_tiles[i], task.anyhow, parts.needs, counted));
    for (const std::size_t output : task.deliveries) elsewhere += output_seconds(parts, output, counted);
    const double anywhere = std::min(elsewhere, parts.everywhere[i]);
    if (anywhere == infinity) return infinity;
    seconds += anywhere;
    more_everywhere = std::min(more_everywhere, parts.everywhere[i] - anywhere);
    if (!task.deliveries.empty()) more_delivered = std::min(more_delivered, elsewhere - anywhere);
  }
  return seconds + more_everywhere + std::min(parts.replication, more_delivered);
}

double Relaxation::bound_of(const BoundParts& parts, Counted counted) const {
  const double nowhere_on_all = least(parts, counted).seconds;
  return std::min(nowhere_on_all, least_everywhere(parts, counted)) * (1 - rounding);
}

double Relaxation::bound(TransitionPricer& pricer, Counted counted) const {
  return bound(parts(pricer, counted), pricer.configuration().ranks, counted);
}

double Relaxation::bound(const std::vector<BoundParts>& views, int ranks, Counted counted) const {
  double largest = 0;
  for (const BoundParts& parts : views) largest = std::max(largest, bound(parts, ranks, counted));
  return largest;
}

double Relaxation::bound(const BoundParts& parts, int ranks, Counted counted) const {
  const Least least = this->least(parts, counted);
  const double bound = least.seconds * (1 - rounding);
  if (ranks == 1 || needs_.operators.empty()) return bound;
  const double more = bound == infinity || !is_one_on_tiles(ranks) ? 0 : least.more_on_tiles * (1 - rounding);
  return std::min(bound + more, least_everywhere(parts, counted) * (1 - rounding));
}

/// Whether at least one operator has to work on the tiles, or everywhere.
bool Relaxation::is_one_on_tiles(int ranks) const {
  return ranks > 1 && !needs_.operators.empty() && !needs_.has_tiled_sources;
}

CostTerms Relaxation::terms(const std::vector<BoundParts>& views, int ranks, Counted counted, double bound_s) const {
  const auto makes_it = [&](const BoundParts& parts) { return bound(parts, ranks, counted) == bound_s; };
  const BoundParts& parts = *std::find_if(views.begin(), views.end() - 1, makes_it);
  if (counted == Counted::work) return terms_of_work(parts, bound_s);
  if (ranks > 1 && least_everywhere(parts, counted) * (1 - rounding) == bound_s)
    return terms_everywhere(parts, counted);
  return terms_of_least(parts, counted, is_one_on_tiles(ranks));
}

/// Files are the same wherever operators work, and the rest is computing: there are too many of these bounds to go
/// through the operators of each once more.
CostTerms Relaxation::terms_of_work(const BoundParts& parts, double bound_s) const {
  CostTerms terms;
  terms.add(StepKind::read, reading_seconds(parts));
  for (std::size_t i = 0; i < needs_.outputs.size(); ++i) add_output(terms, parts, i, Counted::work);
  terms.add(StepKind::compute, std::max(0.0, bound_s - terms.of(StepKind::read) - terms.of(StepKind::write)));
  return terms;
}

void Relaxation::add_needs(CostTerms& terms, const std::vector<std::size_t>& needs, const BoundParts& parts,
                           Counted counted) const {
  for (const std::size_t i : needs) {
    const Need& need = needs_.of_tiles[i];
    if (need.counted <= counted) terms.add(need.term, parts.needs[i]);
  }
}

void Relaxation::add_output(CostTerms& terms, const BoundParts& parts, std::size_t output, Counted counted) const {
  terms.add(needs_.outputs[output].term, output_seconds(parts, output, counted));
}

/// As least(), and with the operator on the tiles that takes least more there.
CostTerms Relaxation::terms_of_least(const BoundParts& parts, Counted counted, bool is_one_on_tiles) const {
  CostTerms terms;
  terms.add(StepKind::read, reading_seconds(parts));
  for (std::size_t i = 0; i < needs_.outputs.size(); ++i) add_output(terms, parts, i, counted);
  std::size_t on_tiles_anyhow = needs_.operators.size();
  double least_more = infinity;
  const auto more_on_tiles = [&](std::size_t i) {
    return on_tiles(needs_.operators[i], parts.on_tiles[i], parts.needs, counted) - parts.on_root[i];
  };
  for (std::size_t i = 0; i < needs_.operators.size() && is_one_on_tiles; ++i) {
    const double more = std::max(0.0, more_on_tiles(i));
    if (more < least_more) on_tiles_anyhow = i;
    least_more = std::min(least_more, more);
  }
  for (std::size_t i = 0; i < needs_.operators.size(); ++i) {
    const bool is_on_tiles = more_on_tiles(i) < 0 || i == on_tiles_anyhow;
    terms.add(StepKind::compute, is_on_tiles ? parts.on_tiles[i] : parts.on_root[i]);
    if (!is_on_tiles) continue;
    add_needs(terms, needs_.operators[i].results, parts, counted);
    add_needs(terms, needs_.operators[i].inputs, parts, counted);
  }
  return terms;
}

/// As least_everywhere(). What is added there for one operator to work everywhere counts as computing, and for
/// something to come to all ranks as sending it.
CostTerms Relaxation::terms_everywhere(const BoundParts& parts, Counted counted) const {
  CostTerms terms;
  terms.add(StepKind::read, reading_seconds(parts));
  for (std::size_t i = 0; i < needs_.outputs.size(); ++i) {
    if (!needs_.is_delivered_result[i]) add_output(terms, parts, i, counted);
  }
  double more_everywhere = infinity;
  double more_delivered = infinity;
  for (std::size_t i = 0; i < parts.everywhere.size(); ++i) {
    const OperatorTask& task = needs_.operators[i];
    const double on_tiles_s = with_needs(parts.on_tiles[i], task.anyhow, parts.needs, counted);
    double elsewhere = std::min(parts.on_root[i], on_tiles_s);
    for (const std::size_t output : task.deliveries) elsewhere += output_seconds(parts, output, counted);
    const double anywhere = std::min(elsewhere, parts.everywhere[i]);
    more_everywhere = std::min(more_everywhere, parts.everywhere[i] - anywhere);
    if (!task.deliveries.empty()) more_delivered = std::min(more_delivered, elsewhere - anywhere);
    if (parts.everywhere[i] <= elsewhere) {
      terms.add(StepKind::compute, parts.everywhere[i]);
      continue;
    }
    for (const std::size_t output : task.deliveries) add_output(terms, parts, output, counted);
    const bool is_on_tiles = on_tiles_s < parts.on_root[i];
    terms.add(StepKind::compute, is_on_tiles ? parts.on_tiles[i] : parts.on_root[i]);
    if (is_on_tiles) add_needs(terms, task.anyhow, parts, counted);
  }
  terms.add(StepKind::compute, more_everywhere);
  terms.add(StepKind::scatter, std::min(parts.replication, more_delivered));
  return terms;
}

double Relaxation::least_redistribution(TransitionPricer& pricer) const {
  double least = infinity;
  for (const int image : needs_.redistributed) {
    for (const int grid : {0, 1}) {
      least = std::min(least, pricer.least_seconds({.kind = Kind::redistribute, .subject = image, .grid = grid}));
    }
  }
  return least * (1 - rounding);
}

}  // namespace tilewright
