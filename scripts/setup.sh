#!/bin/sh
# Installs the Debian packages that GMProf is built with, where they are missing,
# and checks for the CUDA toolkit.
set -eu

cuda=${CUDA_PATH:-/usr/local/cuda}
packages="
  clang-22 libclang-rt-22-dev clang-tools-22 clang-format-22 clang-tidy-22 lld-22 llvm-22-dev llvm-22-tools
  g++ dpkg-dev file make cmake ninja-build ccache git python3 python3-jsonschema python3-yaml
  nlohmann-json3-dev libcli11-dev libfmt-dev libxxhash-dev libzstd-dev zlib1g-dev libsqlite3-dev
  libgtest-dev libgmock-dev libomp-22-dev openmpi-bin libopenmpi-dev"

# For the tests of the page of gmreport html, from any available source.
for program in node:nodejs npm:npm chromium:chromium; do
  command -v "${program%:*}" >/dev/null || packages="$packages ${program#*:}"
done

fail() {
  echo "setup: $1" >&2
  exit 1
}

missing=
for package in $packages; do
  case $(dpkg-query -W -f '${Status}' "$package" 2>/dev/null) in
  *' ok installed') ;;
  *) missing="$missing $package" ;;
  esac
done

if [ -n "$missing" ]; then
  echo "setup: installing$missing"
  root=
  if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null || fail "not root, and no sudo: as root, run apt-get install$missing"
    root="sudo"
  fi
  log=$(mktemp)
  trap 'rm -f "$log"' EXIT
  # The package list may be new enough already.
  install="$root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends"
  # shellcheck disable=SC2086
  $install $missing >"$log" 2>&1 ||
    { $root apt-get update && $install $missing; } >"$log" 2>&1 ||
    { tail -5 "$log" >&2; fail "apt-get could not install$missing (Debian 12 with its security archive has them all)"; }
fi

version=$(sed -n 's/^#define CUDA_VERSION \([0-9]*\).*/\1/p' "$cuda/include/cuda.h" 2>/dev/null || true)
[ -n "$version" ] ||
  fail "no CUDA toolkit in $cuda: install CUDA 13 (https://developer.nvidia.com/cuda-downloads), or set CUDA_PATH to it"
[ $((version / 1000)) = 13 ] ||
  fail "$cuda has CUDA $((version / 1000)).$((version % 1000 / 10)), GMProf needs CUDA 13: set CUDA_PATH to it"

echo "setup: packages and CUDA $((version / 1000)).$((version % 1000 / 10)) are there"
