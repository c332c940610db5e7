//===- AccessClusters.h - Accesses at constant distances --------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PASS_REQUESTS_ACCESSCLUSTERS_H
#define GMPROF_PASS_REQUESTS_ACCESSCLUSTERS_H

#include "pass/requests/WideAccesses.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include <optional>
#include <vector>

namespace gmprof {

/// The memory and the direction of an access. An instruction executes accesses of its own shape
/// only.
struct AccessShape {
  bool Shared = false; ///< in shared memory; else in global memory, or where a pointer leads
  bool Stores = false;

  auto operator<=>(const AccessShape &) const = default;
};

/// An access at an offset from the first one of its cluster.
struct ClusterElement {
  unsigned Number = 0;
  int64_t Offset = 0;
  unsigned Bytes = 0;
};

/// Accesses of one shape and block whose addresses differ by constants, and between which nothing
/// can change the memory, in program order: ptxas may join those of consecutive addresses.
struct AccessCluster {
  AccessShape Is;
  const llvm::BasicBlock *Block =
      nullptr;                         ///< null if a store follows that may change what it loads
  const llvm::SCEV *Address = nullptr; ///< of the first element
  llvm::SmallVector<ClusterElement, 8> Elements;
};

/// Returns whether A is a part of a copy or set of memory, which LLVM makes accesses of.
bool isCopy(const Access &A);

/// Returns the shape of a load, a store, or a part of a copy or set of memory, unless it accesses
/// memory that lanes do not share.
std::optional<AccessShape> shapeOf(const Access &A);

/// Returns the clusters of the accesses that have a shape. Accesses are numbered as in Info; parts
/// of an access in Predicted are in one cluster.
std::vector<AccessCluster> clustersOf(llvm::Function &F, const AccessInfo &Info,
                                      llvm::ArrayRef<WideAccess> Predicted,
                                      llvm::ScalarEvolution &SE);

} // namespace gmprof

#endif // GMPROF_PASS_REQUESTS_ACCESSCLUSTERS_H
