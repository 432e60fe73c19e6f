// Scatter, halo exchange and gather of row strips, blocking and polite.
#include "strip_transfers.hpp"

#include <sched.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <thread>

namespace tilewright::baseline {
namespace {

using namespace std::chrono_literals;

/// Completes the requests by testing: a few times at once, then with yields, then with sleeps that grow.
void wait_politely(std::span<MPI_Request> requests) {
  constexpr int eager_tests = 20;
  constexpr int yields = 60;
  constexpr std::chrono::microseconds longest_sleep = 500us;
  std::chrono::microseconds sleep = 20us;
  for (int tests = 1;; ++tests) {
    int done = 0;
    MPI_Testall(static_cast<int>(requests.size()), requests.data(), &done, MPI_STATUSES_IGNORE);
    if (done != 0) return;
    if (tests <= eager_tests) continue;
    if (tests <= eager_tests + yields) {
      sched_yield();
      continue;
    }
    std::this_thread::sleep_for(sleep);
    sleep = std::min(sleep * 21 / 20 + 1us, longest_sleep);
  }
}
void wait_politely(MPI_Request request) {
  wait_politely({&request, 1});
}

void barrier_of(MPI_Comm comm) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibarrier(comm, &request);
  wait_politely(request);
}

}  // namespace

StripTransfers::StripTransfers(MPI_Comm comm, int ranks_used, Waiting waiting) : ranks_(ranks_used), waiting_(waiting) {
  barrier_of(comm);  // what follows spins until the last has come
  MPI_Group all = MPI_GROUP_NULL;
  MPI_Group used = MPI_GROUP_NULL;
  MPI_Comm_group(comm, &all);
  int first_to_last[1][3] = {{0, ranks_used - 1, 1}};
  MPI_Group_range_incl(all, 1, first_to_last, &used);
  MPI_Group_rank(used, &rank_);
  if (rank_ != MPI_UNDEFINED) {
    MPI_Comm_create_group(comm, used, 0, &comm_);
    MPI_Comm_set_errhandler(comm_, MPI_ERRORS_ARE_FATAL);
  }
  MPI_Group_free(&used);
  MPI_Group_free(&all);
}

StripTransfers::~StripTransfers() {
  if (takes_part()) MPI_Comm_free(&comm_);
}

int StripTransfers::first_row(int rank, int height) const {
  return static_cast<int>(static_cast<std::int64_t>(height) * rank / ranks_);
}

StripTransfers::Cut StripTransfers::cut(const cv::Size& image) const {
  Cut result;
  for (int rank = 0; rank < ranks_; ++rank) {
    const int first = first_row(rank, image.height);
    result.counts.push_back((first_row(rank + 1, image.height) - first) * image.width);
    result.begins.push_back(first * image.width);
  }
  return result;
}

Strip StripTransfers::make_strip(const cv::Size& image, int halo) const {
  Strip strip;
  strip.above = rank_ > 0 ? halo : 0;
  strip.below = rank_ < ranks_ - 1 ? halo : 0;
  const int rows = first_row(rank_ + 1, image.height) - first_row(rank_, image.height);
  strip.stored.create(strip.above + rows + strip.below, image.width, CV_32F);
  return strip;
}

cv::Size StripTransfers::broadcast(cv::Size image) const {
  int sides[2] = {image.width, image.height};
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibcast(sides, 2, MPI_INT, 0, comm_, &request);
  wait_politely(request);
  return {sides[0], sides[1]};
}

void StripTransfers::scatter(const cv::Mat& image_on_root, const Strip& strip) const {
  const cv::Mat owned = strip.owned();
  const int values = static_cast<int>(owned.total());
  const Cut sent = is_root() ? cut(image_on_root.size()) : Cut{};
  if (waiting_ == Waiting::blocking) {
    MPI_Scatterv(image_on_root.data, sent.counts.data(), sent.begins.data(), MPI_FLOAT, owned.data, values, MPI_FLOAT,
                 0, comm_);
    return;
  }
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iscatterv(image_on_root.data, sent.counts.data(), sent.begins.data(), MPI_FLOAT, owned.data, values, MPI_FLOAT, 0,
                comm_, &request);
  wait_politely(request);
}

