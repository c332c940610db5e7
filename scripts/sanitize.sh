#!/bin/sh
# Usage: scripts/sanitize.sh address|thread [--all]
# Builds unit tests with sanitizers and runs those that a change affects (scripts/changes.py).
# address: AddressSanitizer and UndefinedBehaviorSanitizer, in build-sanitize/: readers of profiles
# and traces, the analysis and the CPU device's API.
# thread: ThreadSanitizer, in build-sanitize-thread/: the CPU device.
# --all: also those that take several minutes to compile, the host runtime's among them, whether or
# not a change affects them.
set -eu
cd "$(dirname "$0")/.."

case "${1:-}" in
address)
  preset=sanitize
  targets="gmprof-analysis-tests gmprof-cache-tests gmprof-cpu-api-tests gmprof-profile-tests"
  more="gmprof-cpu-engine-tests gmprof-cpu-intrinsics-tests gmprof-cpu-ptx-tests gmprof-host-tests
    gmprof-report-tests" ;;
thread)
  preset=sanitize-thread
  targets="gmprof-cpu-api-tests gmprof-cpu-engine-tests"
  more=gmprof-host-tests ;;
*)
  echo "usage: scripts/sanitize.sh address|thread [--all]" >&2
  exit 2 ;;
esac
if [ "${2:-}" = --all ]; then
  targets="$targets $more"
else
  # shellcheck disable=SC2086
  targets=$(python3 scripts/changes.py $targets)
fi
if [ -z "$targets" ]; then
  echo "sanitize: the change affects no test of $preset"
  exit 0
fi

log=$(mktemp)
trap 'rm -f "$log"' EXIT
run() { "$@" >"$log" 2>&1 || { cat "$log" >&2; exit 1; }; }

# The plugin compiles this bitcode, and clang cannot load a plugin that has sanitizers.
case "$targets" in
*engine* | *intrinsics*) scripts/build.sh gmprof-cpu-engine-bitcode gmprof-cpu-intrinsics-bitcode ;;
esac
# shellcheck disable=SC2086
echo "sanitize: building in $PWD/build-$preset:" $targets
run cmake --preset "$preset" -DCUDAToolkit_ROOT="${CUDA_PATH:-/usr/local/cuda}"
# shellcheck disable=SC2086
run ninja -C "build-$preset" $targets
labels=$(echo $targets | tr ' ' '|')
run ctest --test-dir "build-$preset" -L "^($labels)$" -j "$(nproc)" --output-on-failure
echo "sanitize: $(grep 'tests passed' "$log")"
