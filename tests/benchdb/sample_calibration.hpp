// A calibration that is awkward to store: numbers without a short decimal form, quotes, commas, line breaks.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "tilewright/model/machine_profile.hpp"

namespace tilewright::test {

inline Fingerprint awkward_fingerprint() {
  Fingerprint f;
  f.host = "node \"7\", left\nrack";
  f.processor = " Größer & Söhne # 3 ";
  f.cores_per_node = 24;
  f.memory_per_node = (std::int64_t{1} << 53) + 1;  // a double cannot hold it
  f.nodes = 3;
  f.ranks = 6;
  f.mpi = "MPICH 4.0.2";
  f.settings = {{"UCX_TLS", "self,shm"}, {"UCX_NET_DEVICES", ""}, {"UCX_ODD", "a=\"b\""}};
  f.effort = "thorough";
  f.date = "2024-05-06T07:08:09Z";
  f.source = "# measured\r\nby us";
  f.simd = "AVX2";
  return f;
}

/// Without its name, two equal ones differ in what `offset` adds to each number.
inline Calibration awkward_calibration(const std::string& name, double offset = 0) {
  std::vector<PathCell> paths;
  for (const Path path : all_paths) {
    for (const Layout layout : all_layouts) {
      for (const std::int64_t bytes : {0, 4096, 2'048'000}) {
        const double seconds = 1e-6 / 3.0 + 1e-9 * static_cast<double>(bytes) / 7.0 + offset;
        paths.push_back({path, layout, bytes, {seconds, seconds / 11.0, 5}});
      }
    }
  }
  paths.push_back({Path::full, Layout::nc, 16384, {1e-5 / 3.0 + offset, 1e-7, 4}, Packing::manual, 16, 4096});
  paths.push_back({Path::full, Layout::nc, 16384, {2e-5 / 3.0 + offset, 1e-7, 4}, Packing::datatype, 16, 4096});
  paths.push_back({Path::full, Layout::nc, 16384, {3e-6 / 7.0 + offset, 1e-7, 4}, Packing::manual, 16, 4096, true});
  paths.push_back({Path::send, Layout::cc, 4096, {1e-6 / 7.0 + offset, 1e-8, 6}, Packing::datatype, 0, 0, true});
  std::vector<OperatorCell> operators{
      {"convolve_separable", PixelType::f32, 25, 65536, {1.0 / 3e9 + offset, 1e-12 / 3, 9}},
      {"convolve_separable", PixelType::f32, 25, 65536, {1.0 / 2e9 + offset, 1e-12 / 7, 8}, 16},
      {"convolve_separable", PixelType::f32, 25, 65536, {1.0 / 6e9 + offset, 1e-12 / 9, 7}, 1, 12},
      {"convolve_separable", PixelType::f64, 0.1, 1e6 / 3, {std::numeric_limits<double>::denorm_min(), 0, 1}},
      {"user, \"own\"", PixelType::u8, 0, 1, {std::numeric_limits<double>::max(), 0, 0}},
  };
  std::vector<RawSample> samples;
  for (int launch = 0; launch < 3; ++launch) {
    for (std::int64_t order = 0; order < 20; ++order) {
      samples.push_back(
          {"send/cc/4096", launch, 20 - order, 1e-5 / static_cast<double>(3 + order) + offset, order % 7 == 3});
    }
  }
  return {MachineProfile(name, awkward_fingerprint(), std::move(paths), std::move(operators)), std::move(samples)};
}

}  // namespace tilewright::test
