//===- GlobalMemoryUse.cpp - Access counts per element --------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/global/GlobalMemoryUse.h"
#include "analysis/global/AccessSums.h"
#include "analysis/global/CountedParts.h"
#include "analysis/global/Stretches.h"
#include "profile/CounterKind.h"
#include "profile/ElementCounts.h"
#include "profile/ElementSize.h"
#include "profile/LaunchModes.h"
#include "profile/Saturating.h"
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>

namespace gmprof::analysis {

using namespace profile;

/// Maximum number of progressions kept per object; beyond it, each window evaluates the forms
/// again.
static constexpr size_t MostFormAccesses = size_t(1) << 19;

std::vector<KernelForm> kernelForms(const Descriptor &Desc, std::string &Problem) {
  std::vector<KernelForm> Forms;
  for (const Form &F : Desc.Forms) {
    const Site &S = Desc.Sites[F.Site];
    std::optional<GmprofCounterKind> Kind = counterKind(S.Kind);
    Result<ClosedForm> Decoded = decodeClosedForm(F.Words, Desc.ParamCount);
    if (!Decoded || !Kind || S.Bytes == 0)
      Problem = Decoded ? "a closed form is of no single kind of access" : Decoded.error();
    else
      Forms.push_back({F.Variable, *Kind, S.Bytes, std::move(*Decoded)});
  }
  return Forms;
}

FormLaunch formLaunch(const GlobalContext &C) { return {C.Grid, C.Block, C.Values, std::nullopt}; }

Bound GlobalObjectUse::total() const {
  Bound Sum;
  for (const GlobalAccesses &A : Kinds) {
    Sum.Value += A.Total.Value;
    Sum.AtLeast |= A.Total.AtLeast;
  }
  return Sum;
}

static uint64_t blocksOf(const GlobalContext &C) {
  return mulSaturating(mulSaturating<uint64_t>(C.Grid[0], C.Grid[1]), uint64_t(C.Grid[2]));
}

static bool mayAccess(const Site &S, GmprofCounterKind Kind) {
  return S.GlobalRule != GMPROF_RULE_NOT_COUNTED && counterKind(S.Kind).value_or(Kind) == Kind;
}

namespace {

/// A context and the number of its launches.
struct Context {
  const GlobalContext *Of;
  uint64_t Launches;
};

/// Accesses of one progression in a context's launches.
struct FormAccesses {
  ElementRun Within; ///< span of the accessed elements of the object
  GmprofCounterKind Kind;
  unsigned Bytes;
  Progression Where; ///< from the object's start
  uint64_t Launches;
};

/// Determines one kernel's use of one object.
class ObjectCollector {
public:
  ObjectCollector(const Descriptor &Desc, const std::vector<KernelForm> &Forms,
                  const std::vector<Context> &Contexts, GlobalObjectUse &Use)
      : Desc(Desc), Forms(Forms), Contexts(Contexts), Use(Use),
        Counted(Use.Elements, static_cast<unsigned>(std::countr_zero(Use.ElementBytes))) {}

  /// Scales: factor by block sample. Returns the number of accesses outside the object.
  uint64_t collect(const std::vector<const GlobalCounts *> &Records,
                   const std::map<uint32_t, double> &Scales, size_t Threads);

private:
  friend class StretchCollector;
  void findLaunches(const std::vector<const GlobalCounts *> &Records);
  std::array<double, GMPROF_COUNTER_KINDS>
  scalesOfPasses(const std::vector<const GlobalCounts *> &Records);
  void readCounters(const GlobalCounts &R, double Scale);
  template <typename Callable> bool eachFormAccess(const Callable &Emit) const;
  void findFormAccesses();
  uint64_t addUp(size_t Threads);

