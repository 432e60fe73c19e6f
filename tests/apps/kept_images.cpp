// Keeps images that are best made on different grids, and works on them together: for kept_images_test.
#include <tilewright/tilewright.hpp>
#include <vector>

namespace tw = tilewright;

int main(int argc, char** argv) {
  tw::Session session(argc, argv);
  const tw::Image in = tw::convert(session.read(session.argument(0)), tw::PixelType::f32);
  const std::vector<double> one{1};
  const std::vector<double> far(61, 1.0 / 61);
  // Reach far along one axis each, so that strips along it have nothing to exchange.
  const tw::Image wide = session.run(tw::convolve_separable(in, far, one));
  const tw::Image tall = session.run(tw::convolve_separable(in, one, far));
  const tw::Image both = session.run(tw::max(wide, tall));
  // No tile of many is as large as that reaches.
  const tw::Image blurred = session.run(tw::convolve_separable(both, far, far));
  const double mean = session.value(tw::mean(tw::abs(blurred - wide)));
  if (session.is_root()) std::printf("%.9g\n", mean);
  session.write(session.argument(1), blurred - tall);
  return 0;
}
