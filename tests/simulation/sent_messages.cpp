#include "sent_messages.hpp"

#include <mpi.h>

namespace {

tilewright::simulation::SentMessages sent;

/// Empty messages are answers, which a schedule does not count.
void count(int values, MPI_Datatype type) {
  int bytes = 0;
  MPI_Type_size(type, &bytes);
  if (values * bytes == 0) return;
  ++sent.messages;
  sent.bytes += static_cast<std::int64_t>(values) * bytes;
}

}  // namespace

// MPI's profiling interface: the program's own function counts, then calls the library's. It takes precedence because
// the program is linked with -Bsymbolic-functions.
extern "C" {

int MPI_Isend(const void* data, int values, MPI_Datatype type, int receiver, int tag, MPI_Comm comm,
              MPI_Request* request) {
  count(values, type);
  return PMPI_Isend(data, values, type, receiver, tag, comm, request);
}

int MPI_Issend(const void* data, int values, MPI_Datatype type, int receiver, int tag, MPI_Comm comm,
               MPI_Request* request) {
  count(values, type);
  return PMPI_Issend(data, values, type, receiver, tag, comm, request);
}

}  // extern "C"

namespace tilewright::simulation {

SentMessages sent_messages() {
  return sent;
}

}  // namespace tilewright::simulation
