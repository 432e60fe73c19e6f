#include "bound_needs.hpp"

#include <algorithm>
#include <ranges>
#include <span>
#include <string>
#include <utility>

#include "serving_all.hpp"

namespace tilewright {
namespace {

using Kind = Transition::Kind;
using Way = BoundNeeds::Way;
using Need = BoundNeeds::Need;
using FileAccesses = BoundNeeds::FileAccesses;
using OperatorTask = BoundNeeds::OperatorTask;

/// Of many ranks: a way that takes as long as another one is left as soon as it does, and a flat tree has the most
/// messages.
auto quickest_first(std::span<const Algorithm> algorithms) {
  return std::views::reverse(algorithms);
}

/// Goes through the tasks, and charges each with what nobody before it was charged with.
class Collector {
 public:
  Collector(const Pipeline& pipeline, int generations, const Offer& offer, const std::map<int, double>& alone)
      : pipeline_(pipeline), offer_(offer), alone_(alone), depths_(pipeline, generations) {
    if (offer.everywhere && serves_all(pipeline)) serving_all_ = images_serving_all(pipeline);
    for (int i = 0; i < static_cast<int>(pipeline.images.size()); ++i) alike_.push_back(find_alike(i));
  }

  BoundNeeds collect() && {
    for (const Task& task : pipeline_.tasks) {
      if (task.kind == Task::Kind::output) {
        add_output(task.index);
      } else if (pipeline_.image(task.index).source) {
        needs_.reads.push_back(reading(task.index));
      } else {
        add_operator(task.index);
      }
    }
    needs_.may_be_everywhere = !serving_all_.empty();
    if (needs_.may_be_everywhere) add_everywhere();
    needs_.has_tiled_sources = grid_of_sources(pipeline_).has_value();
    for (const PipelineImage& image : pipeline_.images) {
      for (const int input : image.inputs) needs_.redistributed.insert(alike(input));
    }
    return std::move(needs_);
  }

 private:
  [[nodiscard]] int alike(int image) const { return alike_[static_cast<std::size_t>(image)]; }

