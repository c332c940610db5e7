//===- SharedBuilder.cpp - Counts accesses of shared memory ---------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// (GMProf, CCGrid'12.) K__gm_shared counts the accesses of each word of shared memory that no
// closed form describes, and K__gm_shared_all counts all, and live ranges. Both have their counters
// behind the kernel's dynamic shared memory. K__gm_shared_dm has them in device memory, for
// launches without room in shared memory and for levels without counters there.
//
//===----------------------------------------------------------------------===//

#include "pass/Profiles.h"

#include "pass/core/DescriptorWriter.h"
#include "pass/core/Exits.h"
#include "pass/core/KernelEntry.h"
#include "pass/core/OtherBlocks.h"
#include "pass/core/SharedMemory.h"
#include "pass/rules/RangeRule.h"
#include "pass/rules/Rules.h"
#include "pass/shared/AlikeBlocks.h"
#include "pass/shared/Moves.h"
#include "pass/shared/SharedClone.h"
#include "pass/shared/SharedLaunch.h"
#include "pass/shared/SharedOptions.h"
#include "pass/shared/SharedSize.h"
#include "pass/shared/SharedUpdates.h"

#include "llvm/ADT/Statistic.h"
#include "llvm/IR/Module.h"
#include <cstddef>

using namespace llvm;
using namespace gmprof;

#define DEBUG_TYPE "gm-instrument"

STATISTIC(KernelsWithoutShared, "Kernels without clone for shared memory: there is none");
STATISTIC(KernelsRefused, "Kernels without clone for shared memory: cannot be instrumented");
STATISTIC(KernelsOfAlikeBlocks, "Kernels counted in their first block alone");
STATISTIC(KernelsKnown, "Kernels whose accesses of shared memory need no counting");
STATISTIC(KernelsWithRanges, "Kernels whose live ranges are counted");

GMPROF_DEFINE_CONSTANT(GmprofStaticDesc, GMPROF_STATIC_DESC_FIELDS)
GMPROF_DEFINE_CONSTANT(GmprofMoveDesc, GMPROF_MOVE_DESC_FIELDS)

namespace {

/// Facts about a kernel that the profile collects before it writes the descriptor.
struct SharedKernel {
  const Function *Kernel = nullptr;
  std::string Reason; ///< why no clone counts shared memory
  std::vector<SharedClone> Clones;
  std::vector<MoveSite> Moves;
  std::vector<unsigned> RangeVariables; ///< variables whose live ranges are counted
};

class SharedBuilder : public CloneBuilder {
public:
  SharedBuilder(Instrumenter &I, const Profile &P)
      : CloneBuilder(I, P), O(I.O), S(cantFail(sharedOptions(I.O))) {}

  bool counts(GmprofSpace Space) const override {
    return Space == GMPROF_SPACE_GENERIC || Space == GMPROF_SPACE_SHARED ||
           Space == GMPROF_SPACE_SHARED_CLUSTER;
  }
  bool needsClone(const Function &F) const override { return hasExitInstructions(F); }
  bool followsAllCalls() const override { return true; }
  unsigned inlineShares() const override { return 2; }

  void beginModule() override;
  void endModule() override { unmarkMoves(I.M); }
  void cloneKernel(KernelState &K) override;
  void describeKernel(KernelState &K) override;
  void completeClones(KernelState &K) override;

  StructType *launchType(LLVMContext &Context) const override { return sharedLaunchType(Context); }
  SmallVector<Type *, 5> functionParameters(LLVMContext &Context,
                                            const CloneKind &Kind) const override;
  void setFunctionParameters(Clone &C, ArrayRef<Value *> Parameters) const override;
  SmallVector<Value *, 5> functionArguments(const Clone &C) const override;
  std::string functionSuffix(const CloneKind &Kind) const override;
  SmallVector<const CloneKind *, 2> kindsForOtherModules() const override;
  void instrumentFunction(Clone C) override;
  void emitNotFollowed(IRBuilder<> &B, Argument *First) const override;
  Value *emitBlockCondition(IRBuilder<> &B, const Clone &C) const override;
  void emitEntry(IRBuilder<> &B, const Clone &C, const KernelState &K) const override {
    emitSharedEntry(B, cloneOf(C), K, I.hooks());
  }

