//===- HeatNotes.h - Clones that record requests ----------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// (cuThermo, 2025, Section IV.B.) The lanes that execute an access of global or shared memory in
// K__gm_heat record it near the access (runtime/device/HeatStore.cu), as the requests that the
// hardware makes of it (Requests.h). K__gm_heat does not record accesses that a closed form
// describes (static-analysis/ClosedForms.h), since the reader of the log evaluates their forms;
// K__gm_heat_all records all. "Note" is the name of such a record in this folder.
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

/// A request that lanes record.
struct HeatNote : Request {
  explicit HeatNote(const Request &R) : Request(R) {}

  unsigned Place = 0;      ///< see GmprofHeatPage
  bool InOnePiece = false; ///< one access of the hardware
  bool IsOfTable = false;  ///< of the compiler's: its words are not recorded
  /// Set if all of a loop's accesses are recorded before it.
  std::optional<Sweep> Swept;
  /// Set if lanes may record the iterations of a loop that make the access, instead of each
  /// execution.
  std::optional<PartialSweep> Partly;
  /// The lanes that made the access, if the record is elsewhere than the access; null: all.
  llvm::Value *Condition = nullptr;
  /// Distance of the numbers of the sites of the What.Times accesses of a block that one record
  /// represents.
  unsigned SiteStep = 0;
  /// A bit for each of a loop's What.Times iterations that the lane makes; null: all.
  llvm::Value *Made = nullptr;
};

struct HeatAccesses {
  llvm::SmallVector<HeatNote, 0> Notes;
  std::vector<HeatFormSite> Forms; ///< of all other requests
};

/// Returns the notes and the closed forms of a clone's requests, while its analyses are valid. All
/// requests are recorded if Described is null; each execution is if Swept and Invariance are null.
HeatAccesses heatAccesses(const Clone &C, const AccessInfo &Info, const FunctionSites &Sites,
                          llvm::ArrayRef<Request> Requests, const ClosedForms *Described,
                          const Sweeps *Swept, const ThreadInvariance *Invariance);

/// Joins notes of a block whose addresses are evenly spaced (NoteRuns.cpp).
void joinRuns(llvm::SmallVector<HeatNote, 0> &Notes, llvm::ScalarEvolution &SE);

/// Returns the last instruction that the note records; for a loop, the end of its preheader.
llvm::Instruction *lastOf(const HeatNote &N);

/// Computes, before loops, the values that their notes need.
void expandSweeps(llvm::MutableArrayRef<HeatNote> Notes, llvm::ScalarEvolution &SE);

/// Returns the number of rows that lanes append for a note. A group has at most MostRowsOfGroup
/// rows: a chunk has 31, and its last rows stay empty if a group does not fit.
unsigned rowsOf(const HeatNote &N);
constexpr unsigned MostRowsOfGroup = 8;

/// Small loops with a known number of iterations, and their notes (NotedLoops.cpp).
class NotedLoops {
public:
  /// Moves the notes of such loops out of Notes.
  void take(llvm::SmallVector<HeatNote, 0> &Notes, const llvm::LoopInfo &LI,
            llvm::ScalarEvolution &SE);

  /// Unrolls the loops, and returns the notes of all copies. Invalidates analyses.
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

/// Loops whose lanes exit together, with accesses of a constant stride that only some iterations
/// make (MaskedLoops.cpp).
class MaskedLoops {
public:
  /// Moves the notes of such loops out of Notes, and computes the first addresses in front of the
  /// loops.
  void take(llvm::SmallVector<HeatNote, 0> &Notes, llvm::ScalarEvolution &SE);

  /// Makes lanes remember which iterations make the accesses, and returns the notes of these masks.
  /// Invalidates analyses.
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
  llvm::Instruction *Before = nullptr; ///< null: one note, possibly of several pieces
};

/// Groups the notes of stretches of code that all lanes execute together (NoteGroups.cpp). Short
/// branches belong to the stretch: their notes get conditions.
llvm::SmallVector<NoteGroup, 0> groupNotes(llvm::Function &F,
                                           llvm::MutableArrayRef<HeatNote> Notes);

/// Local memory in which a clone passes notes without room to a function; its groups share it.
struct PassedNotes {
  bool OnlyGlobal;                  ///< all notes of the clone are of global memory
  llvm::AllocaInst *Rows = nullptr; ///< null: no group has been emitted
};

/// Emits the notes of the groups.
void emitHeat(const RequestClone &C, Hooks &H, llvm::ArrayRef<NoteGroup> Groups,
              PassedNotes &Passed);

/// Emits counts of accesses to shared memory of other blocks, which have no records.
void countOtherBlocks(const Clone &C, Hooks &H, llvm::ArrayRef<Access> Accesses);

} // namespace gmprof

#endif // GMPROF_PASS_HEAT_HEATNOTES_H
