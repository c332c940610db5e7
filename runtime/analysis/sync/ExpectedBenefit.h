//===- ExpectedBenefit.h - Expected benefit of removing waits ---*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Diogenes (SC'19), Section 3.5.1 and Figure 5. Only the CPU's part of the CPU/GPU graph is needed:
// a removed wait saves at most the GPU's idle time until the next wait; that wait takes the rest.
// The GPU's idle time until then is at most the CPU's work in between. In a sequence (Section
// 3.5.2), the unsaved time is carried forward over all removed waits to the first one that stays.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_ANALYSIS_SYNC_EXPECTEDBENEFIT_H
#define GMPROF_ANALYSIS_SYNC_EXPECTEDBENEFIT_H

#include "profile/Profile.h"
#include <cstdint>
#include <functional>
#include <vector>

namespace gmprof::analysis {

enum class SyncProblem : uint8_t {
  None,
  UnnecessarySynchronization,
  MisplacedSynchronization,
  UnnecessaryTransfer,
};

enum class CpuNodeKind : uint8_t {
  Work,   ///< CWork: the program computes
  Launch, ///< CLaunch: the call enqueues GPU work
  Wait,   ///< CWait: the call waits for the GPU
};

/// A node of the CPU's part, with the edge to the next node.
struct CpuNode {
  CpuNodeKind Kind = CpuNodeKind::Work;
  uint64_t Duration = 0; ///< in any unit
  SyncProblem Problem = SyncProblem::None;
  uint64_t FirstUse = 0;         ///< for a misplaced wait: time from its end to the first use
  uint32_t Call = profile::None; ///< index of the call that it belongs to
};

/// The nodes of one host thread.
using CpuGraph = std::vector<CpuNode>;

/// Returns, per node, the benefit of Figure 5, solving the problems one after the other.
std::vector<uint64_t> expectedBenefit(CpuGraph Graph);

/// Returns the benefit of solving the problems of nodes First to Last (inclusive) together; unsaved
/// time is carried forward. Solved, if given, selects the nodes to solve.
uint64_t sequenceBenefit(const CpuGraph &Graph, size_t First, size_t Last,
                         const std::function<bool(size_t)> &Solved = {});

/// Nodes First to Last with problems, without a remaining wait in between (Section 3.5.2).
struct NodeSequence {
  size_t First = 0, Last = 0;
  std::vector<size_t> Problems; ///< indices of all problem nodes
  uint64_t Benefit = 0;
};
std::vector<NodeSequence> sequences(const CpuGraph &Graph);

} // namespace gmprof::analysis

#endif // GMPROF_ANALYSIS_SYNC_EXPECTEDBENEFIT_H
