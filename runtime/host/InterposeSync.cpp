//===- InterposeSync.cpp - Calls after which launches may have ended ------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Counts are looked for where the program has waited anyway. Queries are not
// among them: programs poll with those.
//
//===----------------------------------------------------------------------===//

#include "host/Export.h"
#include "host/RuntimeApi.h"
#include "host/Session.h"

using namespace gmprof::host;

template <typename Call> static cudaError_t thenPoll(Call Plain) {
  Session *S = Inside::now() ? nullptr : Session::current();
  Inside Guard;
  cudaError_t Error = Plain();
  if (S)
    S->poll();
  return Error;
}

GMPROF_INTERPOSE cudaError_t cudaDeviceSynchronize() {
  Session *S = Inside::now() ? nullptr : Session::current();
  Inside Guard;
  cudaError_t Error = GMPROF_REAL(cudaDeviceSynchronize);
  if (S)
    S->deviceIdle();
  return Error;
}

GMPROF_INTERPOSE cudaError_t cudaStreamSynchronize(cudaStream_t Stream) {
  return thenPoll([&] { return GMPROF_REAL(cudaStreamSynchronize, Stream); });
}

GMPROF_INTERPOSE cudaError_t cudaStreamSynchronize_ptsz(cudaStream_t Stream) {
  return thenPoll([&] { return GMPROF_REAL(cudaStreamSynchronize_ptsz, Stream); });
}

GMPROF_INTERPOSE cudaError_t cudaEventSynchronize(cudaEvent_t Event) {
  return thenPoll([&] { return GMPROF_REAL(cudaEventSynchronize, Event); });
}

GMPROF_INTERPOSE cudaError_t cudaMemcpy(void *To, const void *From, size_t Bytes,
                                        cudaMemcpyKind Kind) {
  return thenPoll([&] { return GMPROF_REAL(cudaMemcpy, To, From, Bytes, Kind); });
}

GMPROF_INTERPOSE cudaError_t cudaMemcpy_ptds(void *To, const void *From, size_t Bytes,
                                             cudaMemcpyKind Kind) {
  return thenPoll([&] { return GMPROF_REAL(cudaMemcpy_ptds, To, From, Bytes, Kind); });
}

GMPROF_INTERPOSE cudaError_t cudaStreamDestroy(cudaStream_t Stream) {
  Session *S = Inside::now() ? nullptr : Session::current();
  Inside Guard;
  if (S)
    S->streamDestroyed(Stream);
  return GMPROF_REAL(cudaStreamDestroy, Stream);
}

GMPROF_INTERPOSE cudaError_t cudaDeviceReset() {
  Session *S = Inside::now() ? nullptr : Session::current();
  Inside Guard;
  if (!S)
    return GMPROF_REAL(cudaDeviceReset);
  std::vector<Objects::Removed> Gone = S->deviceReset(GMPROF_CALLER);
  cudaError_t Error = GMPROF_REAL(cudaDeviceReset);
  for (const Objects::Removed &Each : Gone)
    S->released(Each, "cudaDeviceReset", 0);
  return Error;
}
