//===- LowerThreads.cpp - Registers, barriers and warp operations ---------===//
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
// Numbering
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

//===----------------------------------------------------------------------===//
// Special registers
//===----------------------------------------------------------------------===//

namespace {

/// Register with three dimensions, by name without ".x".
struct Vector3Register {
  const char *Name;
  bool OfThread;
  size_t Offset;
};
constexpr Vector3Register Vector3Registers[] = {
    {"tid", true, offsetof(ThreadState, ThreadIdx)},
    {"ntid", false, offsetof(BlockState, BlockDim)},
    {"ctaid", false, offsetof(BlockState, BlockIdx)},
    {"nctaid", false, offsetof(BlockState, GridDim)},
    {"clusterid", false, offsetof(BlockState, ClusterIdx)},
    {"nclusterid", false, offsetof(BlockState, ClusterGrid)},
    {"cluster.ctaid", false, offsetof(BlockState, InCluster)},
    {"cluster.nctaid", false, offsetof(BlockState, ClusterDim)},
};

/// Warps per SM and SMs of an H100.
constexpr uint32_t WarpsOfSm = 64, NumSms = 132;

Value *lowerSpecialRegister(IRBuilder<> &B, StringRef Name, LoweringContext &Context) {
  Type *I32 = B.getInt32Ty(), *I64 = B.getInt64Ty();
  auto [Base, Dimension] = Name.rsplit('.');
  for (const Vector3Register &R : Vector3Registers)
    if (Base == R.Name) {
      if (Dimension == "w")
        return B.getInt32(Base.starts_with("n") || Base == "cluster.nctaid" ? 1 : 0);
      size_t Offset = R.Offset + 4 * (Dimension[0] - 'x');
      return R.OfThread ? Context.loadThread(B, Offset, I32) : Context.loadBlock(B, Offset, I32);
    }
  if (Name == "cluster.ctarank")
    return Context.loadBlock(B, offsetof(BlockState, ClusterRank), I32);
  if (Name == "cluster.nctarank")
    return Context.loadBlock(B, offsetof(BlockState, ClusterSize), I32);
  if (Name == "laneid")
    return Context.loadThread(B, offsetof(ThreadState, Lane), I32);
  if (Name == "warpid")
    return Context.loadThread(B, offsetof(ThreadState, Warp), I32);
  if (Name == "nwarpid")
    return B.getInt32(WarpsOfSm);
  if (Name == "smid")
    return Context.loadBlock(B, offsetof(BlockState, SmId), I32);
  if (Name == "nsmid")
    return B.getInt32(NumSms);
  if (Name == "warpsize")
    return B.getInt32(WarpSize);
  if (Name == "gridid")
    return Context.loadBlock(B, offsetof(BlockState, GridId), I32);
  if (Name == "dynamic_smem_size")
    return Context.loadBlock(B, offsetof(BlockState, DynamicBytes), I32);
  if (Name == "total_smem_size" || Name == "aggr_smem_size")
    return Context.loadBlock(B, offsetof(BlockState, SharedBytes), I32);
  if (Name == "clock64")
    return Context.callHelper(B, "gm_clock64", I64);
  if (Name == "clock")
    return B.CreateTrunc(Context.callHelper(B, "gm_clock64", I64), I32);
  if (Name == "globaltimer")
    return Context.callHelper(B, "gm_globaltimer", I64);
  if (Name == "globaltimer.lo")
    return B.CreateTrunc(Context.callHelper(B, "gm_globaltimer", I64), I32);
  if (Name == "envreg1" || Name == "envreg2") // high and low half
    return Context.loadBlock(B, offsetof(BlockState, GridWorkspace) + (Name == "envreg1" ? 4 : 0),
                             I32);
  if (Name.starts_with("envreg") || Name.starts_with("pm"))
    return B.getInt32(0);
  if (Name.consume_front("lanemask.")) {
    Value *Lane = Context.loadThread(B, offsetof(ThreadState, Lane), I32);
    Value *Bit = B.CreateShl(B.getInt32(1), Lane);
    Value *Below = B.CreateSub(Bit, B.getInt32(1));
    if (Name == "eq")
      return Bit;
    if (Name == "lt")
      return Below;
    if (Name == "le")
      return B.CreateOr(Below, Bit);
    if (Name == "ge")
      return B.CreateNot(Below);
    if (Name == "gt")
      return B.CreateNot(B.CreateOr(Below, Bit));
  }
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Barriers and warp operations
//===----------------------------------------------------------------------===//

/// Lowers one call.
class ThreadOp {
public:
  ThreadOp(CallInst &Call, LoweringContext &Context)
      : Call(Call), Context(Context), B(&Call), I32(B.getInt32Ty()) {}

  /// Returns the replacement of Call (null if it has no value), or nothing if the intrinsic is of
  /// another kind.
  std::optional<Value *> lower(StringRef Name);

private:
  Value *arg(unsigned I) { return Call.getArgOperand(I); }
  Value *widen(Value *V) {
    if (V->getType()->isFloatTy())
      V = B.CreateBitCast(V, I32);
    return B.CreateZExt(V, B.getInt64Ty());
  }
  Value *site() { return siteOf(Call); }
  Value *thread() { return Context.threadState(B); }
  Value *warpOp(WarpOpKind Kind, Value *Mask, Value *A = nullptr, Value *Other = nullptr,
                Value *Clamp = nullptr);
  Value *result(Value *Wide);
  Value *barrier(StringRef Name);
  std::optional<Value *> shuffle(StringRef Name);
  std::optional<Value *> vote(StringRef Name);
  std::optional<Value *> reduction(StringRef Name);

  CallInst &Call;
  LoweringContext &Context;
  IRBuilder<> B;
  Type *I32;
};

/// Emits a warp operation; a null Mask means none.
Value *ThreadOp::warpOp(WarpOpKind Kind, Value *Mask, Value *A, Value *Other, Value *Clamp) {
  Value *Zero = B.getInt32(0);
  return Context.callHelper(
      B, "gm_warp_op", B.getInt64Ty(),
      {thread(), site(), B.getInt32(uint32_t(Kind) | (Mask ? 0 : ImplicitMask)), Mask ? Mask : Zero,
       A ? widen(A) : B.getInt64(0), Other ? Other : Zero, Clamp ? Clamp : Zero});
}

/// Converts value and predicate of gm_warp_op to Call's type.
Value *ThreadOp::result(Value *Wide) {
  Type *Type = Call.getType();
  if (Type->isVoidTy())
    return nullptr;
  auto Scalar = [&](llvm::Type *T) -> Value * {
    Value *Low = B.CreateTrunc(Wide, I32);
    return T->isIntegerTy(1) ? B.CreateICmpNE(Low, B.getInt32(0)) : B.CreateBitCast(Low, T);
  };
  auto *Pair = dyn_cast<StructType>(Type);
  if (!Pair)
    return Scalar(Type);
  Value *Predicate = B.CreateTrunc(B.CreateLShr(Wide, 32), B.getInt1Ty());
  Value *Both = B.CreateInsertValue(PoisonValue::get(Pair), Scalar(Pair->getElementType(0)), 0);
  return B.CreateInsertValue(Both, Predicate, 1);
}

/// Lowers cta.{sync|arrive|red.popc|red.and|red.or}[.aligned].{all|count}.
Value *ThreadOp::barrier(StringRef Name) {
  BarrierKind Kind = BarrierKind::Sync;
  if (Name.starts_with("arrive"))
    Kind = BarrierKind::Arrive;
  else if (Name.starts_with("red.popc"))
    Kind = BarrierKind::PopCount;
  else if (Name.starts_with("red.and"))
    Kind = BarrierKind::And;
  else if (Name.starts_with("red.or"))
    Kind = BarrierKind::Or;
  bool Counted = Name.ends_with(".count");
  Value *Predicate = B.getInt32(0);
  if (Name.starts_with("red."))
    Predicate = B.CreateZExt(arg(Call.arg_size() - 1), I32);
  Value *Result = Context.callHelper(B, "gm_barrier", I32,
                                     {thread(), site(), B.getInt32(uint32_t(Kind)), arg(0),
                                      Counted ? arg(1) : B.getInt32(0), Predicate});
  if (Call.getType()->isVoidTy())
    return nullptr;
  return Call.getType()->isIntegerTy(1) ? B.CreateICmpNE(Result, B.getInt32(0)) : Result;
}

/// Lowers [sync.]{up|down|bfly|idx}.{i32|f32}[p].
std::optional<Value *> ThreadOp::shuffle(StringRef Name) {
  bool Sync = Name.consume_front("sync.");
  auto Kind = StringSwitch<std::optional<WarpOpKind>>(Name.split('.').first)
                  .Case("up", WarpOpKind::ShuffleUp)
                  .Case("down", WarpOpKind::ShuffleDown)
                  .Case("bfly", WarpOpKind::ShuffleButterfly)
                  .Case("idx", WarpOpKind::ShuffleIndex)
                  .Default(std::nullopt);
  if (!Kind)
    return std::nullopt;
  unsigned First = Sync ? 1 : 0;
  return result(warpOp(*Kind, Sync ? arg(0) : nullptr, arg(First), arg(First + 1), arg(First + 2)));
}

/// Lowers {all|any|uni|ballot}[.sync].
std::optional<Value *> ThreadOp::vote(StringRef Name) {
  bool Sync = Name.consume_back(".sync");
  auto Kind = StringSwitch<std::optional<WarpOpKind>>(Name)
                  .Case("all", WarpOpKind::VoteAll)
                  .Case("any", WarpOpKind::VoteAny)
                  .Case("uni", WarpOpKind::VoteUniform)
                  .Case("ballot", WarpOpKind::Ballot)
                  .Default(std::nullopt);
  if (!Kind)
    return std::nullopt;
  return result(warpOp(*Kind, Sync ? arg(0) : nullptr, arg(Sync ? 1 : 0)));
}

std::optional<Value *> ThreadOp::reduction(StringRef Name) {
  bool IsFloat = Name.consume_front("f");
  bool NaNWins = IsFloat && Name.consume_back(".NaN");
  bool Absolute = IsFloat && Name.consume_back(".abs");
  std::optional<WarpOpKind> Kind;
  if (IsFloat)
    Kind = StringSwitch<std::optional<WarpOpKind>>(Name)
               .Case("min", NaNWins ? WarpOpKind::ReduceFMinNaN : WarpOpKind::ReduceFMin)
               .Case("max", NaNWins ? WarpOpKind::ReduceFMaxNaN : WarpOpKind::ReduceFMax)
               .Default(std::nullopt);
  else
    Kind = StringSwitch<std::optional<WarpOpKind>>(Name)
               .Case("add", WarpOpKind::ReduceAdd)
               .Case("min", WarpOpKind::ReduceMin)
               .Case("max", WarpOpKind::ReduceMax)
               .Case("umin", WarpOpKind::ReduceUMin)
               .Case("umax", WarpOpKind::ReduceUMax)
               .Case("and", WarpOpKind::ReduceAnd)
               .Case("or", WarpOpKind::ReduceOr)
               .Case("xor", WarpOpKind::ReduceXor)
               .Default(std::nullopt);
  if (!Kind)
    return std::nullopt;
  Value *Operand = arg(0);
  if (Absolute)
    Operand = B.CreateUnaryIntrinsic(Intrinsic::fabs, Operand);
  return result(warpOp(*Kind, arg(1), Operand));
}

std::optional<Value *> ThreadOp::lower(StringRef Name) {
  if (Name.consume_front("read.ptx.sreg.")) {
    if (Value *V = lowerSpecialRegister(B, Name, Context))
      return V;
    return std::nullopt;
  }
  if (Name.consume_front("barrier.cta."))
    return barrier(Name);
  if (Name.starts_with("barrier.cluster.arrive")) {
    Context.callHelper(B, "gm_cluster_arrive", B.getVoidTy(), {thread()});
    return nullptr;
  }
  if (Name.starts_with("barrier.cluster.wait")) {
    Context.callHelper(B, "gm_cluster_wait", B.getVoidTy(), {thread(), site()});
    return nullptr;
  }
  if (Name.consume_front("shfl."))
    return shuffle(Name);
  if (Name.consume_front("vote."))
    return vote(Name);
  if (Name.consume_front("redux.sync."))
    return reduction(Name);
  if (Name == "bar.warp.sync")
    return result(warpOp(WarpOpKind::SyncWarp, arg(0)));
  if (Name == "activemask")
    return result(warpOp(WarpOpKind::ActiveMask, nullptr));
  if (Name.starts_with("match.any.sync."))
    return result(warpOp(WarpOpKind::MatchAny, arg(0), arg(1)));
  if (Name.starts_with("match.all.sync."))
    return result(warpOp(WarpOpKind::MatchAll, arg(0), arg(1)));
  if (Name == "elect.sync")
    return result(warpOp(WarpOpKind::Elect, arg(0)));
  if (Name == "nanosleep") {
    Context.callHelper(B, "gm_nanosleep", B.getVoidTy(), {thread(), site(), arg(0)});
    return nullptr;
  }
  if (Name == "exit") {
    Context.callHelper(B, "gm_exit", B.getVoidTy(), {thread()});
    return nullptr;
  }
  return std::nullopt;
}

} // namespace

bool lowerThreadIntrinsic(CallInst &Call, LoweringContext &Context) {
  StringRef Name = Call.getCalledFunction()->getName();
  Name.consume_front("llvm.nvvm.");
  std::optional<Value *> Result = ThreadOp(Call, Context).lower(Name);
  if (!Result)
    return false;
  if (*Result)
    Call.replaceAllUsesWith(*Result);
  Call.eraseFromParent();
  return true;
}

} // namespace gmprof::cpu
