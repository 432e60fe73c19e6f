#include "distributed_fft.hpp"

#include <fftw3.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>

#include "communicator_implementation.hpp"
#include "tilewright/core/error.hpp"
#include "tilewright/runtime/point_to_point.hpp"

namespace tilewright::papers {
namespace {

constexpr int tag = 1;
constexpr std::int64_t tile_values = fft_block_bytes / fft_value_bytes;

fftw_complex* fftw(std::vector<Value>& values) {
  return reinterpret_cast<fftw_complex*>(values.data());
}

/// Noise in [-1, 1), by the place in the array (the finalizer of SplitMix64).
double noise(std::uint64_t place) {
  std::uint64_t bits = (place + 1) * 0x9E3779B97F4A7C15U;
  bits = (bits ^ (bits >> 30U)) * 0xBF58476D1CE4E5B9U;
  bits = (bits ^ (bits >> 27U)) * 0x94D049BB133111EBU;
  return static_cast<double>((bits ^ (bits >> 31U)) >> 11U) * 0x1p-52 - 1;
}

/// The values of an array from place `first` on.
void fill(std::vector<Value>& values, std::int64_t first) {
  auto place = 2 * static_cast<std::uint64_t>(first);
  for (Value& value : values) {
    value = {noise(place), noise(place + 1)};
    place += 2;
  }
}

/// A part of the planes that becomes a part of lines: source[z][p] to target[p][z].
struct Corner {
  const Value* source = nullptr;
  std::int64_t source_pitch = 0;  ///< values from plane to plane
  std::int64_t planes = 0;
  std::int64_t points = 0;
  Value* target = nullptr;
  std::int64_t target_pitch = 0;  ///< values from line to line
};

void transpose_by_values(const Corner& corner) {
  for (std::int64_t p = 0; p < corner.points; ++p) {
    for (std::int64_t z = 0; z < corner.planes; ++z) {
      corner.target[p * corner.target_pitch + z] = corner.source[z * corner.source_pitch + p];
    }
  }
}

/// Rows of the tile are read as a whole and its columns written as a whole; between lies a copy whose rows do not all
/// begin on the same lines of the cache.
void transpose_tile(const Corner& tile, std::vector<Value>& copy) {
  constexpr std::int64_t pitch = tile_values + 1;
  copy.resize(tile_values * pitch);
  for (std::int64_t z = 0; z < tile.planes; ++z) {
    const Value* row = tile.source + z * tile.source_pitch;
    std::copy(row, row + tile.points, copy.data() + z * pitch);
  }
  transpose_by_values({copy.data(), pitch, tile.planes, tile.points, tile.target, tile.target_pitch});
}

void transpose_by_tiles(const Corner& corner) {
  std::vector<Value> copy;
  for (std::int64_t p = 0; p < corner.points; p += tile_values) {
    for (std::int64_t z = 0; z < corner.planes; z += tile_values) {
      Corner tile = corner;
      tile.source += z * corner.source_pitch + p;
      tile.target += p * corner.target_pitch + z;
      tile.points = std::min(tile_values, corner.points - p);
      tile.planes = std::min(tile_values, corner.planes - z);
      transpose_tile(tile, copy);
    }
  }
}

void transpose(const Corner& corner, Packing packing) {
  packing == Packing::blocked ? transpose_by_tiles(corner) : transpose_by_values(corner);
}

void require_divisible(const ArrayExtent& extent, int ranks) {
  if (extent.values() > std::numeric_limits<int>::max() / fft_value_bytes) {
    throw ParameterError(fmt::format("an array of {}x{}x{} is larger than 2 GiB", extent.nx, extent.ny, extent.nz));
  }
  if (ranks <= extent.nz && ranks <= extent.plane()) return;
  throw ParameterError(fmt::format("an array of {}x{}x{} has no plane and no line for each of {} ranks: start fewer",
                                   extent.nx, extent.ny, extent.nz, ranks));
}

/// Both transform in place.
fftw_plan plan_of_planes(const ArrayExtent& extent, std::int64_t planes, fftw_complex* values) {
  const std::array<int, 2> plane{static_cast<int>(extent.ny), static_cast<int>(extent.nx)};
  const int points = static_cast<int>(extent.plane());
  return fftw_plan_many_dft(2, plane.data(), static_cast<int>(planes), values, nullptr, 1, points, values, nullptr, 1,
                            points, FFTW_FORWARD, FFTW_ESTIMATE);
}

fftw_plan plan_of_lines(const ArrayExtent& extent, std::int64_t lines, fftw_complex* values) {
  const int line = static_cast<int>(extent.nz);
  return fftw_plan_many_dft(1, &line, static_cast<int>(lines), values, nullptr, 1, line, values, nullptr, 1, line,
                            FFTW_FORWARD, FFTW_ESTIMATE);
}

}  // namespace

Share share_of(std::int64_t count, int parts, int index) {
  return {count * index / parts, count * (index + 1) / parts};
}

/// A plan of FFTW, for one place in memory.
class DistributedFft::Transform {
 public:
  explicit Transform(fftw_plan plan) : plan_(plan, &fftw_destroy_plan) {
    if (!plan_) throw RuntimeError("FFTW makes no plan for this array");
  }
  void run() const { fftw_execute(plan_.get()); }

