#!/usr/bin/env bash
# Simulated against predicted seconds, as docs/simulation.md shows them: CSV on standard output.
#
#   table.sh BUILD-FOLDER [PLATFORM... [-- RANKS...]]     all three platforms; 64, 256 and 1024 ranks
set -euo pipefail
program=$(cd "${1:?the build folder}" && pwd)/bin/schedule_simulation
shift
here=$(cd "$(dirname "$0")" && pwd)
platforms=()
while [ $# -gt 0 ] && [ "$1" != -- ]; do platforms+=("$1") && shift; done
[ $# -gt 0 ] && shift
[ ${#platforms[@]} -gt 0 ] || platforms=(fast_ethernet gigabit torus)
ranks=("$@")
[ $# -gt 0 ] || ranks=(64 256 1024)

for platform in "${platforms[@]}"; do
  for count in "${ranks[@]}"; do
    for operation in scatter gather broadcast exchange; do
      image=4096x1024
      [ $operation = broadcast ] && image=256x256 # every rank has all of it, and all ranks share this machine's memory
      smpirun -np "$count" -platform "$here/platforms/$platform.xml" --log=root.thres:critical "$program" \
        --platform "$platform" --operation $operation --image $image --type f32 | tail -n +2
    done
  done
done
