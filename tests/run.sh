#!/usr/bin/env bash
# Installs what is missing, builds everything, and runs the tests.
#
#   tests/run.sh [PRESET] [CTEST-ARGUMENT...]     PRESET: release (default), debug or asan
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
preset=release
case ${1:-} in release | debug | asan) preset=$1; shift ;; esac

"$root/apps/install.sh" --tests
cd "$root"
cmake --preset "$preset" >/dev/null
cmake --build --preset "$preset"
ctest --preset "$preset" --no-tests=error --timeout 600 "$@"
