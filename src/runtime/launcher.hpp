// What the launcher (mpiexec, srun) says about this process.
#pragma once

#include <optional>

namespace tilewright {

/// How many ranks the launcher promises: PMI_SIZE where it is set (MPICH and other PMI launchers); else the most that
/// any other launcher's variable says (Hydra's own, Open MPI, MVAPICH, Flux, PALS, and Slurm for a step of srun); none
/// if no such variable is set.
[[nodiscard]] std::optional<int> promised_ranks();

/// A launcher's daemon is among this process's ancestors.
[[nodiscard]] bool is_below_a_launcher();

/// This process should be one of several, as far as can be told, or nothing can be told: a launcher started it, but
/// what the launcher told its ranks has been lost.
[[nodiscard]] bool should_have_company();

}  // namespace tilewright
