//===- FakeCuda.cpp - The driver behind the fake libcudart ----------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A libcuda.so.1 that exports some symbols. It returns all driver functions that FakeCudart.h
// describes by name; for cuMemFree, the exported address differs from the one returned by name.
//
//===----------------------------------------------------------------------===//

// Programs still use deprecated functions.
#pragma clang diagnostic ignored "-Wdeprecated-declarations"

#include <cstring>
#include <cuda.h>
#include <cuda_runtime_api.h>

#define EXPORT extern "C" __attribute__((visibility("default")))

namespace {

template <typename Function> Function find(const char *Name) {
  void *Found = nullptr;
  cudaDriverEntryPointQueryResult Status = cudaDriverEntryPointSymbolNotFound;
  cudaGetDriverEntryPointByVersion(Name, &Found, CUDA_VERSION, cudaEnableLegacyStream, &Status);
  return reinterpret_cast<Function>(Found);
}

} // namespace

EXPORT CUresult cuMemAlloc_v2(CUdeviceptr *To, size_t Bytes) {
  return find<decltype(&cuMemAlloc_v2)>("cuMemAlloc")(To, Bytes);
}

EXPORT CUresult cuMemFree_v2(CUdeviceptr Address) {
  return find<decltype(&cuMemFree_v2)>("cuMemFree")(Address);
}

EXPORT CUresult cuLaunchKernel(CUfunction Function, unsigned GridX, unsigned GridY, unsigned GridZ,
                               unsigned BlockX, unsigned BlockY, unsigned BlockZ, unsigned Shared,
                               CUstream Stream, void **Args, void **Extra) {
  CUlaunchConfig Config = {};
  Config.gridDimX = GridX;
  Config.gridDimY = GridY;
  Config.gridDimZ = GridZ;
  Config.blockDimX = BlockX;
  Config.blockDimY = BlockY;
  Config.blockDimZ = BlockZ;
  Config.sharedMemBytes = Shared;
  Config.hStream = Stream;
  return find<decltype(&cuLaunchKernelEx)>("cuLaunchKernelEx")(&Config, Function, Args, Extra);
}

// Functions without an effect.
EXPORT CUresult cuFuncSetBlockShape(CUfunction, int, int, int) { return CUDA_SUCCESS; }
EXPORT CUresult cuLaunchGrid(CUfunction, int, int) { return CUDA_SUCCESS; }
EXPORT CUresult cuStreamWriteValue64_v2(CUstream, CUdeviceptr, cuuint64_t, unsigned) {
  return CUDA_SUCCESS;
}
EXPORT CUresult cuStreamBatchMemOp_v2(CUstream, unsigned, CUstreamBatchMemOpParams *, unsigned) {
  return CUDA_SUCCESS;
}
EXPORT CUresult copyBatch(size_t, CUDA_MEMCPY3D_BATCH_OP *, size_t *, unsigned long long,
                          CUstream) __asm__("cuMemcpy3DBatchAsync");
EXPORT CUresult copyBatch(size_t, CUDA_MEMCPY3D_BATCH_OP *, size_t *, unsigned long long,
                          CUstream) {
  return CUDA_SUCCESS;
}
// Imports nothing.
EXPORT CUresult cuIpcOpenMemHandle_v2(CUdeviceptr *, CUipcMemHandle, unsigned) {
  return CUDA_SUCCESS;
}

EXPORT CUresult cuGetProcAddress_v2(const char *Name, void **To, int Version, cuuint64_t Flags,
                                    CUdriverProcAddressQueryResult *Status) {
  if (std::strcmp(Name, "cuGetProcAddress") == 0 && Version >= 12000)
    *To = reinterpret_cast<void *>(cuGetProcAddress_v2);
  else if (std::strcmp(Name, "cuMemAlloc") == 0)
    *To = reinterpret_cast<void *>(cuMemAlloc_v2);
  else if (std::strcmp(Name, "cuLaunchKernel") == 0)
    *To = reinterpret_cast<void *>(cuLaunchKernel);
  else
    *To = find<void *>(Name);
  *Status = *To ? CU_GET_PROC_ADDRESS_SUCCESS : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
  return *To ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}
