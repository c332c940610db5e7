//===- Instrument.cpp - Adds instrumented clones to a module --------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For each kernel, and each way to count that it needs (Mode.h):
//
//   1. copy the kernel, with the launch parameter (Clone.h);
//   2. simplify the copy until the analyses see what there is to see;
//   3. for each access that static analysis finds, choose a rule (Rules.h), which
//      plans updates of counters; then emit them (Updates.h) as calls of hooks
//      (runtime/device), and inline those;
//   4. make it call the clones of device functions, treated likewise
//      (DeviceFunctions.h);
//   5. add its entry and exits (KernelEntry.h, Exits.h).
//
// The kernel itself stays as it is. Its descriptor (Descriptor.h) tells the host
// of the clones and of every access.
//
//===----------------------------------------------------------------------===//

#include "Instrument.h"

#include "AlikeBlocks.h"
#include "ArgumentSpaces.h"
#include "Clone.h"
#include "Descriptor.h"
#include "DeviceFunctions.h"
#include "EmbedBitcode.h"
#include "Exits.h"
#include "HeatNotes.h"
#include "Hooks.h"
#include "KernelEntry.h"
#include "ObjectHits.h"
#include "OtherBlocks.h"
#include "RangeRule.h"
#include "Reconvergence.h"
#include "Rules.h"
#include "SharedSize.h"
#include "TraceRecords.h"

#include "llvm/ADT/Statistic.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/CycleAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Support/xxhash.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"
#include <map>

using namespace llvm;
using namespace gmprof;

#define DEBUG_TYPE "gm-instrument"

STATISTIC(KernelsCloned, "Kernels with instrumented clones");
STATISTIC(KernelsNotSelected, "Kernels without clone: not selected");
STATISTIC(KernelsWithoutShared, "Kernels without clone for shared memory: there is none");
STATISTIC(KernelsRefused, "Kernels without clone for shared memory: cannot be instrumented");
STATISTIC(KernelsWithoutGlobal, "Kernels without clone for global memory: nothing to count");
STATISTIC(KernelsWithHeat, "Kernels with a clone that notes warps");
STATISTIC(KernelsTraced, "Kernels with a clone that records requests");
STATISTIC(AccessesWithHeatForms, "Accesses whose warps are described by a closed form");
STATISTIC(KernelsWithoutHits, "Kernels without clone for objects: the launch determines all");
STATISTIC(KernelsOfAlikeBlocks, "Kernels counted in their first block alone");
STATISTIC(KernelsKnown, "Kernels whose accesses of shared memory need no counting");
STATISTIC(KernelsWithRanges, "Kernels whose live ranges are counted");
STATISTIC(FunctionsCloned, "Device functions cloned");
STATISTIC(AccessesStatic, "Accesses counted at compile time");
STATISTIC(AccessesOfClosedForm, "Accesses described by a closed form");
STATISTIC(AccessesAfterLoops, "Accesses counted after loops");
STATISTIC(AccessesByOneThread, "Accesses counted by one thread for others");
STATISTIC(AccessesSwept, "Accesses counted before loops");
STATISTIC(AccessesEach, "Accesses counted each time by each thread");
STATISTIC(AccessesOfOtherSpaces, "Accesses not counted: other memory spaces");
STATISTIC(CallsOpaque, "Calls of code that cannot be followed");

static constexpr const char *DoneFlag = "gmprof";

/// A number that no other translation unit of the program has, though its file may have the same
/// name.
static uint64_t unitId(const Module &M) {
  std::string Content = M.getSourceFileName();
  for (const Function &F : M)
    Content += (F.getName() + ":" + Twine(F.getInstructionCount()) + ";").str();
  return std::max<uint64_t>(xxh3_64bits(Content), 1);
}

namespace {

class Instrumenter {
public:
  Instrumenter(Module &M, FunctionAnalysisManager &FAM, const Options &O,
               ArrayRef<Function *> Kernels)
      : M(M), FAM(FAM), O(O), Shared(Mode::Shared, O), SharedAll(Mode::SharedAll, O),
        Device(Mode::SharedInDeviceMemory, O), Global(Mode::Global, O),
        GlobalAll(Mode::GlobalAll, O), Objects(Mode::Objects, O), Heat(Mode::Heat, O),
        HeatAll(Mode::HeatAll, O), Cache(Mode::Cache, O), SharedFunctions(M, FAM, Shared),
        GlobalFunctions(M, FAM, Global), HeatFunctions(M, FAM, Heat), CacheFunctions(M, FAM, Cache),
        Spaces(M, O.WholeProgram), Kernels(Kernels), Unit(unitId(M)),
        MeetsOtherBlocks(mayPointToOtherBlocks(M, O.WholeProgram)),
        H(M, O.InlineBudget, Kernels.size() * (2 * O.ProfileShared + 2 * O.ProfileGlobal)) {}

  void run() {
    markMovesOfFunctions();
    for (Function *Kernel : Kernels)
      instrumentKernel(*Kernel);
    cloneForOtherModules();
    unmarkMoves(M);
  }

private:
  Module &M;
  FunctionAnalysisManager &FAM;
  const Options &O;
  Mode Shared, SharedAll, Device, Global, GlobalAll, Objects, Heat, HeatAll, Cache;
  DeviceFunctions SharedFunctions, GlobalFunctions, HeatFunctions, CacheFunctions;
  const ArgumentSpaces Spaces;
  const ArrayRef<Function *> Kernels;
  const uint64_t Unit;         ///< of GmprofSiteDesc::functionSite
  const bool MeetsOtherBlocks; ///< see Clone
  Hooks H;
  /// Clones of device functions, by name suffix.
  std::map<std::pair<const Function *, std::string>, Function *> Clones;
  std::map<const Function *, FunctionSites> Sites;
  unsigned NextFunctionSite = 0;
  /// Device functions have to count live ranges for one of the kernels.
  bool FunctionsCountRanges = false;

  /// A clone of a kernel whose accesses are counted, and that is to be completed.
  struct Body {
    Clone C;
    bool LeaveTogether = false;
  };

