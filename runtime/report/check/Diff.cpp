//===- Diff.cpp - Compares two runs ---------------------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/check/Diff.h"
#include "report/model/RunProfiles.h"
#include <map>

namespace gmprof {

using summary::Summary;

std::vector<std::pair<size_t, size_t>> sameFindings(const Summary &A, const Summary &B) {
  std::map<std::string, std::vector<size_t>> Left; // in reverse order
  for (size_t I = B.findings.size(); I-- > 0;)
    Left[B.findings[I].fingerprint].push_back(I);
  std::vector<std::pair<size_t, size_t>> Same;
  for (size_t I = 0; I < A.findings.size(); ++I) {
    auto Those = Left.find(A.findings[I].fingerprint);
    if (Those == Left.end() || Those->second.empty())
      continue;
    Same.emplace_back(I, Those->second.back());
    Those->second.pop_back();
  }
  return Same;
}

static std::vector<std::string> notes(const Summary &Before, const Summary &After) {
  std::vector<std::string> Notes;
  const auto Device = [](const Summary &S) {
    return S.devices.empty() ? std::string() : S.devices.front().name;
  };
  if (Device(Before) != Device(After))
    Notes.push_back("the runs were on different devices: " + Device(Before) + " and " +
                    Device(After));
  if (!Before.run.complete || !After.run.complete)
    Notes.push_back(std::string("the program did not get to its end in the run ") +
                    (Before.run.complete  ? "after"
                     : After.run.complete ? "before"
                                          : "before and after"));
  if (!After.coverage.whole)
    Notes.emplace_back("the profile of the run after is incomplete: a finding may only seem "
                       "fixed");
  if (!Before.coverage.whole)
    Notes.emplace_back("the profile of the run before is incomplete: a finding may only seem "
                       "new");
  return Notes;
}

static std::vector<MeasureChange> measureChanges(const Summary &Before, const Summary &After) {
  std::vector<MeasureChange> Changes;
  std::map<std::pair<std::string, std::string>, size_t> Index;
  for (Measure &M : measuresOf(Before)) {
    const double Value = M.Value;
    Index[{M.Name, M.Of}] = Changes.size();
    Changes.push_back({std::move(M), Value, std::nullopt});
  }
  for (Measure &M : measuresOf(After)) {
    if (const auto Same = Index.find({M.Name, M.Of}); Same != Index.end()) {
      Changes[Same->second].After = M.Value;
      continue;
    }
    const double Value = M.Value;
    Changes.push_back({std::move(M), std::nullopt, Value});
  }
  return Changes;
}

Result<SummaryDiff> diff(const Summary &Before, const Summary &After) {
  if (const std::string A = RunProfiles(Before).text(), B = RunProfiles(After).text(); A != B)
    return Error{"the first summary is of --profile " + A + ", the second of --profile " + B +
                 ": profile both runs alike"};
  SummaryDiff D;
  std::vector<bool> Known(After.findings.size()), Stays(Before.findings.size());
  for (const auto &[A, B] : sameFindings(Before, After)) {
    Stays[A] = Known[B] = true;
    D.Unchanged.emplace_back(&Before.findings[A], &After.findings[B]);
  }
  for (size_t I = 0; I < Stays.size(); ++I)
    if (!Stays[I])
      D.Fixed.push_back(&Before.findings[I]);
  for (size_t I = 0; I < Known.size(); ++I)
    if (!Known[I])
      D.New.push_back(&After.findings[I]);
  D.Measures = measureChanges(Before, After);
  D.Notes = notes(Before, After);
  return D;
}

} // namespace gmprof
