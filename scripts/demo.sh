#!/bin/sh
# Makes a report from a fresh clone: installs missing packages, builds GMProf, and profiles
# examples/jacobi, on the GPU if there is one, otherwise on the CPU device.
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)

"$here/scripts/setup.sh"
"$here/scripts/build.sh" programs

work=$here/build/demo
mkdir -p "$work"
cd "$work"
PATH=$here/build/bin:$PATH

run() {
  echo
  echo "\$ $*"
  "$@"
}
run gmprof-clang++ -O2 -g ../../examples/em/em_v1.cu -o em_v1
run gmprof run -o prof -- ./em_v1
run gmreport prof/summary.json --details