  void describeHeader(const KernelDescription &D, DescriptorWriter &W) const override;
  void describeSite(const DescribedFunction &F, unsigned Number, GmprofSiteDesc &To,
                    DescriptorWriter &W) const override;
  void addParts(const KernelDescription &D, DescriptorWriter &W) const override;

private:
  const Options &O;
  const SharedOptions S;
  CountedSites Counted;
  SharedKernel Current;
  /// Device functions have to count live ranges for one of the kernels.
  bool FunctionsCountRanges = false;

  /// Returns whether a kind of clone has its counters in shared memory.
  static bool inSharedMemory(const CloneKind &Kind) { return Kind.Mode != GMPROF_MODE_SHARED_DM; }
  static bool inSharedMemory(const Clone &C) { return inSharedMemory(*C.Kind); }
  std::string counterName(const CloneKind &Kind) const;
  std::string width() const { return "u" + std::to_string(S.CounterBits); }
  std::string whyNoClone(const KernelState &K) const;
  bool mayLackRoom(const KernelState &K) const;
  bool addClone(KernelState &K, const CloneKind &Kind);
  void findMoves(SharedClone &C, KernelState &K);
  bool isDescribed(const Clone &C) const;
  bool countAccesses(SharedClone &C, ArrayRef<GlobalVariable *> Variables = {});
  CountedSite count(const Access &Found, RuleContext &Context, bool MayBeStatic, std::string Why);
  const SharedClone &cloneOf(const Clone &C) const;
};

} // namespace

/// Prepares device functions for live ranges, as all kernels share their clones.
void SharedBuilder::beginModule() {
  const bool AnyFunctions = any_of(I.M, [&](const Function &F) {
    return !F.isDeclaration() && !isKernel(F) && functions().needsClone(F);
  });
  if (!AnyFunctions || !S.LiveRanges || !isSelected())
    return;
  for (Function *Kernel : I.Kernels)
    FunctionsCountRanges |= markMovesInCallees(*Kernel, I.FAM);
}

/// Returns why no clone of a kernel counts shared memory, or an empty string.
std::string SharedBuilder::whyNoClone(const KernelState &K) const {
  if (!isSelected())
    return "not compiled for a profile of shared memory";
  const bool CallsOtherModules =
      any_of(K.Reachable, [](const Function *F) { return isProgramsExternal(*F); });
  if (K.SharedVariables.empty() && !CallsOtherModules) {
    ++KernelsWithoutShared;
    return "uses no shared memory";
  }
  for (const Function *F : K.Reachable)
    for (auto Obstacle : {obstacleToExits, obstacleToSharedSize})
      if (std::string Why = Obstacle(*F); !Why.empty()) {
        ++KernelsRefused;
        return Why;
      }
  return "";
}

/// Returns whether a launch may have no room for counters in shared memory; with dynamic shared
/// memory, the launch decides.
bool SharedBuilder::mayLackRoom(const KernelState &K) const {
  constexpr uint64_t AlwaysThere = 48 * 1024;
  uint64_t Bytes = 0;
  for (const GlobalVariable *Variable : K.SharedVariables)
    Bytes += isDynamic(*Variable) ? AlwaysThere
                                  : I.M.getDataLayout().getTypeAllocSize(Variable->getValueType());
  return Bytes + Bytes * S.CounterBits / 32 + GMPROF_SHARED_CONTROL_BYTES >= AlwaysThere;
}

void SharedBuilder::cloneKernel(KernelState &K) {
  Current = {};
  Current.Kernel = &K.Kernel;
  Current.Reason = whyNoClone(K);
  if (!Current.Reason.empty())
    return;
  if (!O.countsInSharedMemory()) {
    addClone(K, kind(GMPROF_MODE_SHARED_DM));
    return;
  }
  const bool HasRanges = addClone(K, kind(GMPROF_MODE_SHARED));
  const bool HasForms =
      any_of(Counted.of(K.Kernel, *I.sitesOf(K.Kernel)),
             [](const CountedSite &Site) { return Site.Rule == GMPROF_RULE_CLOSED_FORM; });
  // In the body of a graph's conditional node, only a clone knows how often it runs.
  const bool IsKnown = K.D.Modes & GMPROF_MODE_SHARED_KNOWN;
  if (HasForms || HasRanges || IsKnown)
    addClone(K, kind(GMPROF_MODE_SHARED_ALL));
  if (mayLackRoom(K))
    addClone(K, kind(GMPROF_MODE_SHARED_DM));
}

