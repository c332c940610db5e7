//===- Launch.h - Checks and set-up of kernel launches ----------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CPU_API_LAUNCH_H
#define GMPROF_CPU_API_LAUNCH_H

#include "cpu/api/Operations.h"

namespace gmprof::cpu::api {

/// Launch as requested by the program.
struct LaunchRequest {
  const void *Function = nullptr; ///< host stub or kernel handle
  dim3 Grid, Block;
  size_t DynamicShared = 0;
  bool Cooperative = false;
  int Priority = 0;
  void *const *Arguments = nullptr; ///< one pointer per parameter, or
  void *const *Extra = nullptr;     ///< CU_LAUNCH_PARAM_BUFFER_POINTER …
  std::optional<Dim3> Cluster = std::nullopt;
};

/// Checks a launch as CUDA does and copies its arguments.
Result<KernelOp> prepareLaunch(const LaunchRequest &Request);

/// Applies the attributes of cudaLaunchKernelExC to a launch.
cudaError_t applyAttributes(const cudaLaunchAttribute *Attributes, size_t Count,
                            LaunchRequest &Request);

/// Returns the number of blocks of the kernel that fit on a multiprocessor.
int residentBlocks(const Kernel &K, int BlockSize, size_t DynamicShared);
/// Returns the dynamic shared memory that each of this number of blocks can have; nothing if they
/// do not fit regardless.
std::optional<size_t> availableShared(const Kernel &K, int Blocks, int BlockSize);

/// Returns the largest number of blocks in a cluster of the kernel.
unsigned largestCluster(const Kernel &K);
/// Returns the number of clusters of the launch that fit on all multiprocessors.
Result<int> residentClusters(const LaunchRequest &Request);

cudaFuncAttributes attributesOf(const Kernel &K);
cudaError_t setAttribute(Kernel &K, cudaFuncAttribute Attribute, int Value);

} // namespace gmprof::cpu::api

#endif // GMPROF_CPU_API_LAUNCH_H
