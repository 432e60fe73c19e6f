#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "tilewright/core/error.hpp"
#include "tilewright/imgops/gaussian.hpp"

namespace tilewright {
namespace {

constexpr int highest_order = 20;

/// The paper's kernel radii for order 0, 1, 2 (P-3PC, section 4).
struct PublishedRadii {
  double sigma;
  double radius[3];
};
constexpr PublishedRadii published[] = {{1, {3, 4, 4}}, {3, {7, 11, 12}}, {5, {11, 18, 19}}};

void check_parameters(double sigma, int order, double truncation) {
  if (!std::isfinite(sigma) || sigma <= 0) {
    throw ParameterError(fmt::format("sigma={} of a Gaussian: use a positive number of pixels", sigma));
  }
  if (order < 0 || order > highest_order) {
    throw ParameterError(fmt::format("order {} of a Gaussian derivative: use 0 to {}", order, highest_order));
  }
  if (!std::isfinite(truncation) || truncation < 0) {
    throw ParameterError(
        fmt::format("truncation={} of a Gaussian: use a positive number of sigmas, or 0 for the default", truncation));
  }
}

double rule_radius(double sigma, int order) {
  const auto index = static_cast<std::size_t>(std::min(order, 2));
  const PublishedRadii& a = sigma < published[1].sigma ? published[0] : published[1];
  const PublishedRadii& b = sigma < published[1].sigma ? published[1] : published[2];
  const double slope = (b.radius[index] - a.radius[index]) / (b.sigma - a.sigma);
  constexpr double rounding_slack = 1e-9;  // 3.0000000000000004 is 3
  const double radius = std::ceil(a.radius[index] + slope * (sigma - a.sigma) - rounding_slack);
  return order > 2 ? radius + std::ceil((order - 2) * sigma / 2 - rounding_slack) : radius;
}

using Values = std::vector<long double>;

/// Sum of a * b * weights.
long double product(const Values& a, const Values& b, const Values& weights) {
  long double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i] * weights[i];
  return sum;
}

/// The monic polynomial of degree `order` that is orthogonal to all lower ones under the weights, at the taps. x times
/// the last one, made orthogonal to the ones before twice over: the second time removes what rounding left.
Values orthogonal_polynomial(const Values& x, const Values& weights, int order) {
  std::vector<Values> lower{Values(x.size(), 1)};
  for (int degree = 1; degree <= order; ++degree) {
    Values next(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) next[i] = x[i] * lower.back()[i];
    for (int pass = 0; pass < 2; ++pass) {
      for (const Values& polynomial : lower) {
        const long double part = product(next, polynomial, weights) / product(polynomial, polynomial, weights);
        for (std::size_t i = 0; i < x.size(); ++i) next[i] -= part * polynomial[i];
      }
    }
    lower.push_back(std::move(next));
  }
  return lower.back();
}

/// Sum of k(x) * x^power, and of its magnitudes.
struct Moment {
  long double sum = 0;
  long double magnitude = 0;
};

Moment moment(const std::vector<double>& kernel, const Values& x, int power) {
  Moment result;
  for (std::size_t i = 0; i < kernel.size(); ++i) {
    const long double term = kernel[i] * std::pow(x[i], static_cast<long double>(power));
    result.sum += term;
    result.magnitude += std::abs(term);
  }
  return result;
}

/// Does the kernel differentiate polynomials exactly, up to rounding?
bool is_sound(const std::vector<double>& kernel, const Values& x, int order) {
  constexpr long double tolerance = 1e-6L;
  for (const double tap : kernel) {
    if (!std::isfinite(tap)) return false;
  }
  for (int power = 0; power <= order; ++power) {
    const Moment found = moment(kernel, x, power);
    const long double wanted = power == order ? std::tgamma(static_cast<long double>(order) + 1) : 0;
    if (!(std::abs(found.sum - wanted) <= tolerance * found.magnitude)) return false;
  }
  return true;
}

}  // namespace

int gaussian_radius(double sigma, int order, double truncation) {
  check_parameters(sigma, order, truncation);
  const double wanted = truncation > 0 ? std::ceil(truncation * sigma) : rule_radius(sigma, order);
  if (wanted > largest_gaussian_radius) {
    throw ParameterError(
        fmt::format("a Gaussian of sigma={}, order {}, truncation={} needs a kernel of radius {:g}, "
                    "above the limit {}: reduce the image instead",
                    sigma, order, truncation, wanted, largest_gaussian_radius));
  }
  return std::max({static_cast<int>(wanted), 1, (order + 1) / 2});
}

std::vector<double> gaussian_kernel(double sigma, int order, double truncation) {
  const int radius = gaussian_radius(sigma, order, truncation);
  Values x;
  Values weights;
  for (int i = -radius; i <= radius; ++i) {
    const long double scaled = i / static_cast<long double>(sigma);
    x.push_back(i);
    weights.push_back(std::exp(-scaled * scaled / 2));
  }
  const Values polynomial = orthogonal_polynomial(x, weights, order);
  const long double scale = std::tgamma(static_cast<long double>(order) + 1) / product(polynomial, polynomial, weights);
  // Exactly even or odd, as the derivative is: what rounding left of the other parity is taken out.
  const long double parity = order % 2 == 0 ? 1 : -1;
  std::vector<double> kernel;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const std::size_t mirrored = x.size() - 1 - i;
    kernel.push_back(static_cast<double>(scale * weights[i] * (polynomial[i] + parity * polynomial[mirrored]) / 2));
  }
  if (!is_sound(kernel, x, order)) {
    throw ParameterError(
        fmt::format("sigma={} is too small for a Gaussian derivative of order {} on {} taps: the "
                    "Gaussian vanishes between pixels; use a larger sigma or a lower order",
                    sigma, order, kernel.size()));
  }
  return kernel;
}

}  // namespace tilewright