  const DeviceFunctions &functionsOf(const Mode &Mode) const {
    return Mode.isShared()  ? SharedFunctions
           : Mode.isHeat()  ? HeatFunctions
           : Mode.isCache() ? CacheFunctions
                            : GlobalFunctions;
  }
  std::string whyNoSharedClone(ArrayRef<Function *> Reachable,
                               ArrayRef<GlobalVariable *> Variables);
  bool mayLackRoom(ArrayRef<GlobalVariable *> Variables) const;
  void instrumentKernel(Function &Kernel);
  void cloneForShared(Function &Kernel, ArrayRef<GlobalVariable *> Variables, KernelDescription &D,
                      SmallVectorImpl<Body> &Bodies);
  bool addSharedClone(Function &Kernel, const Mode &Mode, ArrayRef<GlobalVariable *> Variables,
                      KernelDescription &D, SmallVectorImpl<Body> &Bodies);
  void cloneForGlobal(Function &Kernel, KernelDescription &D, SmallVectorImpl<Body> &Bodies);
  bool cloneForObjects(Function &Kernel, KernelDescription &D);
  void noteHits(Clone &C, ArrayRef<Touch> Found, FunctionSites &Known);
  void cloneForHeat(Function &Kernel, ArrayRef<GlobalVariable *> Variables, KernelDescription &D,
                    SmallVectorImpl<Body> &Bodies);
  void cloneForCache(Function &Kernel, KernelDescription &D, SmallVectorImpl<Body> &Bodies);
  void bringLanesTogether(const Clone &C, const AccessInfo &Info,
                          const SmallPtrSetImpl<const BasicBlock *> &WithNotes);
  void traceAll(Clone &C, const AccessInfo &Info, ArrayRef<HeatNote> Notes);
  void leaveNotes(Clone &C, const AccessInfo &Info, ArrayRef<GlobalVariable *> SharedVariables,
                  SmallVector<HeatNote, 0> Notes, bool OfLoops);
  void emitEntry(Clone &C, ArrayRef<GlobalVariable *> SharedVariables, bool AnyNotes);
  bool noteRequests(Clone &C, ArrayRef<GlobalVariable *> SharedVariables = {});
  void discard(const Clone &C);
  void addSites(KernelDescription &D, bool AddVisible);
  void describe(Function &Kernel, KernelDescription &D);
  void findMoves(Clone &C, ArrayRef<GlobalVariable *> Variables, KernelDescription &D);
  void markMovesOfFunctions();
  FunctionSites &sitesOf(const Clone &C, const AccessInfo &Info);
  bool countAccesses(Clone &C, ArrayRef<GlobalVariable *> SharedVariables = {});
  bool isFollowed(const CallBase &Call, const Mode &Mode) const;
  bool accessesNothingCounted(const CallBase &Call, const Mode &Mode) const;
  bool followsCalls(const Function &F, const Mode &Mode) const;
  void followCalls(Clone &C, FunctionSites &Into);
  Function *cloneOf(Function &F, const Mode &M);
  void cloneForOtherModules();
  void describeFunctions();
  Site::Counting countShared(const Access &Found, RuleContext &Context, bool MayBeStatic,
                             std::string Why);
  bool describesSites(const Clone &C) const;
  void describeByForms(const AccessInfo &Info, const RuleContext &Context, FunctionSites &Into);
  Site::Counting countGlobal(const Access &A, RuleContext &Context, std::string Why);
};

} // namespace

static bool isDynamic(const GlobalVariable &Variable) {
  return Variable.isDeclaration() && Variable.getName() != GMPROF_SYMBOL_PREFIX "dynamic";
}

static bool counts(const Mode &Mode, const Access &A, const FunctionSites &Function) {
  return Mode.counts(A.Space) &&
         (Mode.isShared() || A.Variable < 0 || !isTableOfCompiler(Function.Variables[A.Variable]));
}

/// Why no clone of a kernel counts shared memory, or empty.
std::string Instrumenter::whyNoSharedClone(ArrayRef<Function *> Reachable,
                                           ArrayRef<GlobalVariable *> Variables) {
  if (!O.ProfileShared)
    return "not compiled for a profile of shared memory";
  bool CallsOtherModules =
      any_of(Reachable, [](const Function *F) { return isProgramsExternal(*F); });
  if (Variables.empty() && !CallsOtherModules) {
    ++KernelsWithoutShared;
    return "uses no shared memory";
  }
  for (Function *F : Reachable)
    for (auto Obstacle : {obstacleToExits, obstacleToSharedSize})
      if (std::string Why = Obstacle(*F); !Why.empty()) {
        ++KernelsRefused;
        return Why;
      }
  return "";
}

/// Whether some launch may have no room for counters in shared memory, which depends
/// on the launch if shared memory is dynamic.
bool Instrumenter::mayLackRoom(ArrayRef<GlobalVariable *> Variables) const {
  constexpr uint64_t AlwaysThere = 48 * 1024;
  uint64_t Bytes = 0;
  for (const GlobalVariable *Variable : Variables)
    Bytes += isDynamic(*Variable) ? AlwaysThere
                                  : M.getDataLayout().getTypeAllocSize(Variable->getValueType());
  return Bytes + Bytes * O.CounterBits / 32 + GMPROF_SHARED_CONTROL_BYTES >= AlwaysThere;
}