/// Adds a clone, unless there is nothing to count in it. Returns whether a word may have several
/// live ranges.
bool SharedBuilder::addClone(KernelState &K, const CloneKind &Kind) {
  SharedClone C(I.cloneKernel(K.Kernel, *this, Kind), inSharedMemory(Kind));
  C.CounterName = counterName(Kind);
  C.BlocksAlike = S.AlikeBlocks && !I.followsCalls(C) && blocksCountAlike(*C.F, I.FAM);
  C.LeaveTogether = inSharedMemory(C) && allThreadsLeaveTogether(*C.F, I.FAM);
  findMoves(C, K);
  if (!countAccesses(C, K.SharedVariables.getArrayRef()) && Kind.Mode == GMPROF_MODE_SHARED &&
      S.ClosedForms) {
    ++KernelsKnown;
    K.D.Modes |= GMPROF_MODE_SHARED_KNOWN;
    I.discard(C);
    return C.HasRanges;
  }
  K.D.Modes |= Kind.Mode;
  KernelsOfAlikeBlocks += C.BlocksAlike;
  if (C.BlocksAlike)
    K.D.Flags |= GMPROF_KERNEL_BLOCKS_ALIKE;
  Current.Clones.push_back(std::move(C));
  return Current.Clones.back().HasRanges;
}

/// Finds the kernel's moves between global and shared memory, and whether a word may have several
/// live ranges. The clone counts these if its kind does.
void SharedBuilder::findMoves(SharedClone &C, KernelState &K) {
  const LiveRanges Ranges = findLiveRanges(*C.F);
  C.HasRanges = S.LiveRanges && mayHaveSeveralRanges(Ranges, *C.F, I.FAM);
  if (C.HasRanges &&
      any_of(reachableFrom(*C.F), [](const Function *F) { return namesOtherBlocks(*F); })) {
    C.HasRanges = false;
    K.D.Flags |= GMPROF_KERNEL_RANGES_OF_CLUSTER;
  }
  if (C.HasRanges && C.Kind->Mode == GMPROF_MODE_SHARED_ALL) {
    planRanges(C, Ranges, K.SharedVariables.getArrayRef());
    ++KernelsWithRanges;
  }
  FunctionSites &Sites = I.sitesOf(C, I.FAM.getResult<AccessAnalysis>(*C.F));
  if (Current.Moves.empty())
    Current.Moves = describeMoves(Ranges, Sites);
}

static std::string whyCountedEach(const Access &A, const Options &O, std::string Why) {
  if (!O.usesStaticAnalysis())
    return "level basic counts each access";
  addReason(Why, "not static", A.StaticReason);
  addReason(Why, "not after the loop", A.LoopReason);
  addReason(Why, "not by one thread", A.ThreadInvariantAddress.Why);
  return Why;
}

/// Counts an access by the first rule of Algorithm 1 that fits. Why says why there is no closed
/// form.
CountedSite SharedBuilder::count(const Access &Found, RuleContext &Context, bool MayBeStatic,
                                 std::string Why) {
  Access A = withoutDelay(Found, Context);
  if (!MayBeStatic) {
    A.Static.reset();
    A.StaticReason = "live ranges are counted";
  }
  if (auto Rule = countAtRangeBoundary(A, Context))
    return {*Rule, "live ranges may begin or end here", {}, {}};
  endRangeAfter(A, Context);
  if (O.usesStaticAnalysis()) {
    if (auto Rule = countStatically(A, Context))
      return {*Rule, "", A.Static, {}};
    if (auto Rule = countAfterLoops(A, Context))
      return {*Rule, A.StaticReason, {}, {}};
    if (auto Rule = countByOneThread(A, Context))
      return {*Rule, A.StaticReason, {}, {}};
  }
  return {countEach(A, Context), whyCountedEach(A, O, std::move(Why)), {}, {}};
}

/// Returns whether the descriptor describes the counts of this clone: it describes one of a
/// kernel's clones.
bool SharedBuilder::isDescribed(const Clone &C) const {
  if (!C.IsKernel)
    return inSharedMemory(C) == O.countsInSharedMemory();
  return C.Kind->Mode == (O.countsInSharedMemory() ? GMPROF_MODE_SHARED : GMPROF_MODE_SHARED_DM);
}

