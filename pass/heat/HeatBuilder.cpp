//===- HeatBuilder.cpp - Records which warps access which words -----------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// (cuThermo, 2025.) K__gm_heat records the requests that no closed form describes. K__gm_heat_all
// records all requests, for launches in which a closed form does not hold.
//
//===----------------------------------------------------------------------===//

#include "pass/Profiles.h"

#include "pass/core/DescriptorWriter.h"
#include "pass/core/KernelEntry.h"
#include "pass/core/LaunchParameter.h"
#include "pass/core/SharedMemory.h"
#include "pass/heat/HeatNotes.h"
#include "pass/heat/HeatOptions.h"

#include "llvm/ADT/Statistic.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/CycleAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Module.h"
#include <cstddef>

using namespace llvm;
using namespace gmprof;

#define DEBUG_TYPE "gm-instrument"

STATISTIC(KernelsWithHeat, "Kernels with a clone that notes warps");
STATISTIC(AccessesWithHeatForms, "Accesses whose warps are described by a closed form");

GMPROF_DEFINE_CONSTANT(GmprofHeatFormDesc, GMPROF_HEAT_FORM_DESC_FIELDS)

namespace {

class HeatBuilder : public CloneBuilder {
public:
  HeatBuilder(Instrumenter &I, const Profile &P) : CloneBuilder(I, P), O(heatOptions(I.O)) {}

  bool counts(GmprofSpace Space) const override {
    return Space == GMPROF_SPACE_GENERIC || Space == GMPROF_SPACE_GLOBAL ||
           Space == GMPROF_SPACE_SHARED || Space == GMPROF_SPACE_SHARED_CLUSTER;
  }
  bool recordsSites() const override { return true; }

  void cloneKernel(KernelState &K) override;
  void completeClones(KernelState &K) override;

  StructType *launchType(LLVMContext &Context) const override {
    static_assert(sizeof(GmprofHeatLaunch) == 4 * 8);
    Type *Number = Type::getInt64Ty(Context);
    return launchStruct(Context, "struct.GmprofHeatLaunch", {Number, Number, Number, Number});
  }
  SmallVector<Type *, 5> functionParameters(LLVMContext &Context,
                                            const CloneKind &Kind) const override;
  void instrumentFunction(Clone C) override;
  void emitNotFollowed(IRBuilder<> &B, Argument *First) const override;
  Value *emitBlockCondition(IRBuilder<> &B, const Clone &C) const override;
  void emitEntry(IRBuilder<> &B, const Clone &C, const KernelState &K) const override;

  void addParts(const KernelDescription &D, DescriptorWriter &W) const override;

private:
  const HeatOptions O;
  const Function *Current = nullptr; ///< the kernel that is cloned, and its facts
  std::vector<RequestClone> Clones;
  std::vector<HeatFormSite> Forms;

  bool noteRequests(RequestClone &C, ArrayRef<GlobalVariable *> SharedVariables = {});
  void emitNotes(RequestClone &C, const AccessInfo &Info,
                 ArrayRef<GlobalVariable *> SharedVariables, SmallVector<HeatNote, 0> Notes,
                 bool MayMoveNotes);
  void emitCounters(Clone &C, ArrayRef<GlobalVariable *> SharedVariables);
};

} // namespace

void HeatBuilder::cloneKernel(KernelState &K) {
  Current = &K.Kernel;
  Clones.clear();
  Forms.clear();
  if (!isSelected())
    return;
  for (const CloneKind &Kind : P.Kinds) {
    if (Kind.Mode == GMPROF_MODE_HEAT_ALL && Forms.empty())
      return;
    RequestClone C(I.cloneKernel(K.Kernel, *this, Kind));
    if (!noteRequests(C, K.SharedVariables.getArrayRef())) {
      I.discard(C);
      continue;
    }
    KernelsWithHeat += (K.D.Modes & GMPROF_MODE_HEAT) == 0;
    if (I.O.WithHookKernels)
      I.hooks().keepKernels();
    K.D.Modes |= GMPROF_MODE_HEAT | Kind.Mode;
    Clones.push_back(std::move(C));
  }
}

void HeatBuilder::instrumentFunction(Clone Function) {
  RequestClone C(std::move(Function));
  noteRequests(C);
}

