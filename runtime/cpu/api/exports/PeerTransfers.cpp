//===- PeerTransfers.cpp - Copies between devices -------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cpu/api/Copies.h"
#include "cpu/api/exports/Call.h"

using namespace gmprof::cpu::api;

cudaError_t cudaMemcpyPeer(void *To, int ToDevice, const void *From, int FromDevice, size_t Bytes) {
  return callOn(nullptr, [&](Stream &S) {
    if (!validDevice(ToDevice) || !validDevice(FromDevice))
      return cudaErrorInvalidDevice;
    return copy(S, linearCopy(To, From, Bytes, cudaMemcpyDeviceToDevice), true);
  });
}

cudaError_t cudaMemcpyPeerAsync(void *To, int ToDevice, const void *From, int FromDevice,
                                size_t Bytes, cudaStream_t Handle) {
  return callOn(Handle, [&](Stream &S) {
    if (!validDevice(ToDevice) || !validDevice(FromDevice))
      return cudaErrorInvalidDevice;
    return copy(S, linearCopy(To, From, Bytes, cudaMemcpyDeviceToDevice), false);
  });
}