void Instrumenter::instrumentKernel(Function &Kernel) {
  KernelDescription D;
  D.Kernel = &Kernel;
  SetVector<Function *> Reachable = SharedFunctions.reachableFrom(Kernel);
  SetVector<GlobalVariable *> Variables = sharedVariables(Reachable.getArrayRef());
  if (any_of(Variables, [](GlobalVariable *V) { return isDynamic(*V); }))
    D.Flags |= GMPROF_KERNEL_DYNAMIC_SHARED;
  if (!O.isKernelSelected(Kernel.getName(), demangle(Kernel.getName()))) {
    ++KernelsNotSelected;
    D.SkipReason = D.SharedReason = "not selected by -gm-kernels";
    emitDescriptor(D, O);
    return;
  }

  SmallVector<Body, 4> Bodies;
  D.SharedReason = whyNoSharedClone(Reachable.getArrayRef(), Variables.getArrayRef());
  if (D.SharedReason.empty())
    cloneForShared(Kernel, Variables.getArrayRef(), D, Bodies);
  if (O.ProfileGlobal)
    cloneForGlobal(Kernel, D, Bodies);
  if (O.ProfileHeat)
    cloneForHeat(Kernel, Variables.getArrayRef(), D, Bodies);
  if (O.ProfileCache)
    cloneForCache(Kernel, D, Bodies);
  const bool NotesHits = cloneForObjects(Kernel, D);
  KernelsCloned += !Bodies.empty() || NotesHits;
  describe(Kernel, D);

  for (const Body &B : Bodies)
    for (const GlobalVariable *Variable : B.C.RangeVariables)
      D.RangeVariables.push_back(D.indexOf(*Variable));

  SmallVector<GlobalVariable *, 8> Layout;
  for (const Variable &V : D.Variables) {
    auto *Global = dyn_cast_or_null<GlobalVariable>(const_cast<Value *>(V.Base));
    Layout.push_back(Global && Global->getAddressSpace() == 3 ? Global : nullptr);
  }
  for (Body &B : Bodies) {
    if (B.C.M->inSharedMemory() || B.C.M->isCache())
      emitExits(B.C, B.LeaveTogether, H);
    emitKernelEntry(B.C, Layout, Variables.getArrayRef(), H);
    if (B.C.M->isShared())
      correctSharedSize(B.C);
    if (B.C.M->isHeat())
      keepInRegisters(*B.C.F, FAM);
    limitRegisters(B.C, O.WholeProgram);
    FAM.invalidate(*B.C.F, PreservedAnalyses::none());
    if (B.C.F->isDiscardableIfUnused())
      appendToCompilerUsed(M, {B.C.F});
  }
  emitDescriptor(D, O);
}

void Instrumenter::cloneForShared(Function &Kernel, ArrayRef<GlobalVariable *> Variables,
                                  KernelDescription &D, SmallVectorImpl<Body> &Bodies) {
  if (!O.countsInSharedMemory()) {
    addSharedClone(Kernel, Device, Variables, D, Bodies);
    return;
  }
  const bool HasRanges = addSharedClone(Kernel, Shared, Variables, D, Bodies);
  const bool HasForms = any_of(
      Sites[&Kernel].Sites, [](const Site &S) { return S.Shared.Rule == GMPROF_RULE_CLOSED_FORM; });
  // In the body of a graph's conditional node, only a clone knows how often it runs.
  const bool IsKnown = D.Modes & GMPROF_MODE_SHARED_KNOWN;
  if (HasForms || HasRanges || IsKnown)
    addSharedClone(Kernel, SharedAll, Variables, D, Bodies);
  if (mayLackRoom(Variables))
    addSharedClone(Kernel, Device, Variables, D, Bodies);
}

/// Adds a clone, unless there is nothing to count in it. Returns whether a word may have
/// several live ranges.
bool Instrumenter::addSharedClone(Function &Kernel, const Mode &Mode,
                                  ArrayRef<GlobalVariable *> Variables, KernelDescription &D,
                                  SmallVectorImpl<Body> &Bodies) {
  Clone C = cloneKernel(Kernel, Mode);
  C.MeetsOtherBlocks = MeetsOtherBlocks;
  simplifyForAnalysis(*C.F, FAM);
  C.BlocksAlike =
      O.countsFirstBlockForAll() && !followsCalls(*C.F, Mode) && blocksCountAlike(*C.F, FAM);
  bool LeaveTogether = Mode.inSharedMemory() && allThreadsLeaveTogether(*C.F, FAM);
  findMoves(C, Variables, D);
  if (!countAccesses(C, Variables) && &Mode == &Shared && O.describesShared()) {
    ++KernelsKnown;
    D.Modes |= GMPROF_MODE_SHARED_KNOWN;
    discard(C);
    return C.HasRanges;
  }
  D.Modes |= Mode.flag();
  KernelsOfAlikeBlocks += C.BlocksAlike;
  if (C.BlocksAlike)
    D.Flags |= GMPROF_KERNEL_BLOCKS_ALIKE;
  const bool HasRanges = C.HasRanges;
  Bodies.push_back({std::move(C), LeaveTogether});
  return HasRanges;
}

void Instrumenter::discard(const Clone &C) {
  FAM.clear(*C.F, C.F->getName());
  C.F->eraseFromParent();
}

static void addMoves(const LiveRanges &Ranges, FunctionSites &To) {
  auto Index = [&](int Variable) {
    if (Variable < 0)
      return -1;
    SiteVariable V = siteVariable(Ranges.Variables[Variable]);
    if (!V.Base && V.Parameter < 0)
      return -1;
    auto Known = find_if(To.Variables, [&](const SiteVariable &Other) {
      return Other.Base == V.Base && Other.Parameter == V.Parameter &&
             Other.ParameterOffset == V.ParameterOffset;
    });
    const auto At = static_cast<int>(Known - To.Variables.begin());
    if (Known == To.Variables.end())
      To.Variables.push_back(std::move(V));
    return At;
  };
  for (const Move &M : Ranges.Moves)
    To.Moves.push_back({M.What == Move::Begin ? GMPROF_MOVE_BEGIN : GMPROF_MOVE_END,
                        Index(M.Shared), Index(M.Global), M.Bytes, sourceLocation(*M.Inst)});
}

/// The kernel's moves between global and shared memory, and whether a word may have
/// several live ranges, which the clone counts if it is made for that.
void Instrumenter::findMoves(Clone &C, ArrayRef<GlobalVariable *> Variables, KernelDescription &D) {
  const LiveRanges Ranges = findLiveRanges(*C.F);
  C.HasRanges = O.countsRanges() && mayHaveSeveralRanges(Ranges, *C.F, FAM);
  if (C.HasRanges && any_of(SharedFunctions.reachableFrom(*C.F),
                            [](const Function *F) { return namesOtherBlocks(*F); })) {
    C.HasRanges = false;
    D.Flags |= GMPROF_KERNEL_RANGES_OF_CLUSTER;
  }
  if (C.HasRanges && C.M->countsRanges()) {
    planRanges(C, Ranges, Variables);
    ++KernelsWithRanges;
  }
  FunctionSites &Known = sitesOf(C, FAM.getResult<AccessAnalysis>(*C.F));
  if (Known.Moves.empty())
    addMoves(Ranges, Known);
}

