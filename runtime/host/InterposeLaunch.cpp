//===- InterposeLaunch.cpp - Launches through libcudart -------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All forms end in launchKernel(). The _ptsz forms are those of programs with
// per-thread default streams: there stream 0 is the thread's.
//
//===----------------------------------------------------------------------===//

#include "host/Export.h"
#include "host/Launch.h"
#include "host/RuntimeApi.h"
#include "host/Session.h"

using namespace gmprof::host;

static cudaLaunchAttribute cooperativeAttribute() {
  cudaLaunchAttribute Attribute = {};
  Attribute.id = cudaLaunchAttributeCooperative;
  Attribute.val.cooperative = 1;
  return Attribute;
}

GMPROF_INTERPOSE cudaError_t cudaLaunchKernel(const void *Function, dim3 Grid, dim3 Block,
                                              void **Args, size_t Shared, cudaStream_t Stream) {
  return launchKernel({Function, Grid, Block, Args, Shared, Stream}, [&] {
    return GMPROF_REAL(cudaLaunchKernel, Function, Grid, Block, Args, Shared, Stream);
  });
}

GMPROF_INTERPOSE cudaError_t cudaLaunchKernel_ptsz(const void *Function, dim3 Grid, dim3 Block,
                                                   void **Args, size_t Shared,
                                                   cudaStream_t Stream) {
  return launchKernel({Function, Grid, Block, Args, Shared, perThread(Stream)}, [&] {
    return GMPROF_REAL(cudaLaunchKernel_ptsz, Function, Grid, Block, Args, Shared, Stream);
  });
}

GMPROF_INTERPOSE cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *Config,
                                                 const void *Function, void **Args) {
  auto Plain = [&] { return GMPROF_REAL(cudaLaunchKernelExC, Config, Function, Args); };
  if (!Config)
    return Plain();
  return launchKernel({Function, Config->gridDim, Config->blockDim, Args, Config->dynamicSmemBytes,
                       Config->stream, Config->attrs, Config->numAttrs},
                      Plain);
}

GMPROF_INTERPOSE cudaError_t cudaLaunchKernelExC_ptsz(const cudaLaunchConfig_t *Config,
                                                      const void *Function, void **Args) {
  auto Plain = [&] { return GMPROF_REAL(cudaLaunchKernelExC_ptsz, Config, Function, Args); };
  if (!Config)
    return Plain();
  return launchKernel({Function, Config->gridDim, Config->blockDim, Args, Config->dynamicSmemBytes,
                       perThread(Config->stream), Config->attrs, Config->numAttrs},
                      Plain);
}

GMPROF_INTERPOSE cudaError_t cudaLaunchCooperativeKernel(const void *Function, dim3 Grid,
                                                         dim3 Block, void **Args, size_t Shared,
                                                         cudaStream_t Stream) {
  cudaLaunchAttribute Attribute = cooperativeAttribute();
  return launchKernel({Function, Grid, Block, Args, Shared, Stream, &Attribute, 1}, [&] {
    return GMPROF_REAL(cudaLaunchCooperativeKernel, Function, Grid, Block, Args, Shared, Stream);
  });
}

GMPROF_INTERPOSE cudaError_t cudaLaunchCooperativeKernel_ptsz(const void *Function, dim3 Grid,
                                                              dim3 Block, void **Args,
                                                              size_t Shared, cudaStream_t Stream) {
  cudaLaunchAttribute Attribute = cooperativeAttribute();
  return launchKernel({Function, Grid, Block, Args, Shared, perThread(Stream), &Attribute, 1}, [&] {
    return GMPROF_REAL(cudaLaunchCooperativeKernel_ptsz, Function, Grid, Block, Args, Shared,
                       Stream);
  });
}

// nvcc's launch code passes a kernel's handle instead of the stub's address.

static LaunchRequest byHandle(cudaKernel_t Kernel, dim3 Grid, dim3 Block, void **Args,
                              size_t Shared, cudaStream_t Stream) {
  LaunchRequest R = {Kernel, Grid, Block, Args, Shared, Stream};
  R.ByHandle = true;
  return R;
}

GMPROF_INTERPOSE cudaError_t __cudaLaunchKernel(cudaKernel_t Kernel, dim3 Grid, dim3 Block,
                                                void **Args, size_t Shared, cudaStream_t Stream) {
  return launchKernel(byHandle(Kernel, Grid, Block, Args, Shared, Stream), [&] {
    return GMPROF_REAL(__cudaLaunchKernel, Kernel, Grid, Block, Args, Shared, Stream);
  });
}

GMPROF_INTERPOSE cudaError_t __cudaLaunchKernel_ptsz(cudaKernel_t Kernel, dim3 Grid, dim3 Block,
                                                     void **Args, size_t Shared,
                                                     cudaStream_t Stream) {
  return launchKernel(byHandle(Kernel, Grid, Block, Args, Shared, perThread(Stream)), [&] {
    return GMPROF_REAL(__cudaLaunchKernel_ptsz, Kernel, Grid, Block, Args, Shared, Stream);
  });
}

/// What the program sets on its kernel holds for the clones too.
static void attributesChanged(const void *Function, int CacheConfig) {
  if (Inside::now())
    return;
  Inside Guard;
  // Cache configurations cannot be read back, so that they count before the
  // first launch too.
  Session *S = CacheConfig >= 0 ? Session::begin() : Session::current();
  std::string Why;
  DeviceState *D = S ? S->device(Function, Why) : nullptr;
  Kernel *K = D ? D->TheKernels.get(Function) : nullptr;
  if (!K)
    return;
  std::lock_guard<std::mutex> Lock(K->AttributeLock);
  if (CacheConfig >= 0)
    K->CacheConfig = CacheConfig;
  K->AttributesChanged = true;
}

GMPROF_INTERPOSE cudaError_t cudaFuncSetAttribute(const void *Function, cudaFuncAttribute Attribute,
                                                  int Value) {
  cudaError_t Error = GMPROF_REAL(cudaFuncSetAttribute, Function, Attribute, Value);
  if (Error == cudaSuccess)
    attributesChanged(Function, -1);
  return Error;
}

GMPROF_INTERPOSE cudaError_t cudaFuncSetCacheConfig(const void *Function, cudaFuncCache Config) {
  cudaError_t Error = GMPROF_REAL(cudaFuncSetCacheConfig, Function, Config);
  if (Error == cudaSuccess)
    attributesChanged(Function, Config);
  return Error;
}