  /// The first image whose transfers cost the same, whatever the depth of its halo.
  [[nodiscard]] int find_alike(int image) const {
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
  [[nodiscard]] int distributed_as(int image, Algorithm algorithm) const {
    return algorithm == Algorithm::shared ? image : alike(image);
  }

  void add_operator(int image) {
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
    needs_.operators.push_back(std::move(task));
  }

  [[nodiscard]] bool may_be_everywhere(int image) const {
    return !serving_all_.empty() && serving_all_[static_cast<std::size_t>(image)];
  }

  /// What operators that may work everywhere are made of, and what has to be delivered if they do not. What they read
  /// comes to all ranks by one move at least, unless that is computed there, too; of a source that is fetched it is
  /// charged as delivery.
  void add_everywhere() {
    Need move{Counted::results, StepKind::scatter, {}};
    bool is_charged = false;
    needs_.is_delivered_result.assign(needs_.outputs.size(), false);
    for (OperatorTask& task : needs_.operators) {
      const int end = task.image + pipeline_.results(task.image);
      for (std::size_t output = 0; output < fetched_.size(); ++output) {
        if (fetched_[output] < task.image || fetched_[output] >= end) continue;
        task.deliveries.push_back(output);
        needs_.is_delivered_result[output] = true;
      }
      if (!task.may_be_everywhere) continue;
      for (const int input : pipeline_.image(task.image).inputs) {
        const bool is_source = pipeline_.image(input).source != nullptr;
        is_charged = is_charged || (is_source && pipeline_.is_fetched(input));
        for (Way& way : deliveries(input)) move.ways.push_back(std::move(way));
        move.ways.push_back(allgather(input));
      }
    }
    if (!is_charged) needs_.replication = std::move(move);
  }

  [[nodiscard]] Need gathering(int image) const {
    Need gather{Counted::results, StepKind::scatter, {}, writings_on_tiles(image)};
    for (const Algorithm algorithm : quickest_first(offer_.algorithms)) {
      for (int depth = 0; depth < static_cast<int>(depths_.of(image).size()); ++depth) {
        gather.ways.push_back(
            {{.kind = Kind::gather, .subject = alike(image), .algorithm = algorithm, .depth = depth}});
      }
    }
    if (!pipeline_.is_fetched(image)) return gather;
    gather.then_delivered = deliveries(image);
    gather.or_at_once = allgather(image);
    return gather;
  }

  [[nodiscard]] std::vector<Way> deliveries(int image) const {
    std::vector<Way> ways;
    for (const Algorithm algorithm : quickest_first(offer_.algorithms)) {
      ways.push_back({{Kind::deliver, distributed_as(image, algorithm), algorithm}});
    }
    return ways;
  }

  /// It takes as long at any depth of the tiles' halos.
  [[nodiscard]] Way allgather(int image) const { return {{Kind::allgather, alike(image)}}; }

  void add_output(int output) {
    const PipelineOutput& wish = pipeline_.output(output);
    Need need{Counted::results, StepKind::scatter, {}};
    switch (wish.kind) {
      case OutputKind::keep:
        return;
      case OutputKind::write:
        need = {Counted::work, StepKind::write, {{{Kind::write, output}}}};
        if (offer_.writes_in_parts(output)) need.ways.push_back({{Kind::write_tiles, output}});
        break;
      case OutputKind::fetch:
        if (is_fetched_before(output)) return;  // it is there already
        need.ways = deliveries(wish.image);
        need.ways.push_back(allgather(wish.image));
        break;
      case OutputKind::reduce:
        need.term = StepKind::reduce;
        for (const Algorithm algorithm : all_trees) {
          need.ways.push_back({{Kind::reduce_root, output, algorithm}});
          need.ways.push_back({{Kind::reduce_tiles, output, algorithm}});
        }
        break;
    }
    needs_.outputs.push_back(std::move(need));
    fetched_.push_back(wish.kind == OutputKind::fetch ? wish.image : -1);
  }

  /// None if the root has to have the image anyway.
  [[nodiscard]] std::vector<FileAccesses> writings_on_tiles(int image) const {
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
  [[nodiscard]] Need reading(int image) const {
    Need need{Counted::work, StepKind::read, {{{Kind::read, image}}}};
    if (!offer_.reads_in_parts(image)) return need;
    for (Way& way : readings_on_tiles(image)) need.ways.push_back(std::move(way));
    return need;
  }

  [[nodiscard]] std::vector<Way> readings_on_tiles(int image) const {
    std::vector<Way> ways;
    for (int depth = 0; depth < static_cast<int>(depths_.of(image).size()); ++depth) {
      ways.push_back({{.kind = Kind::read_tiles, .subject = image, .depth = depth}});
      if (depths_.first_filled(image))
        ways.push_back({{.kind = Kind::read_tiles, .subject = image, .depth = depth, .filled = true}});
    }
    return ways;
  }

  [[nodiscard]] Need distribution(int image) const {
    const auto depths = static_cast<int>(depths_.of(image).size());
    Need need{Counted::distributions, StepKind::scatter, {}};
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
  [[nodiscard]] Need border(int image) const {
    const int subject = alike(image);
    const bool of_root = pipeline_.image(image).source != nullptr;
    Need need{Counted::borders, StepKind::exchange, {}};
    const bool wraps = is_wrapped(image);
    const std::vector<int> readers = offer_.overlaps ? readers_with_halo(image) : std::vector<int>{};
    for (int depth = 0; depth < static_cast<int>(depths_.of(image).size()); ++depth) {
      need.ways.push_back({{.kind = Kind::exchange, .subject = subject, .depth = depth}});
      for (const int reader : readers)
        need.ways.push_back({{.kind = Kind::exchange, .subject = subject, .depth = depth, .meanwhile = reader}});
      if (wraps) need.ways.push_back({{.kind = Kind::exchange, .subject = subject, .cyclic = true, .depth = depth}});
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

  [[nodiscard]] bool is_first_reader(int reader, int image) const {
    return std::none_of(pipeline_.images.begin(), pipeline_.images.begin() + reader,
                        [&](const PipelineImage& earlier) { return earlier.reads(image); });
  }

  [[nodiscard]] bool is_first_with_halo(int reader, int image) const {
    const auto has_halo = [](const PipelineImage& result) { return result.op && !result.op->halo().empty(); };
    return has_halo(pipeline_.image(reader)) &&
           std::none_of(pipeline_.images.begin(), pipeline_.images.begin() + reader,
                        [&](const PipelineImage& earlier) { return has_halo(earlier) && earlier.reads(image); });
  }

  /// Of those that are the same operator on alike images, the first.
  [[nodiscard]] std::vector<int> readers_with_halo(int image) const {
    std::vector<int> readers;
    for (const int reader : pipeline_.readers(image)) {
      if (!pipeline_.image(reader).op->halo().empty()) readers.push_back(first_alike_reader(reader));
    }
    return readers;
  }

  [[nodiscard]] int first_alike_reader(int reader) const {
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

  [[nodiscard]] bool is_wrapped(int image) const {
    const std::vector<int> readers = pipeline_.readers(image);
    return std::any_of(readers.begin(), readers.end(),
                       [&](int reader) { return pipeline_.image(reader).op->border() == Border::wrap; });
  }

  [[nodiscard]] bool is_wanted_on_root(int image) const {
    return std::any_of(pipeline_.outputs.begin(), pipeline_.outputs.end(), [&](const PipelineOutput& output) {
      const bool stays = output.kind == OutputKind::keep && offer_.keeps_in_place;
      return output.image == image && output.kind != OutputKind::reduce && !stays;
    });
  }

  [[nodiscard]] bool is_fetched_before(int output) const {
    const auto end = pipeline_.outputs.begin() + output;
    return std::any_of(pipeline_.outputs.begin(), end, [&](const PipelineOutput& earlier) {
      return earlier.image == end->image && earlier.kind == OutputKind::fetch;
    });
  }

  std::size_t index_of(const Need& need) {
    std::vector<Need>& all = needs_.of_tiles;
    const auto known = std::find(all.begin(), all.end(), need);
    if (known != all.end()) return static_cast<std::size_t>(known - all.begin());
    all.push_back(need);
    return all.size() - 1;
  }

  const Pipeline& pipeline_;
  const Offer& offer_;
  const std::map<int, double>& alone_;
  HaloDepths depths_;
  std::vector<bool> serving_all_;  // by image: every rank may compute it for itself; empty: none
  std::vector<int> alike_;         // by image
  std::vector<int> fetched_;       // by output of needs_: the image that is delivered, or -1
  BoundNeeds needs_;
};

}  // namespace

BoundNeeds bound_needs(const Pipeline& pipeline, int generations, const Offer& offer,
                       const std::map<int, double>& alone) {
  return Collector(pipeline, generations, offer, alone).collect();
}

}  // namespace tilewright
