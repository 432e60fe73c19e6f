// What stands in for fft_figures.cpp where there is no FFTW.
#include <fmt/format.h>

#include "figures.hpp"

namespace tilewright::papers {

void fft_figures(const Request& /*request*/, const Communicator& communicator) {
  if (!communicator.is_root()) return;
  fmt::print("\nlog_nP Fig. 12, the exchange of a 3D FFT, is left out: built without FFTW (apps/install.sh --tests)\n");
}

}  // namespace tilewright::papers
