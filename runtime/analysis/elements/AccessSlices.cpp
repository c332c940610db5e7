//===- AccessSlices.cpp - Slices used in sequence -------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/elements/AccessSlices.h"
#include <algorithm>
#include <map>

namespace gmprof::analysis {

namespace {

constexpr uint64_t WindowElements = 65536;
constexpr uint32_t Never = UINT32_MAX;

/// An access with its times as ranks 0, 1, … among all times of accesses.
struct NumberedAccess {
  uint32_t First, Last;
  const TimedAccess *Of;
  ElementRun Hull;
};

class SliceFinder {
public:
  SliceFinder(std::span<const TimedAccess> Accesses, uint64_t Elements, uint64_t &Work);
  std::optional<std::vector<AccessSlice>> find();

private:
  bool paint(ElementRun Window);
  void readWindow();
  bool anyCut() const;
  std::vector<AccessSlice> slices() const;

  const uint64_t Elements;
  uint64_t &Work;
  std::vector<uint32_t> Times;
  std::vector<NumberedAccess> Accesses;
  std::vector<uint32_t> First, Last; ///< per element of the window
  std::vector<uint64_t> ElementsByFirst;
  /// Differences, by time, of the number of elements that forbid a cut after that time.
  std::vector<int64_t> Forbidden;
};

} // namespace

static ElementRun hull(const TimedAccess &A, uint64_t Elements) {
  uint64_t Low = Elements, High = 0;
  const auto Include = [&](ElementRun R) {
    if (R.Count == 0 || R.First >= Elements)
      return;
    Low = std::min(Low, R.First);
    High = std::max(High, std::min(R.end(), Elements));
  };
  for (const ElementRuns &P : A.Progressions)
    Include(P.hull({0, Elements}));
  for (const ElementRun &R : A.Runs)
    Include(R);
  return {Low, High > Low ? High - Low : 0};
}

SliceFinder::SliceFinder(std::span<const TimedAccess> All, uint64_t Elements, uint64_t &Work)
    : Elements(Elements), Work(Work) {
  std::vector<const TimedAccess *> Used;
  for (const TimedAccess &A : All) {
    const ElementRun Hull = hull(A, Elements);
    if (Hull.Count == 0)
      continue;
    Times.insert(Times.end(), {A.First, A.Last});
    Accesses.push_back({0, 0, &A, Hull});
  }
  std::sort(Times.begin(), Times.end());
  Times.erase(std::unique(Times.begin(), Times.end()), Times.end());
  const auto Number = [&](uint32_t Time) {
    return static_cast<uint32_t>(std::lower_bound(Times.begin(), Times.end(), Time) -
                                 Times.begin());
  };
  for (NumberedAccess &A : Accesses) {
    A.First = Number(A.Of->First);
    A.Last = Number(A.Of->Last);
  }
  ElementsByFirst.resize(Times.size());
  Forbidden.resize(Times.size() + 1);
}

/// Determines the first and last access of each element of a window. Returns false if that takes
/// too long.
bool SliceFinder::paint(ElementRun Window) {
  First.assign(Window.Count, Never);
  Last.assign(Window.Count, 0);
  uint64_t Steps = Window.Count + Accesses.size();
  for (const NumberedAccess &A : Accesses) {
    if (A.Hull.end() <= Window.First || Window.end() <= A.Hull.First)
      continue;
    const auto Paint = [&](ElementRun R) {
      Steps += R.Count + 1;
      for (uint64_t E = R.First - Window.First; E < R.end() - Window.First; ++E) {
        First[E] = std::min(First[E], A.First);
        Last[E] = std::max(Last[E], A.Last);
      }
    };
    for (const ElementRuns &P : A.Of->Progressions)
      P.within(Window, Paint);
    auto Run = std::upper_bound(A.Of->Runs.begin(), A.Of->Runs.end(), Window.First,
                                [](uint64_t At, const ElementRun &R) { return At < R.end(); });
    for (; Run != A.Of->Runs.end() && Run->First < Window.end(); ++Run) {
      const uint64_t Begin = std::max(Run->First, Window.First);
      Paint({Begin, std::min(Run->end(), Window.end()) - Begin});
    }
    if (Steps > Work)
      return false;
  }
  Work -= Steps;
  return true;
}

void SliceFinder::readWindow() {
  for (size_t E = 0; E < First.size(); ++E) {
    if (First[E] == Never)
      continue;
    ++ElementsByFirst[First[E]];
    ++Forbidden[First[E]];
    --Forbidden[Last[E]];
  }
}

bool SliceFinder::anyCut() const {
  int64_t Over = 0;
  for (size_t Time = 0; Time + 1 < Times.size(); ++Time)
    if ((Over += Forbidden[Time]) == 0)
      return true;
  return false;
}

std::vector<AccessSlice> SliceFinder::slices() const {
  std::vector<AccessSlice> Slices;
  int64_t Over = 0;
  for (size_t Time = 0; Time < Times.size(); ++Time) {
    if (Over == 0)
      Slices.push_back({Times[Time], Times[Time], 0});
    Slices.back().Last = Times[Time];
    Slices.back().Elements += ElementsByFirst[Time];
    Over += Forbidden[Time];
  }
  // An access may miss the object although its hull overlaps it.
  std::erase_if(Slices, [](const AccessSlice &S) { return S.Elements == 0; });
  return Slices;
}

std::optional<std::vector<AccessSlice>> SliceFinder::find() {
  // Each element takes a step; with a single time, every element has to be visited.
  if (Times.size() <= 1 && Elements > Work)
    return std::nullopt;
  for (uint64_t At = 0; At < Elements; At += WindowElements) {
    if (!paint({At, std::min(WindowElements, Elements - At)}))
      return std::nullopt;
    readWindow();
    if (Times.size() > 1 && !anyCut()) {
      // The remaining elements belong to the same slice.
      uint64_t Accessed = 0;
      for (const NumberedAccess &A : Accesses)
        Accessed = std::max(Accessed, A.Hull.end());
      return std::vector<AccessSlice>{{Times.front(), Times.back(), Accessed}};
    }
  }
  return slices();
}

std::optional<std::vector<AccessSlice>> accessSlices(std::span<const TimedAccess> Accesses,
                                                     uint64_t Elements, uint64_t &Work) {
  return SliceFinder(Accesses, Elements, Work).find();
}

} // namespace gmprof::analysis
