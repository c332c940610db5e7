//===- BlockAccesses.h - What a block accesses of an object -----*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Counts the accesses of one thread block to an object of global memory, and the elements that the
// block, or one of its threads, accesses.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_ANALYSIS_SHARED_BLOCKACCESSES_H
#define GMPROF_ANALYSIS_SHARED_BLOCKACCESSES_H

#include "analysis/shared/SharedMemoryCandidate.h"
#include "profile/CounterKind.h"
#include "profile/ElementRuns.h"

namespace gmprof::analysis {

/// The accesses of the blocks of one launch, which has counts of global memory.
class BlockAccesses {
public:
  /// Context: of the launch. All live as long as this.
  BlockAccesses(const profile::Kernel &K, const profile::GlobalContext &Context,
                const profile::Launch &Typical)
      : K(K), Context(&Context), Typical(&Typical) {}

  bool accesses(const GlobalObjectUse &O, GmprofCounterKind Kind) const;
  /// Returns the mean number of accesses per block.
  Bound perBlock(const GlobalObjectUse &O) const;
  /// Returns the bytes of one access. Elements may be larger, with several accesses each.
  unsigned pieceBytes(const GlobalObjectUse &O) const;
  /// Returns true if no address depends on the thread index, given closed forms for all accesses.
  bool isReadAlike(const GlobalObjectUse &O) const;
  /// Returns the variables that point to the object in this launch. In other launches they may
  /// point to objects that are written.
  std::vector<uint32_t> variablesOf(const GlobalObjectUse &O) const;
  /// Returns the number of elements that one block accesses, the maximum over three blocks; nothing
  /// unless all accesses have closed forms that hold.
  std::optional<uint64_t> elementsOfBlock(const GlobalObjectUse &O) const;
  /// Returns true if no other thread of the block accesses the elements of three sampled threads,
  /// given closed forms for all accesses: then shared memory saves nothing that a register does
  /// not.
  bool isOfOneThreadEach(const GlobalObjectUse &O) const;
  /// Returns true if the first and the last lane of three sampled warps make the same accesses,
  /// given closed forms for all of them: each is one request of the warp.
  bool isUniformInWarps(const GlobalObjectUse &O) const;

private:
  struct Elements;
  std::optional<Elements> accessesOf(const GlobalObjectUse &O, const FormLaunch &L) const;

  const profile::Kernel &K;
  const profile::GlobalContext *Context;
  const profile::Launch *Typical;
};

} // namespace gmprof::analysis

#endif // GMPROF_ANALYSIS_SHARED_BLOCKACCESSES_H
