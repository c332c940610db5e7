//===- ElementFrequencies.cpp - Access frequencies of elements ------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/elements/ElementFrequencies.h"
#include "analysis/elements/AccessFrequencies.h"
#include "analysis/elements/ObjectAccesses.h"
#include "analysis/global/CountedParts.h"
#include "analysis/global/Stretches.h"
#include "analysis/global/ValueCounts.h"
#include "profile/ElementCounts.h"
#include "profile/Saturating.h"
#include <algorithm>
#include <map>
#include <tuple>

namespace gmprof::analysis {

using namespace profile;

/// The most elements and contexts of an object whose frequencies are computed, per kernel.
static constexpr uint64_t MostElements = uint64_t(1) << 26;
static constexpr size_t MostContexts = 16;

namespace {

/// All accesses of one context's launches to the object.
struct ContextAccesses {
  uint64_t Launches;
  RecordUses Records;
  std::vector<FormAccess> Forms;

  /// Returns true if both have the same access frequencies.
  bool areLike(const ContextAccesses &Other) const;
};

/// Adds the accesses of all launches to elements as frequencies of one launch.
struct AddFrequency {
  AccessFrequencies &To;
  const double Launches;

  void operator()(const CountedValue &Each, uint64_t Elements) const {
    if (Each.Value != 0)
      To.add(Each.Value / Launches, Elements, Each.AtLeast);
  }
};

/// Counts the elements of one stretch by their frequency.
class StretchFrequencies {
public:
  StretchFrequencies(const ContextAccesses &Accesses, unsigned Shift, AccessFrequencies &To)
      : Accesses(Accesses), Shift(Shift),
        Values(AddFrequency{To, static_cast<double>(Accesses.Launches)}) {}

  void add(const CountedRecords &Records, const ElementRun &Stretch);

private:
  void addWindow(CountedParts &Counted, uint64_t First, uint64_t End);
  uint64_t addRun(FormRuns &ByForms, std::vector<PartRuns> &ByCounters, uint64_t First,
                  uint64_t End);

