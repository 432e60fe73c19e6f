#include "relaxation.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <ranges>
#include <set>

#include "serving_all.hpp"

namespace tilewright {
namespace {

using Kind = Transition::Kind;

constexpr double infinity = std::numeric_limits<double>::infinity();

/// The sums are of other order than a path's.
constexpr double rounding = 1e-9;

/// Of many ranks: a way that takes as long as another one is left as soon as it does, and a flat tree has the most
/// messages.
auto quickest_first(std::span<const Algorithm> algorithms) {
  return std::views::reverse(algorithms);
}

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
  for (const FileAccesses& file : need.or_on_tiles) {
    const double on_root_s = pricer.least_added_seconds(file.on_root, weight);
    const double on_tiles_s = least_of_ways(file.on_tiles, pricer, weight);
    if (on_tiles_s > on_root_s) beyond_s += on_tiles_s - on_root_s;
  }
  return std::min(least, beyond_s);
}

Relaxation::Relaxation(const Pipeline& pipeline, int generations, Offer offer, std::map<int, double> alone)
    : pipeline_(pipeline),
      offer_(std::move(offer)),
      alone_(std::move(alone)),
      depths_(pipeline, generations),
      has_tiled_sources_(grid_of_sources(pipeline).has_value()) {
  if (offer_.everywhere && serves_all(pipeline)) serving_all_ = images_serving_all(pipeline);
  for (int i = 0; i < static_cast<int>(pipeline.images.size()); ++i) {
    alike_.push_back(alike(i));
  }
  for (const Task& task : pipeline.tasks) {
    if (task.kind == Task::Kind::output) {
      add_output(task.index);
    } else if (pipeline.image(task.index).source) {
      reads_.push_back(reading(task.index));
    } else {
      add_operator(task.index);
    }
  }
  if (!serving_all_.empty()) add_everywhere();
}

/// The first image whose transfers cost the same, whatever the depth of its halo.
int Relaxation::alike(int image) const {
  const auto shape_of = [&](int i) { return pipeline_.image(i).shape; };
  if (alone_.contains(image)) return image;
  int first = 0;
  while (shape_of(first) != shape_of(image) || depths_.of(first) != depths_.of(image) || alone_.contains(first) ||
         pipeline_.is_fetched(first) != pipeline_.is_fetched(image)) {
    ++first;
  }
  return first;
}

/// To get into shared memory takes an image of a file less than one that is in memory.
int Relaxation::distributed_as(int image, Algorithm algorithm) const {
  return algorithm == Algorithm::shared ? image : alike_[static_cast<std::size_t>(image)];
}

void Relaxation::add_operator(int image) {
  OperatorTask task{image, {}, {}};
  task.may_be_everywhere = may_be_everywhere(image);
  // What may have come to all ranks for another operator is charged to nobody beside that.
  const auto need = [&](std::vector<std::size_t>& needs, const Need& ways, bool comes_anyhow) {
    needs.push_back(index_of(ways));
    if (comes_anyhow) task.anyhow.push_back(needs.back());
  };
  const PipelineImage& result = pipeline_.image(image);
  std::vector<int> inputs;  // each once
  for (const int input : result.inputs) {
    if (std::find(inputs.begin(), inputs.end(), input) != inputs.end()) continue;
    inputs.push_back(input);
    const PipelineImage& read = pipeline_.image(input);
    const bool of_root = read.source && !is_tiled_source(read);
    // Who fetches the image may get it by the same broadcast, and pays for it.
    if (of_root && !pipeline_.is_fetched(input) && is_first_reader(image, input))
      need(task.inputs, distribution(input), !may_be_everywhere(input));
    // A border that can come along with the tiles, or be computed beyond them, need not be paid for.
    if (is_first_with_halo(image, input) && !depths_.first_filled(input))
      need(task.inputs, border(input), !may_be_everywhere(input));
  }
  for (int made = image; made < image + pipeline_.results(image); ++made) {
    if (!is_wanted_on_root(made)) continue;
    need(task.results, gathering(made), pipeline_.is_fetched(made) || !may_be_everywhere(made));
  }
  operators_.push_back(std::move(task));
}

bool Relaxation::may_be_everywhere(int image) const {
  return !serving_all_.empty() && serving_all_[static_cast<std::size_t>(image)];
}

/// What operators that may work everywhere are made of, and what has to be delivered if they do not. What they read
/// comes to all ranks by one move at least, unless that is computed there, too; of a source that is fetched it is
/// charged as delivery.
void Relaxation::add_everywhere() {
  Need move{Counted::results, {}};
  bool is_charged = false;
  is_delivered_result_.assign(outputs_.size(), false);
  for (OperatorTask& task : operators_) {
    const int end = task.image + pipeline_.results(task.image);
    for (std::size_t output = 0; output < fetched_.size(); ++output) {
      if (fetched_[output] < task.image || fetched_[output] >= end) continue;
      task.deliveries.push_back(output);
      is_delivered_result_[output] = true;
    }
    if (!task.may_be_everywhere) continue;
    for (const int input : pipeline_.image(task.image).inputs) {
      const bool is_source = pipeline_.image(input).source != nullptr;
      is_charged = is_charged || (is_source && pipeline_.is_fetched(input));
      for (Way& way : deliveries(input)) move.ways.push_back(std::move(way));
      move.ways.push_back(allgather(input));
    }
  }
  if (!is_charged) replication_ = std::move(move);
}

Relaxation::Need Relaxation::gathering(int image) const {
  Need gather{Counted::results, {}, writings_on_tiles(image)};
  for (const Algorithm algorithm : quickest_first(offer_.algorithms)) {
    for (int depth = 0; depth < static_cast<int>(depths_.of(image).size()); ++depth) {
      gather.ways.push_back({{.kind = Kind::gather,
                              .subject = alike_[static_cast<std::size_t>(image)],
                              .algorithm = algorithm,
                              .depth = depth}});
    }
  }
  if (!pipeline_.is_fetched(image)) return gather;
  gather.then_delivered = deliveries(image);
  gather.or_at_once = allgather(image);
  return gather;
}

std::vector<Relaxation::Way> Relaxation::deliveries(int image) const {
  std::vector<Way> ways;
  for (const Algorithm algorithm : quickest_first(offer_.algorithms)) {
    ways.push_back({{Kind::deliver, distributed_as(image, algorithm), algorithm}});
  }
  return ways;
}

/// It takes as long at any depth of the tiles' halos.
Relaxation::Way Relaxation::allgather(int image) const {
  return {{Kind::allgather, alike_[static_cast<std::size_t>(image)]}};
}

void Relaxation::add_output(int output) {
  const PipelineOutput& wish = pipeline_.output(output);
  Need need{Counted::results, {}};
  switch (wish.kind) {
    case OutputKind::keep:
      return;
    case OutputKind::write:
      need = {Counted::work, {{{Kind::write, output}}}};
      if (offer_.writes_in_parts(output)) need.ways.push_back({{Kind::write_tiles, output}});
      break;
    case OutputKind::fetch:
      if (is_fetched_before(output)) return;  // it is there already
      need.ways = deliveries(wish.image);
      need.ways.push_back(allgather(wish.image));
      break;
    case OutputKind::reduce:
      for (const Algorithm algorithm : all_trees) {
        need.ways.push_back({{Kind::reduce_root, output, algorithm}});
        need.ways.push_back({{Kind::reduce_tiles, output, algorithm}});
      }
      break;
  }
  outputs_.push_back(std::move(need));
  fetched_.push_back(wish.kind == OutputKind::fetch ? wish.image : -1);
}

/// None if the root has to have the image anyway.
std::vector<Relaxation::FileAccesses> Relaxation::writings_on_tiles(int image) const {
  std::vector<FileAccesses> all;
  for (int output = 0; output < static_cast<int>(pipeline_.outputs.size()); ++output) {
    const PipelineOutput& wish = pipeline_.output(output);
    if (wish.image != image || wish.kind == OutputKind::reduce) continue;
    if (!offer_.writes_in_parts(output)) return {};
    all.push_back({{Kind::write, output}, {{{Kind::write_tiles, output}}}});
  }
  return all;
}

/// Whoever needs it first, and wherever.
Relaxation::Need Relaxation::reading(int image) const {
  Need need{Counted::work, {{{Kind::read, image}}}};
  if (!offer_.reads_in_parts(image)) return need;
  for (Way& way : readings_on_tiles(image)) need.ways.push_back(std::move(way));
  return need;
}

std::vector<Relaxation::Way> Relaxation::readings_on_tiles(int image) const {
  std::vector<Way> ways;
  for (int depth = 0; depth < static_cast<int>(depths_.of(image).size()); ++depth) {
    ways.push_back({{.kind = Kind::read_tiles, .subject = image, .depth = depth}});
    if (depths_.first_filled(image))
      ways.push_back({{.kind = Kind::read_tiles, .subject = image, .depth = depth, .filled = true}});
  }
  return ways;
}

Relaxation::Need Relaxation::distribution(int image) const {
  const auto depths = static_cast<int>(depths_.of(image).size());
  Need need{Counted::distributions, {}, {}};
  if (offer_.reads_in_parts(image)) need.or_on_tiles.push_back({{Kind::read, image}, readings_on_tiles(image)});
  for (const Algorithm algorithm : quickest_first(offer_.algorithms)) {
    const int subject = distributed_as(image, algorithm);
    for (int depth = 0; depth < depths; ++depth) {
      need.ways.push_back({{.kind = Kind::scatter, .subject = subject, .algorithm = algorithm, .depth = depth}});
      if (depths_.first_filled(image))
        need.ways.push_back(
            {{.kind = Kind::scatter, .subject = subject, .algorithm = algorithm, .depth = depth, .filled = true}});
    }
    need.ways.push_back({{Kind::broadcast, subject, algorithm}});
  }
  return need;
}

/// By an exchange, or cut out of the whole image, which has been sent to every rank. What the latter takes is charged
/// as distribution of an image of the root's, and as delivery of one that is fetched.
Relaxation::Need Relaxation::border(int image) const {
  const int subject = alike_[static_cast<std::size_t>(image)];
  const bool of_root = pipeline_.image(image).source != nullptr;
  Need need{Counted::borders, {}};
  const std::vector<int> readers = offer_.overlaps ? readers_with_halo(image) : std::vector<int>{};
  for (int depth = 0; depth < static_cast<int>(depths_.of(image).size()); ++depth) {
    need.ways.push_back({{.kind = Kind::exchange, .subject = subject, .depth = depth}});
    for (const int reader : readers)
      need.ways.push_back({{.kind = Kind::exchange, .subject = subject, .depth = depth, .meanwhile = reader}});
    if (is_wrapped(image))
      need.ways.push_back({{.kind = Kind::exchange, .subject = subject, .cyclic = true, .depth = depth}});
  }
  const Transition extraction{Kind::extract, subject};
  if (of_root || pipeline_.is_fetched(image)) {
    need.ways.push_back({extraction});
    return need;
  }
  for (Way& way : deliveries(image)) {
    way.push_back(extraction);
    need.ways.push_back(std::move(way));
  }
  return need;
}

bool Relaxation::is_first_reader(int reader, int image) const {
  return std::none_of(pipeline_.images.begin(), pipeline_.images.begin() + reader,
                      [&](const PipelineImage& earlier) { return earlier.reads(image); });
}

bool Relaxation::is_first_with_halo(int reader, int image) const {
  const auto has_halo = [](const PipelineImage& result) { return result.op && !result.op->halo().empty(); };
  return has_halo(pipeline_.image(reader)) &&
         std::none_of(pipeline_.images.begin(), pipeline_.images.begin() + reader,
                      [&](const PipelineImage& earlier) { return has_halo(earlier) && earlier.reads(image); });
}

/// Of those that are the same operator on alike images, the first.
std::vector<int> Relaxation::readers_with_halo(int image) const {
  std::vector<int> readers;
  for (const int reader : pipeline_.readers(image)) {
    if (!pipeline_.image(reader).op->halo().empty()) readers.push_back(first_alike_reader(reader));
  }
  return readers;
}

int Relaxation::first_alike_reader(int reader) const {
  const PipelineImage& image = pipeline_.image(reader);
  const std::vector<ImageShape> inputs = pipeline_.input_shapes(reader);
  const std::string operation = image.op->describe();
  int first = 0;
  const auto is_alike = [&](int other) {
    const PipelineImage& result = pipeline_.image(other);
    const bool may_be = result.op && result.result == 0 && result.shape == image.shape;
    return may_be && pipeline_.input_shapes(other) == inputs && result.op->describe() == operation;
  };
  while (first < reader && !is_alike(first)) ++first;
  return first;
}

bool Relaxation::is_wrapped(int image) const {
  const std::vector<int> readers = pipeline_.readers(image);
  return std::any_of(readers.begin(), readers.end(),
                     [&](int reader) { return pipeline_.image(reader).op->border() == Border::wrap; });
}

bool Relaxation::is_wanted_on_root(int image) const {
  return std::any_of(pipeline_.outputs.begin(), pipeline_.outputs.end(), [&](const PipelineOutput& output) {
    const bool stays = output.kind == OutputKind::keep && offer_.keeps_in_place;
    return output.image == image && output.kind != OutputKind::reduce && !stays;
  });
}

bool Relaxation::is_fetched_before(int output) const {
  const auto end = pipeline_.outputs.begin() + output;
  return std::any_of(pipeline_.outputs.begin(), end, [&](const PipelineOutput& earlier) {
    return earlier.image == end->image && earlier.kind == OutputKind::fetch;
  });
}

std::size_t Relaxation::index_of(const Need& need) {
  const auto known = std::find(needs_.begin(), needs_.end(), need);
  if (known != needs_.end()) return static_cast<std::size_t>(known - needs_.begin());
  needs_.push_back(need);
  return needs_.size() - 1;
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
  parts.on_root.reserve(operators_.size());
  parts.on_tiles.reserve(operators_.size());
  if (!serving_all_.empty()) parts.everywhere.assign(operators_.size(), infinity);
  for (std::size_t i = 0; i < operators_.size(); ++i) {
    const OperatorTask& task = operators_[i];
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
  parts.needs.assign(needs_.size(), 0);
  parts.files.assign(reads_.size() + outputs_.size(), 0);
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
  count_in(needs_, parts.needs.begin());
  count_in(outputs_, count_in(reads_, parts.files.begin()));
  if (replication_) count_one(*replication_, parts.replication);
}

double Relaxation::on_tiles(const OperatorTask& task, double work, const std::vector<double>& needs,
                            Counted counted) const {
  return with_needs(with_needs(work, task.results, needs, counted), task.inputs, needs, counted);
}

double Relaxation::with_needs(double work, const std::vector<std::size_t>& needs, const std::vector<double>& seconds,
                              Counted counted) const {
  for (const std::size_t need : needs) {
    if (needs_[need].counted <= counted) work += seconds[need];
  }
  return work;
}

double Relaxation::reading_seconds(const BoundParts& parts) const {
  return std::accumulate(parts.files.begin(), parts.files.begin() + std::ssize(reads_), 0.0);
}

double Relaxation::output_seconds(const BoundParts& parts, std::size_t output, Counted counted) const {
  return outputs_[output].counted <= counted ? parts.files[reads_.size() + output] : 0;
}

Relaxation::Least Relaxation::least(const BoundParts& parts, Counted counted) const {
  Least least{reading_seconds(parts)};
  for (std::size_t i = 0; i < outputs_.size(); ++i) least.seconds += output_seconds(parts, i, counted);
  for (std::size_t i = 0; i < operators_.size(); ++i) {
    const double there = on_tiles(operators_[i], parts.on_tiles[i], parts.needs, counted);
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
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    if (!is_delivered_result_[i]) seconds += output_seconds(parts, i, counted);
  }
  double more_everywhere = infinity;
  double more_delivered = infinity;
  for (std::size_t i = 0; i < parts.everywhere.size(); ++i) {
    const OperatorTask& task = operators_[i];
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
  if (ranks == 1 || operators_.empty()) return bound;
  const double more = bound == infinity || has_tiled_sources_ ? 0 : least.more_on_tiles * (1 - rounding);
  return std::min(bound + more, least_everywhere(parts, counted) * (1 - rounding));
}

double Relaxation::least_redistribution(TransitionPricer& pricer) const {
  std::set<int> images;
  for (const PipelineImage& image : pipeline_.images) {
    for (const int input : image.inputs) images.insert(alike_[static_cast<std::size_t>(input)]);
  }
  double least = infinity;
  for (const int image : images) {
    for (const int grid : {0, 1}) {
      least = std::min(least, pricer.least_seconds({.kind = Kind::redistribute, .subject = image, .grid = grid}));
    }
  }
  return least * (1 - rounding);
}

}  // namespace tilewright
