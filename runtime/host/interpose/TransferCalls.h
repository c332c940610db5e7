//===- TransferCalls.h - Calls that copy and set memory ---------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Makes and records the calls that copy and set memory.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_HOST_INTERPOSE_TRANSFERCALLS_H
#define GMPROF_HOST_INTERPOSE_TRANSFERCALLS_H

#include "host/core/Export.h"
#include "host/core/FunctionRef.h"
#include "host/core/RuntimeApi.h"
#include "host/objects/Transfers.h"

namespace gmprof::host {

/// Makes the program's call and records the transfer that What returns. WithoutWait: the form of
/// the call that does not wait.
cudaError_t transfer(const char *Api, const void *Caller, cudaStream_t Stream, bool Async,
                     FunctionRef<cudaError_t()> Plain, FunctionRef<cudaError_t()> WithoutWait,
                     FunctionRef<Transfer()> What);

/// Makes and records a transfer without a form that waits less.
inline cudaError_t transfer(const char *Api, const void *Caller, cudaStream_t Stream, bool Async,
                            FunctionRef<cudaError_t()> Plain, FunctionRef<Transfer()> What) {
  return transfer(Api, Caller, Stream, Async, Plain, Plain, What);
}

/// Returns the side of memory in a copy between memory and an array or variable.
inline TransferSide memory(const void *Pointer, cudaMemcpyKind Kind, uint64_t Pitch = 0) {
  const bool OnHost = Kind == cudaMemcpyHostToDevice || Kind == cudaMemcpyDeviceToHost;
  TransferSide Side;
  Side.Pointer = Pointer;
  Side.Pitch = Pitch;
  Side.In = OnHost                             ? TransferSide::Where::Host
            : Kind == cudaMemcpyDeviceToDevice ? TransferSide::Where::Device
                                               : TransferSide::Where::Unknown;
  return Side;
}

inline Transfer peerCopy(void *To, const void *From, uint64_t Bytes) {
  Transfer T = copyOf(To, 0, From, 0, Bytes, 1, cudaMemcpyDeviceToDevice);
  T.Peer = true;
  return T;
}

/// Makes the program's call and records each copy of a batch. Copy: describes a copy by its number.
cudaError_t batch(const char *Api, const void *Caller, cudaStream_t Stream, size_t Count,
                  FunctionRef<cudaError_t()> Plain, FunctionRef<Transfer(size_t)> Copy);

inline auto copyIn(void *const *To, const void *const *From, const size_t *Bytes) {
  return [=](size_t I) { return copyOf(To[I], 0, From[I], 0, Bytes[I], 1, cudaMemcpyDefault); };
}

} // namespace gmprof::host

#define GMPROF_UNWRAP(...) __VA_ARGS__

#endif // GMPROF_HOST_INTERPOSE_TRANSFERCALLS_H
