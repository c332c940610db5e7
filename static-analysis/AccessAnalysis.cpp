//===- AccessAnalysis.cpp - Every memory access of a device function ------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Collects the accesses in reverse post-order, then applies the analyses in turn: AddressSpaces,
// Variables, ThreadInvariance, UniformExecution, LoopInvariance, StaticCounts.
//
//===----------------------------------------------------------------------===//

#include "Accesses.h"
#include "AddressSpaces.h"
#include "Fences.h"
#include "LoopInvariance.h"
#include "MemoryInstructions.h"
#include "StaticCounts.h"
#include "ThreadInvariance.h"
#include "UniformExecution.h"
#include "Variables.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/CycleAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Operator.h"

using namespace llvm;
using namespace gmprof;

AnalysisKey AccessAnalysis::Key;

/// Adds the shared variables that F refers to, including those of accesses that may go to several
/// variables (a select, a table of pointers): their words are counted too.
static void addSharedVariables(const Function &F, VariableTable &Variables) {
  SmallVector<const Value *, 16> Work;
  SmallPtrSet<const Value *, 16> Seen;
  for (const Instruction &I : instructions(F))
    append_range(Work, I.operand_values());
  while (!Work.empty()) {
    const auto *C = dyn_cast<Constant>(Work.pop_back_val());
    if (!C || !Seen.insert(C).second)
      continue;
    const auto *Global = dyn_cast<GlobalVariable>(C);
    if (!Global)
      append_range(Work, C->operand_values());
    else if (spaceOfAddressSpace(Global->getAddressSpace()) == GMPROF_SPACE_SHARED)
      Variables.indexOf(Global);
  }
}

/// Returns true if the address is computed from %envreg. It then points to the driver's memory for
/// the grid barrier of cooperative groups (get_grid_workspace), not to memory of the program.
static bool isInGridWorkspace(const Value *Address) {
  constexpr unsigned Most = 16; // operators between the registers and the address
  SmallVector<const Value *, 8> Work = {Address};
  for (unsigned Count = 0; !Work.empty() && Count < Most; ++Count) {
    const Value *V = Work.pop_back_val();
    if (const auto *Call = dyn_cast<CallBase>(V)) {
      const auto *Asm = dyn_cast<InlineAsm>(Call->getCalledOperand());
      if (Asm && StringRef(Asm->getAsmString()).contains("%envreg"))
        return true;
    } else if (const auto *Op = dyn_cast<Operator>(V); Op && !isa<PHINode, LoadInst>(Op)) {
      append_range(Work, Op->operand_values());
    }
  }
  return false;
}

static void collect(Function &F, AccessInfo &Info) {
  VariableTable Variables(Info.Variables);
  for (BasicBlock *BB : ReversePostOrderTraversal<Function *>(&F)) {
    for (Instruction &I : *BB) {
      InstructionEffects Effects = memoryEffects(I);
      if (Effects.Opaque)
        Info.OpaqueCalls.push_back({&I, Effects.Opaque});
      if (const EmptiesL1 When = std::max(Effects.Empties, emptiesL1(I)); When != EmptiesL1::Never)
        Info.Fences.push_back({&I, When == EmptiesL1::InClusters});
      for (Access &A : Effects.Accesses) {
        if (isInGridWorkspace(A.Pointer))
          continue;
        PointsTo Memory = pointsTo(A.Pointer);
        A.Space = spaceOfAccess(A.Space, Memory);
        A.Variable = Variables.indexOf(Memory.Base);
        Variables.noteAccess(A.Variable, A.Bytes);
        Info.Accesses.push_back(A);
      }
      for (TextureAccess &T : Effects.Textures) {
        T.Variable = Variables.indexOf(T.Handle ? pointsTo(T.Handle).Base : nullptr);
        Info.Textures.push_back(T);
      }
    }
  }
  addSharedVariables(F, Variables);
  Variables.finish();
}

/// Returns the use of V by the access's instruction.
static const Use &useOf(const Access &A, const Value *V) {
  return *find_if(A.Inst->operands(), [&](const Use &U) { return U.get() == V; });
}

static Fact threadInvariantAddress(const Access &A, const ThreadInvariance &Invariance) {
  if (A.Space == GMPROF_SPACE_LOCAL)
    return {false, "each thread has its own local memory"};
  Fact Address = Invariance.isInvariant(useOf(A, A.Pointer));
  if (!Address)
    return Address;
  if (A.Length && !Invariance.isInvariant(useOf(A, A.Length)))
    return {false, "the length differs between threads"};
  if (A.Tile && A.Tile->Stride && !isa<Constant>(A.Tile->Stride) &&
      !Invariance.isInvariant(useOf(A, A.Tile->Stride)))
    return {false, "the stride differs between threads"};
  return {true, ""};
}

static Fact uniformExecution(const Access &A, const UniformExecution &Execution,
                             const ThreadInvariance &Invariance) {
  if (A.Tile)
    return {false, "the lanes of a warp access a tile together"};
  if (A.Lanes < 32)
    return {false, "only some lanes access memory"};
  if (A.Predicate && !Invariance.isInvariant(useOf(A, A.Predicate)))
    return {false, "under a predicate that differs between threads"};
  return Execution.isUniform(*A.Inst);
}

const char *gmprof::whyNotPlain(const Access &A) {
  if (A.Space != GMPROF_SPACE_SHARED && A.Space != GMPROF_SPACE_GLOBAL)
    return "not in shared or global memory";
  if (A.Tile || A.Lanes < 32)
    return "only some lanes access memory";
  if (A.Bytes == 0)
    return "the length is not constant";
  if (A.Predicate)
    return "has a predicate";
  if (!A.Pointer->getType()->isPointerTy())
    return "the address is an integer";
  return nullptr;
}

AccessInfo AccessAnalysis::run(Function &F, FunctionAnalysisManager &FAM) {
  AccessInfo Info;
  if (F.isDeclaration())
    return Info;
  collect(F, Info);
  if (Info.Accesses.empty())
    return Info;

  auto &DT = FAM.getResult<DominatorTreeAnalysis>(F);
  auto &LI = FAM.getResult<LoopAnalysis>(F);
  auto &CI = FAM.getResult<CycleAnalysis>(F);
  auto &SE = FAM.getResult<ScalarEvolutionAnalysis>(F);
  ControlFlow Flow(F);
  ThreadInvariance Invariance(F, DT, CI, FAM.getResult<AAManager>(F), Info, Flow);
  UniformExecution Execution(F, Flow, Invariance);
  LoopInvariance Loops(LI, CI, DT, Flow, SE);
  StaticCounts Counts(LI, DT, Flow, Loops, SE);
  for (Access &A : Info.Accesses) {
    A.ThreadInvariantAddress = threadInvariantAddress(A, Invariance);
    A.UniformExecution = uniformExecution(A, Execution, Invariance);
    Loops.analyse(A);
    Counts.analyse(A, Info.Variables);
  }
  return Info;
}
