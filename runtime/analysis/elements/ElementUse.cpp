//===- ElementUse.cpp - Use of objects' elements --------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/elements/ElementUse.h"
#include "analysis/elements/AccessFrequencies.h"
#include "analysis/elements/ElementSet.h"
#include "analysis/global/CountedParts.h"
#include "analysis/global/GlobalMemoryUse.h"
#include "analysis/global/Stretches.h"
#include "analysis/global/ValueCounts.h"
#include "profile/CompressedCounts.h"
#include "profile/CounterKind.h"
#include "profile/ElementCounts.h"
#include "profile/ElementSize.h"
#include "profile/LaunchModes.h"
#include "profile/Saturating.h"
#include <algorithm>
#include <bit>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>

namespace gmprof::analysis {

using namespace profile;

/// Limits per object: elements and contexts whose frequencies are computed, per kernel; steps for
/// finding slices; progressions and runs of elements in memory.
static constexpr uint64_t FrequencyElements = uint64_t(1) << 26;
static constexpr size_t FrequencyContexts = 16;
static constexpr uint64_t SliceSteps = uint64_t(1) << 30;
static constexpr size_t MostProgressions = size_t(1) << 20;

namespace {

/// The trace's launches of one context.
struct ContextUse {
  const GlobalContext *Of = nullptr;
  uint64_t Launches = 0;
  uint32_t FirstApi = None;
  std::vector<uint32_t> Apis;      ///< all of them
  uint32_t First = None, Last = 0; ///< timestamps
  std::set<uint64_t> Streams;
};

/// Facts about a kernel that are the same for all objects.
struct KernelFacts {
  uint32_t First = None, Last = 0; ///< timestamps of profiled launches
  std::set<uint64_t> Streams;      ///< streams of these launches
  std::vector<KernelForm> Forms;
  std::string Problem;   ///< why a closed form is missing; empty: none is
  bool Profiled = false; ///< true if any launch was profiled
  /// Why some accesses through unknown pointers are not counted; empty: all are.
  std::string Uncounted;
  bool CountsAnywhere = false; ///< true if the kernel has counted accesses through unknown pointers
  std::vector<bool> IsAccessed; ///< per variable
};

/// Decompressed counts of elements of the object.
struct CountedRun {
  uint64_t First = 0; ///< in elements of the object
  unsigned Wider = 0; ///< counted elements are 2^Wider times as large as the object's
  ElementSums Counts;

  /// Calls Emit for the runs of accessed elements, in order.
  template <typename Callable> void forEachRun(const Callable &Emit) const {
    Counts.Sums.forEachTouched([&](size_t Begin, size_t End) {
      Emit(ElementRun{First + (Begin << Wider), (End - Begin) << Wider});
    });
  }
};

/// A record of the object's counts, with a summary of its contents.
struct RecordUse {
  const GlobalCounts *Of = nullptr;
  bool Damaged = false;
  uint64_t Runs = 0;           ///< number of runs of accessed elements
  std::vector<ElementRun> Few; ///< the runs, unless there are too many
};
using RecordUses = std::vector<const RecordUse *>;

/// All accesses of one context's launches to the object.
struct ContextAccesses {
  uint64_t Launches;
  RecordUses Records;
  std::vector<std::pair<Progression, unsigned>> Forms; ///< with the bytes of an access

  /// Returns true if both have the same access frequencies.
  bool areLike(const ContextAccesses &) const;
};

class Collector {
public:
  Collector(const Profile &P, const ObjectHistory &H);
  std::vector<ElementUse> collect(size_t Threads);

private:
  void findContexts();
  void findKernels();
  void findUnobserved();
  bool isUnprofiled(const Api &A) const;
  /// Returns the call's launch as it counts in the global profile; nothing if it does not.
  std::optional<Launch> counted(const Api &A) const;
  bool isKnown(const Api &A) const;
  const KernelFacts &facts(uint32_t Kernel) const { return Kernels[Kernel]; }

  friend class ObjectCollector;
  const Profile &P;
  const ObjectHistory &H;
  std::vector<KernelFacts> Kernels;
  std::vector<ContextUse> Contexts; ///< parallel to Profile::GlobalContexts
  std::unordered_map<uint64_t, uint32_t> ContextByNumber;
  std::unordered_map<uint64_t, std::vector<uint32_t>> ContextsOf; ///< by object id
  std::unordered_map<uint64_t, std::vector<const GlobalCounts *>> RecordsOf;
  /// Launches in the trace whose accesses were neither profiled nor observed; and, up to each of
  /// them, the number of those whose kernel was never profiled.
  std::vector<uint32_t> Unobserved, UnobservedUnknown;
  bool InPasses = false; ///< true if there was no memory for some counters
};

/// Collects the use of one object.
class ObjectCollector {
public:
  ObjectCollector(const Collector &All, uint32_t Object, size_t Threads);
  ElementUse collect();

private:
  unsigned elementShift() const;
  bool points(const KernelForm &F, const ContextUse &C) const {
    return C.Of->ClosedForms && C.Of->Objects[F.Variable] == Id;
  }
  /// Returns true if launches of the context have counters for the object.
  bool counts(const ContextUse &C) const;
  bool accesses(const ContextUse &C) const;
  template <typename Callable> void progressions(const ContextUse &C, const Callable &Emit);
  std::vector<uint32_t> reachingContexts() const;
  RecordUses records(uint32_t Kernel, uint64_t Context) const;
  std::optional<CountedRun> read(const GlobalCounts &R) const;

