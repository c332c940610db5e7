//===- NumberSites.cpp - Sites at which the lanes of a warp stop ----------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sites. Lanes of a warp run until each is at a warp operation, barrier or exit; those at the
// earliest site in program order continue together. Site numbers define the order: reverse
// post-order, in which all blocks of a loop precede the code after the loop. A site in a function
// that is not inlined is compared by its call path: calls that lead to sites are numbered like
// sites and store their number in ThreadState::CallPath.
//
// If an operation of the active lanes (activemask) is conditional in a loop, the end of the
// iteration is a site as well: otherwise a lane that skipped the operation could join the others
// one iteration too early.
//
// Waiting loops. Fibers are not preempted, so a loop that waits for another thread must yield to
// it. A loop counts as waiting if its exit condition depends on a volatile or atomic access or an
// opaque call, or if it has no exit; it calls gm_spin in each iteration.
//
//===----------------------------------------------------------------------===//

#include "cpu/engine/Intrinsics.h"
#include "cpu/engine/Lower.h"
#include "cpu/engine/SourceLines.h"
#include "cpu/engine/WarpOps.h"

#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace gmprof::cpu {

Site siteAt(std::string What, const Instruction &I) {
  Site At{std::move(What), I.getFunction()->getName().str()};
  for (const DILocation *Loc = I.getDebugLoc(); Loc; Loc = Loc->getInlinedAt()) {
    At.Where = Loc->getFilename().str() + ":" + std::to_string(Loc->getLine());
    if (!isToolchainHeader(Loc->getFilename()))
      break;
  }
  return At;
}

static constexpr const char *SiteMetadata = "gm.site";

bool isWarpWide(StringRef Name) {
  for (const char *Prefix : {"llvm.nvvm.wmma.", "llvm.nvvm.mma.", "llvm.nvvm.ldmatrix.",
                             "llvm.nvvm.stmatrix.", "llvm.nvvm.movmatrix."})
    if (Name.starts_with(Prefix))
      return true;
  return false;
}

static Value *siteOf(const Instruction &I) {
  MDNode *Node = I.getMetadata(SiteMetadata);
  assert(Node && "an operation that was not numbered");
  return cast<ConstantAsMetadata>(Node->getOperand(0))->getValue();
}

Value *LoweringContext::site(const CallInst &Call) { return siteOf(Call); }

//===----------------------------------------------------------------------===//

