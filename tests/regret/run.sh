#!/usr/bin/env bash
# The proving ground: brings up emulated clusters one after another, calibrates each, races the plans of its cases, and
# writes summary.txt and report.html. As root, on a machine that does nothing else meanwhile. A ground takes its budget
# at most, and three to five minutes for its calibration, which is done once: the seven of DEFAULT up to four hours.
#
# Unequal nodes are a list of shares, gone round: 100mbit:30,10:8. Several ranks a node: 100mbit:40:4x2.
#
#   tests/regret/run.sh [--short] [--decisions] [--as-calibrated] [--out FOLDER] [--budget SECONDS]
#                       [NETWORK:SHARE:NODES...]
#
# --decisions: instead of the race, each decision of the planner in a case of its own, free and forbidden, in turns.
# --short: two cases on two grounds from quick calibrations, about two minutes. --budget: seconds of racing a
# ground, 1800 by default. --as-calibrated: without a refresh (tilewright calibrate --refresh) before each case.
# Grounds by default: those of DEFAULT below. Profiles are kept in FOLDER/bench.sqlite and used again; cases that FOLDER has
# are not measured again. So a race that ran out of time goes on where it was.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
bin=${TILEWRIGHT_BIN:-$root/build/bin}
cluster=$root/tests/cluster/cluster.sh
DEFAULT=(100mbit:20:8 100mbit:2:8 100mbit:10:16 100mbit:30,10:8 1gbit:20:8 1gbit:2:8 shared:100:2)
DECISIONS=(100mbit:20:8 100mbit:40:4 100mbit:2:8 100mbit:30,10:8 shared:100:2)

short=() decisions=() refresh=() effort=standard out=$root/build/regret budget=1800 grounds=()
while [ $# -gt 0 ]; do
  case $1 in
    --short) short=(--short) effort=quick ;;
    --as-calibrated) refresh=(--as-calibrated) ;;
    --decisions) decisions=(--decisions) DEFAULT=("${DECISIONS[@]}") ;;
    --out) out=$2; shift ;;
    --budget) budget=$2; shift ;;
    *:*:*) grounds+=("$1") ;;
    *) sed -n '6,15s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
  esac
  shift
done
if [ ${#grounds[@]} -eq 0 ]; then
  [ ${#short[@]} -eq 0 ] && grounds=("${DEFAULT[@]}") || grounds=(100mbit:20:8 shared:100:2)
fi
mkdir -p "$out"
export TILEWRIGHT_DB=$out/bench.sqlite

for ground in "${grounds[@]}"; do
  IFS=: read -r network share nodes <<< "$ground"
  machine=${network}-${share//,/+}-${nodes}
  ranks_per_node=${nodes#*x}
  [ "$ranks_per_node" != "$nodes" ] || ranks_per_node=1
  nodes=${nodes%x*}
  if [ "$network" = shared ]; then
    network="shared memory"
    ranks=(mpiexec.mpich -n "$nodes")
  else
    "$cluster" supported || { status=$?; [ $status -eq 77 ] && [ ${#grounds[@]} -gt 1 ] && continue; exit $status; }
    "$cluster" up "$nodes" "$network" "$share"
    trap '"$cluster" down' EXIT
    ranks=("$cluster" run "$((nodes * ranks_per_node))")
  fi
  "$bin/tilewright" db list 2> /dev/null | grep -q "^$machine " ||
    "${ranks[@]}" "$bin/tilewright" calibrate --effort "$effort" --machine "$machine"
  "${ranks[@]}" "$bin/regret" --machine "$machine" --network "$network" --share "$share" --out "$out" \
    --budget "$budget" "${short[@]}" "${decisions[@]}" "${refresh[@]}"
done
"$bin/regret_report" "$out"
echo "figures: $out/summary.txt   plots: $out/report.html"
