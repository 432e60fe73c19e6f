#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "tilewright/compare/comparison.hpp"
#include "tilewright/core/units.hpp"
#include "tilewright/explain/page.hpp"
#include "tilewright/explain/plots.hpp"
#include "tilewright/model/cell_names.hpp"

namespace tilewright {
namespace {

using plots::escaped;
using plots::section;

/// As many as there are colours; the first of them lies on top.
constexpr std::string_view plotted[] = {"p3pc-stride", "p3pc", "log3p", "loggp", "hockney", "3pc"};

int series_of(std::string_view model) {
  return static_cast<int>(std::find(std::begin(plotted), std::end(plotted), model) - std::begin(plotted));
}

bool is_plotted(std::string_view model) {
  return series_of(model) < static_cast<int>(std::size(plotted));
}

std::string legend(const Comparison& comparison) {
  std::string text = "<div class=\"legend\">";
  for (const ModelComparison& model : comparison.models) {
    if (!model.missing.empty() || !is_plotted(model.model)) continue;
    text += fmt::format("<span>{}{}</span>", plots::legend_mark(series_of(model.model)), escaped(model.model));
  }
  return text + "</div>\n";
}

std::string panel(const Comparison& comparison, Layout layout) {
  std::vector<plots::SizeCurve> curves;
  for (const std::string_view name : plotted) {
    for (const Curve& curve : comparison.curves) {
      if (curve.model == name && curve.layout == layout) curves.push_back({series_of(name), curve.model, curve.points});
    }
  }
  std::vector<plots::SizePoint> points;
  for (const MeasuredMessage& message : comparison.measurements.messages) {
    const PathCell& cell = message.cell;
    if (cell.path != Path::full || cell.layout != layout || !cell.has_paper_blocks()) continue;
    points.push_back({static_cast<double>(cell.bytes), cell.time.seconds,
                      fmt::format("{}: {}", format_bytes(cell.bytes), format_seconds(cell.time.seconds))});
  }
  return section(fmt::format("Layout {}", to_string(layout)),
                 layout == Layout::cc ? "Full path of contiguous messages." : "Full path, 100 blocks as in P-3PC.",
                 plots::size_plot(curves, points));
}

std::string panels(const Comparison& comparison) {
  std::string text =
      section("Messages against models", "Points were measured, curves are predicted.", legend(comparison));
  text += "<div class=\"pair\">\n";
  for (const Layout layout : all_layouts) text += panel(comparison, layout);
  return text + "</div>\n";
}

/// Predicted over measured of the plotted models.
template <class Measured, class Label>
std::string prediction(const Comparison& comparison, const std::vector<Measured>& measured,
                       std::vector<double> ModelComparison::*predicted, const Label& label) {
  std::vector<plots::PredictedPoint> points;
  for (auto name = std::rbegin(plotted); name != std::rend(plotted); ++name) {
    for (const ModelComparison& model : comparison.models) {
      if (model.model != *name || !model.missing.empty()) continue;
      for (std::size_t i = 0; i < measured.size(); ++i) {
        const auto [seconds, text] = label(measured[i]);
        const double guess = (model.*predicted)[i];
        if (seconds > 0 && guess > 0) {
          points.push_back({guess, seconds, series_of(*name), fmt::format("{}: {}", model.model, text), false});
        }
      }
    }
  }
  return plots::prediction_plot(points, 0.1);
}

std::string predictions(const Comparison& comparison) {
  const auto of_message = [](const MeasuredMessage& message) {
    return std::pair(message.cell.time.seconds, cell_name(message.cell));
  };
  const auto of_transfer = [](const MeasuredTransfer& transfer) {
    const TransferSpec& spec = transfer.spec;
    return std::pair(transfer.time.seconds,
                     fmt::format("{} {} {} {}", to_string(spec.kind), to_string(spec.grid),
                                 spec.algorithm ? to_string(*spec.algorithm) : "", to_string(spec.packing)));
  };
  const Measurements& m = comparison.measurements;
  return "<div class=\"pair\">\n" +
         section("All messages", "Any path, layout, blocks and packing. The band is 10 % wide on either side.",
                 prediction(comparison, m.messages, &ModelComparison::message_seconds, of_message)) +
         section("Transfers", "Broadcasts, scatters, gathers and exchanges.",
                 prediction(comparison, m.transfers, &ModelComparison::transfer_seconds, of_transfer)) +
         "</div>\n";
}

std::string figure(double fraction) {
  return fmt::format("<td class=\"n\" data-v=\"{:g}\">{:.1f} %</td>", fraction, 100 * fraction);
}

std::string errors_table(const Comparison& comparison, std::map<std::string, Errors> ModelComparison::*member) {
  std::string rows;
  for (const ModelComparison& model : comparison.models) {
    for (const auto& [group, e] : model.*member) {
      rows += fmt::format(
          "<tr><td>{}</td><td>{}</td><td class=\"n\">{}</td>{}<td class=\"n\">{:.1f} to {:.1f} %</td>{}{}</tr>\n",
          escaped(model.model), escaped(group), e.count, figure(e.median), 100 * e.median_low, 100 * e.median_high,
          figure(e.p90), figure(e.worst));
    }
  }
  return "<div class=\"wide\"><table class=\"sortable solid\"><thead><tr><th>model</th><th>of</th><th "
         "class=\"n\">cases</th>"
         "<th class=\"n\">median</th><th class=\"n\">95 % interval</th><th class=\"n\">p90</th><th "
         "class=\"n\">worst</th>"
         "</tr></thead>\n<tbody>\n" +
         rows + "</tbody></table></div>\n";
}

std::string rankings_table(const Comparison& comparison) {
  std::string rows;
  for (const ModelComparison& model : comparison.models) {
    for (const auto& [what, r] : model.rankings) {
      rows += fmt::format(
          "<tr><td>{}</td><td>{}</td><td class=\"n\">{}</td><td class=\"n\">{:.1f}</td><td class=\"n\">{}</td><td "
          "class=\"n\">{:.2f}</td>{}{}</tr>\n",
          escaped(model.model), escaped(what), r.questions, r.hits, r.undecided, r.kendall_tau, figure(r.mean_regret),
          figure(r.worst_regret));
    }
  }
  return "<div class=\"wide\"><table class=\"sortable solid\"><thead><tr><th>model</th><th>choice of</th><th "
         "class=\"n\">"
         "questions</th><th class=\"n\">right</th><th class=\"n\">cannot tell</th><th class=\"n\">Kendall τ</th><th "
         "class=\"n\">mean regret</th>"
         "<th class=\"n\">worst regret</th></tr></thead>\n<tbody>\n" +
         rows + "</tbody></table></div>\n";
}

std::string models_table(const Comparison& comparison) {
  std::string rows;
  for (const ModelComparison& model : comparison.models) {
    std::string parameters;
    for (const ModelParameter& p : model.statement.parameters) {
      parameters += fmt::format("{} = {:.4g} {} <span class=\"rest\">{}</span><br>", escaped(p.symbol), p.value,
                                escaped(p.unit), escaped(p.measured_as));
    }
    const std::string claim = model.missing.empty() ? model.statement.message : "left out: " + model.missing;
    rows += fmt::format("<tr><td>{}</td><td>{}<br><span class=\"rest\">{}</span></td><td>{}</td><td>{}</td></tr>\n",
                        escaped(model.model), escaped(claim), escaped(model.statement.source), parameters,
                        escaped(model.statement.derivation));
  }
  return "<div class=\"wide\"><table><thead><tr><th>model</th><th>a message</th><th>parameters here</th><th>from "
         "log_nP</th>"
         "</tr></thead>\n<tbody>\n" +
         rows + "</tbody></table></div>\n";
}

std::string body(const Comparison& comparison) {
  const Measurements& m = comparison.measurements;
  std::string text = fmt::format(
      "<h1>Cost models against {}</h1>\n<p class=\"lead\">{} messages and {} transfers that no calibration has seen, "
      "{} "
      "launches.</p>\n",
      escaped(comparison.machine), m.messages.size(), m.transfers.size(), m.launches());
  std::string remarks = "<ul>";
  for (const std::string& remark : comparison.remarks) remarks += fmt::format("<li>{}</li>", escaped(remark));
  text += section("What was found", "", remarks + "</ul>\n");
  text += panels(comparison) + predictions(comparison);
  text +=
      section("Whether models choose as the machine does",
              "Right: the chosen one was the fastest, or within the spreads. Regret: measured time over the fastest.",
              rankings_table(comparison));
  text += section("Errors of messages", "Relative to the measured time.",
                  errors_table(comparison, &ModelComparison::messages));
  text += section("Errors of transfers", "", errors_table(comparison, &ModelComparison::transfers));
  return text + section("The models", "", models_table(comparison));
}

}  // namespace

std::string to_html(const Comparison& comparison) {
  return plots::page("Cost models", body(comparison));
}

}  // namespace tilewright
