// What the launcher (mpiexec, srun) says about this process.
#pragma once

namespace tilewright {

/// How many ranks the launcher promises: PMI_SIZE where it is set (MPICH and other PMI launchers); else the most that
/// any other launcher's variable says (Open MPI, MVAPICH, Flux, PALS, and Slurm for a step of srun); 1 if none does.
[[nodiscard]] int promised_ranks();

/// A launcher's daemon among this process's ancestors has started more than one process.
[[nodiscard]] bool has_siblings_of_a_launcher();

}  // namespace tilewright
