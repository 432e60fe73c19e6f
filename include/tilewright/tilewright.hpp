// All that a program needs: #include <tilewright/tilewright.hpp>
#pragma once

#include "tilewright/imgops/arithmetic.hpp"
#include "tilewright/imgops/convolution.hpp"
#include "tilewright/imgops/gaussian.hpp"
#include "tilewright/imgops/reductions.hpp"
#include "tilewright/session/session.hpp"
