// regret_report FOLDER: from the CSV files of cases and decisions there, summary.txt and report.html beside them; the
// summary is printed too.
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

#include "decision_report.hpp"
#include "report.hpp"

namespace {

void write(const std::filesystem::path& path, const std::string& text) {
  const std::filesystem::path beside = path.string() + ".new";
  std::ofstream file(beside, std::ios::binary);
  file << text << std::flush;
  if (!file) throw std::runtime_error(beside.string() + " cannot be written");
  file.close();
  std::filesystem::rename(beside, path);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: regret_report FOLDER\n", stderr);
    return 2;
  }
  try {
    const std::filesystem::path folder = argv[1];
    const auto decisions = tilewright::regret::read_decisions(folder);
    const bool only_decisions = !decisions.empty() && !std::filesystem::exists(folder / "cases.csv");
    const auto cases =
        only_decisions ? std::vector<tilewright::regret::CaseResult>() : tilewright::regret::read_csv(folder);
    const std::string summary =
        tilewright::regret::text_summary(cases) + "\n" + tilewright::regret::decisions_text(decisions);
    write(folder / "summary.txt", summary);
    write(folder / "report.html",
          tilewright::regret::html_page(cases, tilewright::regret::decisions_section(decisions)));
    std::fputs(summary.c_str(), stdout);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "regret_report: %s\n", error.what());
    return 1;
  }
  return 0;
}
