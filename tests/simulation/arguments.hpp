// The command line of schedule_simulation.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fault.hpp"
#include "tilewright/runtime/communicator.hpp"

namespace tilewright::simulation {

struct Arguments {
  std::string platform;  ///< a label for the rows
  TransferKind operation = TransferKind::scatter;
  std::string grid;       ///< "XxY", "all", or empty for row strips
  std::string algorithm;  ///< a name or "all"
  ImageShape image;
  Halo halo;  ///< of an exchange
  Packing packing = Packing::datatype;
  bool in_turn = false;  ///< the root serves the others one after another: of a scatter or a gather by OFT
  SendMode mode = SendMode::standard;
  Fault fault = Fault::none;
  std::vector<std::int64_t> sizes;  ///< of the profile's messages, in values of four bytes
  std::optional<double> tolerance;  ///< how far a prediction may be from the simulation, as a share of the latter
};

/// Throws ParameterError with the usage for anything that it does not know.
[[nodiscard]] Arguments parse_arguments(int argc, char** argv);

/// What is to be run on that many ranks, a row each. Throws ParameterError for a grid that cannot be.
[[nodiscard]] std::vector<TransferSpec> wanted_transfers(const Arguments& arguments, int ranks);

}  // namespace tilewright::simulation
