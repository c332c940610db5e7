//===- LiveRanges.h - Moves between memory spaces ---------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds the statements that begin and end live ranges. GMProf (CCGrid'12, Section V): the live
// range of device memory data is the time between the statement that loads it to shared memory and
// the one that stores it back (it "may be overwritten by intermediate computation results" in
// between) to the same or another location in device memory.
//
//   begin   writes unchanged data of global memory to shared memory
//   end     writes unchanged data of shared memory to global memory; the data may be the result of
//           any computation
//
// Such statements are cp.async, memcpy and similar from one memory to the other, and stores of a
// value that is, on every path, a load from the other memory:
//
//   unchanged   through phis, selects, arguments and results of functions of the module, elements
//               of vectors and structs, casts that keep the value or a part of its bits (bitcast,
//               zext, sext, fpext, trunc, and trunc of a shift by whole bytes), shuffles between
//               lanes
//   neutral     constants and scalar kernel parameters, which complete data that is loaded under a
//               condition (the halo of a tile); alone they are not device memory data
//   changed     everything else: arithmetic, conversions (int to float, double to float), results
//               of atomics and of assembly, constant, local and unknown memory, a mixture of global
//               and shared memory
//
// So tile[i] = in[i] + 1 does not begin a range, and neither out[i] = tile[i] + 1 nor
// atomicAdd(&out[i], tile[i]) ends one. A range without a begin starts with the block; a range
// without an end lasts until the next begin or the block's end. For example, the first version of
// Jacobi puts results of arithmetic in a tile and stores them from there: ends without begins. The
// second version puts input in the tile and stores results of arithmetic: begins without ends.
//
// A word of shared memory has several ranges in a block if data may be moved to it after an access,
// or written to it after a move from it: mostly in a loop over tiles. Otherwise all accesses of the
// word in a block belong to its only range.
//
// The analysis applies to the optimised program: a store of a loaded value that is still in a
// register does not access shared memory.
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
  llvm::Instruction *Inst = nullptr; ///< instruction that writes the data
  /// For an end: the instructions that read the data from shared memory.
  llvm::SmallVector<llvm::Instruction *, 1> Reads;
  /// For a move in another function: the call in the analysed function that leads to it. The move
  /// is described in this context.
  const llvm::CallBase *Call = nullptr;
  unsigned Bytes = 0; ///< 0: known at run time only
  int Shared = -1;    ///< index into LiveRanges::Variables; -1: unknown or several
  int Global = -1;    ///< the same
};

struct LiveRanges {
  std::vector<Move> Moves; ///< in the order of the functions' blocks
  std::vector<Variable> Variables;
  /// Number of calls of functions in the module that are too deep or too many to follow: moves in
  /// them are missing. Calls of other code are opaque (AccessInfo::opaqueCalls).
  unsigned CallsNotFollowed = 0;
};

/// Finds the moves of F, a kernel or a device function with unknown arguments.
LiveRanges findLiveRanges(llvm::Function &F);

/// Returns true if a word of shared memory may have several of these ranges in one block. Assumes
/// nothing about calls in F of functions in the module.
bool mayHaveSeveralRanges(const LiveRanges &Ranges, llvm::Function &F,
                          llvm::FunctionAnalysisManager &FAM);

/// Implements print<gm-live-ranges>.
class LiveRangePrinterPass : public llvm::PassInfoMixin<LiveRangePrinterPass> {
  llvm::raw_ostream &OS;

public:
  explicit LiveRangePrinterPass(llvm::raw_ostream &OS) : OS(OS) {}
  llvm::PreservedAnalyses run(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);
  static bool isRequired() { return true; }
};

} // namespace gmprof

#endif // GMPROF_STATIC_ANALYSIS_LIVERANGES_H
