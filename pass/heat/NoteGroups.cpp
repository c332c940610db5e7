//===- NoteGroups.cpp - Records that lanes append together ----------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lanes check once for several records whether they have room, with a vote, and append the records
// behind the last of the accesses: ptxas moves no load across the store of a record. The loads of
// an unrolled loop are therefore in flight together, as in the program's kernel, and so are the
// loads of short branches, which ptxas turns into predicates if they contain no store of a record.
//
//===----------------------------------------------------------------------===//

#include "pass/heat/HeatNotes.h"

#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/IR/CFG.h"

using namespace llvm;
using namespace gmprof;

namespace {

/// One of the blocks that lanes execute in sequence.
struct Link {
  BasicBlock *Block;
  /// Null: all lanes execute the block. Otherwise some of them do, and all reconverge here.
  BasicBlock *MeetAt = nullptr;
};

using Chain = SmallVector<Link, 4>;

/// The notes of each instruction, in order.
using NotesAt = DenseMap<const Instruction *, SmallVector<HeatNote *, 2>>;

} // namespace

unsigned gmprof::rowsOf(const HeatNote &N) { return N.What.Times || N.Swept ? 2 : 1; }

/// Returns whether a block is so short that lanes that skip its notes may wait for the others.
static bool isShort(const BasicBlock &BB, const NotesAt &Notes) {
  constexpr unsigned MostInstructions = 48, MostRowsOfBranch = 4;
  unsigned Rows = 0;
  for (const Instruction &I : BB)
    for (const HeatNote *N : Notes.lookup(&I))
      Rows += rowsOf(*N);
  return Rows <= MostRowsOfBranch && BB.sizeWithoutDebug() <= MostInstructions;
}

/// Returns the block that a short branch of From leads to, through BB only.
static BasicBlock *endOfBranch(BasicBlock *From, BasicBlock *BB, const NotesAt &Notes) {
  if (BB->getSinglePredecessor() != From || !isShort(*BB, Notes) ||
      any_of(drop_end(*BB), [](const Instruction &I) { return endsStretch(I); }))
    return nullptr;
  return BB->getSingleSuccessor();
}

/// Adds the blocks that lanes execute behind the chain's last block. Returns whether there are any.
static bool extend(Chain &Blocks, const NotesAt &Notes) {
  BasicBlock *Last = Blocks.back().Block;
  const auto *Branch = dyn_cast<BranchInst>(Last->getTerminator());
  if (!Branch)
    return false;
  BasicBlock *First = Branch->getSuccessor(0);
  if (Branch->isUnconditional()) {
    if (First->getSinglePredecessor() != Last || First == Blocks.front().Block)
      return false;
    Blocks.push_back({First});
    return true;
  }
  BasicBlock *Second = Branch->getSuccessor(1);
  BasicBlock *BehindFirst = endOfBranch(Last, First, Notes),
             *BehindSecond = endOfBranch(Last, Second, Notes);
  BasicBlock *MeetAt = nullptr;
  Chain Sides;
  if (BehindFirst && (BehindFirst == Second || BehindFirst == BehindSecond)) {
    MeetAt = BehindFirst;
    Sides.push_back({First, MeetAt});
  }
  if (BehindSecond && (BehindSecond == First || BehindFirst == BehindSecond)) {
    MeetAt = BehindSecond;
    Sides.push_back({Second, MeetAt});
  }
  if (!MeetAt || MeetAt == Blocks.front().Block || !MeetAt->hasNPredecessors(2))
    return false;
  append_range(Blocks, Sides);
  Blocks.push_back({MeetAt});
  return true;
}

/// Returns a value of a branch at the point of reconvergence: Elsewhere for lanes that took another
/// branch.
static Value *whereLanesMeet(Value *V, Value *Elsewhere, const Link &L) {
  IRBuilder<> B(L.MeetAt, L.MeetAt->begin());
  PHINode *Phi = B.CreatePHI(V->getType(), 2);
  for (BasicBlock *From : predecessors(L.MeetAt))
    Phi->addIncoming(From == L.Block ? V : Elsewhere, From);
  return Phi;
}

namespace {

class Grouper {
  const NotesAt &Notes;
  SmallVectorImpl<NoteGroup> &Groups;
  NoteGroup Open;
  unsigned Rows = 0;
  SmallVector<const Link *, 8> LinkOf; ///< of each note of the open group

public:
  Grouper(const NotesAt &Notes, SmallVectorImpl<NoteGroup> &Groups)
      : Notes(Notes), Groups(Groups) {}

  void group(const Chain &Blocks) {
    for (const Link &L : Blocks)
      for (Instruction &I : *L.Block)
        visit(I, L);
    close();
  }

private:
  void visit(Instruction &I, const Link &L) {
    const bool Ends = endsStretch(I);
    for (HeatNote *N : Notes.lookup(&I)) {
      if (Rows + rowsOf(*N) > MostRowsOfGroup)
        close();
      Open.Notes.push_back(N);
      Open.Before = Ends ? &I : I.getNextNode();
      LinkOf.push_back(&L);
      Rows += rowsOf(*N);
    }
    if (Ends && !I.isTerminator())
      close();
  }

  void close() {
    if (Open.Notes.empty())
      return;
    const Link &Last = *LinkOf.back();
    if (!all_equal(LinkOf)) {
      for (auto [N, L] : zip(Open.Notes, LinkOf))
        if (L->MeetAt)
          haveMet(*N, *L);
      if (Last.MeetAt)
        Open.Before = &*Last.MeetAt->getFirstInsertionPt();
    }
    Groups.push_back(std::move(Open));
    Open = {};
    LinkOf.clear();
    Rows = 0;
  }

  /// Makes the address and the condition of a note available where lanes reconverge.
  void haveMet(HeatNote &N, const Link &L) {
    Value *&Pointer = N.What.Pointer, *&Condition = Conditions[L.Block];
    LLVMContext &Context = Pointer->getContext();
    if (!Condition)
      Condition = whereLanesMeet(ConstantInt::getTrue(Context), ConstantInt::getFalse(Context), L);
    N.Condition = Condition;
    if (auto *I = dyn_cast<Instruction>(Pointer); I && I->getParent() == L.Block)
      Pointer = whereLanesMeet(Pointer, Constant::getNullValue(Pointer->getType()), L);
  }

  /// The lanes that have executed a block, at the point of reconvergence.
  DenseMap<const BasicBlock *, Value *> Conditions;
};

} // namespace

SmallVector<NoteGroup, 0> gmprof::groupNotes(Function &F, MutableArrayRef<HeatNote> Notes) {
  SmallVector<NoteGroup, 0> Groups;
  NotesAt Grouped;
  for (HeatNote &N : Notes)
    if (N.InOnePiece)
      Grouped[lastOf(N)].push_back(&N);
    else
      Groups.push_back({{&N}, nullptr});
  Grouper Group(Grouped, Groups);
  SmallPtrSet<const BasicBlock *, 16> Done;
  for (BasicBlock *BB : ReversePostOrderTraversal<Function *>(&F)) {
    if (Done.contains(BB))
      continue;
    Chain Blocks = {{BB}};
    while (extend(Blocks, Grouped))
      ;
    for (const Link &L : Blocks)
      Done.insert(L.Block);
    Group.group(Blocks);
  }
  return Groups;
}
