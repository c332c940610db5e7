#!/bin/sh
# Builds everything and runs every test; arguments go to ctest. scripts/check.sh has format,
# clang-tidy and sanitizers.
set -eu
cd "$(dirname "$0")/.."

scripts/setup.sh
scripts/build.sh
exec ctest --test-dir build -j "$(nproc)" --output-on-failure "$@"
