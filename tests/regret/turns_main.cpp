// turns: what one turn of a loop takes whose image the next turn goes on with, for --tw-keep=root against the plan's
// choice.
//
//   cluster.sh run 8 turns [TURNS [SIDE [TAPS]]] --tw-machine=NAME [--tw-keep=root]
//
// Each turn correlates the image with a template, which is not separable, and keeps the result. The first turns, in
// which plans are made, are counted by themselves.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <tilewright/tilewright.hpp>
#include <vector>

namespace tw = tilewright;

namespace {

constexpr int planning_turns = 5;

int number(const tw::Session& session, std::size_t index, int otherwise) {
  return index < session.arguments().size() ? std::stoi(session.argument(index)) : otherwise;
}

/// Sums to one, so that values stay what they are however many turns there are.
tw::Kernel template_of(int taps) {
  std::vector<double> values;
  double sum = 0;
  for (int i = 0; i < taps * taps; ++i) sum += values.emplace_back(1 + i * 7919 % 251);
  for (double& value : values) value /= sum;
  return {taps, taps, std::move(values), {}, {}};
}

}  // namespace

int main(int argc, char** argv) {
  tw::Session session(argc, argv);
  const int turns = std::max(planning_turns + 1, number(session, 0, 20));
  const int side = number(session, 1, 512);
  const tw::Kernel kernel = template_of(number(session, 2, 15));
  tw::Raster pixels(tw::ImageShape{{side, side}, {tw::PixelType::f32, 1}});
  for (int y = 0; y < side; ++y) {
    for (int x = 0; x < side; ++x) *pixels.at<float>(x, y) = static_cast<float>((x * 31 + y * 17) % 256);
  }
  tw::Image image = session.run(tw::convolve(session.image(std::move(pixels)), kernel));
  const auto begin = std::chrono::steady_clock::now();
  auto planned = begin;
  int turn = 0;
  do {
    image = session.run(tw::convolve(image, kernel));
    if (++turn == planning_turns) planned = std::chrono::steady_clock::now();
  } while (session.repeat(turn < turns, turns));
  const double sum = session.value(tw::sum(image));  // all ranks have done their part
  const double first_s = std::chrono::duration<double>(planned - begin).count();
  const double later_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - planned).count();
  if (session.is_root()) {
    std::printf("first %d turns %.0f ms, then %.2f ms a turn, sum %.6g\n", planning_turns, 1e3 * first_s,
                1e3 * later_s / (turns - planning_turns), sum);
  }
  return 0;
}