/// Functions are cloned once for all kernels, so that they have to know first.
void Instrumenter::markMovesOfFunctions() {
  const bool AnyFunctions = any_of(M, [&](const Function &F) {
    return !F.isDeclaration() && !isKernel(F) && SharedFunctions.needsClone(F);
  });
  if (!AnyFunctions || !O.countsRanges() || !O.ProfileShared)
    return;
  for (Function *Kernel : Kernels)
    FunctionsCountRanges |= markMovesInCallees(*Kernel, FAM);
}

/// Where closed forms say all that K__gm_global could count, it is not kept.
void Instrumenter::cloneForGlobal(Function &Kernel, KernelDescription &D,
                                  SmallVectorImpl<Body> &Bodies) {
  D.Modes |= GMPROF_MODE_GLOBAL;
  bool HasClosedForms = false;
  for (const Mode *Mode : {&Global, &GlobalAll}) {
    if (Mode == &GlobalAll && !HasClosedForms)
      return;
    Clone C = cloneKernel(Kernel, *Mode);
    simplifyForAnalysis(*C.F, FAM);
    bool Counts = countAccesses(C);
    HasClosedForms = any_of(Sites[&Kernel].Sites,
                            [](const Site &S) { return S.Global.Rule == GMPROF_RULE_CLOSED_FORM; });
    if (Counts) {
      D.Modes |= Mode->flag();
      Bodies.push_back({std::move(C)});
    } else {
      ++KernelsWithoutGlobal;
      discard(C);
    }
  }
}

void Instrumenter::cloneForHeat(Function &Kernel, ArrayRef<GlobalVariable *> Variables,
                                KernelDescription &D, SmallVectorImpl<Body> &Bodies) {
  for (const Mode *Mode : {&Heat, &HeatAll}) {
    if (Mode == &HeatAll && Sites[&Kernel].HeatForms.empty())
      return;
    Clone C = cloneKernel(Kernel, *Mode);
    C.MeetsOtherBlocks = MeetsOtherBlocks;
    simplifyForAnalysis(*C.F, FAM);
    if (!noteRequests(C, Variables)) {
      discard(C);
      continue;
    }
    KernelsWithHeat += (D.Modes & GMPROF_MODE_HEAT) == 0;
    H.keepKernels();
    D.Modes |= GMPROF_MODE_HEAT | Mode->flag();
    Bodies.push_back({std::move(C)});
  }
}

void Instrumenter::cloneForCache(Function &Kernel, KernelDescription &D,
                                 SmallVectorImpl<Body> &Bodies) {
  if (any_of(CacheFunctions.reachableFrom(Kernel), [](Function *F) { return usesWarps(*F); }))
    D.Flags |= GMPROF_KERNEL_USES_WARPS;
  Clone C = cloneKernel(Kernel, Cache);
  simplifyForAnalysis(*C.F, FAM);
  if (!noteRequests(C)) {
    discard(C);
    return;
  }
  ++KernelsTraced;
  D.Modes |= Cache.flag();
  Bodies.push_back({std::move(C)});
}

/// Where hooks run in between, ptxas may let lanes that took different ways go on apart, so that
/// what they do next would be several requests. A vote waits for all of its lanes.
void Instrumenter::bringLanesTogether(const Clone &C, const AccessInfo &Info,
                                      const SmallPtrSetImpl<const BasicBlock *> &WithNotes) {
  const auto Meetings = findReconvergences(
      *C.F, Info, FAM, [&](const BasicBlock &BB) { return WithNotes.contains(&BB); });
  for (const Reconvergence &R : Meetings) {
    IRBuilder<> AtEnd(R.From->getTerminator()), Here(&*R.At->getFirstInsertionPt());
    H.call(Here, "bring_together", {H.call(AtEnd, "active_lanes", {})});
  }
}

static SmallPtrSet<const BasicBlock *, 16> blocksWithNotes(ArrayRef<HeatNote> Notes,
                                                           ArrayRef<NoteGroup> Groups) {
  SmallPtrSet<const BasicBlock *, 16> Blocks;
  for (const HeatNote &N : Notes)
    if (N.Swept || !N.Condition)
      Blocks.insert(N.What.Before->getParent()); // also if it is noted before the loop
  for (const NoteGroup &Group : Groups)
    if (Group.Before)
      Blocks.insert(Group.Before->getParent());
  return Blocks;
}

void Instrumenter::traceAll(Clone &C, const AccessInfo &Info, ArrayRef<HeatNote> Notes) {
  SmallPtrSet<const BasicBlock *, 16> Blocks = blocksWithNotes(Notes, {});
  for (const Fence &Each : Info.Fences)
    Blocks.insert(Each.Inst->getParent());
  bringLanesTogether(C, Info, Blocks);
  emitEntry(C, {}, !Notes.empty());
  for (const HeatNote &N : Notes)
    emitTrace(C, H, N);
  for (const Fence &Each : Info.Fences)
    emitTraceOfFence(C, H, Each);
}

/// OfLoops: those of loops may be noted elsewhere than they are made.
void Instrumenter::leaveNotes(Clone &C, const AccessInfo &Info,
                              ArrayRef<GlobalVariable *> SharedVariables,
                              SmallVector<HeatNote, 0> Notes, bool OfLoops) {
  ScalarEvolution &SE = FAM.getResult<ScalarEvolutionAnalysis>(*C.F);
  const bool AnyNotes = !Notes.empty();
  MaskedLoops Masked;
  NotedLoops Loops;
  if (OfLoops) {
    Masked.take(Notes, SE);
    joinRuns(Notes, SE);
    Loops.take(Notes, FAM.getResult<LoopAnalysis>(*C.F), SE);
  }
  const SmallVector<NoteGroup, 0> Groups = groupNotes(*C.F, Notes);
  SmallPtrSet<const BasicBlock *, 16> WithNotes = blocksWithNotes(Notes, Groups);
  Loops.addBlocks(WithNotes);
  bringLanesTogether(C, Info, WithNotes);
  expandSweeps(Notes, SE);
  emitEntry(C, SharedVariables, AnyNotes);
  countOtherBlocks(C, H, Info.accesses());
  emitHeat(C, H, Groups);
  if (!Loops.empty()) {
    FAM.invalidate(*C.F, PreservedAnalyses::none());
    SmallVector<HeatNote, 0> Unrolled = Loops.unroll(*C.F, FAM);
    emitHeat(C, H, groupNotes(*C.F, Unrolled));
  }
  if (!Masked.empty()) {
    FAM.invalidate(*C.F, PreservedAnalyses::none());
    SmallVector<HeatNote, 0> OfMasks = Masked.insertMasks(*C.F, FAM);
    emitHeat(C, H, groupNotes(*C.F, OfMasks));
  }
}

