#!/usr/bin/env bash
# Runs of the main job that have to end: each by itself, with status 0, and without a report of a bad termination.
#
#   ends.sh RUNS [NODES...]       on clusters of 4 and of 8 nodes, or as given
#
# Stops at the first one that does not, and shows it. Variables: TILEWRIGHT_BIN, TILEWRIGHT_DB, TILEWRIGHT_MACHINE.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
runs=${1:?ends.sh RUNS [NODES...]}
shift
[ $# -gt 0 ] || set -- 4 8
program=${TILEWRIGHT_BIN:-$here/../../build/bin}/differential_structure
work=$(mktemp -d)
trap 'rm -rf "$work"; "$here/cluster.sh" down' EXIT

# 300 x 200 pixels of no meaning.
{ printf 'P5\n300 200\n255\n'; head -c 60000 /dev/urandom; } > "$work/in.pgm"

for nodes in "$@"; do
  "$here/cluster.sh" up "$nodes" 100mbit 20
  # Without a profile the first run would calibrate, which takes longer than a run may.
  [ -n "${TILEWRIGHT_MACHINE:-}" ] ||
    "$here/cluster.sh" run "$nodes" "$program" "$work/in.pgm" "$work/out" --sigma 1 2> "$work/stderr" ||
    { echo "the first run, which calibrates, failed:"; cat "$work/stderr"; exit 1; }
  for ((run = 1; run <= runs; run++)); do
    status=0
    timeout 60 "$here/cluster.sh" run "$nodes" "$program" "$work/in.pgm" "$work/out" --sigma 1 --tw-ranks="$nodes" \
      --tw-grid=1x"$nodes" > "$work/stdout" 2> "$work/stderr" || status=$?
    if [ $status != 0 ] || [ -s "$work/stderr" ] || grep -q "BAD TERMINATION" "$work/stdout"; then
      echo "run $run of $runs on $nodes nodes ended with status $status:"
      cat "$work/stdout" "$work/stderr"
      exit 1
    fi
  done
  echo "$runs runs on $nodes nodes have ended"
done
