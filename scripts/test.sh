#!/bin/sh
# Runs every test: format, clang-tidy, then all of ctest. Arguments go to ctest.
set -eu
cd "$(dirname "$0")/.."

scripts/setup.sh
scripts/build.sh
python3 scripts/check-style.py --all
exec ctest --test-dir build -j "$(nproc)" --output-on-failure "$@"
