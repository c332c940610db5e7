//===- two-waits.cu - Two unnecessary waits -------------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include <cstdio>

__global__ void add(int *data) {
  for (int i = 0; i < 20000; ++i)
    atomicAdd(data, 1);
}

void first(int *data) {
  add<<<8, 32>>>(data);
  cudaDeviceSynchronize(); // first wait
}
void second(int *data) {
  add<<<8, 32>>>(data);
  cudaDeviceSynchronize();
}

int main() {
  int *data;
  cudaMalloc(&data, sizeof(int));
  first(data);
  second(data);
  return 0;
}