namespace {

/// Returns the name of an operation in messages; null if it is no site.
const char *siteName(const CallInst &Call) {
  const Function *F = Call.getCalledFunction();
  if (!F || !F->getName().starts_with("llvm.nvvm."))
    return nullptr;
  StringRef Name = F->getName().drop_front(strlen("llvm.nvvm."));
  if (Name.starts_with("barrier.cta.arrive"))
    return "bar.arrive";
  if (Name.starts_with("barrier.cta.red"))
    return "__syncthreads_count/and/or() (bar.red)";
  if (Name.starts_with("barrier.cta."))
    return "__syncthreads() (bar.sync)";
  if (Name.starts_with("barrier.cluster.wait"))
    return "the cluster's barrier (barrier.cluster.wait)";
  if (Name.starts_with("shfl."))
    return "a warp shuffle";
  if (Name.starts_with("vote."))
    return "a warp vote";
  if (Name.starts_with("match."))
    return "a warp match";
  if (Name.starts_with("redux."))
    return "a warp reduction";
  if (isWarpWide(F->getName()))
    return "a warp matrix operation";
  return StringSwitch<const char *>(Name)
      .Case("bar.warp.sync", "__syncwarp()")
      .Case("activemask", "__activemask()")
      .Case("elect.sync", "elect.sync")
      .Case("nanosleep", "__nanosleep()")
      .Case("exit", "exit")
      .Default(nullptr);
}

/// Returns the blocks of F in an order in which a block follows its predecessors, except for back
/// edges, and the blocks of each loop are contiguous. This is the reverse post-order of a
/// depth-first search that enters a loop only after it has visited the targets of the loop's exits.
SmallVector<BasicBlock *, 16> programOrder(Function &F, const LoopInfo &Loops) {
  SmallVector<BasicBlock *, 16> PostOrder;
  SmallPtrSet<BasicBlock *, 16> Seen;
  struct Visit {
    BasicBlock *Block;
    SmallVector<BasicBlock *, 4> Next; ///< processed from the end
  };
  SmallVector<Visit, 16> Stack;
  auto Enter = [&](BasicBlock *Block) {
    if (!Seen.insert(Block).second)
      return;
    Visit V{Block, {}};
    append_range(V.Next, reverse(successors(Block)));
    if (Loop *L = Loops.getLoopFor(Block); L && L->getHeader() == Block) {
      SmallVector<BasicBlock *, 4> Exits;
      L->getExitBlocks(Exits);
      append_range(V.Next, reverse(Exits));
    }
    Stack.push_back(std::move(V));
  };
  Enter(&F.getEntryBlock());
  while (!Stack.empty()) {
    if (Stack.back().Next.empty()) {
      PostOrder.push_back(Stack.back().Block);
      Stack.pop_back();
    } else {
      Enter(Stack.back().Next.pop_back_val());
    }
  }
  std::reverse(PostOrder.begin(), PostOrder.end());
  return PostOrder;
}

class Numbering {
public:
  Numbering(llvm::Module &M, uint32_t FirstSite, std::vector<Site> &Sites, LoweringContext &Context)
      : M(M), FirstSite(FirstSite), Sites(Sites), Context(Context) {}
  bool run();

private:
  void insertLoopSites(Function &F, const DominatorTree &Dominators, const LoopInfo &Loops);
  bool isForeign(const Instruction &I);
  bool isWaiting(const Loop &L);
  bool takesActiveLanes(const Instruction &I);
  void classifyFunctions();
  void findCallers();
  void number(Function &F, const LoopInfo &Loops);
  void addSite(Instruction &I, const char *What);
  void recordCall(CallInst &Call, Value *Site);

