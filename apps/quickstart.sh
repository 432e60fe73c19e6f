#!/usr/bin/env bash
# From nothing to a processed picture: installs what is missing, builds, measures this machine, plans and runs.
#
#   apps/quickstart.sh [IMAGE [SIGMA]]      default: apps/images/retina.jpg at scale 3
#
# Results go to ./results (RESULTS=folder changes that), the measurements to the database of this user.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
image=${1:-$root/apps/images/retina.jpg}
sigma=${2:-3}
results=${RESULTS:-$PWD/results}
ranks=2

step() { printf '\n== %s\n' "$*"; }

step "Packages"
"$root/apps/install.sh"

step "Build"
cmake -S "$root" -B "$root/build" -G Ninja -DCMAKE_BUILD_TYPE=Release >/dev/null
cmake --build "$root/build" --target tilewright differential_structure
export PATH="$root/build/bin:$PATH"
mpiexec=$(command -v mpiexec.mpich || command -v mpiexec)

step "Measure this machine (once)"
# No profile yet, or one of another machine: measure. A later run finds it and goes on at once.
if tilewright doctor | grep '^ok *database' >/dev/null; then
  tilewright db list
else
  "$mpiexec" -n $ranks tilewright calibrate --effort quick
fi

step "Plan (nothing runs yet)"
tilewright plan -- differential_structure "$image" "$results" --sigma "$sigma"

step "Run on $ranks ranks, every step predicted and measured"
"$mpiexec" -n $ranks differential_structure "$image" "$results" --sigma "$sigma" --tw-explain=analyze

step "Results"
ls -l "$results"
echo
echo "Look at $results/gradient_magnitude.png; the five derivatives beside it are 32-bit float TIFF."
