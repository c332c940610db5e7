//===- GlobalBuilder.cpp - Counts accesses of global memory ---------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// K__gm_global counts the accesses of each element of global memory that no closed form describes,
// and K__gm_global_all counts all, for launches in which a closed form does not hold.
//
//===----------------------------------------------------------------------===//

#include "pass/Profiles.h"

#include "pass/core/DescriptorWriter.h"
#include "pass/core/KernelEntry.h"
#include "pass/global/GlobalLaunch.h"
#include "pass/global/GlobalOptions.h"
#include "pass/global/GlobalUpdates.h"
#include "pass/rules/Rules.h"

#include "llvm/ADT/Statistic.h"
#include "llvm/IR/Module.h"
#include <cstddef>

using namespace llvm;
using namespace gmprof;

#define DEBUG_TYPE "gm-instrument"

STATISTIC(KernelsWithoutGlobal, "Kernels without clone for global memory: nothing to count");

namespace {

/// The numbers that a kernel's variables have in GmprofGlobalLaunch::roots.
using Roots = std::vector<std::optional<unsigned>>;

class GlobalContext : public RuleContext {
public:
  GlobalContext(GlobalClone &C, const Roots &R, Updates &Planned, FunctionAnalysisManager &FAM)
      : RuleContext(C, GMPROF_SPACE_GLOBAL, Planned, FAM), R(R) {}

  Update update(const Access &A) const override {
    Update U = Updates::of(A);
    U.Counter = counterOf(A);
    if (C.IsKernel && A.Variable >= 0)
      U.Root = R[A.Variable];
    return U;
  }

private:
  const Roots &R;
};

class GlobalBuilder : public CloneBuilder {
public:
  GlobalBuilder(Instrumenter &I, const Profile &P)
      : CloneBuilder(I, P), O(cantFail(globalOptions(I.O))) {}

  bool counts(GmprofSpace Space) const override {
    return Space == GMPROF_SPACE_GENERIC || Space == GMPROF_SPACE_GLOBAL;
  }
  unsigned inlineShares() const override { return 2; }

  void cloneKernel(KernelState &K) override;
  void completeClones(KernelState &K) override;

  StructType *launchType(LLVMContext &Context) const override { return globalLaunchType(Context); }
  SmallVector<Type *, 5> functionParameters(LLVMContext &Context,
                                            const CloneKind &Kind) const override;
  std::string functionSuffix(const CloneKind &Kind) const override;
  void instrumentFunction(Clone C) override;
  void emitNotFollowed(IRBuilder<> &B, Argument *First) const override;
  Value *emitBlockCondition(IRBuilder<> &B, const Clone &C) const override;
  void emitEntry(IRBuilder<> &B, const Clone &C, const KernelState &K) const override;

  void describeHeader(const KernelDescription &D, DescriptorWriter &W) const override;
  void describeSite(const DescribedFunction &F, unsigned Number, GmprofSiteDesc &To,
                    DescriptorWriter &W) const override;
  void addParts(const KernelDescription &D, DescriptorWriter &W) const override;

private:
  const GlobalOptions O;
  CountedSites Counted;
  const Function *Current = nullptr; ///< the kernel that is cloned, and its facts
  std::vector<GlobalClone> Clones;
  Roots KernelRoots;

  std::string counterName() const;
  void assignRoots(const FunctionSites &Sites, ArrayRef<CountedSite> How);
  bool countAccesses(GlobalClone &C);
  CountedSite count(const Access &A, RuleContext &Context, std::string Why);
  void emitCounters(GlobalClone &C);
};

} // namespace

void GlobalBuilder::cloneKernel(KernelState &K) {
  Current = &K.Kernel;
  Clones.clear();
  KernelRoots.clear();
  if (!isSelected())
    return;
  K.D.Modes |= GMPROF_MODE_GLOBAL;
  bool HasClosedForms = false;
  for (const CloneKind &Kind : P.Kinds) {
    if (Kind.Mode == GMPROF_MODE_GLOBAL_ALL && !HasClosedForms)
      return;
    GlobalClone C(I.cloneKernel(K.Kernel, *this, Kind), O.Threshold);
    const bool Counts = countAccesses(C);
    HasClosedForms = any_of(Counted.of(K.Kernel, *I.sitesOf(K.Kernel)),
                            [](const CountedSite &S) { return S.Rule == GMPROF_RULE_CLOSED_FORM; });
    if (Counts) {
      K.D.Modes |= Kind.Mode;
      Clones.push_back(std::move(C));
    } else {
      ++KernelsWithoutGlobal;
      I.discard(C);
    }
  }
}

