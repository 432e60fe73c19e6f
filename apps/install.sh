#!/usr/bin/env bash
# Installs the Debian packages that Tilewright is built with, where they are missing. As root, or with sudo.
#
#   apps/install.sh [--tests]     --tests: also those that only tests use
set -euo pipefail

packages=(
  g++ cmake ninja-build pkg-config ca-certificates
  mpich libmpich-dev
  libopencv-core-dev libopencv-imgproc-dev libopencv-imgcodecs-dev
  libboost-graph-dev libsqlite3-dev libsqlitecpp-dev
  libhwy-dev libtbb-dev libtiff-dev libpng-dev libhwloc-dev libfmt-dev libcli11-dev nlohmann-json3-dev
  libgtest-dev libgmock-dev libbenchmark-dev
)
# For the emulated cluster, the simulated one, and the FFT of a paper's figure.
test_packages=(iproute2 slurm-wlm munge libsimgrid-dev libfftw3-dev)
case ${1:-} in
  "") ;;
  --tests) packages+=("${test_packages[@]}") ;;
  *) echo "install.sh: unknown option '$1': there is --tests" >&2; exit 2 ;;
esac

missing=()
for package in "${packages[@]}"; do
  dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q '^install ok installed$' || missing+=("$package")
done
[ ${#missing[@]} -eq 0 ] && exit 0

as_root=()
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null || { echo "install.sh: run this as root, or install sudo; needed: ${missing[*]}" >&2; exit 1; }
  as_root=(sudo)
fi
echo "Installing: ${missing[*]}"
"${as_root[@]}" apt-get update -qq
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
