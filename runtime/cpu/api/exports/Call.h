//===- Call.h - How every exported function is entered ----------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Exported functions check handles and forward to the classes of the parent folder. Functions whose
// default stream depends on how the program was compiled are in files that are compiled twice, as
// CUDA's header provides for: the second time with CUDA_API_PER_THREAD_DEFAULT_STREAM, which
// renames them (cudaMemcpyAsync_ptsz, cudaMemcpy_ptds).
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CPU_API_EXPORTS_CALL_H
#define GMPROF_CPU_API_EXPORTS_CALL_H

#include "cpu/api/Device.h"
#include "cpu/api/Errors.h"
#include <cuda_runtime_api.h>

namespace gmprof::cpu::api {

#ifdef CUDA_API_PER_THREAD_DEFAULT_STREAM
constexpr DefaultStream Default = DefaultStream::PerThread;
#else
constexpr DefaultStream Default = DefaultStream::Legacy;
#endif

/// Runs a function that needs the device; fails once a kernel has failed.
template <typename F> cudaError_t call(F Body) {
  if (inHostFunction())
    return record(cudaErrorNotPermitted);
  if (cudaError_t Error = currentDevice().failure())
    return record(Error);
  return record(Body());
}

/// Runs a function that answers in any state of the device.
template <typename F> cudaError_t query(F Body) { return record(Body()); }

/// Runs a function of a stream, like `call`.
template <typename F> cudaError_t callOn(cudaStream_t Handle, F Body) {
  return call([&] {
    std::shared_ptr<Stream> S = findStream(Handle, Default);
    return S ? Body(*S) : cudaErrorInvalidResourceHandle;
  });
}

} // namespace gmprof::cpu::api

#endif // GMPROF_CPU_API_EXPORTS_CALL_H