  const ContextAccesses &Accesses;
  const unsigned Shift;
  ValueCounts<AddFrequency> Values;
};

} // namespace

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

void StretchFrequencies::add(const CountedRecords &Records, const ElementRun &Stretch) {
  CountedParts Counted(Records, Stretch.First);
  forEachWindow(Stretch,
                [&](uint64_t First, uint64_t Count) { addWindow(Counted, First, First + Count); });
  Values.finish();
}

void StretchFrequencies::addWindow(CountedParts &Counted, uint64_t First, uint64_t End) {
  ElementCounts Evaluated(First, End - First, Shift);
  for (const auto &[Each, Bytes] : Accesses.Forms)
    Evaluated.add(Each, Bytes, Accesses.Launches);
  FormRuns ByForms(Evaluated.finishRuns());
  (void)Counted.open(First, End); // skips damaged records
  std::vector<PartRuns> ByCounters;
  for (const CountedPart *Part : Counted.opened())
    ByCounters.emplace_back(*Part);
  while (First < End)
    First += addRun(ByForms, ByCounters, First, End);
}

/// Adds the elements from First on that all parts but one count equally; returns their number.
uint64_t StretchFrequencies::addRun(FormRuns &ByForms, std::vector<PartRuns> &ByCounters,
                                    uint64_t First, uint64_t End) {
  Alike Here(First, End);
  Here.end(First + ByForms.equal(End - First));
  uint64_t Sum = ByForms.times();
  bool AtLeast = false;
  for (PartRuns &Part : ByCounters) {
    const CountedAlike &Run = Part.from(First);
    Here.end(Run.End, &Part);
    Sum = addSaturating(Sum, Run.Sum);
    AtLeast |= Run.Capped;
  }
  PartRuns *Varying = Here.varying();
  const uint64_t Passed = Varying ? Here.numberByOthers() : Here.number();
  if (Varying) {
    const uint64_t Others = Sum - Varying->from(First).Sum;
    Varying->forEachSum(First, First + Passed, [&](uint64_t Each, uint64_t Number) {
      Values.add({static_cast<double>(addSaturating(Others, Each)), AtLeast}, Number);
    });
  } else {
    Values.add({static_cast<double>(Sum), AtLeast}, Passed);
  }
  ByForms.pass(Passed);
  return Passed;
}

/// Returns all accesses of the context; nothing if some are unknown.
static std::optional<ContextAccesses> allAccesses(ObjectAccesses &Of, const CountedContext &C) {
  ContextAccesses All = {C.Launches, Of.records(C.Of->Kernel, C.Of->Context), {}};
  if (!Of.isWhole(C, All.Records))
    return std::nullopt;
  Of.progressions(
      C, [&](const Progression &Each, unsigned Bytes) { All.Forms.emplace_back(Each, Bytes); });
  return All;
}

static ElementFrequencies frequencies(const ObjectAccesses &Of, const CountedContext &C,
                                      const ContextAccesses &Accesses) {
  CountedRecords Counted(Of.elements(), Of.shift());
  std::vector<ElementRun> Touched;
  for (const RecordUse *R : Accesses.Records)
    (void)Counted.add(*R->Of);
  Counted.sort();
  for (const CountedRecord &R : Counted.all())
    Touched.push_back({R.First, R.End - R.First});
  for (const auto &[Each, Bytes] : Accesses.Forms)
    Touched.push_back(ElementRuns(Each, Bytes, Of.shift()).hull({0, Of.elements()}));
  const std::vector<ElementRun> Stretches = stretchesOf(std::move(Touched), Of.elements());
  AccessFrequencies Frequencies;
  inParallelInOrder<AccessFrequencies>(
      Stretches.size(),
      [&](size_t I, AccessFrequencies &To) {
        StretchFrequencies(Accesses, Of.shift(), To).add(Counted, Stretches[I]);
      },
      [&](const AccessFrequencies &Behind) { Frequencies.add(Behind); }, Of.threads());
  return {C.Of->Kernel,
          C.firstApi(),
          C.Launches,
          Frequencies.elements(),
          Frequencies.min(),
          Frequencies.mean(),
          Frequencies.max(),
          Frequencies.variation(),
          Frequencies.hottestTenth()};
}

/// Returns the most uneven frequencies of some contexts of a kernel. Contexts with the same
/// accesses are examined once: many differ only in values they compute with.
static std::optional<ElementFrequencies> mostUneven(ObjectAccesses &Of,
                                                    const std::vector<uint32_t> &Contexts) {
  const size_t Most = std::clamp<uint64_t>(MostElements / Of.elements(), 1, MostContexts);
  const size_t Number = std::min(Most, Contexts.size());
  std::optional<ElementFrequencies> Uneven;
  std::vector<ContextAccesses> Known;
  size_t Kept = 0; ///< progressions in Known
  for (size_t I = 0; I < Number; ++I) {
    const CountedContext &C = Of.launches().context(Contexts[I * Contexts.size() / Number]);
    std::optional<ContextAccesses> Accesses = allAccesses(Of, C);
    if (!Accesses || std::ranges::any_of(Known, [&](const ContextAccesses &Each) {
          return Each.areLike(*Accesses);
        }))
      continue;
    const ElementFrequencies Found = frequencies(Of, C, *Accesses);
    if (Found.Elements != 0 && (!Uneven || Found.Variation.Value > Uneven->Variation.Value))
      Uneven = Found;
    if (Kept += Accesses->Forms.size(); Kept <= MostProgressions)
      Known.push_back(std::move(*Accesses));
  }
  return Uneven;
}

std::vector<ElementFrequencies> elementFrequencies(ObjectAccesses &Accesses) {
  std::map<uint32_t, std::vector<uint32_t>> ByKernel;
  for (uint32_t I : Accesses.contexts()) {
    const CountedContext &C = Accesses.launches().context(I);
    if (C.Launches != 0 && C.firstApi() != None)
      ByKernel[C.Of->Kernel].push_back(I);
  }
  std::vector<ElementFrequencies> All;
  for (const auto &[Kernel, Contexts] : ByKernel)
    if (const std::optional<ElementFrequencies> Uneven = mostUneven(Accesses, Contexts))
      All.push_back(*Uneven);
  return All;
}

} // namespace gmprof::analysis
