//===- NoteRuns.cpp - Joins records of a block ----------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The accesses of an unrolled loop in one block may have evenly spaced addresses and site numbers.
// The lanes that make the first access make all of them: one record behind the last access
// represents them, like the accesses of a loop.
//
//===----------------------------------------------------------------------===//

#include "pass/heat/HeatNotes.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include <map>

using namespace llvm;
using namespace gmprof;

namespace {

/// A note, with the numbers that must be evenly spaced.
struct Member {
  int64_t Offset, Site; ///< relative to the first note
  size_t Number;
};

using Run = SmallVector<const Member *, 8>;

} // namespace

/// Returns the properties that all notes of a run share.
static auto keyOf(const HeatNote &N) {
  return std::tuple(N.What.Before->getParent(), N.What.Counter, N.What.Bytes, N.What.Space,
                    N.Place);
}

static bool canBeJoined(const HeatNote &N) { return N.InOnePiece && !N.Swept; }

/// Returns whether lanes that make the first of two accesses of a block also make the second.
static bool areMadeTogether(const HeatNote &First, const HeatNote &Second) {
  constexpr unsigned MostInstructions = 4096;
  return isGuaranteedToTransferExecutionToSuccessor(
      First.What.Before->getIterator(), Second.What.Before->getIterator(), MostInstructions);
}

/// Returns the first of the notes and the following ones that the same lanes make and whose address
/// has a known distance from the first address, in order.
static SmallVector<Member, 0> membersWith(const HeatNote &First, ArrayRef<HeatNote> Notes,
                                          ScalarEvolution &SE) {
  constexpr size_t Most = 256; // to compare
  SmallVector<Member, 0> Members;
  const HeatNote *Previous = &First;
  for (auto [Number, N] : enumerate(Notes.take_front(Most))) {
    if (!canBeJoined(N) || keyOf(N) != keyOf(First) ||
        N.What.Pointer->getType() != First.What.Pointer->getType())
      continue;
    if (!areMadeTogether(*Previous, N))
      break;
    Previous = &N;
    const auto *Distance = dyn_cast<SCEVConstant>(
        SE.getMinusSCEV(SE.getSCEV(N.What.Pointer), SE.getSCEV(First.What.Pointer)));
    if (Distance)
      Members.push_back(
          {Distance->getAPInt().getSExtValue() + N.What.Displacement - First.What.Displacement,
           int64_t(N.Site) - First.Site, Number});
  }
  return Members;
}

/// Returns the longest run of members that begins with the first.
static Run longestRun(ArrayRef<Member> Members) {
  std::map<std::pair<int64_t, int64_t>, const Member *> At;
  for (const Member &M : Members)
    At.try_emplace({M.Offset, M.Site}, &M);
  Run Longest;
  const Member &First = Members.front();
  for (const Member &Second : Members.drop_front()) {
    Run Found = {&First};
    const int64_t Stride = Second.Offset - First.Offset, Step = Second.Site - First.Site;
    for (auto Next = At.find({Second.Offset, Second.Site}); Next != At.end();
         Next = At.find({Found.back()->Offset + Stride, Found.back()->Site + Step}))
      Found.push_back(Next->second);
    if (Found.size() > Longest.size())
      Longest = std::move(Found);
  }
  return Longest;
}

void gmprof::joinRuns(SmallVector<HeatNote, 0> &Notes, ScalarEvolution &SE) {
  constexpr size_t Fewest = 3; // the row of a run takes as much room as two notes
  SmallVector<HeatNote, 0> Kept;
  SmallVector<bool, 0> Joined(Notes.size(), false);
  for (auto [Number, N] : enumerate(Notes)) {
    if (Joined[Number])
      continue;
    Kept.push_back(N);
    if (!canBeJoined(N))
      continue;
    const ArrayRef<HeatNote> Rest = ArrayRef(Notes).drop_front(Number);
    SmallVector<Member, 0> Members = membersWith(N, Rest, SE);
    erase_if(Members, [&](const Member &M) { return Joined[Number + M.Number]; });
    const Run Found = longestRun(Members);
    if (Found.size() < Fewest)
      continue;
    const int64_t Stride = Found[1]->Offset, Step = Found[1]->Site; // relative to the first note
    if (!isInt<32>(Stride) || Step > GMPROF_REQUEST_LOOP_STEP_MAX)
      continue;
    HeatNote &First = Kept.back();
    First.What.Times = ConstantInt::get(Type::getInt64Ty(SE.getContext()), Found.size());
    First.What.Stride = Stride;
    First.SiteStep = static_cast<unsigned>(Step);
    for (const Member *M : Found) {
      Joined[Number + M->Number] = true;
      if (First.Last->comesBefore(Rest[M->Number].Last))
        First.Last = Rest[M->Number].Last;
    }
  }
  Notes = std::move(Kept);
}
