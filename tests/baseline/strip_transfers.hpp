// Row strips and the MPI calls that move them.
#pragma once

#include <mpi.h>

#include <opencv2/core.hpp>
#include <span>
#include <vector>

#include "row_strips.hpp"

namespace tilewright::baseline {

/// A rank's rows of an image, with rows of its neighbours above and below where it has neighbours.
struct Strip {
  cv::Mat stored;
  int above = 0;
  int below = 0;

  [[nodiscard]] cv::Mat owned() const { return stored.rowRange(above, stored.rows - below); }
};

class StripTransfers {
 public:
  /// Collective over `comm`.
  StripTransfers(MPI_Comm comm, int ranks_used, Waiting waiting);
  ~StripTransfers();
  StripTransfers(const StripTransfers&) = delete;
  StripTransfers& operator=(const StripTransfers&) = delete;

  /// False on surplus ranks, which may call nothing else.
  [[nodiscard]] bool takes_part() const { return comm_ != MPI_COMM_NULL; }
  [[nodiscard]] bool is_root() const { return rank_ == 0; }
  [[nodiscard]] bool is_alone() const { return ranks_ == 1; }

  /// Room for this rank's rows and `halo` rows of each neighbour; pixels are not initialised.
  [[nodiscard]] Strip make_strip(const cv::Size& image, int halo) const;
  /// Rows of the smallest strip.
  [[nodiscard]] int fewest_rows(const cv::Size& image) const { return image.height / ranks_; }

  // Collective over the ranks that take part.
  [[nodiscard]] cv::Size broadcast(cv::Size image) const;
  void scatter(const cv::Mat& image_on_root, const Strip& strip) const;
  void exchange(const Strip& strip) const;
  /// Each rank's rows of several images, put together on the root in `wholes`, which are made there.
  void gather(std::span<const cv::Mat> owned, std::span<cv::Mat> wholes) const;
  [[nodiscard]] double sum_on_root(double value) const;
  /// The largest of each value over the ranks; politely, whatever the waiting.
  void maximum(std::span<double> values) const;
  /// Politely, whatever the waiting.
  void barrier() const;
  /// Returns on all ranks at one instant of the clock that they share, for they stand on one machine. Politely.
  void start_together() const;

 private:
  /// Values of each rank's rows, and of the rows before it.
  struct Cut {
    std::vector<int> counts;
    std::vector<int> begins;
  };
  [[nodiscard]] Cut cut(const cv::Size& image) const;
  [[nodiscard]] int first_row(int rank, int height) const;

  MPI_Comm comm_ = MPI_COMM_NULL;
  int rank_ = 0;
  int ranks_ = 1;
  Waiting waiting_;
};

}  // namespace tilewright::baseline
