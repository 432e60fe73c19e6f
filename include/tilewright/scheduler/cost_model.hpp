// The seam between the search and the way a cost is made.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "tilewright/model/machine_profile.hpp"
#include "tilewright/transfers/schedule.hpp"

namespace tilewright {

/// Prices transfers on one machine. Immutable.
class CostModel {
 public:
  virtual ~CostModel() = default;
  [[nodiscard]] virtual std::string_view name() const = 0;
  /// Seconds from the start of the transfer until every rank has its pixels. Local copies are not included.
  [[nodiscard]] virtual double transfer_seconds(const Schedule& schedule) const = 0;
  /// The packings that it can tell apart.
  [[nodiscard]] virtual std::vector<Packing> packings() const { return {Packing::datatype}; }
};

/// Makes the model of that name ("p3pc", "p3pc-paper", "loggp-star") for a machine; it keeps a copy of what it needs of the profile.
/// Throws ParameterError for an unknown name, listing the known ones, or if the profile lacks its parameters.
[[nodiscard]] std::unique_ptr<CostModel> make_cost_model(std::string_view name, const MachineProfile& profile);

/// The names that make_cost_model knows.
[[nodiscard]] std::vector<std::string_view> cost_model_names();

}  // namespace tilewright
