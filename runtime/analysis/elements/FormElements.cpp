//===- FormElements.cpp - Elements that closed forms access ---------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/elements/FormElements.h"
#include "analysis/global/Stretches.h"
#include "profile/ElementCounts.h"

namespace gmprof::analysis {

void FormElements::add(const Progression &Each, unsigned Bytes) {
  constexpr uint64_t FewRuns = 64;
  const ElementRuns Runs(Each, Bytes, Of.shift());
  if (Runs.runs() <= FewRuns)
    Runs.within({0, Of.elements()}, [&](ElementRun R) { Set.add(R); });
  else
    Waiting.emplace_back(Each, Bytes);
  if (Waiting.size() >= MostProgressions)
    finish();
}

void FormElements::addWindow(ElementSet &To, uint64_t First, uint64_t Count) const {
  ElementCounts Counts(First, Count, Of.shift());
  for (const auto &[Each, Bytes] : Waiting)
    Counts.add(Each, Bytes);
  for (const CountRun &R : Counts.finishRuns()) {
    if (R.Times != 0)
      To.add({First, R.Elements});
    First += R.Elements;
  }
}

void FormElements::finish() {
  std::vector<ElementRun> Touched;
  for (const auto &[Each, Bytes] : Waiting)
    Touched.push_back(ElementRuns(Each, Bytes, Of.shift()).hull({0, Of.elements()}));
  const std::vector<ElementRun> Stretches = stretchesOf(std::move(Touched), Of.elements());
  inParallelInOrder<std::optional<ElementSet>>(
      Stretches.size(),
      [&](size_t I, std::optional<ElementSet> &To) {
        To.emplace(Of.elements());
        if (!Set.full())
          forEachWindow(Stretches[I],
                        [&](uint64_t First, uint64_t Count) { addWindow(*To, First, Count); });
      },
      [&](const std::optional<ElementSet> &Found) { Set.add(*Found); }, Of.threads());
  Waiting.clear();
}

} // namespace gmprof::analysis
