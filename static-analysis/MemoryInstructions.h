//===- MemoryInstructions.h - Which instructions access memory --*- C++ -*--===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Describes what an instruction does to memory: kind, address operand, size,
// predicate. Every access of an optimised device function is one of
//   load, store, atomicrmw, cmpxchg;
//   memcpy, memmove, memset (one access per side);
//   NVVM intrinsics: atom, ldu, cp.async, bulk copies, st.bulk, ldmatrix,
//     stmatrix, wmma.load, wmma.store, mbarrier operations;
//   inline assembly (InlineAssembly.h);
//   a call of code that cannot be followed, which is opaque.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_STATIC_ANALYSIS_MEMORYINSTRUCTIONS_H
#define GMPROF_STATIC_ANALYSIS_MEMORYINSTRUCTIONS_H

#include "Accesses.h"
#include "Fences.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace llvm {
class CallBase;
} // namespace llvm

namespace gmprof {

/// The accesses of one instruction, with Inst, Pointer, Displacement, Kind,
/// Reads, Writes, Bytes, Length, Predicate, Lanes and Tile filled in; Space only
/// where the instruction itself says it. Opaque is why the instruction cannot be
/// described, or null.
struct InstructionEffects {
  llvm::SmallVector<Access, 2> Accesses;
  llvm::SmallVector<TextureAccess, 1> Textures;
  const char *Opaque = nullptr;
  EmptiesL1 Empties = EmptiesL1::Never; ///< of inline assembly
};

InstructionEffects memoryEffects(llvm::Instruction &I);

/// Why what accesses memory in these ways is opaque.
inline constexpr const char *TensorCopy = "tensor copy, which a descriptor in memory describes";
inline constexpr const char *BulkCopyToSeveral = "bulk copy to several blocks of the cluster";
inline constexpr const char *BulkCopyOfSome = "bulk copy of bytes that a mask chooses";

/// Whether a call is of a library function that does not write to memory that
/// the program can see: printf, malloc, a failed assertion …
bool isHarmlessLibraryCall(const llvm::CallBase &Call);

/// How a call may end the thread that makes it, the least harmful way first.
enum class Leaves {
  No,
  Kernel, ///< it ends the whole kernel: trap, failed assertion
  Thread, ///< it may end the calling thread alone, or is unknown code
};

/// Looks for the ways in which calls end threads, through the functions called.
class ThreadExits {
public:
  Leaves mayLeave(const llvm::CallBase &Call);

private:
  llvm::DenseMap<const llvm::Function *, Leaves> Known;

  Leaves visit(const llvm::CallBase &Call, llvm::SmallPtrSetImpl<const llvm::Function *> &Visited);
};

} // namespace gmprof

#endif // GMPROF_STATIC_ANALYSIS_MEMORYINSTRUCTIONS_H
