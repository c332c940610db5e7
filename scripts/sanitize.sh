#!/bin/sh
# Builds the tests of what reads profiles and traces with AddressSanitizer and
# UndefinedBehaviorSanitizer, in build-sanitize/, and runs them.
set -eu
cd "$(dirname "$0")/.."

log=$(mktemp)
trap 'rm -f "$log"' EXIT
echo "sanitize: building in $PWD/build-sanitize"
if ! { cmake --preset sanitize -DCUDAToolkit_ROOT="${CUDA_PATH:-/usr/local/cuda}" &&
  cmake --build --preset sanitize; } >"$log" 2>&1; then
  cat "$log" >&2
  exit 1
fi
ctest --preset sanitize -j "$(nproc)" >"$log" 2>&1 || { cat "$log" >&2; exit 1; }
echo "sanitize: $(grep 'tests passed' "$log")"
