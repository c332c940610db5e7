//===- HeatNotes.h - Clones that note which warps access what ---*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// (cuThermo, 2025, Section IV.B.) Each access of global and of shared memory in K__gm_heat is
// noted near it, by the lanes that execute it (runtime/device/Heat.cu), as the accesses that
// hardware makes of it: of at most 16 bytes, aligned to their size. But accesses that a closed form
// describes (static-analysis/ClosedForms.h) are only noted in K__gm_heat_all: whoever reads the log
// evaluates their forms.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PASS_HEAT_HEATNOTES_H
#define GMPROF_PASS_HEAT_HEATNOTES_H

#include "pass/core/Sites.h"
#include "pass/requests/WideAccesses.h"
#include "pass/rules/Updates.h"
#include "static-analysis/ClosedForms.h"
#include "static-analysis/Sweeps.h"

namespace gmprof {

struct HeatNote {
  Update What;                       ///< the access; What.Before is the first one of several
  llvm::Instruction *Last = nullptr; ///< of those of the block that it is
  unsigned Site = 0;  ///< number in the kernel, or in the module if it is a function's
  unsigned Place = 0; ///< see GmprofHeatPage
  /// Bytes that one of its instructions accesses at most, of global and of shared memory.
  unsigned WidestPiece = 0, WidestSharedPiece = 0;
  bool InOnePiece = false; ///< one access of the hardware
  /// All of a loop's accesses are noted before it.
  std::optional<Sweep> Swept;
  /// It may be noted which iterations of a loop make it, instead of each time.
  std::optional<PartialSweep> Partly;
  /// Where it is noted by lanes that may not have made it: which have.
  llvm::Value *Condition = nullptr;
  /// What.Times accesses of a block are noted as one: their sites are so many numbers apart.
  unsigned SiteStep = 0;
  /// Of a loop's What.Times iterations, a bit for each that the lane makes; null: all.
  llvm::Value *Made = nullptr;
};

struct HeatAccesses {
  llvm::SmallVector<HeatNote, 0> Notes;
  std::vector<HeatFormSite> Forms; ///< of all others
};

/// Those of a clone, as long as its analyses are valid. Noted: whether an access is. What
/// becomes one access is noted as one. Without Described, all are; without Swept and Invariance,
/// all are where they are made.
HeatAccesses heatAccesses(const Clone &C, const AccessInfo &Info, const FunctionSites &Known,
                          llvm::ArrayRef<WideAccess> Wide,
                          llvm::function_ref<bool(const Access &)> Noted,
                          const ClosedForms *Described, const Sweeps *Swept,
                          const ThreadInvariance *Invariance);

/// NoteRuns.cpp: joins those of a kernel's block that are evenly apart.
void joinRuns(llvm::SmallVector<HeatNote, 0> &Notes, llvm::ScalarEvolution &SE);

/// The last instruction of those that are noted: of loops, the end of their preheader.
llvm::Instruction *lastOf(const HeatNote &N);

/// Has what those of loops need computed before these.
void expandSweeps(llvm::MutableArrayRef<HeatNote> Notes, llvm::ScalarEvolution &SE);

/// Bytes of the access that hardware makes of an update, at a time, if it makes none wider than
/// Widest.
unsigned pieceBytes(const Update &U, unsigned Widest);

/// What, a number that names a request but for its site, with that.
llvm::Value *withSite(llvm::IRBuilderBase &B, const Clone &C, Hooks &H, const HeatNote &N,
                      uint32_t What);

/// Rows that a note takes in what lanes leave, and those of a group at most: a chunk has 31, of
/// which the last ones are left empty where a group has no room.
unsigned rowsOf(const HeatNote &N);
constexpr unsigned MostRowsOfGroup = 8;

/// NotedLoops.cpp: small loops that count, with what is noted in them.
class NotedLoops {
public:
  /// Takes what they note out of Notes.
  void take(llvm::SmallVector<HeatNote, 0> &Notes, const llvm::LoopInfo &LI,
            llvm::ScalarEvolution &SE);

  /// Has some of their iterations become one. The notes of all copies. Keeps no analysis.
  llvm::SmallVector<HeatNote, 0> unroll(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);

  bool empty() const { return Loops.empty(); }
  void addBlocks(llvm::SmallPtrSetImpl<const llvm::BasicBlock *> &To) const {
    for (const NotedLoop &L : Loops)
      To.insert(L.Header);
  }

private:
  struct NotedLoop {
    llvm::BasicBlock *Header; ///< and only block
    unsigned Iterations;      ///< that become one
    llvm::SmallVector<HeatNote, 2> Notes;
  };
  llvm::SmallVector<NotedLoop, 2> Loops;
};

/// MaskedLoops.cpp: loops whose lanes leave them together, with what moves on evenly there, but is
/// not made in all iterations.
class MaskedLoops {
public:
  /// Takes what they note out of Notes, and has its first address computed in front of them.
  void take(llvm::SmallVector<HeatNote, 0> &Notes, llvm::ScalarEvolution &SE);

  /// Has lanes remember which iterations make it. The notes of that. Keeps no analysis.
  llvm::SmallVector<HeatNote, 0> insertMasks(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);

  bool empty() const { return Loops.empty(); }

private:
  struct MaskedLoop {
    llvm::BasicBlock *Header;
    llvm::SmallVector<HeatNote, 2> Notes;
  };
  llvm::SmallVector<MaskedLoop, 2> Loops;
};

/// Notes that lanes leave together.
struct NoteGroup {
  llvm::SmallVector<HeatNote *, 8> Notes;
  llvm::Instruction *Before = nullptr; ///< where; null: of one, that may have to be taken apart
};

/// NoteGroups.cpp: of stretches of code that all lanes go through together, but for short branches,
/// on which notes get their conditions.
llvm::SmallVector<NoteGroup, 0> groupNotes(llvm::Function &F,
                                           llvm::MutableArrayRef<HeatNote> Notes);

void emitHeat(const Clone &C, Hooks &H, llvm::ArrayRef<NoteGroup> Groups);

/// Has those of other blocks' shared memory counted, where they are made: they are not noted.
void countOtherBlocks(const Clone &C, Hooks &H, llvm::ArrayRef<Access> Accesses);

} // namespace gmprof

#endif // GMPROF_PASS_HEAT_HEATNOTES_H
