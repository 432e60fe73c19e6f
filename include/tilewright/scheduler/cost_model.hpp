// The seam between the search and the way a cost is made.
#pragma once

#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tilewright/model/machine_profile.hpp"
#include "tilewright/scheduler/known_messages.hpp"
#include "tilewright/transfers/classified_schedule.hpp"
#include "tilewright/transfers/outline.hpp"
#include "tilewright/transfers/schedule.hpp"
#include "tilewright/transfers/subtrees.hpp"

namespace tilewright {

/// A number that a model takes from the machine.
struct ModelParameter {
  std::string symbol;  ///< as the paper has it
  double value = 0;
  std::string unit;
  std::string measured_as;  ///< for people
};

/// What a model claims, for people.
struct ModelStatement {
  std::string source;      ///< paper, section or equation
  std::string message;     ///< the time of one message of n bytes
  std::string transfer;    ///< how the messages of a transfer add up
  std::string derivation;  ///< from log_nP (section 5 of that paper); empty where that gives none
  std::vector<ModelParameter> parameters;
};

/// Prices transfers on one machine. Immutable.
class CostModel {
 public:
  virtual ~CostModel() = default;
  [[nodiscard]] virtual std::string_view name() const = 0;
  [[nodiscard]] virtual ModelStatement statement() const = 0;
  /// Seconds of one message on one path: send, recv, full or shift. A model that does not tell paths apart gives the
  /// full path for all.
  [[nodiscard]] virtual double message_seconds(Path path, const MessageForm& form) const = 0;
  /// What that price is read off: cells of the profile, without their times, that would make it exact if they were
  /// measured. By default a contiguous message as long, which the few constants of a model are fitted to.
  [[nodiscard]] virtual std::vector<PathCell> wanted_cells(Path path, const MessageForm& form) const;
  /// Seconds from the start of the transfer until every rank has its pixels. Local copies are not included.
  [[nodiscard]] virtual double transfer_seconds(const ClassifiedSchedule& transfer, Packing packing) const = 0;
  [[nodiscard]] double transfer_seconds(const Schedule& schedule) const {
    return transfer_seconds(classified(schedule), schedule.spec.packing);
  }
  /// transfer_seconds() of the binomial tree that has these subtrees, but for rounding; none by a model that has to see
  /// all messages. `known` are messages of this model.
  [[nodiscard]] virtual std::optional<double> tree_seconds(TransferKind kind, std::span<const Subtree> subtrees,
                                                           Packing packing, KnownMessages& known) const;
  /// A lower bound of transfer_seconds() of the schedule that is outlined, but for rounding: what the root's messages
  /// and one message of each round take. What comes to `enough` or more need not be complete. `known` are messages of
  /// this model.
  [[nodiscard]] virtual double least_seconds(const TransferOutline& outline, Packing packing, KnownMessages& known,
                                             double enough = std::numeric_limits<double>::infinity()) const = 0;
  /// Whether an exchange takes as long as any other one that has the same forms of messages in each round.
  [[nodiscard]] virtual bool counts_forms_only() const = 0;
  /// False if no transfer of that kind takes longer where messages on that path do.
  [[nodiscard]] virtual bool depends_on(Path path, TransferKind kind) const;
  /// The packings that it can tell apart.
  [[nodiscard]] virtual std::vector<Packing> packings() const { return {Packing::datatype}; }
};

/// Makes the model of that name for a machine; it keeps a copy of what it needs of the profile. Where the profile has
/// costs of messages within a node, and all that the model needs of them, such messages are priced by them. An empty
/// name stands for default_cost_model(). Throws ParameterError for an unknown name, listing the known ones, or
/// NotMeasured if the profile lacks its parameters.
[[nodiscard]] std::unique_ptr<CostModel> make_cost_model(std::string_view name, const MachineProfile& profile);

/// A model, or why the profile does not give it.
struct CostModelIfMeasured {
  std::unique_ptr<CostModel> model;
  std::string why_not;
};
/// The same for those who can do without. Throws ParameterError for an unknown name only.
[[nodiscard]] CostModelIfMeasured cost_model_if_measured(std::string_view name, const MachineProfile& profile);

/// Seconds of copying `pixels` pixels of an image within a rank; 0 where the profile has not measured copying.
[[nodiscard]] double copy_seconds(const MachineProfile& profile, const ImageShape& image, std::int64_t pixels);
/// The same for a schedule's local copies, of the rank that copies most: what a model's transfer_seconds leaves out.
[[nodiscard]] double copy_seconds(const MachineProfile& profile, const Schedule& schedule);

/// The most exact one that the profile has the measurements for: P-3PC with strides, or P-3PC.
[[nodiscard]] std::string_view default_cost_model(const MachineProfile& profile);

/// The names that make_cost_model knows.
[[nodiscard]] std::vector<std::string_view> cost_model_names();

}  // namespace tilewright
