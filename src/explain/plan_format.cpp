#include <fmt/format.h>

#include "renderers.hpp"
#include "tilewright/core/error.hpp"
#include "tilewright/explain/render.hpp"

namespace tilewright {

PlanFormat parse_plan_format(std::string_view text) {
  if (text == "text") return PlanFormat::text;
  if (text == "json") return PlanFormat::json;
  if (text == "dot") return PlanFormat::dot;
  if (text == "html") return PlanFormat::html;
  if (text == "slurm") return PlanFormat::slurm;
  throw ParameterError(fmt::format("'{}' is no format of a plan: use text, json, dot, html or slurm", text));
}

std::string render(const std::vector<Plan>& segments, PlanFormat format, const BatchJob& job,
                   const std::optional<NodeCurve>& node_curve) {
  if (segments.empty()) throw ParameterError("there is no plan to show: the program asks for no output");
  if (node_curve && segments.size() == 1) {
    std::vector<Plan> one = segments;
    one.front().node_curve = node_curve;
    return render(one, format, job);
  }
  switch (format) {
    case PlanFormat::text:
      return render_text(segments, node_curve);
    case PlanFormat::json:
      return render_json(segments, node_curve);
    case PlanFormat::dot:
      return render_dot(segments);
    case PlanFormat::html:
      return render_html(segments, node_curve);
    case PlanFormat::slurm:
      return render_slurm(segments, job);
  }
  throw InternalError("render: unknown format of a plan");
}

}  // namespace tilewright
