#!/usr/bin/env bash
# An emulated Beowulf cluster on one Linux machine. Each node is a network namespace with a host name of its own; its
# link to the common bridge is shaped by tbf in both directions, and its share of a core is held by a control group's
# quota. One mpiexec reaches them all, and every byte between two nodes crosses the bridge.
#
#   cluster.sh supported                  0 if this machine allows all that; else 77, and the reason
#   cluster.sh up NODES RATE PERCENT      "up 8 100mbit 20": 8 nodes on Fast Ethernet, 20 % of a core each.
#                                         "up 4 100mbit,1gbit 20,20,5": lists are gone round for heterogeneous nodes.
#                                         No change if that very cluster is up; another one is taken down first.
#   cluster.sh run RANKS PROGRAM ARG...   rank r on node r modulo NODES
#   cluster.sh share PERCENT              other shares from now on (a list, too)
#   cluster.sh exec NODE COMMAND ARG...   on one node
#   cluster.sh cut NODE                   no link any more; its processes stay
#   cluster.sh kill NODE                  as if its plug were pulled: no link any more, all its processes gone
#   cluster.sh processes NODE             a line a process: its number and its command's name
#   cluster.sh status                     a line a node: name, address, rate, share, bytes sent and received, processes
#   cluster.sh down                       also after a crash, or when nothing is up
#
# Clusters with different numbers in TILEWRIGHT_CLUSTER (0 to 9; default 0) stand beside each other.
# Keep NODES x PERCENT below 90 % of the machine's cores, for the network stack needs the rest. As root.
set -euo pipefail

id=${TILEWRIGHT_CLUSTER:-0}
[[ $id =~ ^[0-9]$ ]] || { echo "cluster.sh: TILEWRIGHT_CLUSTER=$id: give 0 to 9" >&2; exit 2; }
state=/run/tilewright-cluster$id
net=10.78.$id
prefix=tlw$id       # of everything that is made: bridge tlw0, node 3's namespace tlw0n3 and link tlw0v3
bridge=$prefix
offloaded_from=16000 # bytes of a burst: from 512 Mbit/s on
quota_us=1000 # the smallest there is, so that shares come in the finest slices

fail() { echo "cluster.sh: $*" >&2; exit 1; }
wrong() { echo "cluster.sh: $*" >&2; sed -n '6,20s/^# \{0,1\}//p' "$0" >&2; exit 2; }
is_up() { [ -e "$state/nodes" ]; }
# One of up and down at a time; the lock is let go when this process ends.
lock() {
  exec {held}> "$state.lock"
  flock -w 60 "$held" || fail "another cluster.sh has been at work for a minute now"
}
need_up() { is_up || fail "no cluster is up: cluster.sh up NODES RATE PERCENT"; }
nodes() { wc -l < "$state/nodes"; }
# The item that falls to node $2 of the list $1.
item() { local IFS=,; local list=($1); echo "${list[$(($2 % ${#list[@]}))]}"; }

# --- control groups, version 1 or 2 ---

groups_v1=/sys/fs/cgroup/cpu
groups_v2=/sys/fs/cgroup
if [ -d "$groups_v1" ]; then version=1 groups=$groups_v1/tilewright$id; else version=2 groups=$groups_v2/tilewright$id; fi

make_group() { # NAME PERCENT
  mkdir -p "$groups/$1"
  if [ $version = 2 ]; then
    grep -qw cpu "$groups_v2/cgroup.subtree_control" || echo +cpu > "$groups_v2/cgroup.subtree_control"
    grep -qw cpu "$groups/cgroup.subtree_control" || echo +cpu > "$groups/cgroup.subtree_control"
  fi
  set_share "$1" "$2"
}
set_share() { # NAME PERCENT
  local period=$((quota_us * 100 / $2))
  if [ $version = 2 ]; then
    echo "$quota_us $period" > "$groups/$1/cpu.max"
  else
    echo -1 > "$groups/$1/cpu.cfs_quota_us" # in between, quota and period must not contradict each other
    echo "$period" > "$groups/$1/cpu.cfs_period_us"
    echo "$quota_us" > "$groups/$1/cpu.cfs_quota_us"
  fi
}
processes_of() { cat "$groups/$1/cgroup.procs" 2> /dev/null || true; }
kill_group() { # NAME
  local turn pids
  for turn in $(seq 50); do
    pids=$(processes_of "$1")
    [ -n "$pids" ] || return 0
    # shellcheck disable=SC2086
    kill -KILL $pids 2> /dev/null || true
    sleep 0.02
  done
}

