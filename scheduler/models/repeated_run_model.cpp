#include "repeated_run_model.hpp"

#include <utility>

namespace tilewright {

RepeatedRunModel::RepeatedRunModel(std::unique_ptr<PointToPointModel> measured, RunWarmth warmth)
    : measured_(std::move(measured)), warmth_(std::move(warmth)) {}

ModelStatement RepeatedRunModel::statement() const {
  ModelStatement statement = measured_->statement();
  statement.message += "; in runs that follow each other as much longer or shorter as scatters of small runs";
  return statement;
}

double RepeatedRunModel::message_seconds(Path path, const MessageForm& form) const {
  const double seconds = measured_->message_seconds(path, form);
  return is_of_two_ranks(path) ? warmth_.factor(form) * seconds : seconds;
}

std::vector<PathCell> RepeatedRunModel::wanted_cells(Path path, const MessageForm& form) const {
  return measured_->wanted_cells(path, form);
}

bool RepeatedRunModel::depends_on(Path path, TransferKind kind) const {
  return measured_->depends_on(path, kind);
}

}  // namespace tilewright
