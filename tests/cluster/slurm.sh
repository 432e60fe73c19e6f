#!/usr/bin/env bash
# Slurm on the emulated cluster that is up (cluster.sh): munged, slurmctld on the bridge, and a slurmd on each node.
#
#   slurm.sh supported        0 if this machine allows it; else 77, and the reason
#   slurm.sh up               no change if it is up already
#   slurm.sh COMMAND ARG...   sbatch, squeue, sinfo, scontrol, scancel or srun, on this Slurm
#   slurm.sh down             also after a crash, or when nothing is up
#
# Everything it makes is in /run/tilewright-slurmN and in the nodes; N is TILEWRIGHT_CLUSTER, as for cluster.sh. As root.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
id=${TILEWRIGHT_CLUSTER:-0}
[[ $id =~ ^[0-9]$ ]] || { echo "slurm.sh: TILEWRIGHT_CLUSTER=$id: give 0 to 9" >&2; exit 2; }
state=/run/tilewright-slurm$id
cluster=/run/tilewright-cluster$id
host=$(hostname -s)
mark="# tilewright-cluster$id" # of our lines in /etc/hosts

fail() { echo "slurm.sh: $*" >&2; exit 1; }
wrong() { echo "slurm.sh: $*" >&2; sed -n '4,9s/^# \{0,1\}//p' "$0" >&2; exit 2; }

supported() {
  "$here/cluster.sh" supported || return 77
  local program
  for program in slurmctld slurmd sbatch munged; do
    command -v $program > /dev/null || { echo "no Slurm on the emulated cluster: it needs $program"; return 77; }
  done
  id munge > /dev/null 2>&1 || { echo "no Slurm on the emulated cluster: there is no user munge"; return 77; }
}

is_running() { # PID-FILE
  [ -s "$1" ] && kill -0 "$(cat "$1")" 2> /dev/null
}

up() {
  supported || return
  [ -s "$cluster/nodes" ] || fail "no cluster is up: cluster.sh up NODES RATE PERCENT"
  if is_running "$state/slurmctld.pid" && cmp -s "$state/nodes" "$cluster/nodes" && answers; then return 0; fi
  down
  mkdir -p "$state/spool" "$state/control" "$state/munge"
  trap down EXIT
  name_nodes
  start_munge
  write_configuration
  slurmctld -f "$state/slurm.conf" -L "$state/slurmctld.log"
  local name
  while read -r name _; do
    "$here/cluster.sh" exec "$name" slurmd -f "$state/slurm.conf" -N "$name" -L "$state/slurmd-$name.log" < /dev/null
  done < "$cluster/nodes"
  wait_until_idle
  cp "$cluster/nodes" "$state/nodes"
  trap - EXIT
}

answers() { SLURM_CONF=$state/slurm.conf timeout 10 scontrol ping 2> /dev/null | grep -q "is UP"; }

# Hydra and slurmd look the nodes up by name.
name_nodes() {
  unname_nodes
  local name address
  while read -r name address _; do echo "$address $name $mark"; done < "$cluster/nodes" >> /etc/hosts
}
# In place: where /etc/hosts is mounted, it cannot be replaced.
unname_nodes() {
  grep -qF "$mark" /etc/hosts || return 0
  local rest
  rest=$(grep -vF "$mark" /etc/hosts || true)
  echo "$rest" > /etc/hosts
}

start_munge() {
  head -c 1024 /dev/urandom > "$state/munge/key"
  chown -R munge "$state/munge"
  chmod 711 "$state/munge" "$state"
  chmod 600 "$state/munge/key"
  runuser -u munge -- munged --socket="$state/munge/socket" --key-file="$state/munge/key" \
    --log-file="$state/munge/log" --pid-file="$state/munge/pid" --seed-file="$state/munge/seed" --num-threads=2
}

write_configuration() {
  local nodes list name address memory
  nodes=$(wc -l < "$cluster/nodes")
  memory=$(($(sed -n 's/^MemTotal: *\([0-9]*\) kB/\1/p' /proc/meminfo) / 1024 / (nodes + 1)))
  {
    cat << CONF
ClusterName=tilewright$id
SlurmctldHost=$host(10.78.$id.254)
SlurmctldPort=68${id}7
SlurmdPort=68${id}8
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$state/munge/socket
CredType=cred/munge
StateSaveLocation=$state/control
SlurmdSpoolDir=$state/spool/%n
SlurmctldPidFile=$state/slurmctld.pid
SlurmdPidFile=$state/slurmd-%n.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
SlurmdParameters=config_overrides
SchedulerParameters=batch_sched_delay=0,sched_interval=1
ReturnToService=2
MpiDefault=none
KillWait=5
CONF
    while read -r name address _; do
      echo "NodeName=$name NodeAddr=$address NodeHostname=$name CPUs=1 RealMemory=$memory"
    done < "$cluster/nodes"
    list=$(cut -d' ' -f1 "$cluster/nodes" | paste -sd,)
    echo "PartitionName=all Nodes=$list Default=YES MaxTime=INFINITE State=UP"
  } > "$state/slurm.conf"
}

wait_until_idle() {
  local turn nodes
  nodes=$(wc -l < "$cluster/nodes")
  for turn in $(seq 100); do
    [ "$(on_slurm sinfo -h -N -t idle -o %N 2> /dev/null | sort -u | wc -l)" = "$nodes" ] && return 0
    sleep 0.2
  done
  on_slurm sinfo -N -l >&2 || true
  fail "the nodes are not idle within 20 s: see $state/*.log"
}

on_slurm() { SLURM_CONF=$state/slurm.conf "$@"; }

down() {
  local file turn
  for file in "$state"/slurmd-*.pid "$state/slurmctld.pid" "$state/munge/pid"; do
    is_running "$file" || continue
    kill "$(cat "$file")"
    for turn in $(seq 50); do is_running "$file" || continue 2; sleep 0.1; done
    kill -KILL "$(cat "$file")"
  done
  unname_nodes
  rm -rf "$state"
}

command=${1:-}
[ $# -eq 0 ] || shift
case $command in
  supported | up | down) [ $# = 0 ] || wrong "$command takes no arguments"; "$command" ;;
  sbatch | squeue | sinfo | scontrol | scancel | srun)
    [ -e "$state/slurm.conf" ] || fail "it is not up: slurm.sh up"
    on_slurm "$command" "$@"
    ;;
  *) wrong "unknown command '$command'" ;;
esac