/// Returns whether anything is counted.
bool SharedBuilder::countAccesses(SharedClone &C, ArrayRef<GlobalVariable *> Variables) {
  const AccessInfo &Info = I.FAM.getResult<AccessAnalysis>(*C.F);
  FunctionSites &Sites = I.sitesOf(C, Info);
  std::vector<CountedSite> &How = Counted.of(*C.Original, Sites);
  assert(Info.accesses().size() <= How.size() && "all clones have the same accesses");
  Updates Planned;
  RuleContext Context(C, GMPROF_SPACE_SHARED, Planned, I.FAM);
  if (C.CountsRanges)
    Planned.keepInPlace();
  const bool HasForms = C.IsKernel && C.Kind->Mode == GMPROF_MODE_SHARED && S.ClosedForms;
  for (auto [A, Site] : zip(Info.accesses(), How))
    if (HasForms && counts(A.Space) && (!A.Static || C.HasRanges))
      describeByForm(A, Context, Info.variables(), Site);
  for (auto [A, Site] : zip(Info.accesses(), How)) {
    if (!counts(A.Space))
      continue;
    if (!isDescribed(C))
      count(A, Context, Site.Rule == GMPROF_RULE_STATIC, "");
    else if (Site.Rule != GMPROF_RULE_CLOSED_FORM)
      Site = count(A, Context, !C.HasRanges, Site.Reason);
  }
  return emitCounts(
      Context, Sites, I, [&] { emitSharedCounters(C, Variables, S, I.hooks()); }, emitSharedUpdate);
}

void SharedBuilder::instrumentFunction(Clone Function) {
  const bool InSharedMemory = inSharedMemory(*Function.Kind);
  SharedClone C(std::move(Function), InSharedMemory);
  C.CounterName = counterName(*C.Kind);
  C.CountsRanges = FunctionsCountRanges && inSharedMemory(C);
  countAccesses(C);
  if (inSharedMemory(C))
    emitSharedExits(C, S, I.hooks());
}

void SharedBuilder::describeKernel(KernelState &K) {
  for (const SharedClone &C : Current.Clones)
    for (const GlobalVariable *Variable : C.RangeVariables)
      Current.RangeVariables.push_back(K.D.indexOf(*Variable));
}

void SharedBuilder::completeClones(KernelState &K) {
  for (const SharedClone &C : Current.Clones) {
    if (inSharedMemory(C))
      emitSharedExits(C, S, I.hooks());
    emitKernelEntry(C, K, I.hooks());
    if (inSharedMemory(C))
      correctSharedSize(C);
    I.complete(C, {});
  }
}

/// Returns the name of the counters that clones of a kind have (CountingClone::CounterName).
std::string SharedBuilder::counterName(const CloneKind &Kind) const {
  if (inSharedMemory(Kind))
    return width() + (S.AtomicUpdates ? "_atomic" : "");
  return O.Level >= GMPROF_LEVEL_SA_NA && !O.countsInSharedMemory() ? "device" : "device_atomic";
}

// Only kernels have closed forms, so both kinds with counters in shared memory share the clones of
// device functions.
std::string SharedBuilder::functionSuffix(const CloneKind &Kind) const {
  const std::string Suffix = GMPROF_SHARED_CLONE_SUFFIX "_" + counterName(Kind);
  return inSharedMemory(Kind) ? Suffix + "_" + std::to_string(S.Threshold) : Suffix;
}

SmallVector<const CloneKind *, 2> SharedBuilder::kindsForOtherModules() const {
  SmallVector<const CloneKind *, 2> Kinds;
  if (O.countsInSharedMemory())
    Kinds.push_back(&kind(GMPROF_MODE_SHARED));
  Kinds.push_back(&kind(GMPROF_MODE_SHARED_DM));
  return Kinds;
}

SmallVector<Type *, 5> SharedBuilder::functionParameters(LLVMContext &Context,
                                                         const CloneKind &Kind) const {
  Type *Pointer = PointerType::getUnqual(Context), *Int = Type::getInt32Ty(Context);
  if (inSharedMemory(Kind))
    return {Pointer, Int, Int, Int};            // launch, Base, First, Words
  return {Pointer, Pointer, Pointer, Int, Int}; // launch, Sums, Layout, First, Words
}

void SharedBuilder::setFunctionParameters(Clone &C, ArrayRef<Value *> Parameters) const {
  C.Launch = Parameters.front();
  C.Launch->setName("gm.launch");
  C.Counters.assign(Parameters.begin() + 1, Parameters.end());
  if (inSharedMemory(C)) // the threshold is a constant in every clone
    C.Counters.push_back(ConstantInt::get(Type::getInt32Ty(I.M.getContext()), S.Threshold));
}

SmallVector<Value *, 5> SharedBuilder::functionArguments(const Clone &C) const {
  SmallVector<Value *, 5> Arguments = {C.Launch};
  append_range(Arguments, C.Counters);
  if (inSharedMemory(C))
    Arguments.pop_back();
  return Arguments;
}

