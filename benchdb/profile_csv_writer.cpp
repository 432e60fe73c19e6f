#include <fmt/format.h>

#include "profile_csv.hpp"
#include "profile_sections.hpp"

namespace tilewright {
namespace {

/// fmt's {} for a double: the shortest digits that are read back as the same number.
std::string estimate(const Estimate& time) {
  return fmt::format("{},{},{}", time.seconds, time.spread_s, time.samples);
}

std::string fingerprint_lines(const MachineProfile& profile) {
  const Fingerprint& f = profile.fingerprint();
  std::string text;
  const auto add = [&](std::string_view name, std::string_view value) {
    text += fmt::format("{},{}\n", csv_field(name), csv_field(value));
  };
  add("machine", profile.name());
  for (const auto& [name, member] : text_members()) add(name, f.*member);
  for (const auto& [name, member] : integer_members()) add(name, std::to_string(f.*member));
  add("memory_per_node", std::to_string(f.memory_per_node));
  for (const auto& [name, value] : f.settings) add(std::string(setting_prefix) + name, value);
  return text;
}

std::string path_lines(const MachineProfile& profile) {
  std::string text;
  for (const PathCell& cell : profile.paths()) {
    text += fmt::format("{},{},{},{},{},{},{},{}\n", to_string(cell.path), to_string(cell.layout), cell.bytes,
                        estimate(cell.time), to_string(cell.packing), cell.block_bytes, cell.stride_bytes,
                        cell.within_node ? 1 : 0);
  }
  return text;
}

std::string operator_lines(const MachineProfile& profile) {
  std::string text;
  for (const OperatorCell& cell : profile.operators()) {
    text += fmt::format("{},{},{},{},{},{},{}\n", csv_field(cell.key), to_string(cell.type), cell.parameter,
                        cell.tile_pixels, estimate(cell.time_per_unit), cell.ranks, cell.threads);
  }
  return text;
}

std::string sample_lines(const std::vector<RawSample>& samples) {
  std::string text;
  for (const RawSample& sample : samples) {
    text += fmt::format("{},{},{},{},{}\n", csv_field(sample.cell), sample.launch, sample.order, sample.seconds,
                        sample.disturbed ? 1 : 0);
  }
  return text;
}

std::string section(const SectionHead& head, const std::string& lines) {
  return fmt::format("section,{}\n{}{}\n{}", head.name, head.columns, head.added_later, lines);
}

}  // namespace

std::string write_profile_csv(const Calibration& calibration) {
  const MachineProfile& profile = calibration.profile;
  return fmt::format("{}\n# A machine profile of Tilewright. Times in seconds, sizes in bytes.\n{}{}{}{}",
                     profile_schema, section(fingerprint_section, fingerprint_lines(profile)),
                     section(path_section, path_lines(profile)), section(operator_section, operator_lines(profile)),
                     section(sample_section, sample_lines(calibration.samples)));
}

}  // namespace tilewright
