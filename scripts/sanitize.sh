#!/bin/sh
# Builds unit tests with AddressSanitizer and UndefinedBehaviorSanitizer, in build-sanitize/, and
# runs them: those of what reads profiles and traces, of the analysis and of the CPU device's API.
# --all: those of the reports, of the host runtime and of the CPU device's engine too, which take
# several minutes to compile.
# thread: with ThreadSanitizer, in build-sanitize-thread/: those of the CPU device.
# thread-all: those of the host runtime too.
set -eu
cd "$(dirname "$0")/.."

configure=sanitize
preset=sanitize
case "${1:-}" in
  --all) preset=sanitize-all ;;
  thread) configure=sanitize-thread preset=sanitize-thread ;;
  thread-all) configure=sanitize-thread preset=sanitize-thread-all ;;
esac
log=$(mktemp)
trap 'rm -f "$log"' EXIT
run() { "$@" >"$log" 2>&1 || { cat "$log" >&2; exit 1; }; }

if [ "$preset" != sanitize ]; then
  # What clang compiles with the plugin, which it could not load if that had sanitizers.
  scripts/build.sh gmprof-cpu-engine-bitcode gmprof-cpu-intrinsics-bitcode
fi
echo "sanitize: building in $PWD/build-$configure"
run cmake --preset "$configure" -DCUDAToolkit_ROOT="${CUDA_PATH:-/usr/local/cuda}"
run cmake --build --preset "$preset"
run ctest --preset "$preset" -j "$(nproc)"
echo "sanitize: $(grep 'tests passed' "$log")"
