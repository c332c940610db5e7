//===- NotedLoops.cpp - Loops that are unrolled for their notes -----------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// ptxas unrolls a small loop of the program, so that loads of several iterations are in flight, but
// no loop with stores of records. This transformation unrolls the clone's loop and appends its
// records together (NoteGroups.cpp).
//
//===----------------------------------------------------------------------===//

#include "pass/heat/HeatNotes.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/UnrollLoop.h"

using namespace llvm;
using namespace gmprof;

/// Maximum number of iterations that become one.
static constexpr unsigned MostIterations = 4;

static bool canBeUnrolled(const Loop &L, ScalarEvolution &SE) {
  constexpr unsigned MostInstructions = 80;
  const BasicBlock &BB = *L.getHeader();
  return L.getNumBlocks() == 1 && L.getLoopPreheader() &&
         BB.sizeWithoutDebug() <= MostInstructions &&
         !findOptionMDForLoop(&L, "llvm.loop.unroll.disable") &&
         SE.hasLoopInvariantBackedgeTakenCount(&L) &&
         SE.getSmallConstantMaxTripCount(&L) - 1 >= MostIterations - 1 && // 0: not known
         none_of(drop_end(BB), [](const Instruction &I) { return endsStretch(I); });
}

/// Returns the operand of a note's instruction that is its address.
static std::optional<unsigned> addressOperand(const HeatNote &N) {
  for (const Use &Operand : N.What.Before->operands())
    if (Operand == N.What.Pointer)
      return Operand.getOperandNo();
  return std::nullopt;
}

/// Returns how many iterations become one: as many as a group has room for, and a divisor of a
/// known trip count.
static unsigned iterationsOf(const Loop &L, ArrayRef<HeatNote> Notes, ScalarEvolution &SE) {
  unsigned Rows = 0;
  for (const HeatNote &N : Notes)
    Rows += rowsOf(N);
  unsigned Iterations = std::min(MostIterations, MostRowsOfGroup / Rows);
  const unsigned Trips = SE.getSmallConstantTripCount(&L); // 0: not known
  while (Iterations > 1 && Trips % Iterations != 0)
    --Iterations;
  return Iterations;
}

void NotedLoops::take(SmallVector<HeatNote, 0> &Notes, const LoopInfo &LI, ScalarEvolution &SE) {
  MapVector<BasicBlock *, SmallVector<HeatNote, 2>> ByHeader;
  SmallVector<HeatNote, 0> Others;
  for (HeatNote &N : Notes) {
    const Loop *L = LI.getLoopFor(N.Last->getParent());
    if (N.InOnePiece && !N.Swept && L && canBeUnrolled(*L, SE) && addressOperand(N))
      ByHeader[L->getHeader()].push_back(std::move(N));
    else
      Others.push_back(std::move(N));
  }
  Notes = std::move(Others);
  for (auto &[Header, OfLoop] : ByHeader)
    if (const unsigned Iterations = iterationsOf(*LI.getLoopFor(Header), OfLoop, SE);
        Iterations > 1)
      Loops.push_back({Header, Iterations, std::move(OfLoop)});
    else
      append_range(Notes, OfLoop);
}

namespace {

/// Numbers notes in the metadata of their instructions, which copies inherit.
class Marks {
  LLVMContext &Context;
  const unsigned Kind = Context.getMDKindID("gm.note");

public:
  explicit Marks(LLVMContext &Context) : Context(Context) {}

  void set(Instruction &I, unsigned Number) const {
    SmallVector<Metadata *, 2> Numbers;
    if (const MDNode *Known = I.getMetadata(Kind))
      append_range(Numbers, Known->operands());
    Numbers.push_back(ConstantAsMetadata::get(ConstantInt::get(Type::getInt32Ty(Context), Number)));
    I.setMetadata(Kind, MDNode::get(Context, Numbers));
  }

  /// Returns an instruction's numbers, and removes them.
  SmallVector<unsigned, 2> take(Instruction &I) const {
    SmallVector<unsigned, 2> Numbers;
    if (const MDNode *Known = I.getMetadata(Kind)) {
      for (const MDOperand &Number : Known->operands())
        Numbers.push_back(mdconst::extract<ConstantInt>(Number)->getZExtValue());
      I.setMetadata(Kind, nullptr);
    }
    return Numbers;
  }
};

} // namespace

static void unroll(Loop &L, unsigned Iterations, Function &F, FunctionAnalysisManager &FAM) {
  auto &LI = FAM.getResult<LoopAnalysis>(F);
  auto &DT = FAM.getResult<DominatorTreeAnalysis>(F);
  auto &SE = FAM.getResult<ScalarEvolutionAnalysis>(F);
  auto &AC = FAM.getResult<AssumptionAnalysis>(F);
  const auto &TTI = FAM.getResult<TargetIRAnalysis>(F);
  auto &ORE = FAM.getResult<OptimizationRemarkEmitterAnalysis>(F);
  simplifyLoop(&L, &DT, &LI, &SE, &AC, /*MSSAU=*/nullptr, /*PreserveLCSSA=*/false);
  formLCSSARecursively(L, DT, &LI, &SE);
  UnrollLoopOptions Options = {};
  Options.Count = Iterations;
  Options.Force = Options.Runtime = Options.AllowExpensiveTripCount = true;
  Options.ForgetAllSCEV = true;
  Options.SCEVExpansionBudget = 64;
  // Passes no alias analysis, so that unrolling does not replace the load of one iteration by that
  // of another.
  UnrollLoop(&L, Options, &LI, &SE, &DT, &AC, &TTI, &ORE, /*PreserveLCSSA=*/true);
}

/// Returns the notes of all copies. Pairs the n-th copy of a first instruction with the n-th copy
/// of the last one.
static SmallVector<HeatNote, 0> notesOfCopies(Function &F, ArrayRef<HeatNote> Notes,
                                              ArrayRef<unsigned> Operands, const Marks &Marked) {
  SmallVector<HeatNote, 0> Copies;
  for (BasicBlock &BB : F) {
    DenseMap<unsigned, SmallVector<size_t, 4>> Open; // copies whose last instruction follows
    for (Instruction &I : BB)
      for (const unsigned Mark : Marked.take(I)) {
        const unsigned Number = Mark / 2;
        if (Mark % 2 == 0) {
          Open[Number].push_back(Copies.size());
          Copies.push_back(Notes[Number]);
          Copies.back().What.Before = &I;
          Copies.back().What.Pointer = I.getOperand(Operands[Number]);
        } else {
          Copies[Open[Number].front()].Last = &I;
          Open[Number].erase(Open[Number].begin());
        }
      }
  }
  return Copies;
}

SmallVector<HeatNote, 0> NotedLoops::unroll(Function &F, FunctionAnalysisManager &FAM) {
  const Marks Marked(F.getContext());
  SmallVector<HeatNote, 0> Notes;
  SmallVector<unsigned, 0> Operands;
  for (const NotedLoop &L : Loops)
    for (const HeatNote &N : L.Notes) {
      Operands.push_back(*addressOperand(N));
      Marked.set(*N.What.Before, 2 * Notes.size());
      Marked.set(*N.Last, 2 * Notes.size() + 1);
      Notes.push_back(N);
    }
  for (const NotedLoop &L : Loops)
    if (Loop *Found = FAM.getResult<LoopAnalysis>(F).getLoopFor(L.Header))
      ::unroll(*Found, L.Iterations, F, FAM);
  return notesOfCopies(F, Notes, Operands, Marked);
}