void HeatBuilder::completeClones(KernelState &K) {
  for (const RequestClone &C : Clones) {
    emitKernelEntry(C, K, I.hooks());
    keepInRegisters(*C.F, I.FAM);
    I.complete(C, {GMPROF_SYMBOL_PREFIX "heat_", /*KeepsOccupancy=*/true});
  }
}

/// Returns whether the clone records any request.
bool HeatBuilder::noteRequests(RequestClone &C, ArrayRef<GlobalVariable *> SharedVariables) {
  FunctionAnalysisManager &FAM = I.FAM;
  const AccessInfo &Info = FAM.getResult<AccessAnalysis>(*C.F);
  FunctionSites &Sites = I.sitesOf(C, Info);
  const auto Requests =
      findRequests(C, Info, Sites, I, [&](const Access &A) { return counts(A.Space); });
  const LoopInfo &LI = FAM.getResult<LoopAnalysis>(*C.F);
  const CycleInfo &CI = FAM.getResult<CycleAnalysis>(*C.F);
  const DominatorTree &DT = FAM.getResult<DominatorTreeAnalysis>(*C.F);
  ScalarEvolution &SE = FAM.getResult<ScalarEvolutionAnalysis>(*C.F);
  std::optional<ClosedForms> Described;
  if (C.IsKernel && C.Kind->Mode == GMPROF_MODE_HEAT_CLONE && O.ClosedForms)
    Described.emplace(*C.F, LI, CI, DT, SE);
  std::optional<Sweeps> Swept;
  std::optional<ThreadInvariance> Invariance;
  if (O.Loops) {
    Swept.emplace(*C.F, LI, CI, DT, SE);
    Invariance.emplace(*C.F, DT, CI, FAM.getResult<AAManager>(*C.F), Info, ControlFlow(*C.F));
  }
  HeatAccesses Accesses =
      heatAccesses(C, Info, Sites, Requests, Described ? &*Described : nullptr,
                   Swept ? &*Swept : nullptr, Invariance ? &*Invariance : nullptr);
  if (Described) {
    Forms = std::move(Accesses.Forms);
    AccessesWithHeatForms += Forms.size();
  }
  const bool AnyNotes = !Accesses.Notes.empty();
  emitNotes(C, Info, SharedVariables, std::move(Accesses.Notes), Swept.has_value());
  const bool FollowsCalls = finishRequests(C, Sites, I);
  return AnyNotes || FollowsCalls;
}

/// Returns the blocks that hooks run in.
static SmallPtrSet<const BasicBlock *, 16> blocksWithNotes(ArrayRef<HeatNote> Notes,
                                                           ArrayRef<NoteGroup> Groups) {
  SmallPtrSet<const BasicBlock *, 16> Blocks;
  for (const HeatNote &N : Notes)
    if (N.Swept || !N.Condition)
      Blocks.insert(N.What.Before->getParent()); // also if it is recorded before the loop
  for (const NoteGroup &Group : Groups)
    if (Group.Before)
      Blocks.insert(Group.Before->getParent());
  return Blocks;
}

/// MayMoveNotes: records of loops may be elsewhere than their accesses.
void HeatBuilder::emitNotes(RequestClone &C, const AccessInfo &Info,
                            ArrayRef<GlobalVariable *> SharedVariables,
                            SmallVector<HeatNote, 0> Notes, bool MayMoveNotes) {
  Hooks &H = I.hooks();
  ScalarEvolution &SE = I.FAM.getResult<ScalarEvolutionAnalysis>(*C.F);
  const bool AnyNotes = !Notes.empty();
  PassedNotes Passed = {
      all_of(Notes, [](const HeatNote &N) { return N.What.Space == GMPROF_SPACE_GLOBAL; })};
  MaskedLoops Masked;
  NotedLoops Loops;
  if (MayMoveNotes) {
    Masked.take(Notes, SE);
    joinRuns(Notes, SE);
    Loops.take(Notes, I.FAM.getResult<LoopAnalysis>(*C.F), SE);
  }
  const SmallVector<NoteGroup, 0> Groups = groupNotes(*C.F, Notes);
  SmallPtrSet<const BasicBlock *, 16> WithNotes = blocksWithNotes(Notes, Groups);
  Loops.addBlocks(WithNotes);
  bringLanesTogether(C, Info, I, WithNotes);
  expandSweeps(Notes, SE);
  if (C.IsKernel)
    emitCounters(C, SharedVariables);
  else if (AnyNotes)
    emitFirstSite(C, offsetof(GmprofHeatContext, units), I);
  countOtherBlocks(C, H, Info.accesses());
  emitHeat(C, H, Groups, Passed);
  if (!Loops.empty()) {
    I.FAM.invalidate(*C.F, PreservedAnalyses::none());
    SmallVector<HeatNote, 0> Unrolled = Loops.unroll(*C.F, I.FAM);
    emitHeat(C, H, groupNotes(*C.F, Unrolled), Passed);
  }
  if (!Masked.empty()) {
    I.FAM.invalidate(*C.F, PreservedAnalyses::none());
    SmallVector<HeatNote, 0> OfMasks = Masked.insertMasks(*C.F, I.FAM);
    emitHeat(C, H, groupNotes(*C.F, OfMasks), Passed);
  }
}

