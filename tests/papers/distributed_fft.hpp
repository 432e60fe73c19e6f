// The 3D FFT of an array that is spread over ranks: planes, a transpose by messages, lines (Cameron, Ge and Sun 2007,
// section 4.3.4). FFTW does the transforms, forward and not normalised, in doubles.
#pragma once

#include <mpi.h>

#include <complex>
#include <cstdint>
#include <span>
#include <vector>

#include "tilewright/core/message.hpp"
#include "tilewright/runtime/communicator.hpp"

namespace tilewright::papers {

using Value = std::complex<double>;
inline constexpr std::int64_t fft_value_bytes = sizeof(Value);
/// Of one tile of a blocked transpose, a row and a column: the paper's.
inline constexpr std::int64_t fft_block_bytes = 512;

/// x varies fastest.
struct ArrayExtent {
  std::int64_t nx = 0;
  std::int64_t ny = 0;
  std::int64_t nz = 0;
  [[nodiscard]] std::int64_t plane() const { return nx * ny; }
  [[nodiscard]] std::int64_t values() const { return plane() * nz; }
};

/// Begin and end of what rank `index` of `parts` owns of `count`; as even as can be.
struct Share {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  [[nodiscard]] std::int64_t size() const { return end - begin; }
};
[[nodiscard]] Share share_of(std::int64_t count, int parts, int index);

/// One rank's part. Before the exchange it owns planes, [z][y][x] with z in its share of nz; afterwards lines, [p][z]
/// with p = y nx + x in its share of a plane's points.
class DistributedFft {
 public:
  /// Plans the transforms and fills the planes with the same noise for any number of ranks, the lines with NaN. Throws
  /// ParameterError unless each rank gets a plane and a line, and the array has at most 2 GiB; RuntimeError if FFTW
  /// makes no plan, or in MPI's words. Not collective.
  DistributedFft(const Communicator& communicator, const ArrayExtent& extent);
  ~DistributedFft();
  DistributedFft(const DistributedFft&) = delete;
  DistributedFft& operator=(const DistributedFft&) = delete;

  /// FFTs in x and y, in place.
  void transform_planes();
  /// Planes to lines; the planes stay as they are. Derived datatypes: MPI gathers each value from its plane and puts
  /// lines together, for a message to oneself as well. By hand: values are gathered one by one, messages are
  /// contiguous, lines are put together on arrival. Blocked: the same, gathered in tiles of fft_block_bytes squared,
  /// which the first cache holds. Collective; throws RuntimeError in MPI's words.
  void exchange(Packing packing);
  /// FFTs in z, in place.
  void transform_lines();

  [[nodiscard]] Share points() const { return points_; }
  [[nodiscard]] std::span<Value> lines() { return lines_; }
  [[nodiscard]] std::span<const Value> lines() const { return lines_; }
  [[nodiscard]] const ArrayExtent& extent() const { return extent_; }

 private:
  class Transform;
  void exchange_by_datatypes();
  void exchange_packed(Packing packing);
  [[nodiscard]] MPI_Datatype column_type(std::int64_t points) const;

  const Communicator& communicator_;
  ArrayExtent extent_;
  Share planes_owned_;
  Share points_;
  std::vector<Value> planes_;
  std::vector<Value> lines_;
  std::vector<Value> packed_;
  std::vector<MPI_Datatype> sent_types_;  ///< by receiver
  std::vector<Transform> transforms_;     ///< of the planes, of the lines
};

/// The same array transformed by FFTW on this rank alone, as a whole: what the distributed FFT is compared with. Not
/// collective. Throws RuntimeError if FFTW makes no plan.
class SerialFft {
 public:
  explicit SerialFft(const ArrayExtent& extent);
  /// How many values of the rank's lines are off by more than `tolerance` times the root mean square of all, or are
  /// NaN.
  [[nodiscard]] std::int64_t wrong_values(const DistributedFft& distributed, double tolerance) const;

 private:
  std::vector<Value> spectrum_;
  double root_mean_square_ = 0;
};

/// Rounding grows with the logarithm of the size; a value that is not where it belongs is off by about 1.
inline constexpr double fft_tolerance = 1e-12;

}  // namespace tilewright::papers
