// Where a program is run on a picture, on a machine that has been measured.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "program_runner.hpp"
#include "tilewright/core/geometry.hpp"

namespace tilewright::test {

class CalibratedFolder {
 public:
  /// With in.pgm, noise of that extent. Throws std::runtime_error if this machine cannot be measured.
  CalibratedFolder(const std::string& name, const Extent& picture);

  /// run_program() in this folder.
  [[nodiscard]] Outcome run_program(int ranks, const std::string& name, const std::string& arguments) const;
  /// Any command, with the measurements for those who ask.
  [[nodiscard]] Outcome run_command(const std::string& command) const;
  /// Of the plan in that file.
  [[nodiscard]] nlohmann::json segments(const std::string& name) const;
  [[nodiscard]] bool are_equal(const std::string& a, const std::string& b) const;
  [[nodiscard]] std::filesystem::path file(const std::string& name) const { return folder_ / name; }

 private:
  std::filesystem::path folder_;
};

}  // namespace tilewright::test
