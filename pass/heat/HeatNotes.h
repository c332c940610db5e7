//===- HeatNotes.h - Clones that note which warps access what ---*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// (cuThermo, 2025, Section IV.B.) The lanes that execute an access of global or shared memory in
// K__gm_heat note it near the access (runtime/device/Heat.cu), as the requests that the hardware
// makes of it (Requests.h). Accesses that a closed form describes (static-analysis/ClosedForms.h)
// are only noted in K__gm_heat_all: the reader of the log evaluates their forms.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PASS_HEAT_HEATNOTES_H
#define GMPROF_PASS_HEAT_HEATNOTES_H

#include "pass/requests/Requests.h"
#include "static-analysis/ClosedForms.h"
#include "static-analysis/Sweeps.h"

namespace gmprof {

/// The closed form of an access of K__gm_heat_all (GmprofHeatFormDesc).
struct HeatFormSite {
  unsigned Site = 0; ///< number in the kernel's FunctionSites
  int Variable = -1;
  unsigned Loops = 0;
  int64_t Offset = 0;
  unsigned Bytes = 0, PieceBytes = 0;
  std::vector<int64_t> Form;
};

/// A request that lanes note.
struct HeatNote : Request {
  explicit HeatNote(const Request &R) : Request(R) {}

  unsigned Place = 0;      ///< see GmprofHeatPage
  bool InOnePiece = false; ///< one access of the hardware
  /// All of a loop's accesses are noted before it.
  std::optional<Sweep> Swept;
  /// The iterations of a loop that make it may be noted, instead of each execution.
  std::optional<PartialSweep> Partly;
  /// Which lanes made it, where lanes note it that may not have; null: all.
  llvm::Value *Condition = nullptr;
  /// What.Times accesses of a block are noted as one: the distance of the numbers of their sites.
  unsigned SiteStep = 0;
  /// A bit for each of a loop's What.Times iterations that the lane makes; null: all.
  llvm::Value *Made = nullptr;
};

struct HeatAccesses {
  llvm::SmallVector<HeatNote, 0> Notes;
  std::vector<HeatFormSite> Forms; ///< of all other requests
};

/// Returns the notes and the closed forms of a clone's requests, as long as its analyses are valid.
/// Without Described, all requests are noted; without Swept and Invariance, each execution is.
HeatAccesses heatAccesses(const Clone &C, const AccessInfo &Info, const FunctionSites &Sites,
                          llvm::ArrayRef<Request> Requests, const ClosedForms *Described,
                          const Sweeps *Swept, const ThreadInvariance *Invariance);

/// NoteRuns.cpp: joins notes of a block whose addresses are evenly spaced.
void joinRuns(llvm::SmallVector<HeatNote, 0> &Notes, llvm::ScalarEvolution &SE);

/// Returns the last instruction that is noted; for a loop, the end of its preheader.
llvm::Instruction *lastOf(const HeatNote &N);

/// Computes, before loops, what their notes need.
void expandSweeps(llvm::MutableArrayRef<HeatNote> Notes, llvm::ScalarEvolution &SE);

/// Returns the rows that lanes append for a note. A group has at most MostRowsOfGroup: a chunk has
/// 31, and its last rows stay empty where a group has no room.
unsigned rowsOf(const HeatNote &N);
constexpr unsigned MostRowsOfGroup = 8;

/// NotedLoops.cpp: small loops with a known number of iterations, and their notes.
class NotedLoops {
public:
  /// Moves their notes out of Notes.
  void take(llvm::SmallVector<HeatNote, 0> &Notes, const llvm::LoopInfo &LI,
            llvm::ScalarEvolution &SE);

  /// Unrolls the loops, and returns the notes of all copies. Analyses are no longer valid.
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

/// MaskedLoops.cpp: loops that lanes leave together, with accesses that have a constant stride, but
/// that not all iterations make.
class MaskedLoops {
public:
  /// Moves their notes out of Notes, and computes the first addresses in front of the loops.
  void take(llvm::SmallVector<HeatNote, 0> &Notes, llvm::ScalarEvolution &SE);

  /// Makes lanes remember which iterations make the accesses, and returns the notes of that.
  /// Analyses are no longer valid.
  llvm::SmallVector<HeatNote, 0> insertMasks(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);

  bool empty() const { return Loops.empty(); }

private:
  struct MaskedLoop {
    llvm::BasicBlock *Header;
    llvm::SmallVector<HeatNote, 2> Notes;
  };
  llvm::SmallVector<MaskedLoop, 2> Loops;
};

/// Notes that lanes append together.
struct NoteGroup {
  llvm::SmallVector<HeatNote *, 8> Notes;
  llvm::Instruction *Before = nullptr; ///< where; null: one note, of several pieces perhaps
};

/// NoteGroups.cpp: groups the notes of stretches of code that all lanes execute together. Short
/// branches belong to the stretch: their notes get conditions.
llvm::SmallVector<NoteGroup, 0> groupNotes(llvm::Function &F,
                                           llvm::MutableArrayRef<HeatNote> Notes);

/// Emits the notes of the groups.
void emitHeat(const RequestClone &C, Hooks &H, llvm::ArrayRef<NoteGroup> Groups);

/// Emits counts of accesses to shared memory of other blocks, which are not noted.
void countOtherBlocks(const Clone &C, Hooks &H, llvm::ArrayRef<Access> Accesses);

} // namespace gmprof

#endif // GMPROF_PASS_HEAT_HEATNOTES_H
