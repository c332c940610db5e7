//===- ThreadInvariance.cpp - Thread-invariant values ---------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
#include "ThreadInvariance.h"
#include "AddressSpaces.h"
#include "BarrierIntervals.h"
#include "InlineAssembly.h"
#include "MemoryInstructions.h"
#include "UniformExecution.h"
#include "llvm/ADT/DepthFirstIterator.h"
#include "llvm/ADT/GenericUniformityImpl.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/MemoryLocation.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"

using namespace llvm;
using namespace gmprof;

// LLVM's library instantiates these for LLVM IR; they must not be instantiated here.
namespace llvm {
template <>
bool GenericUniformityAnalysisImpl<SSAContext>::hasDivergentDefs(const Instruction &) const;
template <> bool GenericUniformityAnalysisImpl<SSAContext>::markDefsDivergent(const Instruction &);
template <> void GenericUniformityAnalysisImpl<SSAContext>::initialize();
template <> void GenericUniformityAnalysisImpl<SSAContext>::pushUsers(const Value *);
template <> void GenericUniformityAnalysisImpl<SSAContext>::pushUsers(const Instruction &);
template <>
bool GenericUniformityAnalysisImpl<SSAContext>::usesValueFromCycle(const Instruction &,
                                                                   const Cycle &) const;
template <>
void GenericUniformityAnalysisImpl<SSAContext>::propagateTemporalDivergence(const Instruction &,
                                                                            const Cycle &);
template <> bool GenericUniformityAnalysisImpl<SSAContext>::isDivergentUse(const Use &) const;
} // namespace llvm

struct ThreadInvariance::Propagation : GenericUniformityAnalysisImpl<SSAContext> {
  using GenericUniformityAnalysisImpl::GenericUniformityAnalysisImpl;
};

//===----------------------------------------------------------------------===//
// Sources of divergence
//===----------------------------------------------------------------------===//

static constexpr const char *MayBeWritten =
    "depends on a load from memory that the kernel may write";

/// Finds values that differ between threads independently of their operands.
class ThreadInvariance::Sources {
public:
  Sources(Function &F, AAResults &AA, const AccessInfo &Info)
      : InKernel(isKernel(F)), AA(AA), Info(Info), Intervals(F) {
    // Another warp may be in another iteration when it writes.
    this->AA.enableCrossIterationMode();
    for (Instruction &I : instructions(F)) {
      auto *Call = dyn_cast<CallBase>(&I);
      if (Call && !isa<IntrinsicInst>(Call) && !Call->isInlineAsm() && !Call->onlyReadsMemory() &&
          !isHarmlessLibraryCall(*Call))
        WritingCalls.push_back(Call);
      NumLoads += isa<LoadInst>(I);
    }
    for (const Access &A : Info.Accesses)
      if (A.Writes)
        Writes.push_back(&A);
  }

  /// Loads whose value is the same for all threads if all execute them equally often.
  SmallVector<const LoadInst *, 8> IfExecutedAlike;

  /// Returns why I's result differs between threads whatever its operands are, or null.
  const char *why(const Instruction &I) {
    if (auto *Load = dyn_cast<LoadInst>(&I))
      return whyLoad(*Load);
    if (I.isAtomic())
      return "depends on the result of an atomic operation";
    if (isa<AllocaInst>(I))
      return "is an address in local memory, which each thread has its own of";
    if (auto *Intrinsic = dyn_cast<IntrinsicInst>(&I))
      return whyIntrinsic(*Intrinsic);
    if (auto *Call = dyn_cast<CallBase>(&I)) {
      if (!Call->isInlineAsm())
        return "depends on the result of a call";
      return isArithmeticAssembly(*Call) ? nullptr : "depends on the result of inline assembly";
    }
    if (isa<VAArgInst>(I))
      return "depends on a variable argument";
    return nullptr;
  }

