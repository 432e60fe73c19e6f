#include "roofline.hpp"

#include <hwy/cache_control.h>

#include <algorithm>
#include <barrier>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <thread>
#include <utility>
#include <vector>

#include "tilewright/core/raster.hpp"

// Highway compiles the rest of this file once for each vector level.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "roofline.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace tilewright::performance {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

/// Sums that begin alike would be computed once for all of them.
template <std::size_t... kSums>
HWY_INLINE double multiply_add_sums(std::int64_t turns, float* value, std::index_sequence<kSums...> /*sums*/) {
  using Tag = hn::ScalableTag<float>;
  const Tag d;
  const auto factor = hn::Set(d, *value);
  const auto addend = hn::Set(d, 1.0F);
  hn::Vec<Tag> sums[] = {hn::Set(d, static_cast<float>(kSums))...};
  for (std::int64_t turn = 0; turn < turns; ++turn) {
    ((sums[kSums] = hn::MulAdd(factor, sums[kSums], addend)), ...);
  }
  auto total = hn::Zero(d);
  ((total = hn::Add(total, sums[kSums])), ...);
  *value = hn::GetLane(hn::SumOfLanes(d, total));
  return 2 * static_cast<double>(sizeof...(kSums) * hn::Lanes(d)) * static_cast<double>(turns);
}

/// Multiply-adds in registers, so many independent ones that none waits for another. `value` is what they multiply by,
/// less than 1, and receives what comes of it, so that no compiler leaves them out. Returns the number of flops.
double multiply_add(std::int64_t turns, float* value) {
  constexpr std::size_t independent = 12;
  return multiply_add_sums(turns, value, std::make_index_sequence<independent>{});
}

/// One array into several, past the caches or through them. All are aligned, and hold whole vectors.
void spread(const float* HWY_RESTRICT from, float* const* HWY_RESTRICT to, std::size_t copies, std::int64_t values,
            bool streamed) {
  const hn::ScalableTag<float> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  for (std::int64_t i = 0; i < values; i += lanes) {
    const auto value = hn::Load(d, from + i);
    for (std::size_t copy = 0; copy < copies; ++copy) {
      if (streamed) {
        hn::Stream(value, d, to[copy] + i);
      } else {
        hn::Store(value, d, to[copy] + i);
      }
    }
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace tilewright::performance
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tilewright::performance {

HWY_EXPORT(multiply_add);
HWY_EXPORT(spread);

namespace {

using Clock = std::chrono::steady_clock;

constexpr int rounds = 7;  // of which the fastest counts: what disturbs a measurement only makes it slower

/// Seconds of the slowest thread, of so many that begin together. `work` is told which one it is.
double seconds_together(int threads, const std::function<void(std::size_t)>& work) {
  std::barrier<> start(threads);
  std::vector<double> seconds(static_cast<std::size_t>(threads));
  std::vector<std::jthread> crew;
  for (std::size_t i = 0; i < seconds.size(); ++i) {
    crew.emplace_back([&, i] {
      start.arrive_and_wait();
      const Clock::time_point begin = Clock::now();
      work(i);
      seconds[i] = std::chrono::duration<double>(Clock::now() - begin).count();
    });
  }
  crew.clear();  // waits for them
  return *std::max_element(seconds.begin(), seconds.end());
}

/// Pixels lie as those of images do, on huge pages where there are any. None is zero: there are processors that stream
/// lines of zeros twice as fast as others, for nothing but their address travels.
Raster touched_array(std::int64_t values) {
  Raster array(ImageShape{{values, 1}, {PixelType::f32, 1}});
  std::fill_n(array.at<float>(0, 0), values, 1.5F);
  return array;
}

constexpr std::int64_t values = 8 << 20;  // of an array
constexpr std::size_t copies = 5;

}  // namespace

double Roofline::seconds(double bytes, double flops) const {
  return std::max(bytes / bytes_per_s, flops / flops_per_s);
}

RooflineProbe::RooflineProbe(int threads) {
  for (int i = 0; i < threads; ++i) {
    Arrays& own = arrays_.emplace_back(Arrays{touched_array(values), {}, {}});
    for (std::size_t copy = 0; copy < copies; ++copy) {
      own.written.push_back(own.to.emplace_back(touched_array(values)).at<float>(0, 0));
    }
  }
}

Roofline RooflineProbe::now() const {
  return {threads(), bytes_per_s(), flops_per_s()};
}

Roofline RooflineProbe::best() const {
  Roofline best{threads()};
  for (int round = 0; round < rounds; ++round) {
    const Roofline found = now();
    best.bytes_per_s = std::max(best.bytes_per_s, found.bytes_per_s);
    best.flops_per_s = std::max(best.flops_per_s, found.flops_per_s);
  }
  return best;
}

/// Reading is faster than writing, so the bandwidth is that of the mix that five derivatives move.
double RooflineProbe::bytes_per_s() const {
  double least = std::numeric_limits<double>::infinity();
  for (const bool streamed : {false, true}) {  // the faster one counts
    const double seconds = seconds_together(threads(), [&](std::size_t i) {
      const Arrays& own = arrays_[i];
      HWY_DYNAMIC_DISPATCH(spread)(own.from.at<float>(0, 0), own.written.data(), copies, values, streamed);
      hwy::FlushStream();
    });
    least = std::min(least, seconds);
  }
  return static_cast<double>((1 + copies) * values * sizeof(float)) * threads() / least;
}

double RooflineProbe::flops_per_s() const {
  constexpr std::int64_t turns = 1 << 22;  // some milliseconds
  std::vector<double> flops(arrays_.size());
  const double seconds = seconds_together(threads(), [&](std::size_t i) {
    float value = 0.5F;
    flops[i] = HWY_DYNAMIC_DISPATCH(multiply_add)(turns, &value);
  });
  return flops.front() * threads() / seconds;
}

}  // namespace tilewright::performance
#endif
