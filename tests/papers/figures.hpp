// The papers' figures as tables, in groups. Each prints on the root; collective if there are ranks, which then
// measure.
#pragma once

#include "tilewright/core/geometry.hpp"
#include "tilewright/model/machine_profile.hpp"
#include "tilewright/runtime/communicator.hpp"

namespace tilewright::papers {

struct Request {
  MachineProfile profile;  ///< the root's
  int ranks = 1;           ///< of the predictions; those that measure are the communicator's
  Extent image{512, 512};  ///< of floats
  int samples = 9;
};

/// P-3PC: Fig. 2 (paths, layouts), Fig. 9 and 10 (an image on every grid: scatter and gather by either tree, the
/// exchange of sigma 1, 3 and 5), by P-3PC and LogGP*.
void p3pc_figures(const Request& request, const Communicator& communicator);

/// Juurlink and Rieping: two broadcasts by BSP and BSP* (section 2, Fig. 3), of 1 KiB to 1 MiB and of the image; the
/// parts of an h-relation (Fig. 1), local and remote bandwidth (Fig. 2), bandwidth of patterns (Fig. 6). Where nobody
/// measures, the broadcasts and the bandwidths of Fig. 2 alone.
void computation_models_figures(const Request& request, const Communicator& communicator);

/// log_nP: strided messages by log_3P and LogGP (Fig. 7), middleware against network and where they cross (Fig. 5, 6),
/// linear and tree broadcast (Fig. 10, 11).
void log_np_figures(const Request& request, const Communicator& communicator);

/// log_nP: packing and unpacking by hand (Fig. 8), by log_3P and by the default model.
void packing_figures(const Request& request, const Communicator& communicator);

/// log_nP: the exchange of a 3D FFT by derived datatypes, packed by hand, and packed in blocks (Fig. 12), by log_3P and
/// by the default model. Every spectrum is compared with FFTW's own; throws InternalError on a rank that finds a
/// difference. Built without FFTW it says so instead.
void fft_figures(const Request& request, const Communicator& communicator);

/// Whether there are ranks to measure with.
[[nodiscard]] inline bool measures(const Communicator& communicator) {
  return communicator.ranks() > 1;
}

}  // namespace tilewright::papers
