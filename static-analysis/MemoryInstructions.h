//===- MemoryInstructions.h - Memory effects of instructions ----*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Describes the memory effects of an instruction: kind, address operand, size, predicate. Every
// access of an optimised device function is one of
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

/// The accesses of one instruction, with Inst, Pointer, Displacement, Kind, Reads, Writes, Bytes,
/// Length, Predicate, Lanes and Tile set, and Space if the instruction itself names it. Opaque is
/// the reason why the instruction cannot be described, or null.
struct InstructionEffects {
  llvm::SmallVector<Access, 2> Accesses;
  llvm::SmallVector<TextureAccess, 1> Textures;
  const char *Opaque = nullptr;
  EmptiesL1 Empties = EmptiesL1::Never; ///< for inline assembly only
};

InstructionEffects memoryEffects(llvm::Instruction &I);

/// Reasons why instructions with these accesses are opaque.
inline constexpr const char *TensorCopy = "tensor copy, which a descriptor in memory describes";
inline constexpr const char *BulkCopyToSeveral = "bulk copy to several blocks of the cluster";
inline constexpr const char *BulkCopyOfSome = "bulk copy of bytes that a mask chooses";

inline constexpr const char *UnknownTile = "matrix access of an unknown shape";
inline constexpr const char *TileOfBits = "matrix access with elements smaller than a byte";

/// Returns the tile of a fragment (a, b, c or d) of wmma.load and wmma.store, without its stride,
/// whose unit is 0 if elements are smaller than a byte. Shape is m16n16k16 or the like.
std::optional<WarpTile> tileOfFragment(llvm::StringRef Shape, llvm::StringRef Fragment,
                                       bool IsRowMajor, llvm::StringRef Type);

/// Returns true for calls of library functions that do not write to memory the program can see:
/// printf, malloc, a failed assertion …
bool isHarmlessLibraryCall(const llvm::CallBase &Call);

/// The ways in which a call may end its thread, from harmless to harmful.
enum class Leaves {
  No,
  Kernel, ///< ends the whole kernel: trap, failed assertion
  Thread, ///< may end the calling thread alone, or is unknown code
};

/// Determines how calls may end threads, following the called functions.
class ThreadExits {
public:
  Leaves mayLeave(const llvm::CallBase &Call);

private:
  llvm::DenseMap<const llvm::Function *, Leaves> Known;

  Leaves visit(const llvm::CallBase &Call, llvm::SmallPtrSetImpl<const llvm::Function *> &Visited);
};

} // namespace gmprof

#endif // GMPROF_STATIC_ANALYSIS_MEMORYINSTRUCTIONS_H
