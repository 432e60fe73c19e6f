#include "tilewright/imgops/fusion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "fused_operator.hpp"
#include "pass_grouping.hpp"

namespace tilewright {
namespace {

/// Writes the pipeline anew, an operator a group.
class Rewriter {
 public:
  explicit Rewriter(const Pipeline& recorded)
      : recorded_(recorded), passes_(passes_of(recorded)), new_index_(recorded.images.size(), -1) {}

  Pipeline run() && {
    find_results();
    for (std::size_t task = 0; task < recorded_.tasks.size(); ++task) {
      const Task& old = recorded_.tasks[task];
      if (old.kind == Task::Kind::output) {
        result_.tasks.push_back(old);
      } else if (!group_of(old.index)) {
        append({old.index}, image(old.index));
      } else if (const PassGroup& group = passes_.groups[*group_of(old.index)]; group.task == task) {
        append_group(group);
      }
    }
    result_.outputs = recorded_.outputs;
    for (PipelineOutput& output : result_.outputs) output.image = renamed(output.image);
    return std::move(result_);
  }

 private:
  [[nodiscard]] const PipelineImage& image(int index) const {
    return recorded_.images[static_cast<std::size_t>(index)];
  }
  [[nodiscard]] std::optional<std::size_t> group_of(int index) const {
    return passes_.group_of[static_cast<std::size_t>(index)];
  }
  [[nodiscard]] int renamed(int old) const { return new_index_[static_cast<std::size_t>(old)]; }

  /// Images that are read outside of the group that makes them.
  void find_results() {
    is_result_.assign(recorded_.images.size(), false);
    for (const PipelineOutput& output : recorded_.outputs) is_result_[static_cast<std::size_t>(output.image)] = true;
    for (int i = 0; i < static_cast<int>(recorded_.images.size()); ++i) {
      for (const int input : image(i).inputs) {
        if (group_of(i) != group_of(input)) is_result_[static_cast<std::size_t>(input)] = true;
      }
    }
  }

  /// Appends the images `results`, made by one task.
  void append(const std::vector<int>& results, const PipelineImage& made) {
    const int first = static_cast<int>(result_.images.size());
    for (std::size_t i = 0; i < results.size(); ++i) {
      PipelineImage next = made;
      next.name = fmt::format("image{}", result_.images.size());
      next.shape = image(results[i]).shape;
      next.result = static_cast<int>(i);
      new_index_[static_cast<std::size_t>(results[i])] = static_cast<int>(result_.images.size());
      result_.images.push_back(std::move(next));
    }
    result_.tasks.push_back({Task::Kind::obtain, first});
  }

  void append_group(const PassGroup& group) {
    const std::vector<int> members = members_of(group);
    PipelineImage made = image(members.front());
    if (members.size() == 1) {
      for (int& input : made.inputs) input = renamed(input);
      append(members, made);
      return;
    }
    FusedDescription description;
    description.joint = group.joint.size();
    std::vector<int> results;
    made.inputs.clear();
    std::map<int, std::size_t> member_of;
    for (std::size_t i = 0; i < members.size(); ++i) {
      FusedMember member{image(members[i]).op, {}};
      for (const int input : image(members[i]).inputs) {
        const auto own = member_of.find(input);
        member.inputs.push_back(own != member_of.end() ? FusedOrigin{true, own->second}
                                                       : FusedOrigin{false, input_of(made, renamed(input))});
      }
      member_of[members[i]] = i;
      description.members.push_back(std::move(member));
      if (!is_result_[static_cast<std::size_t>(members[i])]) continue;
      description.results.push_back(i);
      results.push_back(members[i]);
    }
    std::vector<ImageShape> shapes;
    for (const int input : made.inputs) shapes.push_back(result_.images[static_cast<std::size_t>(input)].shape);
    made.op = std::make_shared<FusedOperator>(std::move(description), shapes);
    append(results, made);
  }

  static std::size_t input_of(PipelineImage& made, int input) {
    const auto known = std::find(made.inputs.begin(), made.inputs.end(), input);
    if (known != made.inputs.end()) return static_cast<std::size_t>(known - made.inputs.begin());
    made.inputs.push_back(input);
    return made.inputs.size() - 1;
  }

  const Pipeline& recorded_;
  Passes passes_;
  Pipeline result_;
  std::vector<int> new_index_;  ///< of each recorded image, -1: not made
  std::vector<bool> is_result_;
};

}  // namespace

Pipeline fused(const Pipeline& recorded) {
  return Rewriter(recorded).run();
}

}  // namespace tilewright
