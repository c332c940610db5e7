//===- Graphs.h - Kernel nodes of graphs ------------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A node that is added to a graph, or given other parameters, first becomes what
// the program asked for, by the program's own call; then the clone takes its
// kernel's place in it. Captured launches are clones already (Launch.h). What
// a graph contains is found out when it is made executable, from the nodes
// themselves: a clone's last argument names its launch context.
//
// How often the bodies of conditional nodes run, the GPU decides. Clones in them count
// all, whatever closed forms say, and their blocks tell how often they ran. What else is
// in bodies, such as child graphs, is a gap.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_HOST_LAUNCH_GRAPHS_H
#define GMPROF_HOST_LAUNCH_GRAPHS_H

#include "host/launch/GraphNodes.h"
#include "host/launch/LaunchContexts.h"
#include "profile/Mutex.h"
#include <cuda_runtime_api.h>
#include <set>
#include <span>
#include <unordered_map>
#include <unordered_set>

namespace gmprof::host {

struct DeviceState;
class LaunchProfiler;
struct LaunchRequest;
class Session;

/// Parameters of a kernel node, with copies of the arguments' values: those that
/// the program passes may lie in the node that is being changed.
struct KernelNodeRequest {
  const void *Symbol = nullptr;
  dim3 Grid, Block;
  unsigned DynamicShared = 0;
  bool Packed = false; ///< arguments in the "extra" format, which is left alone
  std::vector<std::vector<char>> Values;
};

class Graphs {
public:
  explicit Graphs(Session &S) : S(S) {}

  KernelNodeRequest request(const cudaKernelNodeParams &Params);
  /// Must be called after the program's call changed the node. In: the graph that it was added to;
  /// null: none.
  void nodeChanged(cudaGraphNode_t Node, const KernelNodeRequest &R, cudaGraph_t In = nullptr);
  void execNodeChanged(cudaGraphExec_t Exec, cudaGraphNode_t Node, const KernelNodeRequest &R);
  /// Must be called after a function of the driver changed the node.
  void nodeChangedByDriver(cudaGraphNode_t Node, const CUDA_KERNEL_NODE_PARAMS &P);
  void execNodeChangedByDriver(cudaGraphExec_t Exec, cudaGraphNode_t Node,
                               const CUDA_KERNEL_NODE_PARAMS &P);
  /// Must be called after a conditional node was added, with its bodies.
  void conditionalAdded(cudaGraphNode_t Node, std::span<const cudaGraph_t> Bodies);
  /// Returns whether the stream captures nodes of a graph or of a conditional body.
  LaunchPlace placeOfCapture(cudaStream_t Stream);
  /// Must be called before the program destroys a graph.
  void graphDestroyed(cudaGraph_t Graph);
  /// Records that a launch without a clone, of this context of the log, was captured.
  void capturedWithoutClone(uint64_t LogId);
  /// Returns in Params what the program put into a node that has a clone now; false if it has none.
  bool nodeParams(cudaGraphNode_t Node, cudaKernelNodeParams &Params);

  void executableMade(cudaGraphExec_t Exec, cudaGraph_t Graph);
  void executableDestroyed(cudaGraphExec_t Exec);
  void beforeLaunch(cudaGraphExec_t Exec, cudaStream_t Stream);
  /// Returns log::ApiCallRecord::usesHost of a launch.
  bool usesHost(cudaGraphExec_t Exec);
  void launched(cudaGraphExec_t Exec, cudaStream_t Stream, const void *Caller);
  /// Must follow each beforeLaunch().
  void afterLaunch();
  void forgetAll();

private:
  /// How a node is profiled.
  struct ContextRef {
    DeviceState *Device = nullptr;
    LaunchProfiler *Profiler = nullptr; ///< of the context
    LaunchContext *Context = nullptr;
    uint64_t LogId = 0; ///< of the context in the log; 0: it is not

    bool operator==(const ContextRef &) const = default;
  };
  struct Executable {
    uint64_t Id = 0;
    std::unordered_map<cudaGraphNode_t, ContextRef> Nodes; ///< profiled kernel nodes
    uint32_t OtherKernelNodes = 0;
    std::unordered_map<cudaGraphNode_t, ContextRef> InBodies; ///< whose clones count all
    bool Unknown = false;                                     ///< it was not seen to be made
    bool OthersInBodies = false; ///< something in bodies that is not counted
    GraphNodes::Recorded All;
  };

  uint64_t recordOfDriver(const CUDA_KERNEL_NODE_PARAMS &P);
  ContextRef contextOf(cudaGraphNode_t Node);
  ContextRef contextOfOriginal(const CUDA_KERNEL_NODE_PARAMS &Params);
  bool hasNothingToProfile(cudaGraphNode_t Node);
  void collect(cudaGraph_t Graph, Executable &To);
  void collectBody(cudaGraph_t Body, Executable &To);
  void collectBodies(cudaGraphNode_t Conditional, Executable &To);
  bool isInBody(cudaGraphNode_t Node, cudaGraph_t In);
  void record(const Executable &E);
  Executable unknown() GMPROF_REQUIRES(Lock);
  /// Replaces the kernel of a node. LaunchId: of the node's record; 0: there is no new one.
  template <typename Setter>
  ContextRef replaceKernel(const KernelNodeRequest &R, LaunchPlace Place, ContextRef Old,
                           uint64_t &LaunchId, Setter Set);

  Session &S;
  Mutex Lock;
  uint64_t LastId GMPROF_GUARDED_BY(Lock) = 0;
  Mutex WithoutCloneLock;
  std::set<uint64_t> WithoutClone GMPROF_GUARDED_BY(
      WithoutCloneLock); ///< contexts in the log of nodes with the program's kernel
  std::unordered_map<cudaGraphExec_t, Executable> Executables GMPROF_GUARDED_BY(Lock);
  Mutex BodiesLock;
  std::unordered_map<cudaGraphNode_t, std::vector<cudaGraph_t>>
      BodiesOf GMPROF_GUARDED_BY(BodiesLock); ///< conditional nodes
  std::unordered_set<cudaGraph_t> Bodies GMPROF_GUARDED_BY(BodiesLock);
  std::unordered_set<cudaGraphNode_t>
      NodesOfBodies GMPROF_GUARDED_BY(BodiesLock); ///< kernels that the program added
};

} // namespace gmprof::host

#endif // GMPROF_HOST_LAUNCH_GRAPHS_H
