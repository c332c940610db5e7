//===- DriverContexts.cpp - Driver functions of contexts and errors -------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cpu/api/PerThread.h"
#include "cpu/api/exports/DriverObjects.h"
#include <vector>

namespace gmprof::cpu::api::driver {

/// Devices that were current before each context that the thread has pushed.
using PushedContexts = std::vector<int>;

CUcontext contextOf(int Index) { return reinterpret_cast<CUcontext>(&device(Index)); }

CUresult init(unsigned Flags) { return Flags == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE; }

CUresult deviceGet(CUdevice *Out, int Index) {
  if (!Out || !validDevice(Index))
    return Out ? CUDA_ERROR_INVALID_DEVICE : CUDA_ERROR_INVALID_VALUE;
  *Out = Index;
  return CUDA_SUCCESS;
}

CUresult deviceGetName(char *Text, int Bytes, CUdevice Index) {
  if (!validDevice(Index))
    return CUDA_ERROR_INVALID_DEVICE;
  if (!Text || Bytes <= 0)
    return CUDA_ERROR_INVALID_VALUE;
  snprintf(Text, Bytes, "%s", deviceProperties(Index).name);
  return CUDA_SUCCESS;
}

CUresult ctxGetCurrent(CUcontext *Out) {
  if (!Out)
    return CUDA_ERROR_INVALID_VALUE;
  *Out = contextOf(currentDeviceIndex());
  return CUDA_SUCCESS;
}

CUresult ctxSetCurrent(CUcontext Context) {
  if (Context)
    setCurrentDevice(reinterpret_cast<Device *>(Context)->Index);
  return CUDA_SUCCESS;
}

CUresult ctxPushCurrent(CUcontext Context) {
  if (!Context)
    return CUDA_ERROR_INVALID_CONTEXT;
  ofThread<PushedContexts>().push_back(currentDeviceIndex());
  return ctxSetCurrent(Context);
}

CUresult ctxPopCurrent(CUcontext *Out) {
  auto &Before = ofThread<PushedContexts>();
  if (Before.empty())
    return CUDA_ERROR_INVALID_CONTEXT;
  if (Out)
    *Out = contextOf(currentDeviceIndex());
  setCurrentDevice(Before.back());
  Before.pop_back();
  return CUDA_SUCCESS;
}

CUresult devicePrimaryCtxRetain(CUcontext *Out, CUdevice Index) {
  if (!Out || !validDevice(Index))
    return Out ? CUDA_ERROR_INVALID_DEVICE : CUDA_ERROR_INVALID_VALUE;
  *Out = contextOf(Index);
  return CUDA_SUCCESS;
}

CUresult devicePrimaryCtxRelease(CUdevice Index) {
  return validDevice(Index) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

static CUresult giveText(const char *Text, const char **Out) {
  if (!Out)
    return CUDA_ERROR_INVALID_VALUE;
  *Out = Text;
  return CUDA_SUCCESS;
}

CUresult getErrorName(CUresult Error, const char **Out) {
  return giveText(errorName(static_cast<cudaError_t>(Error)), Out);
}

CUresult getErrorString(CUresult Error, const char **Out) {
  return giveText(errorText(static_cast<cudaError_t>(Error)), Out);
}

} // namespace gmprof::cpu::api::driver