  const Descriptor &Desc;
  const std::vector<KernelForm> &Forms;
  const std::vector<Context> &Contexts;
  GlobalObjectUse &Use;
  CountedRecords Counted;
  std::vector<ElementRun> Reached; ///< spans that may have accesses
  /// All form accesses; nothing: too many to keep.
  std::optional<std::vector<FormAccesses>> ByForms;
  std::array<unsigned, GMPROF_COUNTER_KINDS> Thresholds = {};
};

/// Statistics of a stretch of elements.
struct StretchUse {
  AccessSums Sums;
  uint64_t InsideByForms = 0; ///< accesses by closed forms
  uint64_t AllByForms = 0;    ///< also outside of the object; only set in the first stretch
  bool Damaged = false;       ///< true if some counts are damaged
};

/// Adds values of one kind of access.
struct AddValue {
  AccessSums *To;
  unsigned Kind;
  void operator()(const CountedValue &Accesses, uint64_t Elements) const {
    To->addValue(Kind, Accesses, Elements);
  }
};

/// Sums the accesses of one stretch.
class StretchCollector {
public:
  StretchCollector(const ObjectCollector &Of, ElementRun Stretch, StretchUse &To)
      : Of(Of), To(To), Counted(Of.Counted, Stretch.First) {
    static_assert(GMPROF_COUNTER_KINDS == 3);
  }

  /// Adds a window; windows come in order.
  void window(uint64_t First, uint64_t Count);
  void finish() {
    for (auto &Each : Values)
      Each.finish();
  }

private:
  std::vector<CountRun> closedForms(GmprofCounterKind Kind, uint64_t First, uint64_t Count);
  std::vector<PartRuns> countersOf(GmprofCounterKind Kind) const;
  ValueCounts<AddValue> valuesOf(unsigned Kind) { return ValueCounts(AddValue{&To.Sums, Kind}); }

  const ObjectCollector &Of;
  StretchUse &To;
  CountedParts Counted;
  std::array<ValueCounts<AddValue>, GMPROF_COUNTER_KINDS> Values = {valuesOf(0), valuesOf(1),
                                                                    valuesOf(2)};
};

/// Determines one kernel's use of all objects.
class KernelCollector {
public:
  KernelCollector(const Profile &P, uint32_t Kernel) : P(P), Desc(*P.Kernels[Kernel].Desc) {
    Use.Kernel = Kernel;
  }
  void add(const GlobalContext &C, uint64_t Launches);
  void add(const GlobalCounts &C) { Records[C.Object].push_back(&C); }
  bool empty() const { return Contexts.empty() && Records.empty(); }
  KernelGlobalUse finish(uint64_t LaunchesSeen, size_t Threads);

private:
  unsigned elementShift(uint64_t Object) const;
  std::vector<uint32_t> variablesOf(uint64_t Object) const;
  std::string uncounted(const std::vector<uint32_t> &Variables) const;
  uint64_t object(const Object &O, GlobalObjectUse &To, size_t Threads) const;
  void countOutside();
  void estimate();

