#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "pointwise.hpp"
#include "tilewright/imgops/reductions.hpp"

namespace tilewright {
namespace {

/// Integers in the order of the values they stand for, -0 before +0.
template <class T>
struct OrderedKey {
  using Key = T;
  static Key of(T value) { return value; }
  static double value(std::int64_t key) { return static_cast<double>(key); }
};

template <>
struct OrderedKey<float> {
  using Key = std::int32_t;
  static Key flipped(Key bits) { return bits ^ ((bits >> 31) & std::numeric_limits<Key>::max()); }
  static Key of(float value) { return flipped(std::bit_cast<Key>(value)); }
  static double value(std::int64_t key) { return std::bit_cast<float>(flipped(static_cast<Key>(key))); }
};

template <>
struct OrderedKey<double> {
  using Key = std::int64_t;
  static Key flipped(Key bits) { return bits ^ ((bits >> 63) & std::numeric_limits<Key>::max()); }
  static Key of(double value) { return flipped(std::bit_cast<Key>(value)); }
  static double value(std::int64_t key) { return std::bit_cast<double>(flipped(key)); }
};

struct Smallest {
  static constexpr const char* name = "min";
  template <class Key>
  static constexpr Key neutral = std::numeric_limits<Key>::max();
  template <class Key>
  static Key better(Key a, Key b) {
    return b < a ? b : a;
  }
};

struct Largest {
  static constexpr const char* name = "max";
  template <class Key>
  static constexpr Key neutral = std::numeric_limits<Key>::min();
  template <class Key>
  static Key better(Key a, Key b) {
    return b > a ? b : a;
  }
};

/// Of one channel.
struct Partial {
  std::int64_t key = 0;
  std::int64_t has_nan = 0;
};

std::vector<Partial> partials_in(std::span<const std::byte> bytes) {
  std::vector<Partial> partials(bytes.size() / sizeof(Partial));
  std::memcpy(partials.data(), bytes.data(), partials.size() * sizeof(Partial));
  return partials;
}

template <class Which>
class Extreme final : public ReductionMethod {
 public:
  [[nodiscard]] std::string describe() const override { return Which::name; }

  [[nodiscard]] std::size_t partial_bytes(const PixelFormat& format) const override {
    return static_cast<std::size_t>(format.channels) * sizeof(Partial);
  }

  [[nodiscard]] std::vector<Work> work(const ImageShape& image, const Extent& tile) const override {
    return {{"reduce_minmax", image.format.type, 0, values_of(image, tile)}};
  }

  void accumulate(const ConstView& view, std::span<std::byte> partial) const override {
    std::vector<Partial> partials;
    with_format(view.format(), [&](auto tag, auto channels) {
      for (int channel = 0; channel < channels; ++channel) {
        partials.push_back(partial_of<typename decltype(tag)::type, channels>(view, channel));
      }
    });
    std::memcpy(partial.data(), partials.data(), partials.size() * sizeof(Partial));
  }

  void merge(std::span<std::byte> into, std::span<const std::byte> other,
             const PixelFormat& /*format*/) const override {
    std::vector<Partial> merged = partials_in(into);
    const std::vector<Partial> added = partials_in(other);
    for (std::size_t i = 0; i < merged.size(); ++i) {
      merged[i].key = Which::better(merged[i].key, added[i].key);
      merged[i].has_nan |= added[i].has_nan;
    }
    std::memcpy(into.data(), merged.data(), merged.size() * sizeof(Partial));
  }

  [[nodiscard]] std::vector<double> finish(std::span<const std::byte> partial, const ImageShape& image) const override {
    std::vector<double> values;
    for (const Partial& found : partials_in(partial)) {
      values.push_back(with_type(image.format.type, [&](auto tag) {
        return found.has_nan != 0 ? std::numeric_limits<double>::quiet_NaN()
                                  : OrderedKey<typename decltype(tag)::type>::value(found.key);
      }));
    }
    return values;
  }

  [[nodiscard]] std::vector<double> reference(const ConstView& image) const override {
    std::vector<double> values;
    for (int channel = 0; channel < image.format().channels; ++channel) {
      double best = value_at<double>(image, image.area().x0, image.area().y0, channel);
      for_each_value(image.area(), 1, [&](auto x, auto y, int) {
        const double value = value_at<double>(image, x, y, channel);
        const bool tie = value == best && std::signbit(value) != std::signbit(best);
        const bool better =
            tie ? Which::better(std::signbit(value) ? -1 : 1, 0) != 0 : Which::better(best, value) == value;
        if (std::isnan(value) || (!std::isnan(best) && better)) best = value;
      });
      values.push_back(best);
    }
    return values;
  }

 private:
  template <class T, int channels>
  static Partial partial_of(const ConstView& view, int channel) {
    using Key = typename OrderedKey<T>::Key;
    Key best = Which::template neutral<Key>;
    Key nans = 0;
    const Rect area = view.area();
    for (std::int64_t y = area.y0; y < area.y1 && area.width() > 0; ++y) {
      const T* row = view.at<T>(area.x0, y) + channel;
      for (std::int64_t i = 0; i < area.width(); ++i) {
        const T value = row[i * channels];
        best = Which::better(best, OrderedKey<T>::of(value));
        if constexpr (std::is_floating_point_v<T>) nans |= static_cast<Key>(value != value);
      }
    }
    return {static_cast<std::int64_t>(best), nans};
  }
};

}  // namespace

Reduction min(const Image& image) {
  return {image, std::make_shared<Extreme<Smallest>>()};
}
Reduction max(const Image& image) {
  return {image, std::make_shared<Extreme<Largest>>()};
}

}  // namespace tilewright
