#!/bin/sh
# Checks the code: format, clang-tidy, and unit tests with AddressSanitizer,
# UndefinedBehaviorSanitizer and ThreadSanitizer. clang-tidy and sanitizers check the files that a
# change affects (see scripts/changes.py); with --all, all files.
set -eu
cd "$(dirname "$0")/.."

case "$*" in
"" | --all) ;;
*) echo "check: unknown option '$*'; the only one is --all" >&2; exit 2 ;;
esac
scripts/setup.sh
scripts/build.sh
python3 scripts/check-style.py "$@"
scripts/sanitize.sh address "$@"
scripts/sanitize.sh thread "$@"
