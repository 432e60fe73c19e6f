// What every communicator does alike, however its ranks were started, wait and end: see communicator.cpp for that.
#include "communicator_implementation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <exception>
#include <limits>
#include <numeric>
#include <string_view>
#include <utility>

#include "tilewright/core/error.hpp"
#include "tilewright/core/node_mapping.hpp"

namespace tilewright {
namespace {

constexpr std::size_t largest_count = std::numeric_limits<int>::max();  // MPI's, of a call

}  // namespace

SendMode parse_send_mode(std::string_view name) {
  if (name == "standard") return SendMode::standard;
  if (name == "synchronous") return SendMode::synchronous;
  throw ParameterError(fmt::format("no way to send is called '{}': use standard or synchronous", name));
}

void check_mpi(int code, const char* what) {
  if (code == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(code, text, &length);
  throw RuntimeError(fmt::format("{}: {}", what, std::string_view(text, static_cast<std::size_t>(length))));
}

MPI_Datatype DatatypeCache::strided(std::int64_t rows, std::int64_t row_bytes, std::int64_t pitch_bytes) {
  const auto [position, is_new] = types_.try_emplace({rows, row_bytes, pitch_bytes}, MPI_DATATYPE_NULL);
  if (is_new) {
    MPI_Datatype row = MPI_DATATYPE_NULL;
    MPI_Type_contiguous(static_cast<int>(row_bytes), MPI_BYTE, &row);
    check_mpi(
        MPI_Type_create_hvector(static_cast<int>(rows), 1, static_cast<MPI_Aint>(pitch_bytes), row, &position->second),
        "MPI_Type_create_hvector");
    MPI_Type_free(&row);
    check_mpi(MPI_Type_commit(&position->second), "MPI_Type_commit");
  }
  return position->second;
}

template <class T>
std::vector<T> Communicator::Implementation::in_order(std::vector<T> by_mpi_rank, std::size_t of_each) const {
  if (started.empty() || by_mpi_rank.empty()) return by_mpi_rank;
  std::vector<T> ordered;
  for (const int from : started) {
    const auto first = by_mpi_rank.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(from) * of_each);
    ordered.insert(ordered.end(), first, first + static_cast<std::ptrdiff_t>(of_each));
  }
  return ordered;
}

/// The root stays the root, so what MPI does from or to rank 0 needs no other communicator of MPI's.
std::unique_ptr<Communicator::Implementation> Communicator::Implementation::renumbered_as(
    const std::vector<int>& order) const {
  auto other = std::make_unique<Implementation>();
  static_cast<FactsOfRun&>(*other) = *this;
  other->run = run;
  other->finished = true;  // that is up to these ranks
  for (std::size_t i = 0; i < order.size(); ++i) {
    const auto from = static_cast<std::size_t>(order[i]);
    other->started.push_back(mpi_rank(order[i]));
    other->node_index_of_rank.push_back(node_index_of_rank[from]);
    if (!node_of_rank.empty()) other->node_of_rank.push_back(node_of_rank[from]);
    if (order[i] == rank) other->rank = static_cast<int>(i);
  }
  // Those that share memory with the root are the first ones here, and may be fewer there.
  const auto far = std::find_if(order.begin(), order.end(), [&](int from) { return from >= sharing_ranks; });
  other->sharing_ranks = static_cast<int>(far - order.begin());
  return other;
}

const Communicator& Communicator::numbered_as(const ProcessGrid& grid) const {
  return grid.mapping.is_given() ? in_order(started_ranks(grid, implementation_->node_index_of_rank)) : *this;
}

const Communicator& Communicator::in_order(const std::vector<int>& order) const {
  const Implementation& own = *implementation_;
  if (order.size() != static_cast<std::size_t>(own.ranks) || order.front() != 0) {
    throw InternalError("in_order: not the order of all ranks, the root first");
  }
  if (std::is_sorted(order.begin(), order.end())) return *this;
  std::unique_ptr<Communicator>& other = own.renumbered[order];
  if (!other) other.reset(new Communicator(own.renumbered_as(order)));
  return *other;
}

Communicator::Communicator(std::unique_ptr<Implementation> implementation)
    : implementation_(std::move(implementation)) {}
Communicator::Communicator(Communicator&&) noexcept = default;
Communicator& Communicator::operator=(Communicator&&) noexcept = default;

int Communicator::rank() const {
  return implementation_->rank;
}
int Communicator::ranks() const {
  return implementation_->ranks;
}
int Communicator::nodes() const {
  return implementation_->nodes;
}
int Communicator::ranks_per_node() const {
  return implementation_->ranks_per_node;
}
bool Communicator::has_even_nodes() const {
  return implementation_->has_even_nodes;
}
const std::vector<std::string>& Communicator::node_of_rank() const {
  return implementation_->node_of_rank;
}
int Communicator::sharing_ranks() const {
  return implementation_->sharing_ranks;
}
int Communicator::cores_per_node() const {
  return implementation_->cores_per_node;
}

int Communicator::cores_per_rank() const {
  return implementation_->cores_per_rank;
}

double Communicator::available_cores() const {
  return implementation_->cores;
}
double Communicator::ration_period_s() const {
  return implementation_->ration_period_s;
}
WaitPolicy Communicator::wait_policy() const {
  return implementation_->wait_policy();
}
void Communicator::rest(bool rests) const {
  *implementation_->rests = rests;
}

void Communicator::barrier() const {
  if (!implementation_->has_mpi()) return;
  implementation_->do_together("MPI_Ibarrier",
                               [&](MPI_Request* request) { return MPI_Ibarrier(implementation_->comm, request); });
}

void Communicator::take_from_root(void* value, int bytes) const {
  if (!implementation_->has_mpi()) return;
  implementation_->do_together("MPI_Ibcast", [&](MPI_Request* request) {
    return MPI_Ibcast(value, bytes, MPI_BYTE, 0, implementation_->comm, request);
  });
}

std::string Communicator::broadcast(std::string text) const {
  if (!implementation_->has_mpi()) return text;
  // Most texts are short, and go along with their size.
  struct Beginning {
    std::int64_t size = 0;
    std::array<char, 504> characters{};
  } beginning;
  beginning.size = static_cast<std::int64_t>(text.size());
  std::copy_n(text.begin(), std::min(text.size(), beginning.characters.size()), beginning.characters.begin());
  implementation_->do_together("MPI_Ibcast", [&](MPI_Request* request) {
    return MPI_Ibcast(&beginning, sizeof(beginning), MPI_BYTE, 0, implementation_->comm, request);
  });
  text.resize(static_cast<std::size_t>(beginning.size));
  const std::size_t there = std::min(text.size(), beginning.characters.size());
  std::copy_n(beginning.characters.begin(), there, text.begin());
  if (there == text.size()) return text;
  for (std::size_t begin = there; begin < text.size(); begin += largest_count) {
    const auto count = static_cast<int>(std::min(text.size() - begin, largest_count));
    implementation_->do_together("MPI_Ibcast", [&](MPI_Request* request) {
      return MPI_Ibcast(text.data() + begin, count, MPI_CHAR, 0, implementation_->comm, request);
    });
  }
  return text;
}

std::vector<std::string> Communicator::gather(const std::string& text) const {
  if (!implementation_->has_mpi()) return {text};
  return implementation_->in_order(implementation_->gather(text, largest_count), 1);
}

/// By MPI's ranks. MPI counts in int what all send in one call, so long texts come in several. Only the root knows of
/// every rank, and tells the others how long the longest text is.
std::vector<std::string> Communicator::Implementation::gather(const std::string& text, std::size_t at_a_time) const {
  const auto count = static_cast<std::size_t>(ranks);
  const auto own_size = static_cast<std::uint64_t>(text.size());
  std::vector<std::uint64_t> sizes(rank == 0 ? count : 0, 0);
  do_together("MPI_Igather", [&](MPI_Request* request) {
    return MPI_Igather(&own_size, 1, MPI_UINT64_T, sizes.data(), 1, MPI_UINT64_T, 0, comm, request);
  });
  std::uint64_t longest = sizes.empty() ? 0 : *std::max_element(sizes.begin(), sizes.end());
  do_together("MPI_Ibcast",
              [&](MPI_Request* request) { return MPI_Ibcast(&longest, 1, MPI_UINT64_T, 0, comm, request); });
  const std::size_t portion = std::max<std::size_t>(1, at_a_time / count);  // of each rank
  const auto counted = [&](std::uint64_t size, std::uint64_t begin) {
    return static_cast<int>(begin < size ? std::min<std::uint64_t>(size - begin, portion) : 0);
  };
  std::vector<std::string> texts(sizes.size());
  std::vector<int> counts(sizes.size(), 0);
  std::vector<int> begins(sizes.size(), 0);
  for (std::uint64_t begin = 0; begin < longest; begin += portion) {
    std::transform(sizes.begin(), sizes.end(), counts.begin(),
                   [&](std::uint64_t size) { return counted(size, begin); });
    std::exclusive_scan(counts.begin(), counts.end(), begins.begin(), 0);
    std::string all(rank == 0 ? static_cast<std::size_t>(begins.back() + counts.back()) : 0, '\0');
    do_together("MPI_Igatherv", [&](MPI_Request* request) {
      return MPI_Igatherv(text.data() + std::min(begin, own_size), counted(own_size, begin), MPI_CHAR, all.data(),
                          counts.data(), begins.data(), MPI_CHAR, 0, comm, request);
    });
    for (std::size_t i = 0; i < texts.size(); ++i) {
      texts[i].append(all, static_cast<std::size_t>(begins[i]), static_cast<std::size_t>(counts[i]));
    }
  }
  return texts;
}

std::vector<double> Communicator::gather(std::span<const double> numbers) const {
  if (!implementation_->has_mpi()) return {numbers.begin(), numbers.end()};
  std::vector<double> all(is_root() ? numbers.size() * static_cast<std::size_t>(ranks()) : 0);
  const int count = static_cast<int>(numbers.size());
  implementation_->do_together("MPI_Igather", [&](MPI_Request* request) {
    return MPI_Igather(numbers.data(), count, MPI_DOUBLE, all.data(), count, MPI_DOUBLE, 0, implementation_->comm,
                       request);
  });
  return implementation_->in_order(std::move(all), numbers.size());
}

bool Communicator::is_left_by_exception() const {
  return std::uncaught_exceptions() > implementation_->exceptions_at_start;
}

void Communicator::send_as(SendMode mode) {
  implementation_->mode = mode;
}

bool Communicator::agree_on(std::uint64_t number) const {
  if (!implementation_->has_mpi()) return true;
  const std::array<std::uint64_t, 2> own{number, ~number};
  std::array<std::uint64_t, 2> most{};  // of all: the largest number, and the complement of the smallest
  implementation_->do_together("MPI_Iallreduce", [&](MPI_Request* request) {
    return MPI_Iallreduce(own.data(), most.data(), 2, MPI_UINT64_T, MPI_MAX, implementation_->comm, request);
  });
  return most[0] == ~most[1];
}

Rest::Rest(const Communicator& communicator)
    : communicator_(communicator), before_(communicator.wait_policy() == WaitPolicy::resting) {
  communicator_.rest(true);
}

Rest::~Rest() {
  communicator_.rest(before_);
}

}  // namespace tilewright
