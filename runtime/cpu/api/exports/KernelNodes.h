//===- KernelNodes.h - Kernel nodes of graphs -------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CPU_API_EXPORTS_KERNELNODES_H
#define GMPROF_CPU_API_EXPORTS_KERNELNODES_H

#include "cpu/api/Graphs.h"
#include "cpu/api/Launch.h"

namespace gmprof::cpu::api {

inline Result<Operation> kernelOperation(const cudaKernelNodeParams *P) {
  if (!P)
    return cudaErrorInvalidValue;
  LaunchRequest Request{P->func, P->gridDim, P->blockDim,    P->sharedMemBytes,
                        false,   0,          P->kernelParams};
  Request.Extra = P->extra;
  Result<KernelOp> Op = prepareLaunch(Request);
  if (!Op)
    return Op.Error;
  return Operation(std::move(Op.Value));
}

/// Returns the parameters of a kernel node. The argument pointers are valid until the node changes.
inline cudaKernelNodeParams kernelParameters(GraphNode &Node) {
  const KernelOp &Op = *Node.as<KernelOp>();
  Node.Pointers = Op.argumentPointers();
  const LaunchConfig &C = Op.Config;
  return {const_cast<void *>(Op.Function),
          dim3(C.Grid.X, C.Grid.Y, C.Grid.Z),
          dim3(C.Block.X, C.Block.Y, C.Block.Z),
          static_cast<unsigned>(C.DynamicShared),
          Node.Pointers.data(),
          nullptr};
}

} // namespace gmprof::cpu::api

#endif // GMPROF_CPU_API_EXPORTS_KERNELNODES_H
