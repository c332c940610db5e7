//===- NoteGroups.cpp - Notes that lanes leave together -------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lanes look whether they have room, and vote on it, once for several notes, and leave these in
// front of the first of the accesses: whatever memory a note is stored to, ptxas loads nothing
// before it that comes after it. So the loads of an unrolled loop are under way together, as they
// are in the program's kernel.
//
//===----------------------------------------------------------------------===//

#include "HeatNotes.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/ValueTracking.h"

using namespace llvm;
using namespace gmprof;

/// Rows of a group: a chunk has 31, of which the last ones are left empty where a group has no
/// room.
static constexpr unsigned MostRows = 8;

static unsigned rowsOf(const HeatNote &N) { return N.What.Times ? 2 : 1; }

static bool canBeGrouped(const HeatNote &N) {
  return N.InOnePiece && N.What.Space != GMPROF_SPACE_GENERIC;
}

/// Whether all lanes that come to First come to Last, without one that waits for others.
static bool areInOneStretch(const Instruction *First, const Instruction *Last) {
  for (const Instruction *I = First; I != Last; I = I->getNextNode())
    if (endsStretch(*I))
      return false;
  return true;
}

/// Adds what has to be computed before To for V to be known there, operands first. Returns
/// whether it can be.
static bool isComputableAt(Value *V, const Instruction *To, SetVector<Instruction *> &Needed) {
  constexpr size_t Most = 64;
  auto *I = dyn_cast<Instruction>(V);
  if (!I || I->getParent() != To->getParent() || I->comesBefore(To) || Needed.contains(I))
    return true;
  if (Needed.size() == Most || I == To || I->mayReadOrWriteMemory() ||
      !isSafeToSpeculativelyExecute(I) ||
      !all_of(I->operands(), [&](Value *Operand) { return isComputableAt(Operand, To, Needed); }))
    return false;
  Needed.insert(I);
  return true;
}

/// Has what a note says computed before To, if that is possible.
static bool moveOperands(const HeatNote &N, Instruction *To) {
  SetVector<Instruction *> Needed;
  if (!isComputableAt(N.What.Pointer, To, Needed) ||
      (N.What.Times && !isComputableAt(N.What.Times, To, Needed)))
    return false;
  for (Instruction *I : Needed)
    I->moveBefore(To->getIterator());
  return true;
}

/// Notes in the order of their accesses.
static void groupInBlock(ArrayRef<const HeatNote *> Notes, SmallVectorImpl<NoteGroup> &Groups) {
  unsigned Rows = 0;
  const HeatNote *Last = nullptr;
  for (const HeatNote *N : Notes) {
    if (!Last || Rows + rowsOf(*N) > MostRows ||
        !areInOneStretch(Last->What.Before, N->What.Before) ||
        !moveOperands(*N, Groups.back().Before)) {
      Groups.push_back({{}, N->What.Before});
      Rows = 0;
    }
    Groups.back().Notes.push_back(N);
    Rows += rowsOf(*N);
    Last = N;
  }
}

SmallVector<NoteGroup, 0> gmprof::groupNotes(ArrayRef<HeatNote> Notes) {
  SmallVector<NoteGroup, 0> Groups;
  MapVector<const BasicBlock *, SmallVector<const HeatNote *, 8>> ByBlock;
  for (const HeatNote &N : Notes)
    if (canBeGrouped(N))
      ByBlock[N.What.Before->getParent()].push_back(&N);
    else
      Groups.push_back({{&N}, nullptr});
  for (auto &[_, InBlock] : ByBlock) {
    sort(InBlock, [](const HeatNote *A, const HeatNote *B) {
      return A->What.Before != B->What.Before ? A->What.Before->comesBefore(B->What.Before) : A < B;
    });
    groupInBlock(InBlock, Groups);
  }
  return Groups;
}