void StripTransfers::exchange(const Strip& strip) const {
  constexpr int downwards = 1;
  constexpr int upwards = 2;
  const int upper = rank_ > 0 ? rank_ - 1 : MPI_PROC_NULL;
  const int lower = rank_ < ranks_ - 1 ? rank_ + 1 : MPI_PROC_NULL;
  const int rows = strip.stored.rows;
  const int width = strip.stored.cols;
  // Where there is no neighbour, nothing is counted and no row is touched.
  const auto row = [&](int y) { return strip.stored.data + static_cast<std::size_t>(y) * strip.stored.step; };
  unsigned char* const upper_halo = row(0);
  unsigned char* const first_owned = row(strip.above);
  unsigned char* const last_owned = row(rows - 2 * strip.below);
  unsigned char* const lower_halo = row(rows - strip.below);
  const int above = strip.above * width;
  const int below = strip.below * width;
  if (waiting_ == Waiting::blocking) {
    MPI_Sendrecv(last_owned, below, MPI_FLOAT, lower, downwards, upper_halo, above, MPI_FLOAT, upper, downwards, comm_,
                 MPI_STATUS_IGNORE);
    MPI_Sendrecv(first_owned, above, MPI_FLOAT, upper, upwards, lower_halo, below, MPI_FLOAT, lower, upwards, comm_,
                 MPI_STATUS_IGNORE);
    return;
  }
  MPI_Request requests[4];
  MPI_Irecv(upper_halo, above, MPI_FLOAT, upper, downwards, comm_, &requests[0]);
  MPI_Irecv(lower_halo, below, MPI_FLOAT, lower, upwards, comm_, &requests[1]);
  MPI_Isend(last_owned, below, MPI_FLOAT, lower, downwards, comm_, &requests[2]);
  MPI_Isend(first_owned, above, MPI_FLOAT, upper, upwards, comm_, &requests[3]);
  wait_politely(requests);
}

void StripTransfers::gather(std::span<const cv::Mat> owned, std::span<cv::Mat> wholes) const {
  const Cut received = is_root() ? cut(wholes.front().size()) : Cut{};
  std::vector<MPI_Request> requests;
  for (std::size_t i = 0; i < owned.size(); ++i) {
    const int values = static_cast<int>(owned[i].total());
    unsigned char* const whole = is_root() ? wholes[i].data : nullptr;
    if (waiting_ == Waiting::blocking) {
      MPI_Gatherv(owned[i].data, values, MPI_FLOAT, whole, received.counts.data(), received.begins.data(), MPI_FLOAT, 0,
                  comm_);
      continue;
    }
    MPI_Igatherv(owned[i].data, values, MPI_FLOAT, whole, received.counts.data(), received.begins.data(), MPI_FLOAT, 0,
                 comm_, &requests.emplace_back());
  }
  if (!requests.empty()) wait_politely(requests);
}

double StripTransfers::sum_on_root(double value) const {
  double sum = value;
  if (waiting_ == Waiting::blocking) {
    MPI_Reduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, comm_);
    return sum;
  }
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ireduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, comm_, &request);
  wait_politely(request);
  return sum;
}

void StripTransfers::maximum(std::span<double> values) const {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iallreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()), MPI_DOUBLE, MPI_MAX, comm_, &request);
  wait_politely(request);
}

void StripTransfers::barrier() const {
  barrier_of(comm_);
}

void StripTransfers::start_together() const {
  using Clock = std::chrono::steady_clock;
  barrier_of(comm_);
  const auto begin = Clock::now();
  barrier_of(comm_);
  // Word of the instant travels about as long as half a barrier takes.
  const auto notice = std::max<Clock::duration>(5ms, 3 * (Clock::now() - begin));
  std::int64_t instant = (Clock::now() + notice).time_since_epoch().count();
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibcast(&instant, 1, MPI_INT64_T, 0, comm_, &request);
  wait_politely(request);
  std::this_thread::sleep_until(Clock::time_point(Clock::duration(instant)));
}

}  // namespace tilewright::baseline