/// What notes need at the entry.
void Instrumenter::emitEntry(Clone &C, ArrayRef<GlobalVariable *> SharedVariables, bool AnyNotes) {
  if (C.IsKernel)
    emitCounters(C, SharedVariables, H);
  else if (AnyNotes)
    emitFirstSite(C, Unit, H);
}

/// Notes or records them. Returns whether there are any.
bool Instrumenter::noteRequests(Clone &C, ArrayRef<GlobalVariable *> SharedVariables) {
  const AccessInfo &Info = FAM.getResult<AccessAnalysis>(*C.F);
  FunctionSites &Found = sitesOf(C, Info);
  SmallVector<WideAccess, 0> Wide;
  if (!C.Original->hasFnAttribute(Attribute::OptimizeNone))
    Wide = wideAccesses(*C.F, Info, FAM);
  const LoopInfo &LI = FAM.getResult<LoopAnalysis>(*C.F);
  const CycleInfo &CI = FAM.getResult<CycleAnalysis>(*C.F);
  const DominatorTree &DT = FAM.getResult<DominatorTreeAnalysis>(*C.F);
  ScalarEvolution &SE = FAM.getResult<ScalarEvolutionAnalysis>(*C.F);
  std::optional<ClosedForms> Described;
  if (C.IsKernel && C.M == &Heat && O.describesHeat())
    Described.emplace(*C.F, LI, CI, DT, SE);
  std::optional<Sweeps> Swept;
  std::optional<ThreadInvariance> Invariance;
  if (C.M->isHeat() && O.notesHeatOfLoops()) {
    Swept.emplace(*C.F, LI, CI, DT, SE);
    Invariance.emplace(*C.F, DT, CI, FAM.getResult<AAManager>(*C.F), Info, ControlFlow(*C.F));
  }
  HeatAccesses Accesses = heatAccesses(
      C, Info, Found, Wide,
      // Tables of the compiler go through the caches as well.
      [&](const Access &A) {
        return C.M->isCache() ? C.M->counts(A.Space) : counts(*C.M, A, Found);
      },
      Described ? &*Described : nullptr, Swept ? &*Swept : nullptr,
      Invariance ? &*Invariance : nullptr);
  if (Described) {
    Found.HeatForms = std::move(Accesses.Forms);
    AccessesWithHeatForms += Found.HeatForms.size();
  }
  const bool AnyNotes = !Accesses.Notes.empty() || !C.M->fences(Info).empty();
  if (C.M->isCache())
    traceAll(C, Info, Accesses.Notes);
  else
    leaveNotes(C, Info, SharedVariables, std::move(Accesses.Notes), Swept.has_value());
  const bool FollowsCalls = followsCalls(*C.F, *C.M);
  followCalls(C, Found);
  FAM.invalidate(*C.F, PreservedAnalyses::none());
  H.inlineInto(*C.F);
  simplifyAfterInstrumentation(*C.F, FAM);
  FAM.invalidate(*C.F, PreservedAnalyses::none());
  return AnyNotes || FollowsCalls;
}

/// What a device function does to objects that its clone does not note.
static void addPossibleTouches(Function &F, FunctionAnalysisManager &FAM, KernelDescription &D) {
  const AccessInfo &Info = FAM.getResult<AccessAnalysis>(F);
  for (const Touch &T : findTouches(F, FAM)) {
    if (T.Rule != GMPROF_TOUCH_POSSIBLE)
      continue;
    TouchSite S;
    S.Kinds = T.Kinds;
    S.Rule = T.Rule;
    if (T.Variable >= 0)
      S.Variable =
          static_cast<int>(D.indexOf(*cast<GlobalVariable>(Info.variables()[T.Variable].Base)));
    D.Touches.push_back(std::move(S));
  }
}

/// K__gm_objects is only there if the launch does not determine which objects are accessed.
/// Registers are not limited (limitRegisters): spilling would slow it down.
bool Instrumenter::cloneForObjects(Function &Kernel, KernelDescription &D) {
  D.Modes |= GMPROF_MODE_OBJECTS;
  Clone C = cloneKernel(Kernel, Objects);
  simplifyForAnalysis(*C.F, FAM);
  std::vector<Touch> Found = findTouches(*C.F, FAM);
  FunctionSites &Known = sitesOf(C, FAM.getResult<AccessAnalysis>(*C.F));
  Known.Touches = describeTouches(Found);
  if (followsCalls(*C.F, Objects)) {
    TouchSite InCalls;
    InCalls.Kinds = GMPROF_TOUCH_READS | GMPROF_TOUCH_WRITES;
    InCalls.Rule = GMPROF_TOUCH_SEARCH;
    Known.Touches.push_back(std::move(InCalls));
  }
  const bool Notes = any_of(Known.Touches, [](const TouchSite &T) {
    return T.Rule == GMPROF_TOUCH_FLAG || T.Rule == GMPROF_TOUCH_SEARCH;
  });
  KernelsWithoutHits += !Notes;
  if (!Notes || !O.ProfileObjects) {
    discard(C);
    return false;
  }
  D.Modes |= Objects.flag();
  emitCounters(C, {}, H);
  noteHits(C, Found, Known);
  if (C.F->isDiscardableIfUnused())
    appendToCompilerUsed(M, {C.F});
  return true;
}