  llvm::Module &M;
  const uint32_t FirstSite;
  std::vector<Site> &Sites;
  LoweringContext &Context;
  SmallPtrSet<const Function *, 16> LeadToSites, Foreign, TakeActiveLanes;
  bool IndirectCallsLead = false;
  bool CallsIndirectly = false; ///< may call functions compiled in another unit
};

/// Returns whether an instruction reads memory that other threads may change between reads, or is
/// opaque.
bool Numbering::isForeign(const Instruction &I) {
  if (isa<AtomicRMWInst, AtomicCmpXchgInst>(I))
    return true;
  if (const auto *Load = dyn_cast<LoadInst>(&I))
    return Load->isVolatile() || Load->isAtomic();
  const auto *Call = dyn_cast<CallInst>(&I);
  if (!Call || !Call->mayReadFromMemory() || siteName(*Call))
    return false;
  const Function *Callee = Call->getCalledFunction();
  if (!Callee)
    return true;
  if (!Callee->isDeclaration())
    return Foreign.count(Callee);
  StringRef Name = Callee->getName();
  return Name.starts_with("gm_") ||
         (Name.starts_with("llvm.nvvm.") && !Name.starts_with("llvm.nvvm.ld"));
}

/// Returns whether an instruction is an operation of the active lanes.
bool Numbering::takesActiveLanes(const Instruction &I) {
  const auto *Call = dyn_cast<CallInst>(&I);
  if (!Call || !Call->getCalledFunction())
    return false;
  StringRef Name = Call->getCalledFunction()->getName();
  if (!Name.consume_front("llvm.nvvm."))
    return TakeActiveLanes.count(Call->getCalledFunction());
  return Name == "activemask" ||
         ((Name.starts_with("vote.") || Name.starts_with("shfl.")) && !Name.contains("sync"));
}

/// Finds the functions that read foreign memory, and those that use the active lanes, directly or
/// through callees.
void Numbering::classifyFunctions() {
  bool Changed = true;
  while (Changed) {
    Changed = false;
    for (Function &F : M)
      for (Instruction &I : instructions(F)) {
        if (isForeign(I))
          Changed |= Foreign.insert(&F).second;
        if (takesActiveLanes(I))
          Changed |= TakeActiveLanes.insert(&F).second;
        if (auto *Call = dyn_cast<CallInst>(&I))
          CallsIndirectly |= Call->isIndirectCall();
      }
  }
}

bool isFence(const Instruction &I) {
  const auto *Call = dyn_cast<CallInst>(&I);
  if (!Call || !Call->getCalledFunction())
    return isa<FenceInst>(I);
  StringRef Name = Call->getCalledFunction()->getName();
  return Name == "llvm.nvvm.nanosleep" || Name.starts_with("llvm.nvvm.barrier.cta.") ||
         Name.starts_with("llvm.nvvm.membar.") || Name.starts_with("llvm.nvvm.fence.");
}

bool Numbering::isWaiting(const Loop &L) {
  SmallVector<BasicBlock *, 4> Exiting;
  L.getExitingBlocks(Exiting);
  if (Exiting.empty())
    return true;
  // After a fence, ordinary memory may have changed too.
  bool HasFence = any_of(L.blocks(), [](const BasicBlock *B) { return any_of(*B, isFence); });
  SmallPtrSet<const Instruction *, 16> Seen;
  SmallVector<const Instruction *, 16> Work;
  for (BasicBlock *Block : Exiting)
    Work.push_back(Block->getTerminator());
  while (!Work.empty()) {
    const Instruction *I = Work.pop_back_val();
    if (!L.contains(I) || !Seen.insert(I).second)
      continue;
    if (isForeign(*I) || (HasFence && isa<LoadInst>(I)))
      return true;
    for (const Value *Operand : I->operands())
      if (const auto *Inner = dyn_cast<Instruction>(Operand))
        Work.push_back(Inner);
    // At -O0 the condition is stored in a local variable.
    if (const auto *Load = dyn_cast<LoadInst>(I))
      if (const auto *Local = dyn_cast<AllocaInst>(Load->getPointerOperand()))
        for (const User *U : Local->users())
          if (const auto *Store = dyn_cast<StoreInst>(U))
            Work.push_back(Store);
  }
  return false;
}

void Numbering::insertLoopSites(Function &F, const DominatorTree &Dominators,
                                const LoopInfo &Loops) {
  SmallPtrSet<const Loop *, 8> Uneven;
  for (Instruction &I : instructions(F)) {
    if (!takesActiveLanes(I))
      continue;
    for (Loop *L = Loops.getLoopFor(I.getParent()); L; L = L->getParentLoop()) {
      SmallVector<BasicBlock *, 4> Latches;
      L->getLoopLatches(Latches);
      for (BasicBlock *Latch : Latches)
        if (!Dominators.dominates(I.getParent(), Latch))
          Uneven.insert(L);
    }
  }
  for (const Loop *L : Loops.getLoopsInPreorder()) {
    bool Waiting = isWaiting(*L);
    if (!Waiting && !Uneven.count(L))
      continue;
    SmallVector<BasicBlock *, 4> Latches;
    L->getLoopLatches(Latches);
    for (BasicBlock *Latch : Latches) {
      IRBuilder<> B(Latch->getTerminator());
      if (const DebugLoc &Loc = L->getStartLoc())
        B.SetCurrentDebugLocation(Loc);
      Value *Thread = Context.threadState(B);
      Value *Zero = B.getInt32(0); // placeholder; number() sets the site
      if (Uneven.count(L))
        Context.callHelper(B, "gm_warp_op", B.getInt64Ty(),
                           {Thread, Zero,
                            B.getInt32(uint32_t(WarpOpKind::Reconverge) | ImplicitMask), Zero,
                            B.getInt64(0), Zero, Zero});
      if (Waiting)
        Context.callHelper(B, "gm_spin", B.getVoidTy(), {Thread, Zero});
    }
  }
}

/// Finds the functions that reach a site, directly or through callees.
void Numbering::findCallers() {
  bool Changed = true;
  auto Leads = [&](const Instruction &I) {
    const auto *Call = dyn_cast<CallInst>(&I);
    if (!Call)
      return false;
    Function *Callee = Call->getCalledFunction();
    if (!Callee)
      return !Call->isInlineAsm() && IndirectCallsLead;
    return siteName(*Call) || Callee->getName() == "gm_spin" || Callee->getName() == "gm_warp_op" ||
           LeadToSites.count(Callee);
  };
  while (Changed) {
    Changed = false;
    for (Function &F : M) {
      if (F.isDeclaration() || LeadToSites.count(&F) || none_of(instructions(F), Leads))
        continue;
      LeadToSites.insert(&F);
      // Indirect calls reach only functions whose address is taken.
      IndirectCallsLead |= F.hasAddressTaken();
      Changed = true;
    }
  }
}

void Numbering::addSite(Instruction &I, const char *What) {
  LLVMContext &C = M.getContext();
  Constant *Number = ConstantInt::get(Type::getInt32Ty(C), FirstSite + Sites.size());
  I.setMetadata(SiteMetadata, MDNode::get(C, ConstantAsMetadata::get(Number)));
  Sites.push_back(siteAt(What, I));
}

/// Stores the number of a call that leads to sites in the call path for the duration of the call.
void Numbering::recordCall(CallInst &Call, Value *Site) {
  IRBuilder<> B(&Call);
  Value *Thread = Context.threadState(B);
  auto Field = [&](size_t Offset) {
    return B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), Thread, Offset);
  };
  Value *Depth = B.CreateLoad(B.getInt32Ty(), Field(offsetof(ThreadState, CallDepth)));
  Value *Last = B.getInt32(MaxCallPath - 1);
  Value *Slot = B.CreateSelect(B.CreateICmpULT(Depth, Last), Depth, Last);
  B.CreateStore(Site, B.CreateGEP(B.getInt32Ty(), Field(offsetof(ThreadState, CallPath)), Slot));
  B.CreateStore(B.CreateAdd(Depth, B.getInt32(1)), Field(offsetof(ThreadState, CallDepth)));
  B.SetInsertPoint(Call.getNextNode());
  B.CreateStore(Depth, Field(offsetof(ThreadState, CallDepth)));
}

