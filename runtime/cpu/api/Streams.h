//===- Streams.h - Streams --------------------------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CPU_API_STREAMS_H
#define GMPROF_CPU_API_STREAMS_H

#include "cpu/api/Handles.h"
#include "cpu/api/Tasks.h"
#include <driver_types.h>

namespace gmprof::cpu::api {

class Capture;
class Device;
struct GraphNode;

/// CUDA stream: the order of its work. Device::append implements the rules of the legacy default
/// stream.
struct Stream : std::enable_shared_from_this<Stream> {
  Stream(api::Device &Dev, unsigned Flags, int Priority, bool Legacy);

  /// Returns whether the stream synchronizes with the legacy default stream.
  bool blocking() const { return !(Flags & cudaStreamNonBlocking); }

  api::Device &Dev;
  const unsigned Flags;
  const int Priority;
  const bool Legacy;
  const uint64_t Id;
  TaskRef Tail; ///< guarded by the device

  // Guarded by Capture's mutex.
  std::shared_ptr<Capture> Capturing;
  std::vector<GraphNode *> CaptureTail;
};

/// Meaning of handle 0, which depends on how the calling code was compiled.
enum class DefaultStream { Legacy, PerThread };

/// Returns the stream of a handle; null if it is invalid.
std::shared_ptr<Stream> findStream(cudaStream_t Handle, DefaultStream Default);
cudaError_t createStream(cudaStream_t *Handle, unsigned Flags, int Priority);
cudaError_t destroyStream(cudaStream_t Handle);

constexpr int LeastPriority = 0, GreatestPriority = -5;

} // namespace gmprof::cpu::api

#endif // GMPROF_CPU_API_STREAMS_H
