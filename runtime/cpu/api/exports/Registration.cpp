//===- Registration.cpp - Calls of CUDA constructors ----------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cpu/api/Modules.h"
#include "cpu/api/PerThread.h"
#include "cpu/api/exports/Call.h"

using namespace gmprof::cpu::api;

namespace {

struct LaunchConfiguration {
  dim3 Grid, Block;
  size_t Shared;
  cudaStream_t Stream;
};

/// Launch configurations between <<< >>> and the call of the host stub.
using Configurations = std::vector<LaunchConfiguration>;

} // namespace

// Signatures used by clang and nvcc (crt/host_runtime.h is for nvcc only).
extern "C" {

void **__cudaRegisterFatBinary(void *Wrapper) { return modules().addBinary(Wrapper); }

void __cudaRegisterFatBinaryEnd(void **Binary) { modules().completeBinary(Binary); }

void __cudaUnregisterFatBinary(void **Binary) { modules().removeBinary(Binary); }

char __cudaInitModule(void **Binary) {
  modules().completeBinary(Binary);
  return 1;
}

void __cudaRegisterFunction(void **Binary, const char *Stub, char *, const char *Name, int, uint3 *,
                            uint3 *, dim3 *, dim3 *, int *) {
  modules().addKernel(Binary, Stub, Name);
}

void __cudaRegisterVar(void **Binary, char *Shadow, char *, const char *Name, int, size_t Bytes,
                       int, int) {
  modules().addVariable(Binary, Shadow, Name, Bytes);
}

void __cudaRegisterManagedVar(void **Binary, void **Pointer, char *, const char *Name, int,
                              size_t Bytes, int, int) {
  modules().addManaged(Binary, Pointer, Name, Bytes);
}

unsigned __cudaPushCallConfiguration(dim3 Grid, dim3 Block, size_t Shared, cudaStream_t Stream) {
  ofThread<Configurations>().push_back({Grid, Block, Shared, Stream});
  return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3 *Grid, dim3 *Block, size_t *Shared, void *Stream) {
  auto &Pushed = ofThread<Configurations>();
  if (Pushed.empty())
    return record(cudaErrorMissingConfiguration);
  LaunchConfiguration C = Pushed.back();
  Pushed.pop_back();
  *Grid = C.Grid;
  *Block = C.Block;
  *Shared = C.Shared;
  *static_cast<cudaStream_t *>(Stream) = C.Stream;
  return cudaSuccess;
}

} // extern "C"
