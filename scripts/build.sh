#!/bin/sh
# Configures and builds GMProf in build/; arguments are targets (all by default; programs:
# what users need, without the tests).
set -eu
cd "$(dirname "$0")/.."

if [ ! -f build/build.ninja ]; then
  echo "build: configuring"
  log=$(mktemp)
  trap 'rm -f "$log"' EXIT
  cmake --preset default -DCUDAToolkit_ROOT="${CUDA_PATH:-/usr/local/cuda}" >"$log" 2>&1 ||
    { cat "$log" >&2; exit 1; }
fi
echo "build: building in $PWD/build (minutes the first time)"
quiet=--quiet
[ -t 1 ] && quiet=
# shellcheck disable=SC2086
ninja -C build $quiet "$@"