void SharedBuilder::emitNotFollowed(IRBuilder<> &B, Argument *First) const {
  Value *Address = sharedLaunchField(B, First, offsetof(GmprofSharedLaunch, layout));
  Address = B.CreateAdd(Address, B.getInt64(offsetof(GmprofSharedLayout, lost)));
  emitIncrement(B, B.CreateIntToPtr(Address, B.getPtrTy(1)));
}

const SharedClone &SharedBuilder::cloneOf(const Clone &C) const {
  return *find_if(Current.Clones, [&](const SharedClone &Other) { return Other.F == C.F; });
}

Value *SharedBuilder::emitBlockCondition(IRBuilder<> &B, const Clone &C) const {
  if (cloneOf(C).BlocksAlike)
    return I.hooks().call(B, "block_is_first", {});
  return I.hooks().call(B, "block_is_counted",
                        sharedLaunchField(B, C.Launch, offsetof(GmprofSharedLaunch, blockSample)));
}

void SharedBuilder::describeHeader(const KernelDescription &D, DescriptorWriter &W) const {
  if (O.countsInSharedMemory() ? !S.AtomicUpdates : O.Level >= GMPROF_LEVEL_SA_NA)
    W.Header.flags |= GMPROF_KERNEL_PLAIN_UPDATES;
  W.Header.sharedLevel = O.Level;
  W.Header.counterBits = S.CounterBits;
  W.Header.threshold = S.Threshold;
  const bool IsCurrent = D.Kernel == Current.Kernel;
  W.Header.sharedReason = W.string(IsCurrent ? Current.Reason : D.SkipReason);
}

void SharedBuilder::describeSite(const DescribedFunction &F, unsigned Number, GmprofSiteDesc &To,
                                 DescriptorWriter &W) const {
  const CountedSite How = Counted.of(F, Number);
  To.rule = static_cast<gmprof_u32>(How.Rule);
  To.reason = W.string(How.Reason);
  if (!How.Form.empty())
    W.addForm(F.FirstSite + Number, To.variable, How.Form);
}

void SharedBuilder::addParts(const KernelDescription &D, DescriptorWriter &W) const {
  std::vector<GmprofStaticDesc> Statics;
  for (const DescribedFunction &F : D.Functions)
    for (auto [Number, Site] : enumerate(F.Sites->Sites))
      if (const CountedSite How = Counted.of(F, Number); How.Rule == GMPROF_RULE_STATIC)
        Statics.push_back({W.numberOf(F.variable(Site.Variable)),
                           static_cast<gmprof_u32>(F.FirstSite + Number), How.Static->Offset,
                           Site.Bytes, How.Static->Count});
  W.addPart(W.Header.staticsOffset, W.Header.staticCount, Statics);

  std::vector<GmprofMoveDesc> Moves;
  const bool IsCurrent = D.Kernel == Current.Kernel;
  for (const MoveSite &M : IsCurrent ? Current.Moves : std::vector<MoveSite>()) {
    const DescribedFunction &Kernel = D.Functions.front();
    Moves.push_back({static_cast<gmprof_u32>(M.Kind), W.numberOf(Kernel.variable(M.Shared)),
                     W.numberOf(Kernel.variable(M.Global)), M.Bytes, W.string(M.Source.File),
                     M.Source.Line, M.Source.Column, W.string(M.Source.Function),
                     W.inlinedAt(M.Source), 0});
  }
  W.addPart(W.Header.movesOffset, W.Header.moveCount, Moves);
  W.addPart(W.Header.rangesOffset, W.Header.rangeCount,
            IsCurrent ? Current.RangeVariables : std::vector<unsigned>());
}

static constexpr CloneKind Kinds[] = {
    {GMPROF_MODE_SHARED, GMPROF_SHARED_CLONE_SUFFIX,
     "counts of shared memory, without accesses that closed forms describe"},
    {GMPROF_MODE_SHARED_ALL, GMPROF_SHARED_ALL_CLONE_SUFFIX,
     "counts and live ranges of shared memory"},
    {GMPROF_MODE_SHARED_DM, GMPROF_SHARED_DM_CLONE_SUFFIX,
     "counts of shared memory, in device memory"},
};

const Profile gmprof::SharedProfile = {
    "shared", Kinds, [](const Options &O) { return sharedOptions(O).takeError(); },
    [](Instrumenter &I, const Profile &P) -> std::unique_ptr<CloneBuilder> {
      return std::make_unique<SharedBuilder>(I, P);
    }};
