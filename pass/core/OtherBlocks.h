//===- OtherBlocks.h - Shared memory of a cluster's blocks ------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block accesses the shared memory of another one of its cluster by addresses that mapa makes of
// those of its own. Such an access counts in the counters of the block that makes it, as one of the
// word at the same place of its own shared memory: what is kept are sums over all blocks, where it
// does not matter who has counted. The other block's counters could not be added to, as it may end
// as soon as the program has no more use for its memory.
//
// Sums are all that comes out right in that way: no block knows how often others access a live
// range of its own.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PASS_CORE_OTHERBLOCKS_H
#define GMPROF_PASS_CORE_OTHERBLOCKS_H

#include "llvm/ADT/ArrayRef.h"

namespace llvm {
class Function;
class IRBuilderBase;
class Module;
class Value;
} // namespace llvm

namespace gmprof {

/// Whether F makes addresses of other blocks' shared memory, or names that.
bool namesOtherBlocks(const llvm::Function &F);

/// Whether pointers that come from anywhere may be such addresses. What is not the whole program
/// may get them of another part.
bool mayPointToOtherBlocks(const llvm::Module &M, bool WholeProgram);

/// The shared address, of 32 bits, that is at the same place of the block's own shared memory as
/// one of any block of its cluster.
llvm::Value *inOwnBlock(llvm::IRBuilderBase &B, llvm::Value *Address);

/// Whether a generic pointer is to the shared memory of another block.
llvm::Value *isOfOtherBlock(llvm::IRBuilderBase &B, llvm::Value *Pointer);

} // namespace gmprof

#endif // GMPROF_PASS_CORE_OTHERBLOCKS_H