  /// Returns true if all threads of the block get the same result even from different operands:
  /// __syncthreads_count and similar.
  static bool isAlwaysSame(const Instruction &I) {
    return BarrierIntervals::isBlockBarrier(I) && !I.getType()->isVoidTy();
  }

private:
  bool InKernel;
  BatchAAResults AA;
  const AccessInfo &Info;
  BarrierIntervals Intervals;
  SmallVector<const Access *, 16> Writes;
  SmallVector<const CallBase *, 4> WritingCalls;
  size_t NumLoads = 0;

  const char *whyLoad(const LoadInst &Load) {
    if (!Load.isSimple())
      return "depends on a volatile or atomic load";
    PointsTo Memory = pointsTo(Load.getPointerOperand());
    if (Memory.Space == GMPROF_SPACE_CONSTANT || Load.hasMetadata(LLVMContext::MD_invariant_load))
      return nullptr;
    // A thread's own memory may hold anything, unless it is a parameter that is never written.
    if (Memory.Space == GMPROF_SPACE_LOCAL)
      return "depends on a load from local memory";
    if (!InKernel)
      return "depends on a load from memory that the function's callers may write";
    switch (whenWritten(Load, Memory)) {
    case Written::Never:
      return nullptr;
    case Written::InOtherIntervals:
      IfExecutedAlike.push_back(&Load);
      return nullptr;
    case Written::AtAnyTime:
      break;
    }
    return MayBeWritten;
  }

  enum class Written { Never, InOtherIntervals, AtAnyTime };

  Written whenWritten(const LoadInst &Load, PointsTo Memory) {
    GmprofSpace Space = Memory.Space;
    // The check is quadratic; only generated kernels have that many accesses.
    constexpr size_t MaxQuestions = 1u << 20;
    if (NumLoads * (Writes.size() + WritingCalls.size()) > MaxQuestions)
      return Written::AtAnyTime;
    if (!Info.OpaqueCalls.empty())
      return Written::AtAnyTime;
    MemoryLocation Location = MemoryLocation::get(&Load);
    for (const CallBase *Call : WritingCalls)
      if (isModSet(AA.getModRefInfo(Call, Location)))
        return Written::AtAnyTime;
    Written Result = Written::Never;
    for (const Access *Write : Writes) {
      if (areDisjoint(Space, Write->Space))
        continue;
      bool AreDynamic = isDynamicSharedMemory(Memory.Base) &&
                        isDynamicSharedMemory(pointsTo(Write->Pointer).Base);
      // LLVM does not know that another block's shared memory may be this block's.
      bool IsOfCluster = Write->Space == GMPROF_SPACE_SHARED_CLUSTER;
      if (!AreDynamic && !IsOfCluster && !mayWriteTo(*Write, Location))
        continue;
      // Other blocks write to global memory too, and may write to this block's shared memory by
      // generic and cluster addresses.
      bool IsOwn = Space == GMPROF_SPACE_SHARED && Write->Space == GMPROF_SPACE_SHARED;
      if (!IsOwn || Intervals.mayShareInterval(*Write->Inst, Load))
        return Written::AtAnyTime;
      Result = Written::InOtherIntervals;
    }
    return Result;
  }

  bool mayWriteTo(const Access &Write, const MemoryLocation &Location) {
    bool IsPointer = Write.Pointer->getType()->isPointerTy();
    if (IsPointer && !Write.Tile && !Write.Displacement) {
      LocationSize Size =
          Write.Bytes ? LocationSize::precise(Write.Bytes) : LocationSize::afterPointer();
      return AA.alias(MemoryLocation(Write.Pointer, Size), Location) != AliasResult::NoAlias;
    }
    if (IsPointer)
      return AA.alias(MemoryLocation::getBeforeOrAfter(Write.Pointer), Location) !=
             AliasResult::NoAlias;
    return true; // an integer, in assembly
  }

