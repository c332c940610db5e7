//===- LiveRanges.h - Moves between device and shared memory ----*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// GMProf (CCGrid'12, Section V): the live range of data of device memory is the
// time between the statement that loads it to shared memory and the one that
// stores it back (it "may be overwritten by intermediate computation results" in
// between) to the same or another place in device memory. Here are the statements.
//
//   begin   writes to shared memory what was in global memory, unchanged
//   end     writes to global memory what was in shared memory, unchanged. What
//           that is does not matter: it may be the result of any computation
//
// that is, cp.async, memcpy and the like from one to the other, and stores of a
// value that is a load from the other on each way that it can have come:
//
//   unchanged   through phis, selects, arguments and results of functions of the
//               module, elements of vectors and structs, casts that keep the value
//               or a part of its bits (bitcast, zext, sext, fpext, trunc, and
//               trunc of a shift by whole bytes), shuffles between lanes
//   neutral     constants and scalar parameters of the kernel, which fill up what
//               is loaded under a condition (the halo of a tile); alone they are
//               not data of device memory
//   changed     everything else: arithmetic, conversions (int to float, double to
//               float), results of atomics and of assembly, constant, local and
//               unknown memory, a mixture of global and shared memory
//
// So tile[i] = in[i] + 1 does not begin a range and out[i] = tile[i] + 1 does not
// end one; nor does atomicAdd(&out[i], tile[i]). What begins without a statement
// begins with the block, and what ends without one with the next begin or the
// block. In the first version of Jacobi, for example, results of arithmetic are
// put in a tile and stored from there: ends without begins. In the second, input
// is put in the tile and results of arithmetic are stored: begins without ends.
//
// A word of shared memory has several ranges in a block if it may be moved to after
// it was accessed, or written after it was moved from: mostly in a loop over tiles.
// Otherwise a block's accesses of the word are those of its only range.
//
// As everything here, it is about the optimised program: a store of a loaded value
// that the compiler still has in a register is no access of shared memory.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_STATIC_ANALYSIS_LIVERANGES_H
#define GMPROF_STATIC_ANALYSIS_LIVERANGES_H

#include "Accesses.h"

namespace llvm {
class CallBase;
} // namespace llvm

namespace gmprof {

/// A statement that begins or ends a live range of a shared variable.
struct Move {
  enum Direction { Begin, End };
  Direction What = Begin;
  llvm::Instruction *Inst = nullptr; ///< writes the data
  /// Of an end: the instructions that read the data from shared memory.
  llvm::SmallVector<llvm::Instruction *, 1> Reads;
  /// The call of the analysed function that leads to Inst, where that is in
  /// another function; the move takes place in this context.
  const llvm::CallBase *Call = nullptr;
  unsigned Bytes = 0; ///< 0: known at run time only
  int Shared = -1;    ///< index into LiveRanges::Variables, -1 if unknown or several
  int Global = -1;    ///< likewise
};

struct LiveRanges {
  std::vector<Move> Moves; ///< in the order of the functions' blocks
  std::vector<Variable> Variables;
  /// Calls of functions of the module that lie too deep, or are too many, to be
  /// followed: moves in them are missing. Calls of other code are opaque
  /// (AccessInfo::opaqueCalls).
  unsigned CallsNotFollowed = 0;
};

/// F is a kernel, or a device function of whose arguments nothing is known.
LiveRanges findLiveRanges(llvm::Function &F);

/// Whether a word of shared memory may have several of these ranges in one block.
/// Calls in F of functions of the module may do anything.
bool mayHaveSeveralRanges(const LiveRanges &Ranges, llvm::Function &F,
                          llvm::FunctionAnalysisManager &FAM);

/// print<gm-live-ranges>.
class LiveRangePrinterPass : public llvm::PassInfoMixin<LiveRangePrinterPass> {
  llvm::raw_ostream &OS;

public:
  explicit LiveRangePrinterPass(llvm::raw_ostream &OS) : OS(OS) {}
  llvm::PreservedAnalyses run(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);
  static bool isRequired() { return true; }
};

} // namespace gmprof

#endif // GMPROF_STATIC_ANALYSIS_LIVERANGES_H