void Instrumenter::noteHits(Clone &C, ArrayRef<Touch> Found, FunctionSites &Known) {
  emitHits(C, Found, Known.Touches, H, FAM);
  followCalls(C, Known);
  FAM.invalidate(*C.F, PreservedAnalyses::none());
  H.inlineInto(*C.F);
  FAM.invalidate(*C.F, SROAPass(SROAOptions::PreserveCFG).run(*C.F, FAM));
  simplifyAfterInstrumentation(*C.F, FAM);
  FAM.invalidate(*C.F, PreservedAnalyses::none());
}

/// Adds the accesses of D.Kernel and of the functions that it calls: of those that other
/// translation units can call, which have descriptors of their own, only if AddVisible.
void Instrumenter::addSites(KernelDescription &D, bool AddVisible) {
  D.Unit = Unit;
  SetVector<const Function *> Called;
  Called.insert(D.Kernel);
  for (unsigned I = 0; I != Called.size(); ++I) {
    const Function &F = *Called[I];
    const bool IsVisible = I != 0 && !F.hasLocalLinkage();
    if (IsVisible)
      D.Callees.insert(&F);
    if (F.isDeclaration() || (IsVisible && !AddVisible))
      continue;
    const auto Function = Sites.find(&F);
    if (Function == Sites.end())
      continue; // no clone was called
    D.add(Function->second);
    Called.insert(Function->second.Callees.begin(), Function->second.Callees.end());
  }
}

void Instrumenter::describe(Function &Kernel, KernelDescription &D) {
  addSites(D, /*AddVisible=*/true);
  for (Function *F : GlobalFunctions.reachableFrom(Kernel))
    if (F != &Kernel && !F->isDeclaration())
      addPossibleTouches(*F, FAM, D);
}

static std::string whyCountedEach(const Access &A, const Options &O, std::string Why) {
  if (!O.usesStaticAnalysis())
    return "level basic counts each access";
  auto Add = [&](StringRef Rule, StringRef Reason) {
    if (!Reason.empty())
      Why += ((Why.empty() ? "" : "; ") + Rule + ": " + Reason).str();
  };
  Add("not static", A.StaticReason);
  Add("not after the loop", A.LoopReason);
  Add("not by one thread", A.ThreadInvariantAddress.Why);
  return Why;
}

/// Algorithm 1. Why says why there is no closed form.
Site::Counting Instrumenter::countShared(const Access &Found, RuleContext &Context,
                                         bool MayBeStatic, std::string Why) {
  Access A = withoutDelay(Found, Context);
  if (!MayBeStatic) {
    A.Static.reset();
    A.StaticReason = "live ranges are counted";
  }
  if (auto Rule = countAtRangeBoundary(A, Context)) {
    ++AccessesEach;
    return {*Rule, "live ranges may begin or end here"};
  }
  endRangeAfter(A, Context);
  if (O.usesStaticAnalysis()) {
    if (auto Rule = countStatically(A, Context)) {
      ++AccessesStatic;
      return {*Rule, ""};
    }
    if (auto Rule = countAfterLoops(A, Context)) {
      ++AccessesAfterLoops;
      return {*Rule, A.StaticReason};
    }
    if (auto Rule = countByOneThread(A, Context)) {
      ++AccessesByOneThread;
      return {*Rule, A.StaticReason};
    }
  }
  ++AccessesEach;
  return {countEach(A, Context), whyCountedEach(A, O, std::move(Why))};
}

/// Finds the accesses of a kernel that K__gm_global or K__gm_shared need not count.
void Instrumenter::describeByForms(const AccessInfo &Info, const RuleContext &Context,
                                   FunctionSites &Into) {
  const Mode &Mode = *Context.C.M;
  for (auto [A, S] : zip(Info.accesses(), Into.Sites)) {
    if (!counts(Mode, A, Into) || (!Mode.isGlobal() && A.Static && !Context.C.HasRanges))
      continue;
    Site::Counting &How = Mode.isGlobal() ? S.Global : S.Shared;
    const char *Why = "";
    if (auto Form = describeByForm(A, Context, Info.variables(), Why)) {
      ++AccessesOfClosedForm;
      How.Rule = GMPROF_RULE_CLOSED_FORM;
      S.Form = Form->words();
    } else if (*Why) {
      How.Reason = std::string("no closed form: ") + Why;
    }
  }
}

/// The same for global memory. Why says why there is no closed form.
Site::Counting Instrumenter::countGlobal(const Access &A, RuleContext &Context, std::string Why) {
  auto Add = [&](StringRef Rule, StringRef Reason) {
    if (!Reason.empty())
      Why += ((Why.empty() ? "" : "; ") + Rule + ": " + Reason).str();
  };
  const char *Reason = "";
  if (!O.usesStaticAnalysis()) {
    ++AccessesEach;
    return {countEach(A, Context), "level basic counts each access"};
  }
  if (auto Rule = countAfterLoops(A, Context)) {
    ++AccessesAfterLoops;
    return {*Rule, Why};
  }
  Add("not after the loop", A.LoopReason);
  if (auto Rule = countSweep(A, Context, Reason)) {
    ++AccessesSwept;
    return {*Rule, Why};
  }
  Add("not before the loop", Reason);
  if (auto Rule = countByOneThread(A, Context)) {
    ++AccessesByOneThread;
    return {*Rule, Why};
  }
  Add("not by one thread", A.ThreadInvariantAddress.Why);
  ++AccessesEach;
  return {countEachBeside(A, Context), Why};
}

RuleContext::RuleContext(Clone &C, ArrayRef<SiteVariable> Variables, Updates &Planned,
                         FunctionAnalysisManager &FAM)
    : C(C), Variables(Variables), DT(FAM.getResult<DominatorTreeAnalysis>(*C.F)),
      LI(FAM.getResult<LoopAnalysis>(*C.F)), SE(FAM.getResult<ScalarEvolutionAnalysis>(*C.F)),
      TTI(FAM.getResult<TargetIRAnalysis>(*C.F)),
      Forms(*C.F, LI, FAM.getResult<CycleAnalysis>(*C.F), DT, SE),
      Swept(*C.F, LI, FAM.getResult<CycleAnalysis>(*C.F), DT, SE), Planned(Planned) {}

