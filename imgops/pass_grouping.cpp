#include "pass_grouping.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "tilewright/pipeline/operator.hpp"

namespace tilewright {
namespace {

/// Assigns every computed image to a group.
class Grouping {
 public:
  explicit Grouping(const Pipeline& pipeline)
      : pipeline_(pipeline),
        wanted_(pipeline.images.size()),
        group_of_(pipeline.images.size()),
        made_at_(pipeline.images.size(), 0) {}

  Passes run() && {
    find_who_wants_what();
    for (std::size_t task = 0; task < pipeline_.tasks.size(); ++task) {
      if (pipeline_.tasks[task].kind == Task::Kind::obtain) place(pipeline_.tasks[task].index, task);
    }
    return {std::move(groups_), std::move(group_of_)};
  }

 private:
  /// None for a source.
  [[nodiscard]] std::optional<std::size_t> group_of(int image) const {
    return group_of_[static_cast<std::size_t>(image)];
  }
  [[nodiscard]] const PipelineImage& image(int index) const {
    return pipeline_.images[static_cast<std::size_t>(index)];
  }

  struct Wanted {
    std::vector<int> by_images;           ///< that are made of it
    std::vector<std::size_t> at_outputs;  ///< tasks
  };
  [[nodiscard]] Wanted& wanted(int index) { return wanted_[static_cast<std::size_t>(index)]; }
  [[nodiscard]] const Wanted& wanted(int index) const { return wanted_[static_cast<std::size_t>(index)]; }

  void find_who_wants_what() {
    for (int i = 0; i < static_cast<int>(pipeline_.images.size()); ++i) {
      for (const int input : image(i).inputs) wanted(input).by_images.push_back(i);
    }
    for (std::size_t task = 0; task < pipeline_.tasks.size(); ++task) {
      if (pipeline_.tasks[task].kind != Task::Kind::output) continue;
      wanted(pipeline_.outputs[static_cast<std::size_t>(pipeline_.tasks[task].index)].image).at_outputs.push_back(task);
    }
  }

  void place(int index, std::size_t task) {
    made_at_[static_cast<std::size_t>(index)] = task;
    if (image(index).source) return;
    const bool has_halo = !image(index).op->halo().empty();
    std::optional<std::size_t> group = has_halo ? jet_for(index) : pass_for(index);
    if (!group) {
      group = groups_.size();
      groups_.push_back({task, {}, {}, !has_halo || image(index).op->joined_with({}) != nullptr});
    }
    (has_halo ? groups_[*group].joint : groups_[*group].pointwise).push_back(index);
    assign(index, *group);
    if (!has_halo) take_in_makers(index, *group);
  }

  void assign(int index, std::size_t group) {
    group_of_[static_cast<std::size_t>(index)] = group;
    made_at_[static_cast<std::size_t>(index)] = groups_[group].task;
  }

  /// A group of filters of the same image that this one can join.
  [[nodiscard]] std::optional<std::size_t> jet_for(int index) const {
    const PipelineImage& filtered = image(index);
    for (std::size_t i = 0; i < groups_.size(); ++i) {
      const PassGroup& group = groups_[i];
      if (!group.may_grow || group.joint.empty()) continue;
      const PipelineImage& first = image(group.joint.front());
      const bool alike = first.inputs == filtered.inputs && first.op->border() == filtered.op->border() &&
                         first.op->border_value() == filtered.op->border_value();
      if (!alike) continue;
      std::vector<const Operator*> others;
      for (std::size_t other = 1; other < group.joint.size(); ++other) {
        others.push_back(image(group.joint[other]).op.get());
      }
      others.push_back(filtered.op.get());
      if (first.op->joined_with(others)) return i;
    }
    return std::nullopt;
  }

  /// The last group that makes an input, if all other inputs are there before it. A pass with filters reads one image
  /// alone: any other would be moved with a halo that nobody needs.
  [[nodiscard]] std::optional<std::size_t> pass_for(int index) const {
    std::optional<std::size_t> last;
    for (const int input : image(index).inputs) {
      const auto group = group_of(input);
      if (group && (!last || groups_[*group].task > groups_[*last].task)) last = group;
    }
    if (!last || !groups_[*last].may_grow) return std::nullopt;
    const PassGroup& group = groups_[*last];
    for (const int input : image(index).inputs) {
      if (group_of(input) == last) continue;
      const bool is_there = made_at_[static_cast<std::size_t>(input)] < group.task;
      const bool is_filtered = group.joint.empty() || image(group.joint.front()).inputs.front() == input;
      if (!is_there || !is_filtered) return std::nullopt;
    }
    return last;
  }

