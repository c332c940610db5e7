#!/bin/sh
# Runs every test: format, clang-tidy, tests with sanitizers, then all of ctest, to which arguments
# go.
set -eu
cd "$(dirname "$0")/.."

scripts/setup.sh
scripts/build.sh
python3 scripts/check-style.py --all
scripts/sanitize.sh
scripts/sanitize.sh thread
exec ctest --test-dir build -j "$(nproc)" --output-on-failure "$@"
