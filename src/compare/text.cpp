#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "tilewright/compare/comparison.hpp"

namespace tilewright {
namespace {

constexpr std::size_t name_width = 12;

/// All keys of one of the maps of all models, "all" last.
template <class Value>
std::vector<std::string> groups_of(const Comparison& comparison,
                                   std::map<std::string, Value> ModelComparison::*member) {
  std::set<std::string> groups;
  for (const ModelComparison& model : comparison.models) {
    for (const auto& [group, value] : model.*member) groups.insert(group);
  }
  std::vector<std::string> ordered(groups.begin(), groups.end());
  std::stable_partition(ordered.begin(), ordered.end(), [](const std::string& group) { return group != "all"; });
  return ordered;
}

std::string errors_table(const Comparison& comparison, std::string_view what,
                         std::map<std::string, Errors> ModelComparison::*member) {
  std::string text;
  for (const std::string& group : groups_of(comparison, member)) {
    text += fmt::format("\n{}: {}\n{:<{}} {:>5} {:>9} {:>19} {:>9} {:>9}\n", what, group, "model", name_width, "cases",
                        "median", "95 % interval", "p90", "worst");
    for (const ModelComparison& model : comparison.models) {
      const auto found = (model.*member).find(group);
      if (found == (model.*member).end()) continue;
      const Errors& e = found->second;
      text +=
          fmt::format("{:<{}} {:>5} {:>7.1f} % {:>7.1f} .. {:>6.1f} % {:>7.1f} % {:>7.1f} %\n", model.model, name_width,
                      e.count, 100 * e.median, 100 * e.median_low, 100 * e.median_high, 100 * e.p90, 100 * e.worst);
    }
  }
  return text;
}

std::string rankings_table(const Comparison& comparison) {
  std::string text;
  for (const std::string& what : groups_of(comparison, &ModelComparison::rankings)) {
    text += fmt::format("\nchoice: {}\n{:<{}} {:>9} {:>8} {:>11} {:>12} {:>13} {:>13}\n", what, "model", name_width,
                        "questions", "right", "cannot tell", "Kendall tau", "mean regret", "worst regret");
    for (const ModelComparison& model : comparison.models) {
      const auto found = model.rankings.find(what);
      if (found == model.rankings.end()) continue;
      const Ranking& r = found->second;
      text += fmt::format("{:<{}} {:>9} {:>8.1f} {:>11} {:>12.2f} {:>11.1f} % {:>11.1f} %\n", model.model, name_width,
                          r.questions, r.hits, r.undecided, r.kendall_tau, 100 * r.mean_regret, 100 * r.worst_regret);
    }
  }
  return text;
}

std::string parameters_list(const Comparison& comparison) {
  std::string text = "\nmodels\n";
  for (const ModelComparison& model : comparison.models) {
    if (!model.missing.empty()) {
      text += fmt::format("{:<{}} left out: {}\n", model.model, name_width, model.missing);
      continue;
    }
    const ModelStatement& statement = model.statement;
    text += fmt::format("{:<{}} {} [{}]\n", model.model, name_width, statement.message, statement.source);
    if (!statement.derivation.empty()) {
      text += fmt::format("{:<{}} from log_nP: {}\n", "", name_width, statement.derivation);
    }
    for (const ModelParameter& parameter : statement.parameters) {
      text += fmt::format("{:<{}} {} = {:.4g} {} ({})\n", "", name_width, parameter.symbol, parameter.value,
                          parameter.unit, parameter.measured_as);
    }
  }
  return text;
}

}  // namespace

std::string to_text(const Comparison& comparison) {
  const Measurements& m = comparison.measurements;
  std::string text = fmt::format("machine {}: {} messages and {} transfers that no calibration has seen, {} launch{}\n",
                                 comparison.machine, m.messages.size(), m.transfers.size(), m.launches(),
                                 m.launches() == 1 ? "" : "es");
  text += errors_table(comparison, "messages", &ModelComparison::messages);
  text += errors_table(comparison, "messages without drift", &ModelComparison::messages_without_drift);
  text += errors_table(comparison, "transfers", &ModelComparison::transfers);
  text += rankings_table(comparison);
  text += parameters_list(comparison);
  text += "\nremarks\n";
  for (const std::string& remark : comparison.remarks) text += fmt::format("* {}\n", remark);
  return text;
}

}  // namespace tilewright