  const Profile &P;
  const Descriptor &Desc;
  KernelGlobalUse Use;
  std::vector<KernelForm> Forms;
  std::vector<Context> Contexts;
  std::map<uint64_t, std::vector<const GlobalCounts *>> Records; ///< by object
  std::string BadForm;
};

} // namespace

//===----------------------------------------------------------------------===//
// One object
//===----------------------------------------------------------------------===//

/// Sets, per kind, the number of launches with such an access through a pointer to the object. For
/// objects that are only reached through other pointers, the records provide it.
void ObjectCollector::findLaunches(const std::vector<const GlobalCounts *> &Records) {
  for (unsigned K = 0; K < GMPROF_COUNTER_KINDS; ++K) {
    const auto Kind = static_cast<GmprofCounterKind>(K);
    GlobalAccesses &A = Use.Kinds[K];
    for (const Context &C : Contexts) {
      const bool May = std::any_of(Desc.Sites.begin(), Desc.Sites.end(), [&](const Site &S) {
        return S.Variable != None && mayAccess(S, Kind) && C.Of->Objects[S.Variable] == Use.Object;
      });
      A.Launches = May ? addSaturating(A.Launches, C.Launches) : A.Launches;
    }
    if (A.Launches == 0) {
      std::map<uint64_t, uint64_t> ByContext;
      for (const GlobalCounts *R : Records)
        if (R->Kind == Kind)
          ByContext[R->Context] = std::max(ByContext[R->Context], R->Launches);
      for (const auto &[Context, Launches] : ByContext)
        A.Launches = addSaturating(A.Launches, Launches);
    }
    A.Possible = A.Launches != 0;
  }
}

/// Returns, per kind, the launches that should have counted accesses to the object over those that
/// did: with too little memory, launches take turns in counting.
std::array<double, GMPROF_COUNTER_KINDS>
ObjectCollector::scalesOfPasses(const std::vector<const GlobalCounts *> &Records) {
  std::array<double, GMPROF_COUNTER_KINDS> Scales;
  for (unsigned K = 0; K < GMPROF_COUNTER_KINDS; ++K) {
    uint64_t Wanted = 0, Counted = 0;
    for (const Context &C : Contexts)
      if (std::any_of(Desc.Sites.begin(), Desc.Sites.end(), [&](const Site &S) {
            return S.Variable != None && mayAccess(S, static_cast<GmprofCounterKind>(K)) &&
                   C.Of->Objects[S.Variable] == Use.Object &&
                   (S.GlobalRule != GMPROF_RULE_CLOSED_FORM || !C.Of->ClosedForms);
          }))
        Wanted = addSaturating(Wanted, C.Of->LaunchesCounted);
    for (const GlobalCounts *R : Records)
      Counted = R->Kind == K ? addSaturating(Counted, R->Launches) : Counted;
    Scales[K] = Counted == 0 || Counted >= Wanted
                    ? 1
                    : static_cast<double>(Wanted) / static_cast<double>(Counted);
    if (Counted == 0 && Wanted != 0)
      Use.Uncounted = "there was no device memory for its counters";
  }
  return Scales;
}

/// Adds a record. Counts of larger elements, from launches that only know those, apply to all their
/// parts.
void ObjectCollector::readCounters(const GlobalCounts &R, double Scale) {
  if (Counted.add(R, Scale))
    Thresholds[R.Kind] = std::max(Thresholds[R.Kind], R.Threshold);
  else
    Use.Uncounted = "some counts are of elements that the object does not have";
}

/// Returns the span of the object's elements that A may access.
static ElementRun hull(const FormAccesses &A, const GlobalObjectUse &Use) {
  using Wide = __int128;
  const Wide Bytes = Wide(Use.Elements) * Use.ElementBytes;
  Wide Low = A.Where.Base, High = Low + A.Bytes - 1;
  for (const Progression::Dimension &D : A.Where.Dimensions) {
    const Wide Length = Wide(D.Stride) * Wide(D.Extent - 1);
    (Length < 0 ? Low : High) += Length;
  }
  if (High < 0 || Low >= Bytes)
    return {};
  const uint64_t First = static_cast<uint64_t>(std::max<Wide>(Low, 0)) / Use.ElementBytes;
  const uint64_t Last = static_cast<uint64_t>(std::min<Wide>(High, Bytes - 1)) / Use.ElementBytes;
  return {First, Last - First + 1};
}

/// Calls Emit for each progression on the object. Returns false if a form could not be evaluated.
template <typename Callable> bool ObjectCollector::eachFormAccess(const Callable &Emit) const {
  bool All = true;
  for (const Context &C : Contexts) {
    if (!C.Of->ClosedForms || C.Launches == 0)
      continue;
    for (const KernelForm &F : Forms) {
      if (C.Of->Objects[F.Variable] != Use.Object)
        continue;
      All &= forEachProgression(F.Form, formLaunch(*C.Of), [&](const Progression &From) {
        FormAccesses A = {{}, F.Kind, F.Bytes, From, C.Launches};
        A.Where.Base += C.Of->Offsets[F.Variable];
        A.Within = hull(A, Use);
        Emit(A);
      });
    }
  }
  return All;
}

void ObjectCollector::findFormAccesses() {
  ByForms.emplace();
  const bool All = eachFormAccess([&](const FormAccesses &A) {
    if (A.Within.Count != 0)
      Reached.push_back(A.Within);
    if (ByForms && ByForms->size() < MostFormAccesses)
      ByForms->push_back(A);
    else
      ByForms.reset();
  });
  if (!All)
    Use.Uncounted = "a closed form could not be evaluated";
}

std::vector<CountRun> StretchCollector::closedForms(GmprofCounterKind Kind, uint64_t First,
                                                    uint64_t Count) {
  ElementCounts Counts(First, Count, static_cast<unsigned>(std::countr_zero(Of.Use.ElementBytes)));
  const auto Add = [&](const FormAccesses &A) {
    const bool Meets = A.Within.First < First + Count && A.Within.end() > First;
    if (A.Kind == Kind && (Meets || First == 0))
      Counts.add(A.Where, A.Bytes, A.Launches);
  };
  if (Of.ByForms)
    std::for_each(Of.ByForms->begin(), Of.ByForms->end(), Add);
  else
    (void)Of.eachFormAccess(Add);
  std::vector<CountRun> Result = Counts.finishRuns();
  for (const CountRun &R : Result)
    To.InsideByForms = addSaturating(To.InsideByForms, mulSaturating(R.Elements, R.Times));
  if (First == 0) // all forms were added here, so total() includes accesses outside the object
    To.AllByForms = addSaturating(To.AllByForms, Counts.total());
  return Result;
}

std::vector<PartRuns> StretchCollector::countersOf(GmprofCounterKind Kind) const {
  std::vector<PartRuns> Here;
  for (const CountedPart *P : Counted.opened())
    if (P->Of->Kind == Kind)
      Here.emplace_back(*P);
  return Here;
}

void StretchCollector::window(uint64_t First, uint64_t Count) {
  To.Damaged |= !Counted.open(First, First + Count);
  std::vector<FormRuns> OfForms;
  std::array<std::vector<PartRuns>, GMPROF_COUNTER_KINDS> Parts;
  for (unsigned K = 0; K < GMPROF_COUNTER_KINDS; ++K) {
    const auto Kind = static_cast<GmprofCounterKind>(K);
    const bool Possible = Of.Use.Kinds[K].Possible;
    OfForms.emplace_back(Possible ? closedForms(Kind, First, Count) : std::vector<CountRun>());
    Parts[K] = countersOf(Kind);
  }
  const uint64_t End = First + Count;
  for (uint64_t E = First; E < End;) {
    Alike Here(E, End);
    EqualCountsByKind Kinds;
    for (unsigned K = 0; K < GMPROF_COUNTER_KINDS; ++K) {
      Here.end(E + OfForms[K].equal(End - E));
      Kinds[K].ByForms = Kinds[K].All.Value = static_cast<double>(OfForms[K].times());
      for (PartRuns &Part : Parts[K]) {
        const CountedAlike &Run = Part.from(E);
        Here.end(Run.End, &Part);
        Kinds[K].All.Value += Part.scale() * static_cast<double>(Run.Sum);
        Kinds[K].All.AtLeast |= Run.Capped;
      }
    }
    const auto AddValues = [&](uint64_t Number) {
      To.Sums.addTouched(Number, Kinds);
      for (unsigned K = 0; K < GMPROF_COUNTER_KINDS; ++K)
        Values[K].add(Kinds[K].All, Number);
    };
    // Once runs are omitted, the order of elements does not matter.
    PartRuns *Varying = To.Sums.areRunsOmitted() ? Here.varying() : nullptr;
    const uint64_t Passed = Varying ? Here.numberByOthers() : Here.number();
    if (Varying) {
      double &Value = Kinds[Varying->kind()].All.Value;
      const double Others = Value - Varying->scale() * static_cast<double>(Varying->from(E).Sum);
      Varying->forEachSum(E, E + Passed, [&](uint64_t Sum, uint64_t Number) {
        Value = Others + Varying->scale() * static_cast<double>(Sum);
        AddValues(Number);
      });
    } else {
      AddValues(Passed);
      To.Sums.addRun(E, Passed, Kinds);
    }
    for (FormRuns &F : OfForms)
      F.pass(Passed);
    E += Passed;
  }
}

/// Sums all stretches. Returns the number of accesses outside the object.
uint64_t ObjectCollector::addUp(size_t Threads) {
  Reached.push_back({0, 1}); // the first stretch finds accesses outside the object
  for (const CountedRecord &R : Counted.all())
    Reached.push_back({R.First, R.End - R.First});
  const std::vector<ElementRun> Stretches = stretchesOf(std::move(Reached), Use.Elements);
  StretchUse All;
  All.Sums = AccessSums(Use);
  uint64_t Untouched = Use.Elements;
  const auto AddUp = [&](size_t I, StretchUse &To) {
    To.Sums = AccessSums(Use);
    if (All.Sums.areRunsOmitted())
      To.Sums.omitRuns();
    StretchCollector Collector(*this, Stretches[I], To);
    forEachWindow(Stretches[I],
                  [&](uint64_t First, uint64_t Count) { Collector.window(First, Count); });
    Collector.finish();
  };
  const auto AddTo = [&](const StretchUse &Behind) {
    All.Sums.add(Behind.Sums);
    All.InsideByForms = addSaturating(All.InsideByForms, Behind.InsideByForms);
    All.AllByForms = addSaturating(All.AllByForms, Behind.AllByForms);
    All.Damaged |= Behind.Damaged;
  };
  inParallelInOrder<StretchUse>(Stretches.size(), AddUp, AddTo, Threads);
  for (const ElementRun &Stretch : Stretches)
    Untouched -= Stretch.Count;
  for (unsigned K = 0; K < GMPROF_COUNTER_KINDS && Untouched != 0; ++K)
    All.Sums.addValue(K, {}, Untouched);
  if (All.Damaged)
    Use.Uncounted = "some counts are damaged";
  All.Sums.finish(Use, Thresholds);
  return All.AllByForms - std::min(All.AllByForms, All.InsideByForms);
}

uint64_t ObjectCollector::collect(const std::vector<const GlobalCounts *> &Records,
                                  const std::map<uint32_t, double> &Scales, size_t Threads) {
  findLaunches(Records);
  if (Use.Elements == 0)
    return 0;
  const auto OfPasses = scalesOfPasses(Records);
  for (const GlobalCounts *R : Records) {
    auto Scale = Scales.find(R->BlockSample);
    readCounters(*R, (Scale == Scales.end() ? 1 : Scale->second) * OfPasses[R->Kind]);
  }
  Counted.sort();
  findFormAccesses();
  return addUp(Threads);
}

//===----------------------------------------------------------------------===//
// One kernel
//===----------------------------------------------------------------------===//

void KernelCollector::add(const GlobalContext &C, uint64_t Launches) {
  Contexts.push_back({&C, Launches});
  Use.LaunchesProfiled = addSaturating(Use.LaunchesProfiled, Launches);
  if (C.ClosedForms)
    Use.LaunchesWithForms = addSaturating(Use.LaunchesWithForms, Launches);
  Use.BlockSample = std::max(Use.BlockSample, C.BlockSample);
  Use.Blocks = addSaturating(Use.Blocks, C.Blocks);
  Use.BlocksLaunched =
      addSaturating(Use.BlocksLaunched, mulSaturating(blocksOf(C), C.LaunchesCounted));
  Use.BlocksSelected = addSaturating(
      Use.BlocksSelected, mulSaturating((blocksOf(C) - 1) / C.BlockSample + 1, C.LaunchesCounted));
  Use.Outside = addSaturating(Use.Outside, C.Outside);
  if (C.CounterBytes >= Use.CounterBytes) {
    Use.ObjectBytes = C.CounterBytes > Use.CounterBytes ? C.ObjectBytes
                                                        : std::max(Use.ObjectBytes, C.ObjectBytes);
    Use.CounterBytes = C.CounterBytes;
  }
}

/// Returns the smallest element size in which any launch counted the object.
unsigned KernelCollector::elementShift(uint64_t Object) const {
  unsigned Shift = MaxElementShift;
  if (auto It = Records.find(Object); It != Records.end()) {
    for (const GlobalCounts *R : It->second)
      Shift = std::min(Shift, R->ElementShift);
    return Shift;
  }
  for (uint32_t V : variablesOf(Object))
    Shift = std::min(Shift, gmprof::elementShift(Desc, V));
  return Shift;
}

/// Returns the accessed variables that point to the object.
std::vector<uint32_t> KernelCollector::variablesOf(uint64_t Object) const {
  std::set<uint32_t> Variables;
  for (const Site &S : Desc.Sites)
    if (S.Variable != None && S.GlobalRule != GMPROF_RULE_NOT_COUNTED)
      for (const Context &C : Contexts)
        if (C.Of->Objects[S.Variable] == Object)
          Variables.insert(S.Variable);
  return {Variables.begin(), Variables.end()};
}

std::string KernelCollector::uncounted(const std::vector<uint32_t> &Variables) const {
  for (const Site &S : Desc.Sites)
    if (S.GlobalRule == GMPROF_RULE_SKIPPED &&
        (S.Variable == None ||
         std::find(Variables.begin(), Variables.end(), S.Variable) != Variables.end()))
      return S.GlobalReason.empty() ? "an access could not be counted" : S.GlobalReason;
  if (Desc.Flags & GMPROF_KERNEL_OPAQUE_CALLS)
    return "the kernel calls code that could not be followed";
  return BadForm;
}

/// Determines the use of one object. Returns the number of accesses outside it.
uint64_t KernelCollector::object(const Object &O, GlobalObjectUse &To, size_t Threads) const {
  To.Object = O.Id;
  To.Bytes = O.Bytes;
  To.Variables = variablesOf(O.Id);
  const unsigned Shift = elementShift(O.Id);
  To.ElementBytes = 1u << Shift;
  To.Elements = (O.Bytes >> Shift) + ((O.Bytes & (To.ElementBytes - 1)) != 0);
  To.Uncounted = uncounted(To.Variables);

  // Blocks launched and blocks counted, by block sample.
  std::map<uint32_t, std::pair<double, double>> Blocks;
  for (const Context &C : Contexts) {
    auto &[Launched, Counted] = Blocks[C.Of->BlockSample];
    Launched += static_cast<double>(blocksOf(*C.Of)) * static_cast<double>(C.Of->LaunchesCounted);
    Counted += static_cast<double>(C.Of->Blocks);
  }
  std::map<uint32_t, double> Scales;
  for (const auto &[Sample, Ratio] : Blocks)
    Scales[Sample] = Ratio.second > 0 ? std::max(Ratio.first / Ratio.second, 1.0) : 1;
  ObjectCollector Collector(Desc, Forms, Contexts, To);
  auto Counts = Records.find(O.Id);
  return Collector.collect(Counts == Records.end() ? std::vector<const GlobalCounts *>()
                                                   : Counts->second,
                           Scales, Threads);
}

/// Counts the closed forms' accesses through pointers to no known object.
void KernelCollector::countOutside() {
  for (const Context &C : Contexts)
    for (const KernelForm &F : Forms) {
      if (!C.Of->ClosedForms || C.Of->Objects[F.Variable] != 0)
        continue;
      (void)forEachProgression(F.Form, formLaunch(*C.Of), [&](const Progression &P) {
        uint64_t Accesses = mulSaturating(P.Times, C.Launches);
        for (const Progression::Dimension &D : P.Dimensions)
          Accesses = mulSaturating(Accesses, D.Extent);
        Use.Outside = addSaturating(Use.Outside, Accesses);
      });
    }
}

/// Estimates the totals of all launches, and their standard error.
void KernelCollector::estimate() {
  const auto Variance = [](uint64_t Part, uint64_t All) {
    const auto N = static_cast<double>(Part), Of = static_cast<double>(All);
    return Part == 0 || Part >= All ? 0 : (1 - N / Of) / N;
  };
  const double ByBlocks = Variance(Use.Blocks, Use.BlocksLaunched);
  const double ByLaunches = Variance(Use.LaunchesProfiled, Use.LaunchesSeen);
  const double Scale = Use.LaunchesProfiled == 0 ? 1
                                                 : static_cast<double>(Use.LaunchesSeen) /
                                                       static_cast<double>(Use.LaunchesProfiled);
  for (GlobalObjectUse &O : Use.Objects)
    for (GlobalAccesses &A : O.Kinds) {
      const double Counted = Scale * (A.Total.Value - A.ByClosedForms);
      A.TotalEstimate = {Scale * A.Total.Value, A.Total.AtLeast};
      A.StandardError = std::sqrt(Counted * Counted * ByBlocks +
                                  A.TotalEstimate.Value * A.TotalEstimate.Value * ByLaunches);
    }
}

KernelGlobalUse KernelCollector::finish(uint64_t LaunchesSeen, size_t Threads) {
  Use.LaunchesSeen = std::max(LaunchesSeen, Use.LaunchesProfiled);
  Forms = kernelForms(Desc, BadForm);
  std::vector<Object> Accessed;
  for (const Object &O : P.Objects)
    if (Records.count(O.Id) || !variablesOf(O.Id).empty())
      Accessed.push_back(O);
  Use.Objects.resize(Accessed.size());
  std::vector<uint64_t> Outside(Accessed.size());
  forEachObject(
      Accessed.size(), Threads, [&](size_t I) { return Accessed[I].Bytes; },
      [&](size_t I, size_t Sharing) { Outside[I] = object(Accessed[I], Use.Objects[I], Sharing); });
  for (uint64_t Accesses : Outside)
    Use.Outside = addSaturating(Use.Outside, Accesses);
  countOutside();
  estimate();
  return std::move(Use);
}

std::vector<KernelGlobalUse> globalMemoryUse(const Profile &P, size_t Threads) {
  std::map<uint64_t, uint64_t> Launches; ///< by context
  std::vector<uint64_t> Seen(P.Kernels.size());
  for (const Launch &L : P.Launches)
    Seen[L.Kernel] = addSaturating(Seen[L.Kernel], L.Times);
  profile::forEachLaunchMode(P, [&](const Launch &L) {
    if (profile::isGlobal(L.Mode))
      Launches[L.Context] = addSaturating(Launches[L.Context], L.Times);
  });
  std::map<uint32_t, KernelCollector> Kernels;
  const auto Collector = [&](uint32_t Kernel) -> KernelCollector & {
    return Kernels.try_emplace(Kernel, P, Kernel).first->second;
  };
  for (const GlobalContext &C : P.GlobalContexts)
    if (P.Kernels[C.Kernel].Desc)
      Collector(C.Kernel).add(C, Launches[C.Context]);
  for (const GlobalCounts &C : P.Global)
    if (P.Kernels[C.Kernel].Desc)
      Collector(C.Kernel).add(C);
  std::vector<KernelGlobalUse> Uses;
  for (auto &[Kernel, C] : Kernels)
    Uses.push_back(C.finish(Seen[Kernel], Threads));
  return Uses;
}

} // namespace gmprof::analysis