Update RuleContext::update(const Access &A) const {
  Update U = Updates::of(A);
  if (C.M->isGlobal()) {
    U.Counter = counterOf(A);
    if (C.IsKernel && A.Variable >= 0)
      U.Root = Variables[A.Variable].Root;
  }
  return U;
}

/// The sites of a function, described when the first of its clones is made: all
/// have the same.
FunctionSites &Instrumenter::sitesOf(const Clone &C, const AccessInfo &Info) {
  auto [Place, New] = Sites.try_emplace(C.Original);
  FunctionSites &Result = Place->second;
  if (!New)
    return Result;
  for (const Variable &V : Info.Variables)
    Result.Variables.push_back(siteVariable(V));
  for (const Access &A : Info.accesses()) {
    Site S;
    S.Variable = A.Variable;
    S.Source = sourceLocation(*A.Inst);
    S.Kind = A.Kind;
    S.Space = A.Space;
    S.Bytes = A.Bytes;
    S.Reduction = A.Reduction;
    S.Static = A.Static;
    Result.Sites.push_back(std::move(S));
  }
  for (auto [Inst, Why] : Info.opaqueCalls()) {
    auto *Call = dyn_cast<CallBase>(Inst);
    if (Call && Call->getCalledFunction() && isProgramsExternal(*Call->getCalledFunction()))
      continue; // followed after all
    ++CallsOpaque;
    Result.HasOpaqueCalls = true;
    Site S;
    S.Source = sourceLocation(*Inst);
    S.Shared = S.Global = {GMPROF_RULE_SKIPPED, Why};
    Result.Sites.push_back(std::move(S));
  }
  if (!C.IsKernel)
    for (Site &S : Result.Sites)
      S.FunctionSite = NextFunctionSite++;
  return Result;
}

/// Whether what the descriptor says of accesses of shared memory is what this clone
/// does: of a kernel's clones, one.
bool Instrumenter::describesSites(const Clone &C) const {
  return C.IsKernel ? C.M == (O.countsInSharedMemory() ? &Shared : &Device)
                    : C.M->inSharedMemory() == O.countsInSharedMemory();
}

/// Returns whether anything is counted.
bool Instrumenter::countAccesses(Clone &C, ArrayRef<GlobalVariable *> SharedVariables) {
  Function &F = *C.F;
  const AccessInfo &Info = FAM.getResult<AccessAnalysis>(F);
  FunctionSites &Found = sitesOf(C, Info);
  assert(Info.accesses().size() <= Found.Sites.size() && "all clones have the same accesses");
  Updates Planned;
  RuleContext Context(C, Found.Variables, Planned, FAM);
  if (C.CountsRanges)
    Planned.keepInPlace();
  if (C.IsKernel &&
      ((C.M == &Global && O.usesStaticAnalysis()) || (C.M == &Shared && O.describesShared())))
    describeByForms(Info, Context, Found);
  if (C.IsKernel && C.M == &Global)
    assignRoots(Found);
  for (auto [A, S] : zip(Info.accesses(), Found.Sites)) {
    if (!counts(*C.M, A, Found))
      ++AccessesOfOtherSpaces;
    else if (C.M == &GlobalAll)
      countGlobal(A, Context, "");                   // what the descriptor says is of K__gm_global
    else if (!C.M->isGlobal() && !describesSites(C)) // likewise
      countShared(A, Context, S.Shared.Rule == GMPROF_RULE_STATIC, "");
    else if (!C.M->isGlobal() && S.Shared.Rule != GMPROF_RULE_CLOSED_FORM)
      S.Shared = countShared(A, Context, !C.HasRanges, S.Shared.Reason);
    else if (C.M->isGlobal() && S.Global.Rule != GMPROF_RULE_CLOSED_FORM)
      S.Global = countGlobal(A, Context, S.Global.Reason);
  }
  planSweeps(Context);
  planEach(Context);
  bool Counts = !Planned.empty() || followsCalls(F, *C.M);

  if (C.IsKernel)
    emitCounters(C, SharedVariables, H);
  Planned.emit(C, H);
  followCalls(C, Found);
  SmallVector<AllocaInst *, 8> Counters;
  for (auto &[_, Counter] : Context.Executions)
    Counters.push_back(Counter);
  FAM.invalidate(F, PreservedAnalyses::none());
  PromoteMemToReg(Counters, FAM.getResult<DominatorTreeAnalysis>(F));
  H.inlineInto(F);
  simplifyAfterInstrumentation(F, FAM);
  return Counts;
}

/// Whether a function that may access global memory gets pointers to other memory in this call,
/// and uses no others: then the function itself is called.
bool Instrumenter::accessesNothingCounted(const CallBase &Call, const Mode &Mode) const {
  Function &Callee = *Call.getCalledFunction();
  if (Mode.isShared() || Callee.isDeclaration())
    return false;
  const AccessInfo &Info = FAM.getResult<AccessAnalysis>(Callee);
  if (!Mode.fences(Info).empty())
    return false;
  const DeviceFunctions &Functions = functionsOf(Mode);
  if (!Info.opaqueCalls().empty() || any_of(instructions(Callee), [&](const Instruction &I) {
        auto *Inner = dyn_cast<CallBase>(&I);
        return Inner && Inner->getCalledFunction() &&
               Functions.needsClone(*Inner->getCalledFunction());
      }))
    return false;
  return all_of(Info.accesses(), [&](const Access &A) {
    if (!Mode.counts(A.Space) || (A.Variable >= 0 && isTableOfCompiler(Info.Variables[A.Variable])))
      return true;
    auto *Argument = A.Pointer->getType()->isPointerTy()
                         ? dyn_cast<llvm::Argument>(getUnderlyingObject(A.Pointer, /*MaxLookup=*/0))
                         : nullptr;
    return Argument && !Mode.counts(pointsTo(Call.getArgOperand(Argument->getArgNo())).Space);
  });
}

bool Instrumenter::isFollowed(const CallBase &Call, const Mode &Mode) const {
  const Function *Callee = Call.getCalledFunction();
  return Callee && functionsOf(Mode).needsClone(*Callee) && !accessesNothingCounted(Call, Mode);
}

