// The names that profiles in CSV and JSON share, each written down once.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "tilewright/model/machine_profile.hpp"

namespace tilewright {

inline constexpr std::string_view profile_schema = "tilewright.profile/1";
inline constexpr std::string_view setting_prefix = "setting.";

/// A section of the CSV: what follows "section," in its first line, and its second line. Files of older versions lack
/// the columns `added_later`, or the last of them, which then have their default values.
struct SectionHead {
  std::string_view name;
  std::string_view columns;
  std::string_view added_later = {};
};
inline constexpr SectionHead fingerprint_section{"fingerprint", "name,value"};
inline constexpr SectionHead path_section{"path_cells", "path,layout,bytes,seconds,spread_s,samples",
                                          ",packing,block_bytes,stride_bytes,within_node"};
inline constexpr SectionHead operator_section{
    "operator_cells", "key,type,parameter,tile_pixels,seconds,spread_s,samples", ",ranks,threads"};
inline constexpr SectionHead sample_section{"samples", "cell,launch,order,seconds", ",disturbed"};

/// The fingerprint's members of a kind, with their names. memory_per_node and settings stand alone.
inline constexpr auto text_members() {
  return std::to_array<std::pair<std::string_view, std::string Fingerprint::*>>({{"host", &Fingerprint::host},
                                                                                 {"processor", &Fingerprint::processor},
                                                                                 {"mpi", &Fingerprint::mpi},
                                                                                 {"effort", &Fingerprint::effort},
                                                                                 {"date", &Fingerprint::date},
                                                                                 {"source", &Fingerprint::source},
                                                                                 {"simd", &Fingerprint::simd}});
}
inline constexpr auto integer_members() {
  return std::to_array<std::pair<std::string_view, int Fingerprint::*>>(
      {{"cores_per_node", &Fingerprint::cores_per_node},
       {"nodes", &Fingerprint::nodes},
       {"ranks", &Fingerprint::ranks}});
}

}  // namespace tilewright