  const char *whyIntrinsic(const IntrinsicInst &I) {
    switch (I.getIntrinsicID()) {
    case Intrinsic::nvvm_read_ptx_sreg_tid_x:
    case Intrinsic::nvvm_read_ptx_sreg_tid_y:
    case Intrinsic::nvvm_read_ptx_sreg_tid_z:
    case Intrinsic::nvvm_read_ptx_sreg_tid_w:
      return "depends on threadIdx";
    case Intrinsic::nvvm_read_ptx_sreg_laneid:
    case Intrinsic::nvvm_read_ptx_sreg_lanemask_eq:
    case Intrinsic::nvvm_read_ptx_sreg_lanemask_ge:
    case Intrinsic::nvvm_read_ptx_sreg_lanemask_gt:
    case Intrinsic::nvvm_read_ptx_sreg_lanemask_le:
    case Intrinsic::nvvm_read_ptx_sreg_lanemask_lt:
      return "depends on the lane";
    case Intrinsic::nvvm_read_ptx_sreg_warpid:
      return "depends on the warp";
    case Intrinsic::nvvm_read_ptx_sreg_ctaid_x:
    case Intrinsic::nvvm_read_ptx_sreg_ctaid_y:
    case Intrinsic::nvvm_read_ptx_sreg_ctaid_z:
    case Intrinsic::nvvm_read_ptx_sreg_ctaid_w:
    case Intrinsic::nvvm_read_ptx_sreg_ntid_x:
    case Intrinsic::nvvm_read_ptx_sreg_ntid_y:
    case Intrinsic::nvvm_read_ptx_sreg_ntid_z:
    case Intrinsic::nvvm_read_ptx_sreg_ntid_w:
    case Intrinsic::nvvm_read_ptx_sreg_nctaid_x:
    case Intrinsic::nvvm_read_ptx_sreg_nctaid_y:
    case Intrinsic::nvvm_read_ptx_sreg_nctaid_z:
    case Intrinsic::nvvm_read_ptx_sreg_nctaid_w:
    case Intrinsic::nvvm_read_ptx_sreg_clusterid_x:
    case Intrinsic::nvvm_read_ptx_sreg_clusterid_y:
    case Intrinsic::nvvm_read_ptx_sreg_clusterid_z:
    case Intrinsic::nvvm_read_ptx_sreg_clusterid_w:
    case Intrinsic::nvvm_read_ptx_sreg_nclusterid_x:
    case Intrinsic::nvvm_read_ptx_sreg_nclusterid_y:
    case Intrinsic::nvvm_read_ptx_sreg_nclusterid_z:
    case Intrinsic::nvvm_read_ptx_sreg_nclusterid_w:
    case Intrinsic::nvvm_read_ptx_sreg_cluster_ctaid_x:
    case Intrinsic::nvvm_read_ptx_sreg_cluster_ctaid_y:
    case Intrinsic::nvvm_read_ptx_sreg_cluster_ctaid_z:
    case Intrinsic::nvvm_read_ptx_sreg_cluster_ctaid_w:
    case Intrinsic::nvvm_read_ptx_sreg_cluster_nctaid_x:
    case Intrinsic::nvvm_read_ptx_sreg_cluster_nctaid_y:
    case Intrinsic::nvvm_read_ptx_sreg_cluster_nctaid_z:
    case Intrinsic::nvvm_read_ptx_sreg_cluster_nctaid_w:
    case Intrinsic::nvvm_read_ptx_sreg_cluster_ctarank:
    case Intrinsic::nvvm_read_ptx_sreg_cluster_nctarank:
    case Intrinsic::nvvm_is_explicit_cluster:
    case Intrinsic::nvvm_read_ptx_sreg_gridid:
    case Intrinsic::nvvm_read_ptx_sreg_warpsize:
    case Intrinsic::nvvm_read_ptx_sreg_total_smem_size:
    case Intrinsic::nvvm_read_ptx_sreg_dynamic_smem_size:
    case Intrinsic::nvvm_read_ptx_sreg_aggr_smem_size:
      return nullptr;
    case Intrinsic::nvvm_read_ptx_sreg_smid:
    case Intrinsic::nvvm_read_ptx_sreg_clock:
    case Intrinsic::nvvm_read_ptx_sreg_clock64:
    case Intrinsic::nvvm_read_ptx_sreg_globaltimer:
    case Intrinsic::nvvm_read_ptx_sreg_globaltimer_lo:
      return "depends on a clock or on the multiprocessor's number";
    case Intrinsic::nvvm_activemask:
      return "depends on which lanes are active";
    default:
      break;
    }
    if (isAlwaysSame(I) || I.getType()->isVoidTy())
      return nullptr;
    if (I.isConvergent())
      return "depends on the result of a warp operation";
    if (I.isAssumeLikeIntrinsic())
      return nullptr;
    // The result depends on the operands only: isspacep, fma, min …
    if (I.doesNotAccessMemory() && !I.mayHaveSideEffects() && !readsSpecialRegister(I))
      return nullptr;
    return "depends on the result of an intrinsic";
  }