void HeatBuilder::emitCounters(Clone &C, ArrayRef<GlobalVariable *> SharedVariables) {
  IRBuilder<> B(C.F->getContext());
  goToEntry(B, C);
  Value *Context =
      launchField(B, launchType(B.getContext()), C.Launch, offsetof(GmprofHeatLaunch, context));
  Type *Cursor = ArrayType::get(B.getInt64Ty(), sizeof(GmprofRequestCursor) / 8);
  C.Counters = {B.CreateIntToPtr(Context, B.getPtrTy()), firstWord(B, I.M, SharedVariables),
                B.CreateAlloca(Cursor, nullptr, "gm.cursor")};
  I.hooks().call(B, "enter_heat", {C.Counters[0], C.Counters[2]});
}

SmallVector<Type *, 5> HeatBuilder::functionParameters(LLVMContext &Context,
                                                       const CloneKind &Kind) const {
  Type *Pointer = PointerType::getUnqual(Context);
  return {Pointer, Type::getInt32Ty(Context), Pointer}; // context, First, cursor
}

void HeatBuilder::emitNotFollowed(IRBuilder<> &B, Argument *First) const {
  Value *Totals = B.CreateLoad(
      B.getInt64Ty(),
      B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), First, offsetof(GmprofHeatContext, totals)));
  Totals = B.CreateAdd(Totals, B.getInt64(offsetof(GmprofHeatTotals, outside)));
  emitIncrement(B, B.CreateIntToPtr(Totals, B.getPtrTy(1)));
}

Value *HeatBuilder::emitBlockCondition(IRBuilder<> &B, const Clone &C) const {
  return I.hooks().call(B, "heat_block_is_noted", C.Launch);
}

/// Emits the stores of the layout of shared memory by one thread.
void HeatBuilder::emitEntry(IRBuilder<> &B, const Clone &C, const KernelState &K) const {
  Value *Context =
      launchField(B, launchType(B.getContext()), C.Launch, offsetof(GmprofHeatLaunch, context));
  Context = B.CreateIntToPtr(Context, B.getPtrTy());
  Value *Writes = I.hooks().call(B, "heat_writes_layout", C.Launch);
  Value *At =
      B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), Context, offsetof(GmprofHeatContext, layout));
  writeSharedLayout(B, Writes, B.CreateLoad(B.getInt64Ty(), At), K);
}

void HeatBuilder::addParts(const KernelDescription &D, DescriptorWriter &W) const {
  std::vector<GmprofHeatFormDesc> Described;
  if (D.Kernel == Current)
    for (const HeatFormSite &F : Forms)
      Described.push_back({F.Site, W.numberOf(D.Functions.front().variable(F.Variable)),
                           W.words(F.Form), static_cast<gmprof_u32>(F.Form.size()), F.Loops,
                           static_cast<gmprof_u32>(F.Offset), F.Bytes, F.PieceBytes});
  W.addPart(W.Header.heatFormsOffset, W.Header.heatFormCount, Described);
}

static constexpr CloneKind Kinds[] = {
    {GMPROF_MODE_HEAT_CLONE, GMPROF_HEAT_CLONE_SUFFIX,
     "warps that access each word, without accesses that closed forms describe"},
    {GMPROF_MODE_HEAT_ALL, GMPROF_HEAT_ALL_CLONE_SUFFIX, "warps that access each word"},
};

const Profile gmprof::HeatProfile = {
    "heat", Kinds, nullptr, [](Instrumenter &I, const Profile &P) -> std::unique_ptr<CloneBuilder> {
      return std::make_unique<HeatBuilder>(I, P);
    }};