# --- processors that stay awake ---

# A processor that has nothing to do for a while is put to sleep, and a virtual one is given to somebody else: it comes
# back late and with cold caches. A node that computes for 1 ms in 5 would meet that every time or, if its neighbours
# happen to be at work, never. While this process holds the file, an idle processor waits in a loop of the kernel.
latency_wish=/dev/cpu_dma_latency
awake=tilewright-awake$id

keep_awake() {
  [ -w "$latency_wish" ] || return 0
  setsid bash -c "exec 3> $latency_wish && printf '\\0\\0\\0\\0' >&3 && exec -a $awake sleep infinity" \
    < /dev/null > /dev/null 2>&1 {held}>&- &
  echo $! > "$state/awake"
}
# Also the one of a cluster whose state was lost.
let_sleep() {
  local pid file
  if pid=$(cat "$state/awake" 2> /dev/null); then
    grep -q "$awake" "/proc/$pid/cmdline" 2> /dev/null && kill -KILL "$pid" || true
  fi
  for file in $(grep -lszxF "$awake" /proc/[0-9]*/cmdline || true); do
    pid=${file#/proc/}
    kill -KILL "${pid%/cmdline}" 2> /dev/null || true
  done
}

# --- the commands ---

supported() {
  local reason=
  [ "$(id -u)" = 0 ] || reason="it needs root"
  [ -n "$reason" ] || command -v ip > /dev/null && command -v tc > /dev/null || reason=${reason:-"it needs iproute2"}
  [ -n "$reason" ] || command -v mpiexec.mpich > /dev/null || reason="it needs mpiexec.mpich"
  if [ -z "$reason" ]; then
    ip netns add ${prefix}probe 2> /dev/null &&
      ip -n ${prefix}probe link add ${prefix}p0 type veth peer name ${prefix}p1 2> /dev/null &&
      ip -n ${prefix}probe link add ${prefix}b type bridge 2> /dev/null &&
      tc -n ${prefix}probe qdisc add dev ${prefix}p0 root tbf rate 1mbit burst 10kb latency 100ms 2> /dev/null ||
      reason="it may not make network namespaces, bridges or tbf queues"
    ip netns del ${prefix}probe 2> /dev/null || true
  fi
  if [ -z "$reason" ]; then
    (make_group probe 50) 2> /dev/null || reason="it may not set processor quotas"
    rmdir "$groups/probe" 2> /dev/null || true
    rmdir "$groups" 2> /dev/null || true
  fi
  [ -z "$reason" ] || { echo "no emulated cluster on this machine: $reason"; return 77; }
}

# A burst of a quarter of a millisecond, but two full frames: with more, small messages would find the wire infinitely
# fast, as no wire is.
burst_of() { # RATE
  local bits
  case $1 in
    *gbit) bits=$((${1%gbit} * 1000000000)) ;;
    *mbit) bits=$((${1%mbit} * 1000000)) ;;
    *kbit) bits=$((${1%kbit} * 1000)) ;;
    *) wrong "rate '$1': give it in gbit, mbit or kbit, as in 100mbit" ;;
  esac
  local bytes=$((bits / 8 / 4000))
  echo $((bytes < 3200 ? 3200 : bytes))
}