/// Whether accesses are made in functions that F calls.
bool Instrumenter::followsCalls(const Function &F, const Mode &Mode) const {
  return any_of(instructions(F), [&](const Instruction &I) {
    auto *Call = dyn_cast<CallBase>(&I);
    return Call && isFollowed(*Call, Mode);
  });
}

void Instrumenter::followCalls(Clone &C, FunctionSites &Into) {
  SmallVector<CallBase *, 8> Calls;
  for (Instruction &I : instructions(*C.F))
    if (auto *Call = dyn_cast<CallBase>(&I))
      if (Function *Callee = Call->getCalledFunction();
          Callee && functionsOf(*C.M).needsClone(*Callee))
        Calls.push_back(Call);
  for (CallBase *Call : Calls) {
    Function &Callee = *Call->getCalledFunction();
    Into.Callees.insert(&Callee);
    if (isFollowed(*Call, *C.M))
      redirectCall(*Call, *cloneOf(Callee, *C.M), C);
  }
}

/// The clone of a device function, made when it is first called.
Function *Instrumenter::cloneOf(Function &F, const Mode &Mode) {
  if (F.isDeclaration())
    return fallbackClone(F, Mode);
  Function *&Known = Clones[{&F, Mode.functionSuffix()}];
  if (Known)
    return Known;
  ++FunctionsCloned;
  Clone C = cloneDeviceFunction(F, Mode);
  Known = C.F; // before its calls are followed: it may be recursive
  C.CountsRanges = FunctionsCountRanges && Mode.inSharedMemory();
  C.MeetsOtherBlocks = MeetsOtherBlocks;
  Spaces.castIn(*C.F, F);
  simplifyForAnalysis(*C.F, FAM);
  if (Mode.isObjects())
    noteHits(C, findTouches(*C.F, FAM), sitesOf(C, FAM.getResult<AccessAnalysis>(*C.F)));
  else if (Mode.isHeat() || Mode.isCache())
    noteRequests(C);
  else
    countAccesses(C);
  if (Mode.inSharedMemory() || Mode.isCache())
    emitExits(C, /*Together=*/false, H);
  FAM.invalidate(*C.F, PreservedAnalyses::none());
  return C.F;
}

/// Other translation units may call these functions' clones.
void Instrumenter::cloneForOtherModules() {
  SmallVector<const Mode *, 3> Modes;
  if (O.ProfileShared && O.countsInSharedMemory())
    Modes.push_back(&Shared);
  if (O.ProfileShared)
    Modes.push_back(&Device);
  if (O.ProfileGlobal)
    Modes.push_back(&Global);
  if (O.ProfileObjects)
    Modes.push_back(&Objects);
  if (O.ProfileHeat)
    Modes.push_back(&Heat);
  if (O.ProfileCache)
    Modes.push_back(&Cache);
  for (const Mode *Mode : Modes)
    for (Function *F : functionsOf(*Mode).visibleToOthers())
      if (functionsOf(*Mode).needsClone(*F))
        cloneOf(*F, *Mode);
      else
        forwardingClone(*F, *Mode);
  describeFunctions();
}

/// Those that other translation units can call, or have as well, if requests say which site makes
/// them.
void Instrumenter::describeFunctions() {
  if (!O.ProfileHeat && !O.ProfileCache)
    return;
  for (const Function &F : M) {
    if (F.isDeclaration() || isKernel(F) || F.hasLocalLinkage() || !Sites.count(&F))
      continue;
    KernelDescription D;
    D.Kernel = &F;
    addSites(D, /*AddVisible=*/false);
    emitDescriptor(D, O);
  }
}

static void warnIfNothingIsSelected(ArrayRef<Function *> Kernels, const Options &O) {
  if (O.Kernels.empty() || Kernels.empty() || any_of(Kernels, [&](Function *Kernel) {
        return O.isKernelSelected(Kernel->getName(), demangle(Kernel->getName()));
      }))
    return;
  std::string Names;
  for (Function *Kernel : Kernels)
    Names += (Names.empty() ? "" : ", ") + demangle(Kernel->getName());
  WithColor::warning() << "GMProf: -gm-kernels=" << O.Kernels
                       << " matches none of the kernels here: " << Names << '\n';
}

static void instrumentDeviceModule(Module &M, FunctionAnalysisManager &FAM, const Options &O) {
  SmallVector<Function *, 8> Kernels;
  bool HasCode = false;
  for (Function &F : M) {
    HasCode |= !F.isDeclaration();
    if (!F.isDeclaration() && isKernel(F))
      Kernels.push_back(&F);
  }
  warnIfNothingIsSelected(Kernels, O);
  if (HasCode)
    Instrumenter(M, FAM, O, Kernels).run();
}

PreservedAnalyses InstrumentPass::run(Module &M, ModuleAnalysisManager &MAM) {
  if (M.getModuleFlag(DoneFlag))
    return PreservedAnalyses::all();
  Options O;
  if (Given) {
    O = *Given;
  } else {
    Expected<Options> FromCommandLine = optionsFromCommandLine();
    if (!FromCommandLine) {
      M.getContext().emitError(toString(FromCommandLine.takeError()));
      return PreservedAnalyses::all();
    }
    O = *FromCommandLine;
  }

  bool IsDevice = M.getTargetTriple().isNVPTX();
  if (!IsDevice && O.BitcodeFile.empty())
    return PreservedAnalyses::all();
  M.addModuleFlag(Module::Max, DoneFlag, GMPROF_ABI_VERSION);
  Error Failure = Error::success();
  if (IsDevice) {
    auto &FAM = MAM.getResult<FunctionAnalysisManagerModuleProxy>(M).getManager();
    instrumentDeviceModule(M, FAM, O);
    if (O.Verify && verifyModule(M, &errs()))
      reportFatalInternalError("GMProf: the instrumented module is not valid");
    if (!O.BitcodeFile.empty())
      Failure = joinErrors(std::move(Failure), writeDeviceBitcode(M, O.BitcodeFile));
  } else {
    Failure = joinErrors(std::move(Failure), embedDeviceBitcode(M, O.BitcodeFile));
  }
  if (Failure)
    M.getContext().emitError(toString(std::move(Failure)));
  return PreservedAnalyses::none();
}
