//===- OtherBlocks.h - Shared memory of a cluster's blocks ------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block accesses the shared memory of another block of its cluster by addresses that mapa derives
// from the block's own addresses. The block that makes such an access counts it in its own
// counters, as an access of the word at the same offset of its own shared memory: reports only use
// sums over all blocks. The counters of the other block are out of reach, because that block may
// end once the program needs its memory no more.
//
// Only sums are exact in this way: no block knows how often others access a live range of its own.
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

/// Returns whether F computes addresses of other blocks' shared memory, or accesses that memory.
bool namesOtherBlocks(const llvm::Function &F);

/// Returns whether a generic pointer may be such an address. A module that is not the whole program
/// may get them from another one.
bool mayPointToOtherBlocks(const llvm::Module &M, bool WholeProgram);

/// Returns the 32-bit shared address in the block's own memory that corresponds to an address in
/// the memory of any block of its cluster.
llvm::Value *inOwnBlock(llvm::IRBuilderBase &B, llvm::Value *Address);

/// Returns whether a generic pointer points to the shared memory of another block.
llvm::Value *isOfOtherBlock(llvm::IRBuilderBase &B, llvm::Value *Pointer);

} // namespace gmprof

#endif // GMPROF_PASS_CORE_OTHERBLOCKS_H