up() {
  [ $# = 3 ] || wrong "up takes NODES RATE PERCENT"
  [[ $1 =~ ^[0-9]+$ ]] && [ "$1" -ge 1 ] && [ "$1" -le 64 ] || wrong "NODES '$1': give 1 to 64"
  local share
  for share in ${3//,/ }; do
    [[ $share =~ ^[0-9]+$ ]] && [ "$share" -ge 1 ] && [ "$share" -le 100 ] || wrong "PERCENT '$share': give 1 to 100"
  done
  local rate
  for rate in ${2//,/ }; do burst_of "$rate" > /dev/null; done
  lock
  if is_whole "$*"; then return 0; fi
  take_down
  supported || return
  mkdir -p "$state"
  trap take_down EXIT
  echo "$*" > "$state/wanted"
  ip link add "$bridge" type bridge
  ip link set "$bridge" up
  ip addr add "$net.254/24" dev "$bridge"
  local i
  for ((i = 0; i < $1; i++)); do add_node "$i" "$(item "$2" "$i")" "$(item "$3" "$i")"; done
  write_launcher
  keep_awake
  trap - EXIT
}

# That very cluster is up, and nothing of it has been lost or changed.
is_whole() { # "NODES RATE PERCENT"
  is_up && [ -x "$state/launch" ] && [ ! -e "$state/changed" ] && [ "$(cat "$state/wanted")" = "$1" ] || return 1
  [ -e "/sys/class/net/$bridge" ] || return 1
  local i
  for ((i = 0; i < ${1%% *}; i++)); do
    [ -d "$groups/node$i" ] && [ -e "/run/netns/${prefix}n$i" ] || return 1
    [ "$(cat "/sys/class/net/${prefix}v$i/operstate" 2> /dev/null)" = up ] || return 1
  done
}

add_node() { # INDEX RATE PERCENT
  local name=node$1 space=${prefix}n$1 burst
  burst=$(burst_of "$2")
  ip netns add "$space"
  ip link add "${prefix}v$1" type veth peer name eth0 netns "$space"
  ip link set "${prefix}v$1" master "$bridge" up
  ip -n "$space" link set lo up
  ip -n "$space" addr add "$net.$(($1 + 1))/24" dev eth0
  ip -n "$space" link set eth0 up
  usual_tcp "$space"
  [ "$burst" -lt "$offloaded_from" ] || offload "$space" "$1" "$burst"
  tc qdisc add dev "${prefix}v$1" root tbf rate "$2" burst "$burst" latency 200ms           # towards the node
  tc -n "$space" qdisc add dev eth0 root tbf rate "$2" burst "$burst" latency 200ms  # from it
  make_group "$name" "$3"
  echo "$name $net.$(($1 + 1)) $2 $3" >> "$state/nodes"
}

# A window that grows until something is lost, as Linux has it unless it is told otherwise, whatever this host is set to:
# BBR paces by what it makes of the wire at that moment, and the same message takes twice as long as one before it. Not
# every kernel grants every algorithm to a namespace; Reno's it does.
usual_tcp() { # SPACE
  local algorithm
  for algorithm in cubic reno; do
    ip netns exec "$1" sysctl -qw net.ipv4.tcp_congestion_control=$algorithm 2> /dev/null && return 0
  done
  echo "cluster: note: the nodes' TCP keeps this host's congestion control" >&2
}

# Network cards of fast wires cut long segments into frames, and join them, themselves. Here all that a frame costs, the
# switch and the shaping too, comes out of the share of the node that sends: at 1 Gbit/s with frames of 1500 bytes the
# nodes get along with a fifth of the wire. So frames are large, and segments go whole as far as the shaping lets them.
offload() { # SPACE INDEX BURST
  ip link set "${prefix}v$2" mtu 9000
  ip -n "$1" link set eth0 mtu 9000
  ip -n "$1" link set eth0 gso_max_size $(($3 * 7 / 8))
}

# Hydra calls it as: launch [-x] HOST COMMAND...
write_launcher() {
  cut -d' ' -f1 "$state/nodes" > "$state/hosts"
  cat > "$state/launch" << LAUNCH
#!/bin/bash
while [[ \$1 == -* ]]; do shift; done
name=\$1; shift
echo \$BASHPID > $groups/\$name/cgroup.procs
exec nsenter --net=/run/netns/${prefix}n\${name#node} unshare --uts /bin/sh -c "hostname \$name; exec \$*"
LAUNCH
  chmod +x "$state/launch"
}

run() {
  need_up
  [ $# -ge 2 ] || wrong "run takes RANKS PROGRAM ARG..."
  local ranks=$1
  shift
  # UCX would take two namespaces of one kernel for one host, find shared memory and bypass the wire.
  HYDRA_LAUNCHER_AUTOFORK=0 UCX_TLS=tcp,self UCX_NET_DEVICES=eth0 exec mpiexec.mpich -launcher ssh \
    -launcher-exec "$state/launch" -iface "$bridge" -f "$state/hosts" -ppn 1 -n "$ranks" "$@"
}

share() {
  need_up
  [ $# = 1 ] || wrong "share takes PERCENT"
  local i name address rate percent
  for ((i = 0; i < $(nodes); i++)); do set_share "node$i" "$(item "$1" "$i")"; done
  while read -r name address rate percent; do
    echo "$name $address $rate $(item "$1" "${name#node}")"
  done < "$state/nodes" > "$state/nodes.new"
  mv "$state/nodes.new" "$state/nodes"
  touch "$state/changed"
}

need_node() { # NAME
  need_up
  grep -q "^${1:-} " "$state/nodes" || fail "no node '${1:-}': there are $(tr '\n' ' ' < "$state/hosts")"
}

on_node() { # NODE COMMAND...
  need_node "${1:-}"
  [ $# -ge 2 ] || wrong "exec takes NODE COMMAND ARG..."
  exec "$state/launch" "$@"
}

cut_node() {
  need_node "${1:-}"
  touch "$state/changed"
  ip link set "${prefix}v${1#node}" down
}

kill_node() {
  cut_node "${1:-}"
  kill_group "$1"
}

processes() {
  need_node "${1:-}"
  local pid
  for pid in $(processes_of "$1"); do echo "$pid $(cat "/proc/$pid/comm" 2> /dev/null || true)"; done
}

# What an interface's JSON says of the bytes in one direction.
bytes() { grep -o "\"$1\":{\"bytes\":[0-9]*" <<< "$2" | grep -o '[0-9]*$' || echo 0; }

status() {
  is_up || { echo "down"; return 0; }
  local name address rate percent eth0
  while read -r name address rate percent; do
    eth0=$(ip -n "${prefix}n${name#node}" -s -j link show eth0 2> /dev/null || true)
    echo "$name $address $rate $percent% sent=$(bytes tx "$eth0") received=$(bytes rx "$eth0")" \
      "processes=$(processes_of "$name" | wc -l)"
  done < "$state/nodes"
}

down() {
  lock
  take_down
}

take_down() {
  let_sleep
  local group link space
  for group in "$groups"/node*; do
    [ -d "$group" ] || continue
    kill_group "${group##*/}"
    rmdir "$group" 2> /dev/null || { sleep 0.2; rmdir "$group"; }
  done
  [ ! -d "$groups" ] || rmdir "$groups"
  # The kernel takes a namespace apart in its own time; a link, together with its end in the namespace, goes at once.
  for link in $(ip -o link 2> /dev/null | grep -oE "\b${prefix}v[0-9]+"); do ip link del "$link" 2> /dev/null || true; done
  for space in $(ls /run/netns 2> /dev/null | grep -E "^${prefix}n[0-9]+\$"); do ip netns del "$space"; done
  ip link del "$bridge" 2> /dev/null || true
  rm -rf "$state"
}

command=${1:-}
[ $# -eq 0 ] || shift
case $command in
  supported | up | run | share | processes | status | down) "$command" "$@" ;;
  exec) on_node "$@" ;;
  cut) cut_node "$@" ;;
  kill) kill_node "$@" ;;
  *) wrong "unknown command '$command'" ;;
esac
