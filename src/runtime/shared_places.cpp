#include "shared_places.hpp"

#include <algorithm>

#include "tilewright/core/rounding.hpp"
#include "tilewright/model/shared_images.hpp"

namespace tilewright {
namespace {

/// A page; and for large images a huge one, which they ask for.
std::int64_t in_pages(std::int64_t bytes) {
  constexpr std::int64_t page = 4096;
  constexpr std::int64_t huge_page = std::int64_t{2} << 20;
  const std::int64_t unit = bytes >= 2 * huge_page ? huge_page : page;
  return rounded_up(bytes, unit);
}

/// Memory that an image has from when the root needs room for it to the step that releases it.
struct Place {
  std::size_t first_step = 0;
  std::size_t last_step = 0;
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

bool makes_whole(const PlanStep& step, int image) {
  return tilewright::makes_whole(step) && step.image <= image && image < step.image + step.results;
}

/// When the root needs room for what a step makes whole there: of all that is gathered in turn from the first such
/// transfer on, for ranks that are early send before others have had their tiles (TransferSteps::await_results).
std::size_t first_need(const Plan& plan, std::size_t index) {
  const PlanStep& step = plan.steps[index];
  if (step.kind != StepKind::gather || !step.in_turn) return index;
  const auto first = std::find_if(plan.steps.begin(), plan.steps.end(), [](const PlanStep& s) { return s.in_turn; });
  return static_cast<std::size_t>(first - plan.steps.begin());
}

Place place_of(const Plan& plan, int image) {
  Place place{plan.steps.size(), plan.steps.size(), 0, 0};
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    const PlanStep& step = plan.steps[i];
    if (makes_whole(step, image)) place.first_step = std::min(place.first_step, first_need(plan, i));
    const bool goes =
        std::find(step.releases.begin(), step.releases.end(), Release{image, true}) != step.releases.end();
    if (goes) place.last_step = i;
  }
  place.end = in_pages(plan.images[static_cast<std::size_t>(image)].shape.bytes());
  return place;
}

bool are_at_one_time(const Place& a, const Place& b) {
  return a.first_step <= b.last_step && b.first_step <= a.last_step;
}

/// To the first gap that is large enough.
void move_beside(Place& place, const std::vector<Place>& others) {
  std::vector<Place> in_the_way;
  std::copy_if(others.begin(), others.end(), std::back_inserter(in_the_way),
               [&](const Place& other) { return are_at_one_time(place, other); });
  std::sort(in_the_way.begin(), in_the_way.end(), [](const Place& a, const Place& b) { return a.begin < b.begin; });
  const std::int64_t bytes = place.end - place.begin;
  for (const Place& other : in_the_way) {
    if (place.begin + bytes <= other.begin) break;
    place.begin = std::max(place.begin, in_pages(other.end));
  }
  place.end = place.begin + bytes;
}

}  // namespace

SharedPlaces shared_places(const Plan& plan) {
  const std::vector<bool> shared = images_in_shared_memory(plan);
  SharedPlaces places{0, std::vector<std::optional<std::int64_t>>(plan.images.size())};
  std::vector<Place> taken;
  for (std::size_t image = 0; image < shared.size(); ++image) {
    if (!shared[image]) continue;
    Place place = place_of(plan, static_cast<int>(image));
    move_beside(place, taken);
    places.offset[image] = place.begin;
    places.bytes = std::max(places.bytes, place.end);
    taken.push_back(place);
  }
  return places;
}

}  // namespace tilewright
