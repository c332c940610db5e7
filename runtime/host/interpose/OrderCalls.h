//===- OrderCalls.h - Calls that order work and wait ------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Makes and records the calls that order the work of streams, wait for it, and reset devices.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_HOST_INTERPOSE_ORDERCALLS_H
#define GMPROF_HOST_INTERPOSE_ORDERCALLS_H

#include "host/core/Export.h"
#include "host/core/FunctionRef.h"
#include "host/core/RuntimeApi.h"
#include "host/core/Session.h"
#include <optional>

namespace gmprof::host {

struct OrderCall {
  log::OrderKind Kind;
  cudaStream_t Stream = nullptr;
  cudaEvent_t Event = nullptr;
  bool NonBlocking = false;
  const void *Caller = nullptr; ///< of waits
  bool ByDriver = false;
};

inline OrderCall ofDriver(OrderCall Call) {
  Call.ByDriver = true;
  return Call;
}

/// Makes the program's call and records it.
cudaError_t ordered(const OrderCall &What, FunctionRef<cudaError_t()> Plain);
/// Interposes the same for a stream that may be captured.
cudaError_t enqueued(const OrderCall &What, FunctionRef<cudaError_t()> Plain);
/// Interposes a wait of the host.
cudaError_t waited(const OrderCall &What, FunctionRef<cudaError_t()> Plain);
cudaError_t created(const cudaStream_t *Stream, const char *Api, bool NonBlocking,
                    FunctionRef<cudaError_t()> Plain);
/// Handles a stream that is about to be destroyed.
void destroying(cudaStream_t Stream);
/// Interposes a measurement between events that have ended, which implies that the host has waited
/// for End.
cudaError_t elapsed(const void *Caller, const char *Api, cudaEvent_t End,
                    FunctionRef<cudaError_t()> Plain);
/// Makes moved waits first, so that the answer is the same as in the unmodified program.
cudaError_t queried(FunctionRef<cudaError_t()> Plain);
/// Interposes a call that submits a host function to a stream.
cudaError_t calledBack(const char *Api, const void *Caller, cudaStream_t Stream,
                       FunctionRef<cudaError_t()> Plain);
cudaError_t waitedForDevice(const OrderCall &What, FunctionRef<cudaError_t()> Plain);
/// Interposes a reset. Device: the device that is reset, if any.
cudaError_t reset(const void *Caller, const char *Api,
                  FunctionRef<std::optional<int>(Session &)> Device,
                  FunctionRef<cudaError_t()> Plain);

} // namespace gmprof::host

#endif // GMPROF_HOST_INTERPOSE_ORDERCALLS_H
