// What the launcher (mpiexec, srun) says about this process.
#pragma once

namespace tilewright {

/// The most ranks that any launcher's variable promises; 1 if none does. Set by: MPICH's and other PMI launchers
/// (PMI_SIZE), Hydra (MPI_LOCALNRANKS), Open MPI (OMPI_COMM_WORLD_SIZE), MVAPICH, Flux, and Slurm for a step of srun.
[[nodiscard]] int promised_ranks();

/// The process manager's daemon among this process's ancestors has started other processes of the same program too.
[[nodiscard]] bool has_siblings_of_a_launcher();

}  // namespace tilewright