void Numbering::number(Function &F, const LoopInfo &Loops) {
  SmallVector<CallInst *, 16> Calls;
  for (BasicBlock *Block : programOrder(F, Loops))
    for (Instruction &I : *Block) {
      auto *Call = dyn_cast<CallInst>(&I);
      if (!Call || Call->isInlineAsm())
        continue;
      Function *Callee = Call->getCalledFunction();
      if (!Callee ? IndirectCallsLead : LeadToSites.count(Callee)) {
        addSite(*Call, "a call");
        Calls.push_back(Call);
      } else if (Callee && (Callee->getName() == "gm_spin" || Callee->getName() == "gm_warp_op")) {
        addSite(*Call, Callee->getName() == "gm_spin" ? "a loop that waits for other threads"
                                                      : "the end of a loop's turn");
        Call->setArgOperand(1, siteOf(*Call));
      } else if (const char *Name = siteName(*Call)) {
        addSite(*Call, Name);
      }
    }
  for (CallInst *Call : Calls)
    recordCall(*Call, siteOf(*Call));
}

bool Numbering::run() {
  classifyFunctions();
  for (Function &F : M) {
    if (F.isDeclaration())
      continue;
    DominatorTree Dominators(F);
    LoopInfo Loops(Dominators);
    insertLoopSites(F, Dominators, Loops);
  }
  findCallers();
  for (Function &F : M) {
    if (!LeadToSites.count(&F))
      continue;
    DominatorTree Dominators(F);
    number(F, LoopInfo(Dominators));
  }
  return !LeadToSites.empty() || CallsIndirectly;
}

} // namespace

bool numberSites(llvm::Module &M, uint32_t FirstSite, std::vector<Site> &Sites,
                 LoweringContext &Context) {
  return Numbering(M, FirstSite, Sites, Context).run();
}

} // namespace gmprof::cpu
