#include "program_runner.hpp"

#include <fmt/format.h>
#include <sys/wait.h>

#include <cstdlib>
#include <fstream>
#include <iterator>

namespace tilewright::test {
namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

Outcome run(const std::string& command, const fs::path& folder) {
  const fs::path out = folder / "stdout.txt";
  const fs::path error = folder / "stderr.txt";
  const fs::path script = folder / "command.sh";
  std::ofstream(script) << command << '\n';
  const int status = std::system(fmt::format("cd '{}' && timeout 120 sh '{}' >'{}' 2>'{}' </dev/null", folder.string(),
                                             script.string(), out.string(), error.string())
                                     .c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128, text_of(out), text_of(error)};
}

fs::path fresh_folder(const std::string& name) {
  const fs::path folder = fs::current_path() / "apps_test" / name;
  fs::remove_all(folder);
  fs::create_directories(folder);
  return folder;
}

std::string mpiexec(int ranks) {
  return fmt::format("{} -n {}", TILEWRIGHT_MPIEXEC, ranks);
}

std::string program(const std::string& name) {
  return std::string(TILEWRIGHT_BIN_DIR) + "/" + name;
}

Outcome run_program(const fs::path& folder, int ranks, const std::string& name, const std::string& arguments) {
  return run(
      fmt::format("TILEWRIGHT_DB=bench.sqlite {} {} {}", ranks == 0 ? "" : mpiexec(ranks), program(name), arguments),
      folder);
}

Outcome calibrate_into(const fs::path& database) {
  return run(
      fmt::format("{} {} calibrate --effort quick --db {}", mpiexec(2), program("tilewright"), database.string()),
      database.parent_path());
}

Outcome copy_calibrated_into(const fs::path& database) {
  const fs::path shared = fs::current_path() / "apps_test" / "calibrated.sqlite";
  Outcome outcome;
  if (!fs::exists(shared) || fs::last_write_time(shared) < fs::last_write_time(program("tilewright"))) {
    outcome = calibrate_into(database);
    if (outcome.status == 0) fs::copy_file(database, shared, fs::copy_options::overwrite_existing);
  } else {
    fs::copy_file(shared, database);
  }
  return outcome;
}

}  // namespace tilewright::test
