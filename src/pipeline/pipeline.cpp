#include "tilewright/pipeline/pipeline.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "tilewright/core/edges.hpp"
#include "tilewright/core/error.hpp"
#include "tilewright/core/units.hpp"

namespace tilewright {
namespace {

/// Walks the graph from the outputs back to the sources.
class Recorder {
 public:
  Pipeline finish() && { return std::move(pipeline_); }

  void add(const OutputRequest& request) {
    if (request.kind == OutputKind::reduce && !request.reduction) throw ParameterError("a reduction needs a method");
    const int image = obtain(request.image.node());
    pipeline_.outputs.push_back({request.kind, image, request.sink, request.reduction});
    pipeline_.tasks.push_back({Task::Kind::output, static_cast<int>(pipeline_.outputs.size()) - 1});
  }

 private:
  using Node = std::shared_ptr<const ImageNode>;

  /// Depth first with a stack of its own: a recorded chain may be longer than the call stack is deep.
  int obtain(const Node& root) {
    std::vector<std::pair<Node, std::size_t>> open{{root, 0}};
    while (!open.empty()) {
      auto& [node, next_input] = open.back();
      if (index_.contains(node.get())) {
        open.pop_back();
      } else if (next_input < node->inputs.size()) {
        const Node input = node->inputs[next_input++];
        open.emplace_back(input, 0);
      } else {
        append(node);
        open.pop_back();
      }
    }
    return index_.at(root.get());
  }

  void append(const Node& node) {
    const int index = static_cast<int>(pipeline_.images.size());
    PipelineImage image{fmt::format("image{}", index), node->source, node->op, {}, node->shape, 0};
    for (const Node& input : node->inputs) image.inputs.push_back(index_.at(input.get()));
    pipeline_.images.push_back(std::move(image));
    pipeline_.tasks.push_back({Task::Kind::obtain, index});
    index_[node.get()] = index;
  }

  Pipeline pipeline_;
  std::map<const ImageNode*, int> index_;
};

std::string describe_output(const Pipeline& pipeline, const PipelineOutput& output) {
  const std::string& name = pipeline.image(output.image).name;
  switch (output.kind) {
    case OutputKind::write:
      return fmt::format("write {} to {}", name, output.sink->describe());
    case OutputKind::fetch:
      return fmt::format("fetch {}", name);
    case OutputKind::keep:
      return fmt::format("keep {}", name);
    case OutputKind::reduce:
      return fmt::format("{} of {}", output.reduction->describe(), name);
  }
  throw InternalError("describe: unknown output kind");
}

}  // namespace

Pipeline record(const std::vector<OutputRequest>& outputs) {
  if (outputs.empty()) throw ParameterError("nothing to run: no output was asked for");
  Recorder recorder;
  for (const OutputRequest& output : outputs) recorder.add(output);
  return std::move(recorder).finish();
}

bool is_tiled_source(const PipelineImage& image) {
  return image.source && image.source->tiled_on();
}

std::optional<ProcessGrid> grid_of_sources(const Pipeline& pipeline) {
  std::optional<ProcessGrid> common;
  for (const PipelineImage& image : pipeline.images) {
    if (!is_tiled_source(image)) continue;
    const auto grid = image.source->tiled_on();
    if (common && *common != *grid) {
      throw ParameterError(fmt::format("sources are on the tiles of {} and of {}: bring one of them to the root",
                                       to_string(*common), to_string(*grid)));
    }
    common = grid;
  }
  return common;
}

bool is_lent(const PipelineImage& image, const Halo& room) {
  return image.source && image.source->is_resident() && (room.empty() || image.shape.bytes() >= cut_from_bytes);
}

std::string Pipeline::describe() const {
  std::string text;
  for (const Task& task : tasks) {
    if (task.kind == Task::Kind::output) {
      text += describe_output(*this, output(task.index)) + "\n";
      continue;
    }
    const PipelineImage& first = image(task.index);
    std::vector<std::string> names;
    for (const int input : first.inputs) names.push_back(image(input).name);
    const std::string maker = first.source ? "read " + first.source->describe()
                                           : fmt::format("{} of {}", first.op->describe(), fmt::join(names, ", "));
    std::vector<std::string> made;
    for (int i = task.index; i < task.index + results(task.index); ++i) {
      made.push_back(fmt::format("{} ({})", image(i).name, to_string(image(i).shape)));
    }
    text += fmt::format("{} = {}\n", fmt::join(made, ", "), maker);
  }
  return text;
}

bool PipelineImage::reads(int image) const {
  return std::find(inputs.begin(), inputs.end(), image) != inputs.end();
}

std::uint64_t Pipeline::hash() const {
  return hash_text(describe());
}

Halo Pipeline::storage_halo(int image) const {
  Halo halo;
  for (const PipelineImage& reader : images) {
    if (reader.reads(image)) halo = united(halo, reader.op->halo());
  }
  return halo;
}

Halo Pipeline::whole_halo(int image) const {
  Halo halo;
  for (const PipelineImage& reader : images) {
    if (reader.reads(image) && !reader.op->makes_border()) halo = united(halo, reader.op->halo());
  }
  return halo;
}

bool Pipeline::is_fetched(int image) const {
  return std::any_of(outputs.begin(), outputs.end(), [&](const PipelineOutput& output) {
    return output.image == image && output.kind == OutputKind::fetch;
  });
}

std::vector<int> Pipeline::readers(int image) const {
  std::vector<int> readers;
  for (int i = image + 1; i < static_cast<int>(images.size()); ++i) {
    const PipelineImage& reader = this->image(i);
    if (reader.result == 0 && reader.reads(image)) readers.push_back(i);
  }
  return readers;
}

int Pipeline::results(int image) const {
  const auto& op = this->image(image).op;
  return op ? static_cast<int>(op->results()) : 1;
}

std::int64_t Pipeline::result_bytes() const {
  std::set<int> results;
  for (const PipelineOutput& output : outputs) {
    if (output.kind == OutputKind::fetch || output.kind == OutputKind::keep) results.insert(output.image);
  }
  std::int64_t bytes = 0;
  for (const int index : results) bytes += image(index).shape.bytes();
  return bytes;
}

std::vector<ImageShape> Pipeline::input_shapes(int image) const {
  std::vector<ImageShape> shapes;
  for (const int input : this->image(image).inputs) shapes.push_back(this->image(input).shape);
  return shapes;
}

}  // namespace tilewright