  /// Other groups that make what an image of this one is made of: in one pass with it, their images need not be
  /// written for it. Not where more images would have to stay for that than are spared: a running sum of a hundred
  /// images has two of them at a time.
  void take_in_makers(int index, std::size_t group) {
    for (const int input : image(index).inputs) {
      const auto maker = group_of(input);
      if (maker && *maker != group && can_take_in(group, *maker)) take_in(group, *maker);
    }
  }

  /// `maker` comes before `group`, and would be put off to its place.
  [[nodiscard]] bool can_take_in(std::size_t group, std::size_t maker) const {
    const PassGroup& into = groups_[group];
    const PassGroup& taken = groups_[maker];
    if (!into.may_grow || !taken.may_grow || (!into.joint.empty() && !taken.joint.empty())) return false;
    if (is_wanted_before(maker, into.task) || images_kept_for(maker, group) > images_spared(maker, group)) return false;
    if (into.joint.empty() && taken.joint.empty()) return true;
    const int filtered = image((into.joint.empty() ? taken : into).joint.front()).inputs.front();
    return reads_only(group, maker, filtered) && reads_only(maker, group, filtered);
  }

  /// Whether others than the group `except` want the image at a task for which `when` holds. What has no group yet
  /// comes after all that has one.
  template <class When>
  [[nodiscard]] bool is_wanted(int index, std::size_t except, const When& when) const {
    const auto is_read = [&](int reader) {
      const auto of = group_of(reader);
      return of != except && when(of ? groups_[*of].task : pipeline_.tasks.size());
    };
    return std::ranges::any_of(wanted(index).by_images, is_read) || std::ranges::any_of(wanted(index).at_outputs, when);
  }

  /// Whether a pass or an output that comes before the task needs an image of the group.
  [[nodiscard]] bool is_wanted_before(std::size_t group, std::size_t task) const {
    return std::ranges::any_of(members_of(groups_[group]), [&](int member) {
      return is_wanted(member, group, [task](std::size_t at) { return at < task; });
    });
  }

  /// Inputs of the maker that nobody else wants at the group's place or after it: they would have to stay until then.
  [[nodiscard]] std::size_t images_kept_for(std::size_t maker, std::size_t group) const {
    const auto is_then = [task = groups_[group].task](std::size_t at) { return at >= task; };
    std::set<int> kept;
    for (const int member : members_of(groups_[maker])) {
      for (const int input : image(member).inputs) {
        if (group_of(input) != maker && !is_wanted(input, maker, is_then)) kept.insert(input);
      }
    }
    return kept.size();
  }

  /// Images of the maker that only the group and the maker itself want.
  [[nodiscard]] std::size_t images_spared(std::size_t maker, std::size_t group) const {
    const std::vector<int> members = members_of(groups_[maker]);
    return static_cast<std::size_t>(std::ranges::count_if(members, [&](int member) {
      bool is_read = false;
      for (const int reader : wanted(member).by_images) {
        is_read = is_read || group_of(reader) == group;
        if (group_of(reader) != group && group_of(reader) != maker) return false;
      }
      return is_read && wanted(member).at_outputs.empty();
    }));
  }

  /// Besides what it makes itself, and the other one.
  [[nodiscard]] bool reads_only(std::size_t group, std::size_t other, int allowed) const {
    const auto is_allowed = [&](int input) {
      return input == allowed || group_of(input) == group || group_of(input) == other;
    };
    return std::ranges::all_of(members_of(groups_[group]),
                               [&](int member) { return std::ranges::all_of(image(member).inputs, is_allowed); });
  }

  void take_in(std::size_t group, std::size_t maker) {
    const auto move_all = [&](std::vector<int>& from, std::vector<int>& to) {
      for (const int index : from) assign(index, group);
      to.insert(to.end(), from.begin(), from.end());
      std::ranges::sort(to);  // as they were recorded: each after what it is made of
      from.clear();
    };
    move_all(groups_[maker].joint, groups_[group].joint);
    move_all(groups_[maker].pointwise, groups_[group].pointwise);
    groups_[maker].may_grow = false;
  }

  const Pipeline& pipeline_;
  std::vector<Wanted> wanted_;     ///< by image
  std::vector<PassGroup> groups_;  ///< those taken in are empty
  std::vector<std::optional<std::size_t>> group_of_;
  std::vector<std::size_t> made_at_;  ///< the task at which an image is there
};

}  // namespace

std::vector<int> members_of(const PassGroup& group) {
  std::vector<int> members = group.joint;
  members.insert(members.end(), group.pointwise.begin(), group.pointwise.end());
  return members;
}

Passes passes_of(const Pipeline& pipeline) {
  return Grouping(pipeline).run();
}

}  // namespace tilewright
