#!/bin/sh
# Builds unit tests with AddressSanitizer and UndefinedBehaviorSanitizer, in build-sanitize/, and
# runs them: those of what reads profiles and traces, of the analysis and of the CPU device's API.
# --all: those of the reports and of the host runtime too, which take several minutes to compile.
set -eu
cd "$(dirname "$0")/.."

preset=sanitize
[ "${1:-}" != --all ] || preset=sanitize-all
log=$(mktemp)
trap 'rm -f "$log"' EXIT
echo "sanitize: building in $PWD/build-sanitize"
if ! { cmake --preset sanitize -DCUDAToolkit_ROOT="${CUDA_PATH:-/usr/local/cuda}" &&
  cmake --build --preset "$preset"; } >"$log" 2>&1; then
  cat "$log" >&2
  exit 1
fi
ctest --preset "$preset" -j "$(nproc)" >"$log" 2>&1 || { cat "$log" >&2; exit 1; }
echo "sanitize: $(grep 'tests passed' "$log")"
