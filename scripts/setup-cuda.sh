#!/bin/sh
# Installs the parts of CUDA 13.0 that GMProf is built and tested with, from NVIDIA's repository for
# Debian 12, in /usr/local/cuda-13.0. Run it as root. It does not install the driver: without a GPU,
# kernels run on the CPU device.
set -eu

keyring=cuda-keyring_1.1-1_all.deb
repository=https://developer.download.nvidia.com/compute/cuda/repos/debian12/x86_64
packages="cuda-nvcc-13-0 cuda-cudart-dev-13-0 cuda-cccl-13-0 cuda-cupti-dev-13-0
  cuda-profiler-api-13-0 libcurand-dev-13-0"

export DEBIAN_FRONTEND=noninteractive
apt-get update
apt-get install -y --no-install-recommends ca-certificates curl
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
curl -fsSL -o "$folder/$keyring" "$repository/$keyring"
dpkg -i "$folder/$keyring"
apt-get update
# shellcheck disable=SC2086
apt-get install -y --no-install-recommends $packages
