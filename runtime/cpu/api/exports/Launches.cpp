//===- Launches.cpp - Launch functions of libcudart, compiled twice -------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cpu/api/Graphs.h"
#include "cpu/api/Launch.h"
#include "cpu/api/exports/Call.h"

using namespace gmprof::cpu::api;

// Called by nvcc's launch code; CUDA's headers do not declare it.
#ifdef CUDA_API_PER_THREAD_DEFAULT_STREAM
#define __cudaLaunchKernel __cudaLaunchKernel_ptsz
#endif
extern "C" cudaError_t __cudaLaunchKernel(cudaKernel_t, dim3, dim3, void **, size_t, cudaStream_t);

namespace {

cudaError_t launch(const LaunchRequest &Request, cudaStream_t Handle) {
  return callOn(Handle, [&](Stream &S) {
    Result<KernelOp> Op = prepareLaunch(Request);
    return Op ? submit(S, std::move(Op.Value)).Error : Op.Error;
  });
}

} // namespace

cudaError_t cudaLaunchKernel(const void *Function, dim3 Grid, dim3 Block, void **Arguments,
                             size_t Shared, cudaStream_t Handle) {
  return launch({Function, Grid, Block, Shared, false, 0, Arguments}, Handle);
}

cudaError_t __cudaLaunchKernel(cudaKernel_t Kernel, dim3 Grid, dim3 Block, void **Arguments,
                               size_t Shared, cudaStream_t Handle) {
  return launch({Kernel, Grid, Block, Shared, false, 0, Arguments}, Handle);
}

cudaError_t cudaLaunchCooperativeKernel(const void *Function, dim3 Grid, dim3 Block,
                                        void **Arguments, size_t Shared, cudaStream_t Handle) {
  return launch({Function, Grid, Block, Shared, true, 0, Arguments}, Handle);
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *Config, const void *Function,
                                void **Arguments) {
  if (!Config)
    return record(cudaErrorInvalidValue);
  LaunchRequest Request{
      Function, Config->gridDim, Config->blockDim, Config->dynamicSmemBytes, false, 0, Arguments};
  if (cudaError_t Error = applyAttributes(Config->attrs, Config->numAttrs, Request))
    return record(Error);
  return launch(Request, Config->stream);
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t Handle, cudaStream_t StreamHandle) {
  return callOn(StreamHandle, [&](Stream &S) {
    std::shared_ptr<ExecutableGraph> G = executableGraphs().find(Handle);
    return G ? G->launch(S) : cudaErrorInvalidValue;
  });
}

cudaError_t cudaGraphUpload(cudaGraphExec_t Handle, cudaStream_t StreamHandle) {
  return callOn(StreamHandle, [&](Stream &) {
    return executableGraphs().find(Handle) ? cudaSuccess : cudaErrorInvalidValue;
  });
}

cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t *Out, cudaGraph_t Handle,
                                           cudaGraphInstantiateParams *Params) {
  return call([&] {
    if (!Out || !graphs().find(Handle) || !Params)
      return cudaErrorInvalidValue;
    Params->errNode_out = nullptr;
    cudaError_t Error = cudaGraphInstantiate(Out, Handle, Params->flags);
    Params->result_out = Error ? cudaGraphInstantiateInvalidStructure : cudaGraphInstantiateSuccess;
    return Error;
  });
}
