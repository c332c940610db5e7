//===- ExpectedBenefit.h - What leaving out a wait would save ---*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Diogenes (SC'19), Section 3.5.1 and Figure 5. Of the graph of CPU and GPU only the CPU's
// part is needed: what a wait that goes cannot save, because the GPU has not enough idle
// time until the next wait, that wait takes longer. Idle time of the GPU until then is at
// most what the CPU does in between. In a sequence (Section 3.5.2) what could not be saved
// is carried forward over all waits that go as well, to the first one that stays.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_ANALYSIS_EXPECTEDBENEFIT_H
#define GMPROF_ANALYSIS_EXPECTEDBENEFIT_H

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
  Launch, ///< CLaunch: it gives work to the GPU
  Wait,   ///< CWait: it waits for the GPU
};

/// A node of the CPU's part, and the edge to the next one.
struct CpuNode {
  CpuNodeKind Kind = CpuNodeKind::Work;
  uint64_t Duration = 0; ///< in any unit
  SyncProblem Problem = SyncProblem::None;
  uint64_t FirstUse = 0;         ///< after the end of a misplaced wait
  uint32_t Call = profile::None; ///< index of the call it comes from
};

/// What one host thread does.
using CpuGraph = std::vector<CpuNode>;

/// Per node, the benefit of Figure 5: problems are solved one after the other.
std::vector<uint64_t> expectedBenefit(CpuGraph Graph);

/// The benefit of solving the problems from First to Last, both included, together:
/// what is not saved is carried forward. With Solved, only of nodes of which it is true.
uint64_t sequenceBenefit(const CpuGraph &Graph, size_t First, size_t Last,
                         const std::function<bool(size_t)> &Solved = {});

/// Nodes First to Last with problems, with no wait in between that stays (Section 3.5.2).
struct NodeSequence {
  size_t First = 0, Last = 0;
  std::vector<size_t> Problems; ///< all nodes with one
  uint64_t Benefit = 0;
};
std::vector<NodeSequence> sequences(const CpuGraph &Graph);

} // namespace gmprof::analysis

#endif // GMPROF_ANALYSIS_EXPECTEDBENEFIT_H