 private:
  std::unique_ptr<fftw_plan_s, decltype(&fftw_destroy_plan)> plan_;
};

DistributedFft::DistributedFft(const Communicator& communicator, const ArrayExtent& extent)
    : communicator_(communicator), extent_(extent) {
  require_divisible(extent, communicator.ranks());
  planes_owned_ = share_of(extent.nz, communicator.ranks(), communicator.rank());
  points_ = share_of(extent.plane(), communicator.ranks(), communicator.rank());
  planes_.resize(static_cast<std::size_t>(planes_owned_.size() * extent.plane()));
  lines_.assign(static_cast<std::size_t>(points_.size() * extent.nz), Value(std::nan(""), std::nan("")));
  fill(planes_, planes_owned_.begin * extent.plane());
  transforms_.emplace_back(plan_of_planes(extent, planes_owned_.size(), fftw(planes_)));
  transforms_.emplace_back(plan_of_lines(extent, points_.size(), fftw(lines_)));
  for (int rank = 0; communicator.implementation().has_mpi() && rank < communicator.ranks(); ++rank) {
    sent_types_.push_back(column_type(share_of(extent.plane(), communicator.ranks(), rank).size()));
  }
}

DistributedFft::~DistributedFft() {
  for (MPI_Datatype& type : sent_types_) MPI_Type_free(&type);
}

void DistributedFft::transform_planes() {
  transforms_.front().run();
}

void DistributedFft::transform_lines() {
  transforms_.back().run();
}

/// For each of so many points the values of all planes, one after another: the order in which the receiver's lines lie.
MPI_Datatype DistributedFft::column_type(std::int64_t points) const {
  MPI_Datatype value = MPI_DATATYPE_NULL, column = MPI_DATATYPE_NULL, columns = MPI_DATATYPE_NULL;
  check_mpi(MPI_Type_contiguous(static_cast<int>(fft_value_bytes), MPI_BYTE, &value), "MPI_Type_contiguous");
  check_mpi(MPI_Type_create_hvector(static_cast<int>(planes_owned_.size()), 1,
                                    static_cast<MPI_Aint>(extent_.plane() * fft_value_bytes), value, &column),
            "MPI_Type_create_hvector");
  check_mpi(
      MPI_Type_create_hvector(static_cast<int>(points), 1, static_cast<MPI_Aint>(fft_value_bytes), column, &columns),
      "MPI_Type_create_hvector");
  MPI_Type_free(&value);
  MPI_Type_free(&column);
  check_mpi(MPI_Type_commit(&columns), "MPI_Type_commit");
  return columns;
}

void DistributedFft::exchange(Packing packing) {
  const bool by_mpi = packing == Packing::datatype && communicator_.implementation().has_mpi();
  by_mpi ? exchange_by_datatypes() : exchange_packed(packing);
}

/// In turns, so that each rank sends one message and receives one at a time; the first is to itself.
void DistributedFft::exchange_by_datatypes() {
  const Communicator::Implementation& mpi = communicator_.implementation();
  const auto send = mpi.mode == SendMode::synchronous ? MPI_Issend : MPI_Isend;
  for (int turn = 0; turn < mpi.ranks; ++turn) {
    const int receiver = (mpi.rank + turn) % mpi.ranks;
    const int sender = (mpi.rank - turn + mpi.ranks) % mpi.ranks;
    const Share planes = share_of(extent_.nz, mpi.ranks, sender);
    const MPI_Datatype received =
        mpi.datatypes.strided(points_.size(), planes.size() * fft_value_bytes, extent_.nz * fft_value_bytes);
    const Value* source = planes_.data() + share_of(extent_.plane(), mpi.ranks, receiver).begin;
    std::array<MPI_Request, 2> requests{MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    mpi.check(MPI_Irecv(lines_.data() + planes.begin, 1, received, sender, tag, mpi.comm, requests.data()),
              "MPI_Irecv");
    mpi.check(send(source, 1, sent_types_[static_cast<std::size_t>(receiver)], receiver, tag, mpi.comm, &requests[1]),
              "MPI_Isend");
    mpi.wait(requests);
  }
}

/// In the same turns; what stays is copied into place.
void DistributedFft::exchange_packed(Packing packing) {
  const int ranks = communicator_.ranks();
  const Corner own{planes_.data() + points_.begin,      extent_.plane(), planes_owned_.size(), points_.size(),
                   lines_.data() + planes_owned_.begin, extent_.nz};
  transpose(own, packing);
  for (int turn = 1; turn < ranks; ++turn) {
    const int receiver = (communicator_.rank() + turn) % ranks;
    const int sender = (communicator_.rank() - turn + ranks) % ranks;
    const Share planes = share_of(extent_.nz, ranks, sender);
    const Share points = share_of(extent_.plane(), ranks, receiver);
    const Block lines{lines_.data() + planes.begin, points_.size(), planes.size() * fft_value_bytes,
                      extent_.nz * fft_value_bytes};
    std::array<PendingMessage, 2> messages{begin_receive(communicator_, {lines, sender, Packing::manual}, tag)};
    packed_.resize(static_cast<std::size_t>(points.size() * planes_owned_.size()));
    transpose({planes_.data() + points.begin, extent_.plane(), planes_owned_.size(), points.size(), packed_.data(),
               planes_owned_.size()},
              packing);
    const std::int64_t bytes = points.size() * planes_owned_.size() * fft_value_bytes;
    messages[1] = begin_send(communicator_, {{packed_.data(), 1, bytes, bytes}, receiver}, tag);
    complete(communicator_, messages);
  }
}

SerialFft::SerialFft(const ArrayExtent& extent) : spectrum_(static_cast<std::size_t>(extent.values())) {
  fill(spectrum_, 0);
  const std::unique_ptr<fftw_plan_s, decltype(&fftw_destroy_plan)> plan(
      fftw_plan_dft_3d(static_cast<int>(extent.nz), static_cast<int>(extent.ny), static_cast<int>(extent.nx),
                       fftw(spectrum_), fftw(spectrum_), FFTW_FORWARD, FFTW_ESTIMATE),
      &fftw_destroy_plan);
  if (!plan) throw RuntimeError("FFTW makes no plan for this array");
  fftw_execute(plan.get());
  double sum = 0;
  for (const Value& value : spectrum_) sum += std::norm(value);
  root_mean_square_ = std::sqrt(sum / static_cast<double>(extent.values()));
}

std::int64_t SerialFft::wrong_values(const DistributedFft& distributed, double tolerance) const {
  const ArrayExtent& extent = distributed.extent();
  const Share points = distributed.points();
  std::int64_t wrong = 0;
  for (std::int64_t p = points.begin; p < points.end; ++p) {
    for (std::int64_t z = 0; z < extent.nz; ++z) {
      const Value ours = distributed.lines()[static_cast<std::size_t>((p - points.begin) * extent.nz + z)];
      const Value theirs = spectrum_[static_cast<std::size_t>(z * extent.plane() + p)];
      const bool is_right = std::abs(ours - theirs) <= tolerance * root_mean_square_;  // false for NaN
      if (!is_right) ++wrong;
    }
  }
  return wrong;
}

}  // namespace tilewright::papers