/// Numbers the variables of a kernel that the launch parameter has room for: first those with
/// accesses that are counted.
void GlobalBuilder::assignRoots(const FunctionSites &Sites, ArrayRef<CountedSite> How) {
  KernelRoots.assign(Sites.Variables.size(), std::nullopt);
  unsigned Next = 0;
  for (bool OfClosedForms : {false, true})
    for (auto [S, Counting] : zip(Sites.Sites, How)) {
      if (S.Variable < 0 || (Counting.Rule == GMPROF_RULE_CLOSED_FORM) != OfClosedForms ||
          (S.Space != GMPROF_SPACE_GLOBAL && S.Space != GMPROF_SPACE_GENERIC))
        continue;
      const Variable &V = Sites.Variables[S.Variable];
      const bool HasPointer =
          V.Parameter >= 0 || (V.Kind == GMPROF_VARIABLE_GLOBAL && !isTableOfCompiler(V));
      if (std::optional<unsigned> &Root = KernelRoots[S.Variable];
          HasPointer && !Root && Next != GMPROF_GLOBAL_ROOTS)
        Root = Next++;
    }
}

/// Counts an access by the first rule that fits. Why says why there is no closed form.
CountedSite GlobalBuilder::count(const Access &A, RuleContext &Context, std::string Why) {
  if (!I.O.usesStaticAnalysis())
    return {countEach(A, Context), "level basic counts each access", {}, {}};
  if (auto Rule = countAfterLoops(A, Context))
    return {*Rule, Why, {}, {}};
  addReason(Why, "not after the loop", A.LoopReason);
  const char *Reason = "";
  if (auto Rule = countSweep(A, Context, Reason))
    return {*Rule, Why, {}, {}};
  addReason(Why, "not before the loop", Reason);
  if (auto Rule = countByOneThread(A, Context))
    return {*Rule, Why, {}, {}};
  addReason(Why, "not by one thread", A.ThreadInvariantAddress.Why);
  return {countEachBeside(A, Context), Why, {}, {}};
}

/// Returns whether anything is counted.
bool GlobalBuilder::countAccesses(GlobalClone &C) {
  C.CounterName = counterName();
  const AccessInfo &Info = I.FAM.getResult<AccessAnalysis>(*C.F);
  FunctionSites &Sites = I.sitesOf(C, Info);
  std::vector<CountedSite> &How = Counted.of(*C.Original, Sites);
  assert(Info.accesses().size() <= How.size() && "all clones have the same accesses");
  const bool IsDescribed = C.Kind->Mode == GMPROF_MODE_GLOBAL_CLONE;
  const auto IsCounted = [&](const Access &A) {
    return counts(A.Space) && !isOfCompilerTable(A, Sites);
  };
  Updates Planned;
  GlobalContext Context(C, KernelRoots, Planned, I.FAM);
  if (C.IsKernel && IsDescribed) {
    if (I.O.usesStaticAnalysis())
      for (auto [A, S] : zip(Info.accesses(), How))
        if (IsCounted(A))
          describeByForm(A, Context, Info.variables(), S);
    assignRoots(Sites, How);
  }
  for (auto [A, S] : zip(Info.accesses(), How)) {
    if (!IsCounted(A))
      continue;
    if (!IsDescribed)
      count(A, Context, "");
    else if (S.Rule != GMPROF_RULE_CLOSED_FORM)
      S = count(A, Context, S.Reason);
  }
  return emitCounts(Context, Sites, I, [&] { emitCounters(C); }, emitGlobalUpdate);
}

void GlobalBuilder::instrumentFunction(Clone Function) {
  GlobalClone C(std::move(Function), O.Threshold);
  countAccesses(C);
}

