#include "calibrated_folder.hpp"

#include <fmt/format.h>

#include <fstream>
#include <stdexcept>

namespace tilewright::test {

CalibratedFolder::CalibratedFolder(const std::string& name, const Extent& picture) : folder_(fresh_folder(name)) {
  std::ofstream pixels(file("in.pgm"));
  pixels << fmt::format("P5 {} {} 255\n", picture.width, picture.height);
  for (std::int64_t i = 0; i < picture.width * picture.height; ++i) pixels << static_cast<char>(i * 7919 % 251);
  const Outcome calibrated = copy_calibrated_into(file("bench.sqlite"));
  if (calibrated.status != 0) throw std::runtime_error(calibrated.error);
}

Outcome CalibratedFolder::run_program(int ranks, const std::string& name, const std::string& arguments) const {
  return test::run_program(folder_, ranks, name, arguments);
}

Outcome CalibratedFolder::run_command(const std::string& command) const {
  return run("export TILEWRIGHT_DB=bench.sqlite; " + command, folder_);
}

nlohmann::json CalibratedFolder::segments(const std::string& name) const {
  return nlohmann::json::parse(std::ifstream(file(name))).at("segments");
}

bool CalibratedFolder::are_equal(const std::string& a, const std::string& b) const {
  return run(fmt::format("cmp {} {}", a, b), folder_).status == 0;
}

}  // namespace tilewright::test
