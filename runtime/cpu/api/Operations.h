//===- Operations.h - Operations of streams and graphs ----------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One description of each operation serves streams, captures and graph nodes: a stream starts it, a
// capturing stream adds it to a graph, and a graph launch starts it among its other nodes.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CPU_API_OPERATIONS_H
#define GMPROF_CPU_API_OPERATIONS_H

#include "cpu/api/GraphMemory.h"
#include "cpu/api/Modules.h"
#include "cpu/api/Streams.h"
#include <cstddef>
#include <driver_types.h>
#include <variant>
#include <vector>

namespace gmprof::cpu::api {

struct Event;
class Condition;
class Graph;
class GraphHandles;

struct KernelOp {
  std::shared_ptr<Kernel> Code;
  const void *Function = nullptr; ///< as passed by the program
  LaunchConfig Config;
  int Priority = 0;
  std::vector<std::byte> Arguments; ///< in parameter-space layout

  /// Returns argument pointers as cudaLaunchKernel takes them.
  std::vector<void *> argumentPointers() const;
};

struct CopyOp {
  cudaMemcpy3DParms Params = {};
  /// Copy of the source at the time of the call, if the source must not be read later.
  std::shared_ptr<std::vector<std::byte>> Staged;
};

struct MemsetOp {
  cudaMemsetParams Params = {};
  size_t Depth = 1, SliceBytes = 0;
};

struct HostOp {
  cudaHostFn_t Function = nullptr;
  void *Data = nullptr;
};

struct CallbackOp {
  void (*Function)(cudaStream_t, cudaError_t, void *) = nullptr; ///< cudaStreamCallback_t
  cudaStream_t Handle = nullptr;
  void *Data = nullptr;
};

struct EmptyOp {};

struct EventRecordOp {
  std::shared_ptr<Event> Target;
  bool External = false; ///< a node of its own when captured, rather than a dependency
};

struct EventWaitOp {
  std::shared_ptr<Event> Source;
  bool External = false;
};

struct AllocOp {
  std::shared_ptr<GraphMemory> Memory;
  cudaMemAllocNodeParams Params = {};
};

struct FreeOp {
  void *Start = nullptr;
};

struct ChildOp {
  std::shared_ptr<Graph> Child;
};

struct ConditionalOp {
  std::shared_ptr<Condition> By;
  cudaGraphConditionalNodeType Type = cudaGraphCondTypeIf;
  std::vector<std::shared_ptr<Graph>> Bodies;
  std::shared_ptr<GraphHandles> Handles; ///< handles of the bodies, for the program

  /// Returns the body to run now; null if there is none.
  const Graph *chosen() const;
};

using Operation = std::variant<KernelOp, CopyOp, MemsetOp, HostOp, CallbackOp, EmptyOp,
                               EventRecordOp, EventWaitOp, AllocOp, FreeOp, ChildOp, ConditionalOp>;
using OperationRef = std::shared_ptr<const Operation>;

/// Starts an operation when all of `After` are done; returns its task.
TaskRef start(const OperationRef &Op, std::span<const TaskRef> After, Device &Dev, int Priority);

/// Outcome of submitting an operation to a stream.
struct Submission {
  cudaError_t Error = cudaSuccess;
  TaskRef Task; ///< null if the stream is capturing
};

/// Starts the operation in the stream or, if the stream is capturing, captures it.
Submission submit(Stream &S, Operation Op);

/// Submits an operation and waits for it unless it was captured.
cudaError_t submitAndWait(Stream &S, Operation Op);

} // namespace gmprof::cpu::api

#endif // GMPROF_CPU_API_OPERATIONS_H
