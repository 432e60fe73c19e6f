// The rival: image pipelines over row strips as a competent MPI programmer would write them by hand.
//
// MPI_Scatterv of the rows, halo rows by MPI_Sendrecv, OpenCV on each strip, MPI_Gatherv of the results; sums by
// MPI_Reduce. Nothing of Tilewright is in it but the taps of its Gaussian kernels, so that both make the same pictures.
#pragma once

#include <mpi.h>

#include <memory>
#include <opencv2/core.hpp>
#include <vector>

namespace tilewright::baseline {

enum class Kind {
  derivative,            ///< Lx at `sigma`
  five_derivatives,      ///< Lx, Ly, Lxx, Lxy, Lyy at `sigma`, in this order
  thresholded_gradient,  ///< 1 where sqrt(Lx^2 + Ly^2) exceeds `level`, else 0; and the sum of that
  smoothing_chain,       ///< Gaussian smoothing by each of `sigmas`, one after another
  oriented_bank,         ///< the maximum of cos^2 Lxx + 2 cos sin Lxy + sin^2 Lyy over `angles` and over `sigmas`
  small_filter,          ///< `iterations` times [1 2 1]/4 in both directions
  wide_and_tall,         ///< Gaussian smoothing by each of `sigmas` along x, then by each along y
};

/// A pipeline and its parameters; those that its kind does not name do not matter. All borders are reflect101.
struct Work {
  Kind kind = Kind::derivative;
  double sigma = 1;
  double level = 0;
  std::vector<double> sigmas = {1, 2, 3};
  int angles = 36;  ///< multiples of pi / angles, from 0 on
  int iterations = 20;
};

/// The most halo rows that one of the pipeline's filters reads; a strip may not have fewer rows.
[[nodiscard]] int largest_halo(const Work& work);

/// The most ranks whose strips of an image of that height have as many rows; one at least, which has no halo.
[[nodiscard]] int most_ranks(const Work& work, int height);

/// Blocking: the plain calls, as most would write them. Polite: the non-blocking forms, tested with yields and short
/// sleeps between, because this MPICH spins in every wait and a rank may have but a small share of a core.
enum class Waiting { blocking, polite };

/// What the root gets; empty elsewhere.
struct Result {
  std::vector<cv::Mat> images;
  std::vector<double> sums;
};

/// Seconds of one rank. Exchange and compute add up over a pipeline's filters; a sum's reduction counts as gather.
struct Times {
  double scatter_s = 0;
  double exchange_s = 0;
  double compute_s = 0;
  double gather_s = 0;
  double total_s = 0;
};

struct Options {
  Waiting waiting = Waiting::polite;
  /// All ranks begin each phase together, so that no phase's time counts the lateness of the one before.
  bool separate = false;
};

class StripTransfers;

/// The first ranks of a communicator, each with a strip of rows. Must be destroyed before MPI ends.
class RowStrips {
 public:
  /// Uses the first `ranks_used` ranks of `comm`; the others' calls return at once and with nothing. OpenCV is told to
  /// use one thread. Collective over `comm`. Throws std::invalid_argument unless 1 <= ranks_used <= its size.
  RowStrips(MPI_Comm comm, int ranks_used, const Options& options = {});
  ~RowStrips();
  RowStrips(const RowStrips&) = delete;
  RowStrips& operator=(const RowStrips&) = delete;

  /// `image_on_root`: CV_32F, one channel, rows without gaps; ignored elsewhere. The clock starts when all ranks have
  /// come and the kernels are made; `times` may be null. One rank alone works on the image itself, nothing is copied.
  /// Collective. Throws std::invalid_argument, on every rank, for another image or if a strip has fewer rows than
  /// largest_halo().
  [[nodiscard]] Result run(const Work& work, const cv::Mat& image_on_root, Times* times) const;

  // One transfer alone, of an image of floats: seconds of the slowest rank, on every rank. Collective.
  [[nodiscard]] double scatter_only(const cv::Size& image) const;
  [[nodiscard]] double gather_only(const cv::Size& image) const;
  [[nodiscard]] double exchange_only(const cv::Size& image, int halo) const;

  /// Each time that of the slowest rank. Collective.
  [[nodiscard]] Times slowest(const Times& mine) const;

 private:
  std::unique_ptr<StripTransfers> transfers_;
  bool separate_;
};

/// RowStrips for one run. Collective over `comm`.
[[nodiscard]] Result run(const Work& work, const cv::Mat& image_on_root, MPI_Comm comm, int ranks_used, Waiting waiting,
                         Times* times);

}  // namespace tilewright::baseline