  static bool readsSpecialRegister(const IntrinsicInst &I) {
    return I.getCalledFunction()->getName().starts_with("llvm.nvvm.read.ptx.sreg.");
  }
};

//===----------------------------------------------------------------------===//
// ThreadInvariance
//===----------------------------------------------------------------------===//

ThreadInvariance::ThreadInvariance(Function &F, const DominatorTree &DT, const CycleInfo &CI,
                                   AAResults &AA, const AccessInfo &Info, const ControlFlow &Flow) {
  Sources Seeds(F, AA, Info);
  if (!isKernel(F))
    for (const Argument &A : F.args())
      Reasons[&A] = "depends on an argument, which callers may choose for each thread";
  for (const Instruction &I : instructions(F))
    if (const char *Why = Seeds.why(I))
      Reasons[&I] = Why;
  propagate(F, DT, CI);

  SmallVectorImpl<const LoadInst *> &Assumed = Seeds.IfExecutedAlike;
  while (!Assumed.empty()) {
    UniformExecution Execution(F, Flow, *this);
    size_t Before = Assumed.size();
    erase_if(Assumed, [&](const LoadInst *Load) {
      if (Execution.isUniform(*Load))
        return false;
      Reasons[Load] = MayBeWritten;
      return true;
    });
    if (Assumed.size() == Before)
      break;
    propagate(F, DT, CI);
  }
}

void ThreadInvariance::propagate(Function &F, const DominatorTree &DT, const CycleInfo &CI) {
  Impl = std::make_unique<Propagation>(DT, CI, nullptr);
  for (const Instruction &I : instructions(F))
    if (Sources::isAlwaysSame(I))
      Impl->addUniformOverride(I);
  for (auto [V, Why] : Reasons) {
    auto *I = dyn_cast<Instruction>(V);
    if (I && !I->isTerminator())
      Impl->markDivergent(*I);
    else
      Impl->markDivergent(V);
  }
  Impl->compute();
}

ThreadInvariance::~ThreadInvariance() = default;

Fact ThreadInvariance::isInvariant(const Use &U) const {
  if (!Impl->isDivergentUse(U))
    return {true, ""};
  return {false, whyDivergent(U)};
}

bool ThreadInvariance::hasDivergentBranch(const BasicBlock &BB) const {
  return BB.getTerminator()->getNumSuccessors() > 1 && Impl->hasDivergentTerminator(BB);
}

/// Returns the reason of the nearest source among the divergent operands.
const char *ThreadInvariance::whyDivergent(const Use &U) const {
  if (!Impl->isDivergent(U.get()))
    return "left a loop at different iterations";
  SmallPtrSet<const Value *, 16> Visited;
  SmallVector<const Value *, 16> Queue;
  bool LeftLoop = false;
  Queue.push_back(U.get());
  Visited.insert(U.get());
  for (size_t Next = 0; Next < Queue.size(); ++Next) {
    if (auto Known = Reasons.find(Queue[Next]); Known != Reasons.end())
      return Known->second;
    auto *I = dyn_cast<Instruction>(Queue[Next]);
    if (!I)
      continue;
    for (const Use &Operand : I->operands()) {
      if (!Impl->isDivergentUse(Operand))
        continue;
      if (!Impl->isDivergent(Operand.get()))
        LeftLoop = true;
      else if (Visited.insert(Operand.get()).second)
        Queue.push_back(Operand.get());
    }
  }
  return LeftLoop ? "depends on a value that leaves a loop at different iterations"
                  : "depends on which way threads came, and they may differ";
}
