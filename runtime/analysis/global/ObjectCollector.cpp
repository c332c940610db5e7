//===- ObjectCollector.cpp - A kernel's accesses to an object -------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/global/ObjectCollector.h"
#include "analysis/global/AccessSums.h"
#include "analysis/global/Stretches.h"
#include "profile/CounterKind.h"
#include "profile/ElementCounts.h"
#include "profile/Saturating.h"
#include <algorithm>

namespace gmprof::analysis {

using namespace profile;

/// Maximum number of progressions kept per object; beyond it, each window evaluates the forms
/// again.
static constexpr size_t MostFormAccesses = size_t(1) << 19;

static bool mayAccess(const Site &S, GmprofCounterKind Kind) {
  return S.GlobalRule != GMPROF_RULE_NOT_COUNTED && counterKind(S.Kind).value_or(Kind) == Kind;
}

namespace {

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

} // namespace

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

} // namespace gmprof::analysis