  void findUnseen();
  void noteUnprofiled(uint64_t Number, bool Known);
  void findAccessed();
  void addWindows(ElementSet &Set, std::vector<std::pair<Progression, unsigned>> &Waiting) const;
  void readRecords(ElementSet &Set);
  void findFrequencies();
  bool isWhole(const ContextUse &C, const RecordUses &Records) const;
  std::optional<ContextAccesses> allAccesses(const ContextUse &C);
  ElementFrequencies frequencies(const ContextUse &C, const ContextAccesses &Accesses) const;
  void findSlices();
  void addRuns(TimedAccess &To, const RecordUses &Records) const;
  void findSliceFrequencies();
  bool onlyWrites(const ContextUse &C, const RecordUses &Records) const;
  bool overwrites(const ContextUse &C);
  void findOverwrites();
  std::map<std::pair<uint32_t, uint32_t>, Bound> accessesByTime();

  const Collector &All;
  const uint32_t Object;
  const ApiObject &Described;
  const uint64_t Id;
  const size_t Threads;
  unsigned Shift;
  std::vector<RecordUse> Records;
  ElementUse Use;
};

} // namespace

//===----------------------------------------------------------------------===//
// All objects
//===----------------------------------------------------------------------===//

Collector::Collector(const Profile &P, const ObjectHistory &H) : P(P), H(H) {
  findContexts();
  findKernels();
  findUnobserved();
  for (const GlobalCounts &R : P.Global)
    RecordsOf[R.Object].push_back(&R);
  InPasses = std::any_of(P.Gaps.begin(), P.Gaps.end(),
                         [](const Gap &G) { return G.What == "objects of launches"; });
}

void Collector::findContexts() {
  for (uint32_t I = 0; I < P.GlobalContexts.size(); ++I) {
    const GlobalContext &C = P.GlobalContexts[I];
    Contexts.emplace_back().Of = &C;
    ContextByNumber[C.Context] = I;
    for (uint64_t Object : std::set<uint64_t>(C.Objects.begin(), C.Objects.end()))
      if (Object != 0)
        ContextsOf[Object].push_back(I);
  }
  profile::forEachLaunchMode(P, [&](const Launch &L) {
    auto It = ContextByNumber.find(L.Context);
    if (profile::isGlobal(L.Mode) && It != ContextByNumber.end())
      Contexts[It->second].Launches = addSaturating(Contexts[It->second].Launches, L.Times);
  });
  const ApiTrace &T = H.trace();
  for (uint32_t I = 0; I < T.Apis.size(); ++I) {
    if (T.Apis[I].Launch == None)
      continue;
    const std::optional<Launch> L = counted(T.Apis[I]);
    auto It = L ? ContextByNumber.find(L->Context) : ContextByNumber.end();
    if (It == ContextByNumber.end())
      continue;
    ContextUse &C = Contexts[It->second];
    C.FirstApi = std::min(C.FirstApi, I);
    C.Apis.push_back(I);
    C.First = std::min(C.First, H.timestamp(I));
    C.Last = std::max(C.Last, H.timestamp(I));
    C.Streams.insert(T.Apis[I].Stream);
  }
}

void Collector::findKernels() {
  for (const Kernel &K : P.Kernels) {
    KernelFacts &F = Kernels.emplace_back();
    if (!K.Desc)
      continue;
    F.Forms = kernelForms(*K.Desc, F.Problem);
    F.IsAccessed.resize(K.Desc->Variables.size());
    for (const Site &S : K.Desc->Sites) {
      if (S.GlobalRule == GMPROF_RULE_NOT_COUNTED)
        continue;
      if (S.Variable != None)
        F.IsAccessed[S.Variable] = true;
      if (S.Variable != None && K.Desc->Variables[S.Variable].Root != None)
        continue;
      F.CountsAnywhere = true;
      if (S.GlobalRule == GMPROF_RULE_SKIPPED)
        F.Uncounted = S.GlobalReason;
    }
    if (K.Desc->Flags & GMPROF_KERNEL_OPAQUE_CALLS)
      F.Uncounted = "the kernel calls code that could not be followed";
  }
  for (const ContextUse &C : Contexts) {
    KernelFacts &F = Kernels[C.Of->Kernel];
    F.Profiled |= C.Launches != 0;
    F.First = std::min(F.First, C.First);
    F.Last = std::max(F.Last, C.Last);
    F.Streams.insert(C.Streams.begin(), C.Streams.end());
  }
}

/// Returns true for launches without counts and closed forms.
bool Collector::isUnprofiled(const Api &A) const {
  return A.Kind == ApiKind::Launch && !counted(A);
}

std::optional<Launch> Collector::counted(const Api &A) const {
  return A.Launch == None ? std::nullopt : profile::launchIn(P, A.Launch, profile::isGlobal);
}

bool Collector::isKnown(const Api &A) const {
  return A.Launch != None && facts(P.Launches[A.Launch].Kernel).Profiled;
}

void Collector::findUnobserved() {
  const ApiTrace &T = H.trace();
  uint32_t Unknown = 0;
  for (uint32_t I = 0; I < T.Apis.size(); ++I) {
    if (!T.Apis[I].Inferred || !isUnprofiled(T.Apis[I]))
      continue;
    Unknown += isKnown(T.Apis[I]) ? 0 : 1;
    Unobserved.push_back(I);
    UnobservedUnknown.push_back(Unknown);
  }
}

static bool isLookedAt(const ApiObject &O) {
  return O.Kind != log::ObjectKind::Graph && !O.Parent && O.Bytes != 0;
}

std::vector<ElementUse> Collector::collect(size_t Threads) {
  const ApiTrace &T = H.trace();
  std::set<uint32_t> Slabs;
  for (const ApiObject &O : T.Objects)
    if (O.Parent)
      Slabs.insert(*O.Parent);
  std::vector<uint32_t> Objects;
  for (uint32_t Object = 0; Object < T.Objects.size(); ++Object) {
    const uint64_t Id = T.Objects[Object].Id;
    if (isLookedAt(T.Objects[Object]) && !Slabs.count(Object) &&
        (ContextsOf.count(Id) || RecordsOf.count(Id)))
      Objects.push_back(Object);
  }
  std::vector<ElementUse> Uses(Objects.size());
  forEachObject(
      Objects.size(), Threads, [&](size_t I) { return T.Objects[Objects[I]].Bytes; },
      [&](size_t I, size_t Sharing) {
        Uses[I] = ObjectCollector(*this, Objects[I], Sharing).collect();
      });
  std::erase_if(Uses, [](const ElementUse &Use) { return Use.Accessed == 0; });
  return Uses;
}

//===----------------------------------------------------------------------===//
// One object
//===----------------------------------------------------------------------===//

ObjectCollector::ObjectCollector(const Collector &All, uint32_t Object, size_t Threads)
    : All(All), Object(Object), Described(All.H.trace().Objects[Object]), Id(Described.Id),
      Threads(Threads), Shift(elementShift()) {
  if (auto It = All.RecordsOf.find(Id); It != All.RecordsOf.end())
    for (const GlobalCounts *R : It->second)
      Records.emplace_back().Of = R;
  Use.Object = Object;
  Use.ElementBytes = 1u << Shift;
  Use.Elements = ((Described.Bytes - 1) >> Shift) + 1;
}

static const std::vector<uint32_t> &
contextsOf(const std::unordered_map<uint64_t, std::vector<uint32_t>> &In, uint64_t Id) {
  static const std::vector<uint32_t> Nothing;
  auto It = In.find(Id);
  return It == In.end() ? Nothing : It->second;
}

/// Returns the smallest element size among all kernels that access the object.
unsigned ObjectCollector::elementShift() const {
  unsigned Smallest = MaxElementShift;
  bool Any = false;
  for (uint32_t I : contextsOf(All.ContextsOf, Id)) {
    const GlobalContext &C = *All.Contexts[I].Of;
    for (uint32_t V = 0; V < C.Objects.size(); ++V)
      if (C.Objects[V] == Id && All.facts(C.Kernel).IsAccessed[V]) {
        Smallest = std::min(Smallest, gmprof::elementShift(*All.P.Kernels[C.Kernel].Desc, V));
        Any = true;
      }
  }
  if (auto It = All.RecordsOf.find(Id); It != All.RecordsOf.end())
    for (const GlobalCounts *R : It->second) {
      Smallest = std::min(Smallest, R->ElementShift);
      Any = true;
    }
  return Any ? Smallest : 2;
}

bool ObjectCollector::accesses(const ContextUse &C) const {
  for (uint32_t V = 0; V < C.Of->Objects.size(); ++V)
    if (C.Of->Objects[V] == Id && All.facts(C.Of->Kernel).IsAccessed[V])
      return true;
  return false;
}

bool ObjectCollector::counts(const ContextUse &C) const {
  const Descriptor &Desc = *All.P.Kernels[C.Of->Kernel].Desc;
  return std::any_of(Desc.Sites.begin(), Desc.Sites.end(), [&](const Site &S) {
    return S.Variable != None && C.Of->Objects[S.Variable] == Id &&
           S.GlobalRule != GMPROF_RULE_NOT_COUNTED &&
           (S.GlobalRule != GMPROF_RULE_CLOSED_FORM || !C.Of->ClosedForms);
  });
}

/// Calls Emit for each progression of accesses by one launch of the context.
template <typename Callable>
void ObjectCollector::progressions(const ContextUse &C, const Callable &Emit) {
  for (const KernelForm &F : All.facts(C.Of->Kernel).Forms) {
    if (!points(F, C))
      continue;
    const bool Evaluated =
        forEachProgression(F.Form, formLaunch(*C.Of), [&](const Progression &From) {
          Progression Moved = From;
          Moved.Base += C.Of->Offsets[F.Variable];
          Emit(Moved, F.Bytes);
        });
    if (!Evaluated)
      Use.Unseen = "a closed form could not be evaluated";
  }
}

/// Returns the contexts whose launches may access the object.
std::vector<uint32_t> ObjectCollector::reachingContexts() const {
  std::set<uint32_t> Reaching;
  for (uint32_t I : contextsOf(All.ContextsOf, Id))
    if (accesses(All.Contexts[I]))
      Reaching.insert(I);
  if (auto It = All.RecordsOf.find(Id); It != All.RecordsOf.end())
    for (const GlobalCounts *R : It->second)
      if (auto Context = All.ContextByNumber.find(R->Context); Context != All.ContextByNumber.end())
        Reaching.insert(Context->second);
  return {Reaching.begin(), Reaching.end()};
}

RecordUses ObjectCollector::records(uint32_t Kernel, uint64_t Context) const {
  RecordUses Found;
  for (const RecordUse &R : Records)
    if (R.Of->Kernel == Kernel && R.Of->Context == Context)
      Found.push_back(&R);
  return Found;
}

/// Decompresses a record; returns nothing if it is damaged.
std::optional<CountedRun> ObjectCollector::read(const GlobalCounts &R) const {
  CountedRun Run;
  Run.Wider = R.ElementShift - Shift;
  Run.First = R.FirstElement << Run.Wider;
  const uint64_t Elements = ((Use.Elements - 1) >> Run.Wider) + 1;
  if (R.FirstElement > Elements || R.Elements > Elements - R.FirstElement ||
      !decompressCounts(R.Compressed, R.Elements, R.ThresholdReached, Run.Counts))
    return std::nullopt;
  return Run;
}

//===----------------------------------------------------------------------===//
// Unobserved accesses
//===----------------------------------------------------------------------===//

/// Adds unprofiled launches that may access the object. Known: other launches of their kernels were
/// profiled.
void ObjectCollector::noteUnprofiled(uint64_t Number, bool Known) {
  if (Number == 0)
    return;
  Use.Launches = addSaturating(Use.Launches, Number);
  Use.Sampled = true;
  if (!Known)
    Use.Unseen = "a kernel that may access it was not profiled";
}

void ObjectCollector::findUnseen() {
  for (uint32_t I : contextsOf(All.ContextsOf, Id)) {
    const ContextUse &C = All.Contexts[I];
    if (!accesses(C) || C.Launches == 0)
      continue;
    Use.Launches = addSaturating(Use.Launches, C.Launches);
    Use.LaunchesProfiled = addSaturating(Use.LaunchesProfiled, C.Launches);
    const Descriptor &Desc = *All.P.Kernels[C.Of->Kernel].Desc;
    for (const Site &S : Desc.Sites)
      if (S.GlobalRule == GMPROF_RULE_SKIPPED && S.Variable != None &&
          C.Of->Objects[S.Variable] == Id)
        Use.Unseen = S.GlobalReason;
    if (!counts(C))
      continue;
    Use.Sampled |= C.Of->BlockSample > 1;
    if (C.Of->LaunchesCounted < C.Launches)
      Use.Unseen = "counts of some launches are missing";
  }
  Use.Sampled |= All.InPasses;
  for (const KernelFacts &F : All.Kernels) {
    if (F.Profiled && !F.Uncounted.empty())
      Use.Unseen = F.Uncounted;
    if (F.Profiled && !F.Problem.empty())
      Use.Unseen = F.Problem;
  }
  const ApiTrace &T = All.H.trace();
  const uint32_t End = T.endOf(Described);
  const uint32_t Begin = All.H.isAllocated(Object) ? Described.Allocation : 0;
  const std::vector<uint32_t> Reaching = reachingContexts();
  for (uint32_t I : All.H.uses(Object)) {
    const Api &A = T.Apis[I];
    if (All.isUnprofiled(A)) {
      if (!A.Inferred)
        noteUnprofiled(1, All.isKnown(A));
    } else if (const std::optional<Launch> L = All.counted(A)) {
      auto Context = All.ContextByNumber.find(L->Context);
      if (Context == All.ContextByNumber.end() ||
          !std::binary_search(Reaching.begin(), Reaching.end(), Context->second))
        Use.Unseen = "a kernel accesses it in a way that is not counted, as through a texture";
    }
  }
  const auto Number = [&](uint32_t Api) {
    return static_cast<size_t>(std::lower_bound(All.Unobserved.begin(), All.Unobserved.end(), Api) -
                               All.Unobserved.begin());
  };
  const size_t From = Number(Begin), To = Number(End);
  const auto Unknown = [&](size_t Of) { return Of == 0 ? 0 : All.UnobservedUnknown[Of - 1]; };
  noteUnprofiled(To - From, Unknown(To) == Unknown(From));
}

//===----------------------------------------------------------------------===//
// Accessed elements
//===----------------------------------------------------------------------===//

/// Adds many progressions together, which is cheaper if they have many runs.
void ObjectCollector::addWindows(ElementSet &Set,
                                 std::vector<std::pair<Progression, unsigned>> &Waiting) const {
  std::vector<ElementRun> Touched;
  for (const auto &[Each, Bytes] : Waiting)
    Touched.push_back(ElementRuns(Each, Bytes, Shift).hull({0, Use.Elements}));
  const std::vector<ElementRun> Stretches = stretchesOf(std::move(Touched), Use.Elements);
  const auto AddWindow = [&](ElementSet &To, uint64_t First, uint64_t Count) {
    ElementCounts Counts(First, Count, Shift);
    for (const auto &[Each, Bytes] : Waiting)
      Counts.add(Each, Bytes);
    for (const CountRun &R : Counts.finishRuns()) {
      if (R.Times != 0)
        To.add({First, R.Elements});
      First += R.Elements;
    }
  };
  inParallelInOrder<std::optional<ElementSet>>(
      Stretches.size(),
      [&](size_t I, std::optional<ElementSet> &To) {
        To.emplace(Use.Elements);
        if (!Set.full())
          forEachWindow(Stretches[I],
                        [&](uint64_t First, uint64_t Count) { AddWindow(*To, First, Count); });
      },
      [&](const std::optional<ElementSet> &Found) { Set.add(*Found); }, Threads);
  Waiting.clear();
}

/// Adds the counted elements, and keeps the runs of each record that findSlices() needs.
void ObjectCollector::readRecords(ElementSet &Set) {
  constexpr size_t Together = 8; // records per task, enough work for a thread
  constexpr uint64_t Few = 16;   // take hardly any memory
  const uint64_t Kept =
      std::max<uint64_t>(Few, MostProgressions / std::max<uint64_t>(Records.size(), 1));
  const auto Read = [&](RecordUse &R, ElementSet &To) {
    const std::optional<CountedRun> Counted = read(*R.Of);
    R.Damaged = !Counted;
    if (!Counted)
      return;
    Counted->forEachRun([&](ElementRun Run) {
      if (++R.Runs <= Kept)
        R.Few.push_back(Run);
      if (!Set.full())
        To.add(Run);
    });
    if (R.Runs > Kept)
      R.Few = {};
  };
  inParallelInOrder<std::optional<ElementSet>>(
      (Records.size() + Together - 1) / Together,
      [&](size_t I, std::optional<ElementSet> &To) {
        To.emplace(Use.Elements);
        for (size_t R = I * Together; R < std::min(Records.size(), (I + 1) * Together); ++R)
          Read(Records[R], *To);
      },
      [&](const std::optional<ElementSet> &Found) { Set.add(*Found); }, Threads);
}

void ObjectCollector::findAccessed() {
  constexpr uint64_t FewRuns = 64;
  ElementSet Set(Use.Elements);
  const ElementRun Whole = {0, Use.Elements};
  std::vector<std::pair<Progression, unsigned>> Waiting;
  for (uint32_t I : contextsOf(All.ContextsOf, Id)) {
    const ContextUse &C = All.Contexts[I];
    if (C.Launches == 0 || Set.full())
      continue;
    progressions(C, [&](const Progression &Each, unsigned Bytes) {
      const ElementRuns Runs(Each, Bytes, Shift);
      if (Runs.runs() <= FewRuns)
        Runs.within(Whole, [&](ElementRun R) { Set.add(R); });
      else
        Waiting.emplace_back(Each, Bytes);
      if (Waiting.size() >= MostProgressions)
        addWindows(Set, Waiting);
    });
  }
  addWindows(Set, Waiting);
  readRecords(Set);
  const bool ByKernels = Set.size() != 0;
  for (uint32_t I : All.H.uses(Object))
    for (const ApiAccess &A : All.H.trace().Apis[I].Accesses)
      if (A.Object == Object && A.Reads && All.H.trace().Apis[I].Kind == ApiKind::Copy) {
        const uint64_t First = A.Offset >> Shift;
        Set.add(A.Bytes == 0 ? Whole
                             : ElementRun{First, ((A.Offset + A.Bytes - 1) >> Shift) - First + 1});
      }
  Use.Accessed = ByKernels ? Set.size() : 0;
  Set.forEachGap([&](ElementRun Gap) {
    ++Use.Gaps;
    if (Gap.Count > Use.LargestGap.Count)
      Use.LargestGap = Gap;
  });
}

//===----------------------------------------------------------------------===//
// Access frequencies
//===----------------------------------------------------------------------===//

/// Returns true if the records hold all counts of the context's launches.
bool ObjectCollector::isWhole(const ContextUse &C, const RecordUses &Records) const {
  const bool Anywhere = All.facts(C.Of->Kernel).CountsAnywhere;
  if (!counts(C) && Records.empty() && !Anywhere)
    return true;
  if (Anywhere && !records(C.Of->Kernel, 0).empty())
    return false;
  if (C.Of->BlockSample > 1 || C.Of->LaunchesCounted != C.Launches)
    return false;
  std::array<uint64_t, GMPROF_COUNTER_KINDS> Launches = {};
  for (const RecordUse *R : Records)
    Launches[R->Of->Kind] = addSaturating(Launches[R->Of->Kind], R->Of->Launches);
  const Descriptor &Desc = *All.P.Kernels[C.Of->Kernel].Desc;
  return std::all_of(Desc.Sites.begin(), Desc.Sites.end(), [&](const Site &S) {
    const bool Counted = S.Variable != None && C.Of->Objects[S.Variable] == Id &&
                         S.GlobalRule != GMPROF_RULE_NOT_COUNTED &&
                         (S.GlobalRule != GMPROF_RULE_CLOSED_FORM || !C.Of->ClosedForms);
    if (!Counted)
      return true;
    for (unsigned Kind = 0; Kind < GMPROF_COUNTER_KINDS; ++Kind)
      if (counterKind(S.Kind).value_or(static_cast<GmprofCounterKind>(Kind)) == Kind &&
          Launches[Kind] != C.Launches)
        return false;
    return true;
  });
}

bool ContextAccesses::areLike(const ContextAccesses &Other) const {
  const auto CountAlike = [](const RecordUse *First, const RecordUse *Second) {
    const GlobalCounts *A = First->Of, *B = Second->Of;
    return std::tie(A->FirstElement, A->Elements, A->ElementShift, A->ThresholdReached,
                    A->Compressed) == std::tie(B->FirstElement, B->Elements, B->ElementShift,
                                               B->ThresholdReached, B->Compressed);
  };
  return Launches == Other.Launches && Forms == Other.Forms &&
         std::equal(Records.begin(), Records.end(), Other.Records.begin(), Other.Records.end(),
                    CountAlike);
}

/// Returns all accesses of the context; nothing if some are unknown.
std::optional<ContextAccesses> ObjectCollector::allAccesses(const ContextUse &C) {
  ContextAccesses All = {C.Launches, records(C.Of->Kernel, C.Of->Context), {}};
  if (!isWhole(C, All.Records))
    return std::nullopt;
  progressions(
      C, [&](const Progression &Each, unsigned Bytes) { All.Forms.emplace_back(Each, Bytes); });
  return All;
}

/// Adds the frequencies of a stretch, window by window.
static void addFrequencies(const ContextAccesses &Accesses, const CountedRecords &Records,
                           unsigned Shift, const ElementRun &Stretch, AccessFrequencies &To) {
  const uint64_t Launches = Accesses.Launches;
  ValueCounts Values([&](const CountedValue &Each, uint64_t Elements) {
    if (Each.Value != 0)
      To.add(Each.Value / static_cast<double>(Launches), Elements, Each.AtLeast);
  });
  CountedParts Counted(Records, Stretch.First);
  forEachWindow(Stretch, [&](uint64_t First, uint64_t Count) {
    ElementCounts Evaluated(First, Count, Shift);
    for (const auto &[Each, Bytes] : Accesses.Forms)
      Evaluated.add(Each, Bytes, Launches);
    FormRuns ByForms(Evaluated.finishRuns());
    (void)Counted.open(First, First + Count); // readRecords() has reported damaged records
    std::vector<PartRuns> ByCounters;
    for (const CountedPart *Part : Counted.opened())
      ByCounters.emplace_back(*Part);
    for (uint64_t E = First; E < First + Count;) {
      Alike Here(E, First + Count);
      Here.end(E + ByForms.equal(First + Count - E));
      uint64_t Sum = ByForms.times();
      bool AtLeast = false;
      for (PartRuns &Part : ByCounters) {
        const CountedAlike &Run = Part.from(E);
        Here.end(Run.End, &Part);
        Sum = addSaturating(Sum, Run.Sum);
        AtLeast |= Run.Capped;
      }
      PartRuns *Varying = Here.varying();
      const uint64_t Passed = Varying ? Here.numberByOthers() : Here.number();
      if (Varying) {
        const uint64_t Others = Sum - Varying->from(E).Sum;
        Varying->forEachSum(E, E + Passed, [&](uint64_t Each, uint64_t Number) {
          Values.add({static_cast<double>(addSaturating(Others, Each)), AtLeast}, Number);
        });
      } else {
        Values.add({static_cast<double>(Sum), AtLeast}, Passed);
      }
      ByForms.pass(Passed);
      E += Passed;
    }
  });
  Values.finish();
}

ElementFrequencies ObjectCollector::frequencies(const ContextUse &C,
                                                const ContextAccesses &Accesses) const {
  CountedRecords Counted(Use.Elements, Shift);
  std::vector<ElementRun> Touched;
  for (const RecordUse *R : Accesses.Records)
    (void)Counted.add(*R->Of);
  Counted.sort();
  for (const CountedRecord &R : Counted.all())
    Touched.push_back({R.First, R.End - R.First});
  for (const auto &[Each, Bytes] : Accesses.Forms)
    Touched.push_back(ElementRuns(Each, Bytes, Shift).hull({0, Use.Elements}));
  const std::vector<ElementRun> Stretches = stretchesOf(std::move(Touched), Use.Elements);
  AccessFrequencies Frequencies;
  inParallelInOrder<AccessFrequencies>(
      Stretches.size(),
      [&](size_t I, AccessFrequencies &To) {
        addFrequencies(Accesses, Counted, Shift, Stretches[I], To);
      },
      [&](const AccessFrequencies &Behind) { Frequencies.add(Behind); }, Threads);
  return {C.Of->Kernel,
          C.FirstApi,
          C.Launches,
          Frequencies.elements(),
          Frequencies.min(),
          Frequencies.mean(),
          Frequencies.max(),
          Frequencies.variation(),
          Frequencies.hottestTenth()};
}

/// Examines a sample of contexts, spread over the kernel's launches. Contexts with the same
/// accesses are examined once: many differ only in values they compute with.
void ObjectCollector::findFrequencies() {
  std::map<uint32_t, std::vector<uint32_t>> ByKernel;
  for (uint32_t I : reachingContexts()) {
    const ContextUse &C = All.Contexts[I];
    if (C.Launches != 0 && C.FirstApi != None)
      ByKernel[C.Of->Kernel].push_back(I);
  }
  const size_t Most = std::clamp<uint64_t>(FrequencyElements / Use.Elements, 1, FrequencyContexts);
  for (const auto &[Kernel, OfKernel] : ByKernel) {
    std::optional<ElementFrequencies> Uneven;
    const size_t Number = std::min(Most, OfKernel.size());
    std::vector<ContextAccesses> Known;
    size_t Kept = 0; ///< progressions in Known
    for (size_t I = 0; I < Number; ++I) {
      const ContextUse &C = All.Contexts[OfKernel[I * OfKernel.size() / Number]];
      std::optional<ContextAccesses> Accesses = allAccesses(C);
      if (!Accesses || std::any_of(Known.begin(), Known.end(), [&](const ContextAccesses &Each) {
            return Each.areLike(*Accesses);
          }))
        continue;
      const ElementFrequencies Found = frequencies(C, *Accesses);
      if (Found.Elements != 0 && (!Uneven || Found.Variation.Value > Uneven->Variation.Value))
        Uneven = Found;
      if (Kept += Accesses->Forms.size(); Kept <= MostProgressions)
        Known.push_back(std::move(*Accesses));
    }
    if (Uneven)
      Use.Frequencies.push_back(*Uneven);
  }
}

//===----------------------------------------------------------------------===//
// Slices in time
//===----------------------------------------------------------------------===//

/// Adds the runs of all records, merged across kinds of accesses.
void ObjectCollector::addRuns(TimedAccess &To, const RecordUses &Records) const {
  for (const RecordUse *R : Records)
    if (R->Few.size() == R->Runs)
      To.Runs.insert(To.Runs.end(), R->Few.begin(), R->Few.end());
    else if (const std::optional<CountedRun> Counted = read(*R->Of))
      Counted->forEachRun([&](ElementRun Run) { To.Runs.push_back(Run); });
  const auto IsBefore = [](const ElementRun &A, const ElementRun &B) { return A.First < B.First; };
  if (!std::is_sorted(To.Runs.begin(), To.Runs.end(), IsBefore))
    std::sort(To.Runs.begin(), To.Runs.end(), IsBefore);
  uint64_t End = 0;
  for (ElementRun &R : To.Runs) {
    const uint64_t Last = std::max(R.end(), End);
    R.First = std::max(R.First, End);
    R.Count = Last - R.First;
    End = Last;
  }
}

void ObjectCollector::findSlices() {
  std::vector<TimedAccess> Accesses;
  std::set<uint64_t> Streams;
  uint64_t Parts = 0;
  for (const RecordUse &R : Records)
    Parts += R.Runs;
  for (uint32_t I : reachingContexts()) {
    const ContextUse &C = All.Contexts[I];
    if (C.Launches == 0)
      continue;
    if (C.First == None || Parts > MostProgressions)
      return; // not in the trace, or too many
    TimedAccess &To = Accesses.emplace_back(TimedAccess{C.First, C.Last, {}, {}});
    Streams.insert(C.Streams.begin(), C.Streams.end());
    progressions(C, [&](const Progression &Each, unsigned Bytes) {
      if (++Parts <= MostProgressions)
        To.Progressions.emplace_back(Each, Bytes, Shift);
    });
    addRuns(To, records(C.Of->Kernel, C.Of->Context));
  }
  std::set<uint32_t> WithOthers; ///< kernels with counts of several contexts together
  for (const RecordUse &R : Records)
    if (R.Of->Context == 0)
      WithOthers.insert(R.Of->Kernel);
  for (uint32_t Kernel : WithOthers) {
    const KernelFacts &F = All.facts(Kernel);
    if (F.First == None || Parts > MostProgressions)
      return;
    TimedAccess &To = Accesses.emplace_back(TimedAccess{F.First, F.Last, {}, {}});
    Streams.insert(F.Streams.begin(), F.Streams.end());
    addRuns(To, records(Kernel, 0));
  }
  for (uint32_t I : All.H.uses(Object)) {
    const Api &A = All.H.trace().Apis[I];
    if (A.Kind != ApiKind::Copy && A.Kind != ApiKind::Set)
      continue;
    const uint32_t Time = All.H.timestamp(I);
    Streams.insert(A.Stream);
    for (const ApiAccess &Access : A.Accesses)
      if (Access.Object == Object) {
        const uint64_t First = Access.Offset >> Shift;
        const uint64_t Last = (Access.Offset + Access.Bytes - 1) >> Shift;
        Accesses.push_back({Time,
                            Time,
                            {},
                            {Access.Bytes == 0 ? ElementRun{0, Use.Elements}
                                               : ElementRun{First, Last - First + 1}}});
      }
  }
  // Accesses to different elements from several streams may run concurrently, whatever the
  // dependency graph says of the whole object.
  uint64_t Work = SliceSteps;
  if (Parts <= MostProgressions && Streams.size() == 1)
    Use.Slices = accessSlices(Accesses, Use.Elements, Work).value_or(std::vector<AccessSlice>());
  if (Use.Slices.size() > 1)
    findSliceFrequencies();
}

/// Returns accesses by kernel and time of the context's first launch.
std::map<std::pair<uint32_t, uint32_t>, Bound> ObjectCollector::accessesByTime() {
  std::vector<uint64_t> Totals(Records.size());
  inParallel(
      Records.size(),
      [&](size_t I) {
        if (const std::optional<CountedRun> Counted = read(*Records[I].Of))
          Totals[I] = Counted->Counts.Sums.total();
      },
      Threads);
  std::map<std::pair<uint32_t, uint32_t>, Bound> Number;
  for (uint32_t I : reachingContexts()) {
    const ContextUse &C = All.Contexts[I];
    if (C.Launches == 0)
      continue;
    Bound &Sum = Number[{C.Of->Kernel, C.First}];
    progressions(C, [&](const Progression &Each, unsigned) {
      double Points = static_cast<double>(Each.Times) * static_cast<double>(C.Launches);
      for (const Progression::Dimension &D : Each.Dimensions)
        Points *= static_cast<double>(D.Extent);
      Sum.Value += Points;
    });
  }
  for (size_t I = 0; I < Records.size(); ++I) {
    const GlobalCounts &R = *Records[I].Of;
    const auto Context = All.ContextByNumber.find(R.Context);
    const uint32_t Time = R.Context == 0 ? All.facts(R.Kernel).First
                          : Context == All.ContextByNumber.end()
                              ? None
                              : All.Contexts[Context->second].First;
    Bound &Sum = Number[{R.Kernel, Time}];
    Sum.Value += static_cast<double>(Totals[I]);
    Sum.AtLeast |= R.ThresholdReached;
  }
  return Number;
}

void ObjectCollector::findSliceFrequencies() {
  std::map<uint32_t, std::map<size_t, Bound>> BySlice; ///< per kernel
  for (const auto &[Key, Sum] : accessesByTime()) {
    auto Slice = std::partition_point(
        Use.Slices.begin(), Use.Slices.end(),
        [&, Time = Key.second](const AccessSlice &S) { return S.Last < Time; });
    if (Slice == Use.Slices.end() || Sum.Value == 0)
      continue;
    Bound &To = BySlice[Key.first][static_cast<size_t>(Slice - Use.Slices.begin())];
    To.Value += Sum.Value;
    To.AtLeast |= Sum.AtLeast;
  }
  for (const auto &[Kernel, Slices] : BySlice) {
    if (Slices.size() < 2)
      continue;
    AccessFrequencies Frequencies;
    for (const auto &[Slice, Sum] : Slices)
      Frequencies.add(Sum.Value, 1, Sum.AtLeast);
    SliceFrequencies Of = {Kernel, None, Slices.size(), Frequencies.variation()};
    for (uint32_t I : contextsOf(All.ContextsOf, Id))
      if (All.Contexts[I].Of->Kernel == Kernel && accesses(All.Contexts[I]))
        Of.Api = std::min(Of.Api, All.Contexts[I].FirstApi);
    if (Of.Api != None)
      Use.OfSlices.push_back(Of);
  }
}

//===----------------------------------------------------------------------===//
// Overwriting launches
//===----------------------------------------------------------------------===//

/// Returns true if launches of the context have no access to the object but stores of whole
/// elements.
bool ObjectCollector::onlyWrites(const ContextUse &C, const RecordUses &Records) const {
  const Descriptor &Desc = *All.P.Kernels[C.Of->Kernel].Desc;
  const bool Sites = std::all_of(Desc.Sites.begin(), Desc.Sites.end(), [&](const Site &S) {
    return S.Variable == None || C.Of->Objects[S.Variable] != Id ||
           S.GlobalRule == GMPROF_RULE_NOT_COUNTED ||
           (counterKind(S.Kind) == GMPROF_COUNTER_WRITES && S.Bytes >> Shift != 0);
  });
  return Sites && std::all_of(Records.begin(), Records.end(), [](const RecordUse *R) {
           return R->Runs == 0 || R->Of->Kind == GMPROF_COUNTER_WRITES;
         });
}

/// Returns true if each launch of the context writes all elements and reads none. Counters do not
/// tell several launches apart.
bool ObjectCollector::overwrites(const ContextUse &C) {
  const KernelFacts &K = All.facts(C.Of->Kernel);
  const RecordUses Its = records(C.Of->Kernel, C.Of->Context);
  if (!K.Problem.empty() || !K.Uncounted.empty() || K.CountsAnywhere || !isWhole(C, Its) ||
      !onlyWrites(C, Its) || (C.Launches != 1 && (counts(C) || !Its.empty())))
    return false;
  ElementSet Written(Use.Elements);
  std::vector<std::pair<Progression, unsigned>> Waiting;
  progressions(C, [&](const Progression &Each, unsigned Bytes) {
    Waiting.emplace_back(Each, Bytes);
    if (Waiting.size() >= MostProgressions)
      addWindows(Written, Waiting);
  });
  addWindows(Written, Waiting);
  for (const RecordUse *R : Its) {
    const std::optional<CountedRun> Counted = read(*R->Of);
    if (!Counted || Counted->Wider != 0)
      return false;
    Counted->forEachRun([&](ElementRun Run) { Written.add(Run); });
  }
  return Written.full();
}

void ObjectCollector::findOverwrites() {
  const auto IsSet = [&](uint32_t I) { return All.H.trace().Apis[I].Kind == ApiKind::Set; };
  const auto &Uses = All.H.uses(Object);
  if (!Use.Unseen.empty() || Use.Sampled || Use.Elements << Shift != Described.Bytes ||
      std::none_of(Uses.begin(), Uses.end(), IsSet))
    return;
  for (const uint32_t I : reachingContexts())
    if (const ContextUse &C = All.Contexts[I]; C.Launches == C.Apis.size() && overwrites(C))
      Use.Overwrites.insert(Use.Overwrites.end(), C.Apis.begin(), C.Apis.end());
  std::ranges::sort(Use.Overwrites);
}

ElementUse ObjectCollector::collect() {
  findAccessed();
  if (Use.Accessed == 0)
    return std::move(Use);
  findUnseen();
  findFrequencies();
  findSlices();
  if (std::any_of(Records.begin(), Records.end(), [](const RecordUse &R) { return R.Damaged; }))
    Use.Unseen = "some counts are damaged";
  findOverwrites();
  return std::move(Use);
}

std::vector<ElementUse> elementUse(const Profile &P, const ObjectHistory &H, size_t Threads) {
  return Collector(P, H).collect(Threads);
}

} // namespace gmprof::analysis
