// Plans and traces for people and programs. Pure: data in, text out.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tilewright/model/plan.hpp"

namespace tilewright {

enum class PlanFormat { text, json, dot, html, slurm };
/// Throws ParameterError for an unknown name.
[[nodiscard]] PlanFormat parse_plan_format(std::string_view text);

/// What a batch script needs beside the plan.
struct BatchJob {
  std::string command = "./application";    ///< how the program is called, arguments included
  std::vector<std::string> variables = {};  ///< "NAME=value", ready for the shell: what the planning was told
};

/// Renders the segments of a program, in order; mostly one. Measured times are shown where the steps have them.
/// JSON: schema "tilewright.plan/1" (DESIGN section 4); with several segments the top level holds the totals, the
/// steps and alternatives of all (each with its "segment"), and "segments" each plan by itself. Bytes of a text that
/// are not UTF-8 become U+FFFD in JSON. `node_curve` is the program's, where it is not the sum of the segments'. Throws
/// ParameterError without any segment.
[[nodiscard]] std::string render(const std::vector<Plan>& segments, PlanFormat format, const BatchJob& job = {},
                                 const std::optional<NodeCurve>& node_curve = {});

/// The curve of the program, if it was asked for, but has no points: what a segment takes that works on kept images
/// depends on where those before it have left them, so that each count of nodes has to be planned by itself.
[[nodiscard]] std::optional<NodeCurve> unplanned_curve(const std::vector<Plan>& segments);
/// The counts of nodes that such a curve shows: also that of the plans, which were made for all nodes.
[[nodiscard]] std::vector<int> counts_to_plan(const NodeCurve& curve, const std::vector<Plan>& segments);
/// The point of a program that was planned for so many nodes. Throws ParameterError without any segment.
[[nodiscard]] NodePoint point_of_program(int nodes, const std::vector<Plan>& segments);

/// Reads what render() wrote as JSON, but for the `node_curve` that it was given; equal to what was rendered. Throws
/// ParameterError that says what is wrong.
[[nodiscard]] std::vector<Plan> plans_from_json(std::string_view text);

/// What differs between two programs' plans, as text: configuration, totals, steps. Empty if nothing does.
[[nodiscard]] std::string diff(const std::vector<Plan>& a, const std::vector<Plan>& b);
/// The same for programs: schema "tilewright.plan-diff/1", with `equal`, and in `patch` what makes of the first one's
/// JSON that of the second (RFC 6902). Throws ParameterError without any segment.
[[nodiscard]] std::string diff_json(const std::vector<Plan>& a, const std::vector<Plan>& b);

}  // namespace tilewright
