#!/bin/sh
# soak.sh [MINUTES [SEED]]: runs test/host/Inputs/soak.cu, of which three threads use the runtime at
# random, on the CPU device, with ThreadSanitizer in the program, in libgmprof.so and in the CPU
# device, from one seed to the next (1) with one profile after the other, for 10 minutes or as many
# as are said. Stops with a message if a thread's access races with another one's, a call fails, or
# the profile does not match the run. Builds in build-sanitize-thread/. The profile of
# synchronisation is left out: ThreadSanitizer has the functions of the C library that have to know
# which memory is watched.
set -eu
cd "$(dirname "$0")/.."

minutes=${1:-10}
seed=${2:-1}
steps=1500
libraries=$PWD/build-sanitize-thread/lib
inputs=$PWD/test/host/Inputs
# Rows of profiles that do not need every CUDA call.
profiles=$(awk -F'[(, ]+' '/^GMPROF_PROFILE/ && $8 == 0 { print $2 }' include/gmprof/profiles.def)
work=$(mktemp -d)
log=$work/log
found() {
  cat "$log" >&2
  echo "soak: $1; what there is of it is in $work" >&2
  exit 1
}
run() { "$@" >"$log" 2>&1 || found "$1 failed"; }

scripts/build.sh gmprof-clang++ GMPass gmprof_runtime gmprof-cpu-engine-bitcode \
  gmprof-cpu-intrinsics-bitcode
echo "soak: building in $PWD/build-sanitize-thread"
run cmake --preset sanitize-thread -DCUDAToolkit_ROOT="${CUDA_PATH:-/usr/local/cuda}"
run cmake --build --preset soak
run build/bin/gmprof-clang++ -O1 -g -arch=sm_90 -Xarch_host -fsanitize=thread \
  "$inputs/soak.cu" -o "$work/soak"

end=$(($(date +%s) + 60 * minutes))
runs=0
while [ "$(date +%s)" -lt "$end" ]; do
  for profile in $profiles; do
    rm -rf "$work/out"
    GMPROF_OPTIONS="profile=$profile:quiet=1:output=$work/out" \
      LD_LIBRARY_PATH="$libraries:$libraries/gmprof/cpu" \
      "$work/soak" "$seed" "$steps" "$work/model.json" >"$log" 2>&1 ||
      found "seed $seed fails with profile=$profile"
    python3 "$inputs/check_soak.py" "$work/model.json" "$work/out/summary.json" >"$log" ||
      found "seed $seed has another profile=$profile"
    seed=$((seed + 1))
    runs=$((runs + 1))
  done
done
rm -rf "$work"
echo "soak: $runs runs, and nothing was found"
