//===- ExpectedBenefit.cpp - Expected benefit of removing waits -----------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/sync/ExpectedBenefit.h"
#include <algorithm>

namespace gmprof::analysis {

/// Returns the index of the next wait after the node, or Graph.size().
static size_t nextWait(const CpuGraph &Graph, size_t Node) {
  do
    ++Node;
  while (Node < Graph.size() && Graph[Node].Kind != CpuNodeKind::Wait);
  return Node;
}

/// Returns the CPU's time between two nodes except waiting (CPUNodesBetween and SumDuration in
/// Figure 5).
static uint64_t workBetween(const CpuGraph &Graph, size_t Begin, size_t End) {
  uint64_t Sum = 0;
  for (size_t I = Begin + 1; I < End; ++I)
    if (Graph[I].Kind != CpuNodeKind::Wait)
      Sum += Graph[I].Duration;
  return Sum;
}

static uint64_t removeSynchronization(CpuGraph &Graph, size_t Node) {
  const size_t Next = nextWait(Graph, Node);
  const uint64_t GpuIdle = workBetween(Graph, Node, Next);
  const uint64_t Benefit = std::min(GpuIdle, Graph[Node].Duration);
  // The rest delays the next wait; at the program's end there is none.
  if (Next < Graph.size())
    Graph[Next].Duration += Graph[Node].Duration - Benefit;
  Graph[Node].Duration = 0;
  return Benefit;
}

/// Delays a wait until the first use. The benefit cannot exceed the wait's duration.
static uint64_t moveSynchronization(CpuNode &Node) {
  const uint64_t Benefit = std::min(Node.FirstUse, Node.Duration);
  Node.Duration -= Benefit;
  return Benefit;
}

static uint64_t removeTransfer(CpuNode &Node) {
  const uint64_t Benefit = Node.Duration;
  Node.Duration = 0;
  return Benefit;
}

std::vector<uint64_t> expectedBenefit(CpuGraph Graph) {
  std::vector<uint64_t> Benefits(Graph.size());
  for (size_t I = 0; I < Graph.size(); ++I)
    switch (Graph[I].Problem) {
    case SyncProblem::None:
      break;
    case SyncProblem::UnnecessarySynchronization:
      Benefits[I] = removeSynchronization(Graph, I);
      break;
    case SyncProblem::MisplacedSynchronization:
      Benefits[I] = moveSynchronization(Graph[I]);
      break;
    case SyncProblem::UnnecessaryTransfer:
      Benefits[I] = removeTransfer(Graph[I]);
      break;
    }
  return Benefits;
}

uint64_t sequenceBenefit(const CpuGraph &Graph, size_t First, size_t Last,
                         const std::function<bool(size_t)> &Solved) {
  uint64_t Benefit = 0;
  uint64_t Carried = 0; ///< time of removed waits that is not saved yet
  for (size_t I = First; I < Graph.size(); ++I) {
    const CpuNode &Node = Graph[I];
    if (I > Last && Carried == 0)
      break;
    const bool Stays = I > Last || Node.Problem == SyncProblem::None || (Solved && !Solved(I));
    // A remaining wait absorbs the carried time.
    if (Stays && Node.Kind == CpuNodeKind::Wait) {
      Carried = 0;
    } else if (Stays) {
      const uint64_t Saved = std::min(Carried, Node.Duration);
      Benefit += Saved;
      Carried -= Saved;
    } else if (Node.Problem == SyncProblem::UnnecessarySynchronization) {
      Carried += Node.Duration;
    } else if (Node.Problem == SyncProblem::MisplacedSynchronization) {
      Benefit += std::min(Node.FirstUse, Node.Duration);
    } else {
      Benefit += Node.Duration;
    }
  }
  return Benefit;
}

std::vector<NodeSequence> sequences(const CpuGraph &Graph) {
  std::vector<NodeSequence> All;
  NodeSequence Current;
  auto Close = [&] {
    if (Current.Problems.size() > 1) {
      Current.First = Current.Problems.front();
      Current.Last = Current.Problems.back();
      Current.Benefit = sequenceBenefit(Graph, Current.First, Current.Last);
      All.push_back(Current);
    }
    Current = {};
  };
  for (size_t I = 0; I < Graph.size(); ++I) {
    const CpuNode &Node = Graph[I];
    if (Node.Problem == SyncProblem::UnnecessarySynchronization ||
        Node.Problem == SyncProblem::UnnecessaryTransfer)
      Current.Problems.push_back(I);
    else if (Node.Kind == CpuNodeKind::Wait)
      Close();
  }
  Close();
  return All;
}

} // namespace gmprof::analysis