void GlobalBuilder::emitCounters(GlobalClone &C) {
  IRBuilder<> B(C.F->getContext());
  goToEntry(B, C);
  auto Pointer = [&](size_t Offset) {
    return B.CreateIntToPtr(globalLaunchField(B, C.Launch, Offset), B.getPtrTy());
  };
  C.Counters = {Pointer(offsetof(GmprofGlobalLaunch, objects)),
                globalLaunchField(B, C.Launch, offsetof(GmprofGlobalLaunch, objectCount)),
                Pointer(offsetof(GmprofGlobalLaunch, totals))};
  C.IsFirstThread = I.hooks().call(B, "thread_is_first", {});
  C.Threads = I.hooks().call(B, "threads_of_block", {});
}

void GlobalBuilder::completeClones(KernelState &K) {
  for (const GlobalClone &C : Clones) {
    emitKernelEntry(C, K, I.hooks());
    I.complete(C, {});
  }
}

/// Returns the name of the counters (CountingClone::CounterName).
std::string GlobalBuilder::counterName() const {
  return I.O.Level == GMPROF_LEVEL_SA_NA_SM_TH ? "u" + std::to_string(O.CounterBits)
         : I.O.Level >= GMPROF_LEVEL_SA_NA     ? "plain"
                                               : "atomic";
}

// Only kernels have closed forms, so both kinds share the clones of device functions.
std::string GlobalBuilder::functionSuffix(const CloneKind &Kind) const {
  return GMPROF_GLOBAL_CLONE_SUFFIX "_" + counterName() + "_" + std::to_string(O.Threshold);
}

SmallVector<Type *, 5> GlobalBuilder::functionParameters(LLVMContext &Context,
                                                         const CloneKind &Kind) const {
  Type *Pointer = PointerType::getUnqual(Context);
  return {Pointer, Type::getInt32Ty(Context), Pointer}; // Objects, ObjectCount, Totals
}

void GlobalBuilder::emitNotFollowed(IRBuilder<> &B, Argument *First) const {
  Value *Totals = First + 2;
  Value *Lost =
      B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), Totals, offsetof(GmprofGlobalTotals, outside));
  emitIncrement(B, B.CreateAddrSpaceCast(Lost, B.getPtrTy(1)));
}

Value *GlobalBuilder::emitBlockCondition(IRBuilder<> &B, const Clone &C) const {
  return I.hooks().call(B, "block_is_counted",
                        globalLaunchField(B, C.Launch, offsetof(GmprofGlobalLaunch, blockSample)));
}

/// Emits that the block's first thread counts the block.
void GlobalBuilder::emitEntry(IRBuilder<> &B, const Clone &C, const KernelState &K) const {
  Value *Totals = globalLaunchField(B, C.Launch, offsetof(GmprofGlobalLaunch, totals));
  I.hooks().call(B, "enter_global", B.CreateIntToPtr(Totals, B.getPtrTy()));
}

void GlobalBuilder::describeHeader(const KernelDescription &D, DescriptorWriter &W) const {
  W.Header.globalLevel = I.O.Level;
  W.Header.globalCounterBits = O.CounterBits;
  W.Header.globalThreshold = O.Threshold;
}

void GlobalBuilder::describeSite(const DescribedFunction &F, unsigned Number, GmprofSiteDesc &To,
                                 DescriptorWriter &W) const {
  const CountedSite S = Counted.of(F, Number);
  To.globalRule = static_cast<gmprof_u32>(S.Rule);
  To.globalReason = W.string(S.Reason);
  if (!S.Form.empty())
    W.addForm(F.FirstSite + Number, To.variable, S.Form);
}

void GlobalBuilder::addParts(const KernelDescription &D, DescriptorWriter &W) const {
  if (D.Kernel != Current || D.Functions.empty())
    return;
  for (auto [Number, Root] : enumerate(KernelRoots))
    if (Root)
      W.Variables[D.Functions.front().variable(static_cast<int>(Number))].root = *Root;
}

static constexpr CloneKind Kinds[] = {
    {GMPROF_MODE_GLOBAL_CLONE, GMPROF_GLOBAL_CLONE_SUFFIX,
     "counts of global memory, without accesses that closed forms describe"},
    {GMPROF_MODE_GLOBAL_ALL, GMPROF_GLOBAL_ALL_CLONE_SUFFIX, "counts of global memory"},
};

const Profile gmprof::GlobalProfile = {
    "global", Kinds, [](const Options &O) { return globalOptions(O).takeError(); },
    [](Instrumenter &I, const Profile &P) -> std::unique_ptr<CloneBuilder> {
      return std::make_unique<GlobalBuilder>(I, P);
    }};
