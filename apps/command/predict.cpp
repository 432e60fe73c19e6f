// tilewright predict: what a transfer costs on every grid and tree.
#include "tilewright/scheduler/predict.hpp"

#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "subcommand.hpp"
#include "tilewright/benchdb/store.hpp"
#include "tilewright/core/error.hpp"
#include "tilewright/core/units.hpp"
#include "tilewright/imgops/gaussian.hpp"

namespace tilewright::command {
namespace {

struct Options {
  std::string database, machine, operation, image, type = "f32", model, format = "json";
  int ranks = 1;
  std::optional<std::int64_t> border;
  std::optional<double> sigma;
  int order = 0;
};

Halo border_of(const Options& options, TransferKind operation) {
  if (operation != TransferKind::exchange) {
    if (options.border || options.sigma) {
      throw ParameterError("--border and --sigma belong to --operation exchange");
    }
    return {};
  }
  if (options.border) {
    if (*options.border < 0) throw ParameterError(fmt::format("--border {}: no border is negative", *options.border));
    if (*options.border > largest_gaussian_radius) {
      throw ParameterError(
          fmt::format("--border {}: no kernel reaches further than {}", *options.border, largest_gaussian_radius));
    }
    return {*options.border, *options.border};
  }
  if (!options.sigma) throw ParameterError("--operation exchange needs --border N, or --sigma S --order K");
  const int radius = gaussian_radius(*options.sigma, options.order);
  return {radius, radius};
}

nlohmann::json to_json(const PredictionRow& row, std::string_view model) {
  nlohmann::json json{{"operation", to_string(row.operation)},
                      {"grid", to_string(row.grid)},
                      {"tree", nullptr},
                      {"model", model},
                      {"seconds", row.seconds},
                      {"feasible", row.infeasible.empty()}};
  if (row.tree) json["tree"] = to_string(*row.tree);
  if (!row.infeasible.empty()) json["reason"] = row.infeasible;
  return json;
}

int run(const Options& options) {
  const TransferKind operation = parse_transfer_kind(options.operation);
  const PredictionRequest request{operation,
                                  {parse_extent(options.image), {parse_pixel_type(options.type), 1}},
                                  options.ranks,
                                  border_of(options, operation)};
  const MachineProfile profile = Store(default_database(options.database), OpenMode::existing).profile(options.machine);
  const auto model = make_cost_model(options.model, profile);
  const std::vector<PredictionRow> rows = predict(*model, request);
  if (options.format == "text") {
    fmt::print("{:<10} {:>9}  {:<4}  {:>12}\n", "operation", "grid", "tree", "time");
    for (const PredictionRow& row : rows) {
      fmt::print("{:<10} {:>9}  {:<4}  {:>12}  {}\n", to_string(row.operation), to_string(row.grid),
                 row.tree ? to_string(*row.tree) : "-", format_seconds(row.seconds), row.infeasible);
    }
    return 0;
  }
  nlohmann::json json{{"schema", "tilewright.predict/1"},
                      {"machine", profile.name()},
                      {"model", model->name()},
                      {"image", to_string(request.image.extent)},
                      {"type", to_string(request.image.format.type)},
                      {"ranks", request.ranks},
                      {"border", request.border.x},
                      {"rows", nlohmann::json::array()}};
  for (const PredictionRow& row : rows) json["rows"].push_back(to_json(row, model->name()));
  fmt::print("{}\n", json.dump(2));
  return 0;
}

}  // namespace

void add_predict(CLI::App& app, Action& action) {
  auto* command = app.add_subcommand("predict", "predict the time of a transfer on every process grid and tree");
  auto options = std::make_shared<Options>();
  add_database_option(*command, options->database);
  command->add_option("--machine", options->machine, "whose profile")->required();
  command->add_option("--operation", options->operation, "scatter, gather, broadcast, allgather or exchange")
      ->required()
      ->check(CLI::IsMember({"scatter", "gather", "broadcast", "allgather", "exchange"}));
  command->add_option("--image", options->image, "size, for example 512x512")->required();
  command->add_option("--type", options->type, "pixel type: u8, u16, f32 (default) or f64");
  command->add_option("--ranks", options->ranks, "number of ranks")->required();
  auto* border = command->add_option("--border", options->border, "exchange: pixels on each side");
  auto* sigma =
      command->add_option("--sigma", options->sigma, "exchange: the border of a Gaussian derivative's kernel");
  command->add_option("--order", options->order, "order of that derivative (default 0)")->needs(sigma);
  border->excludes(sigma);
  command->add_option("--model", options->model,
                      "cost model (default: p3pc-stride, or p3pc where the profile knows no blocks)");
  add_format_option(*command, options->format);
  command->callback([options, &action] { action = on_first_rank([options] { return run(*options); }); });
}

}  // namespace tilewright::command
