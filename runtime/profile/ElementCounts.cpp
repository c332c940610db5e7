//===- ElementCounts.cpp - How often each element is accessed -------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "profile/ElementCounts.h"
#include "profile/Saturating.h"
#include <algorithm>
#include <numeric>
#include <tuple>

namespace gmprof {

/// Number of pending progressions at which all are added up.
static constexpr size_t MaxPending = 1 << 16;
/// Number of edges at which counts move to the array of differences.
static constexpr size_t MaxEdges = 1 << 12;

/// Sorts by stride, then by extent, ascending.
template <typename D> static void sortByStride(std::vector<D> &Dims) {
  std::sort(Dims.begin(), Dims.end(), [](const D &A, const D &B) {
    return std::tie(A.Stride, A.Extent) < std::tie(B.Stride, B.Extent);
  });
}

/// Joins two dimensions into one where the second continues the first. `Dims` is sorted.
template <typename D> static void join(std::vector<D> &Dims) {
  for (size_t I = 0; I + 1 < Dims.size();) {
    if (Dims[I].Stride * Dims[I].Extent != Dims[I + 1].Stride) {
      ++I;
      continue;
    }
    Dims[I].Extent *= Dims[I + 1].Extent;
    Dims.erase(Dims.begin() + static_cast<ptrdiff_t>(I) + 1);
  }
}

static int64_t floorDivide(int64_t A, int64_t B) { return A / B - (A % B != 0 && A < 0); }

void ElementCounts::add(const Progression &P, unsigned Bytes, uint64_t Times) {
  // Make all strides positive and ascending, and join dimensions that continue each other.
  int64_t Base = P.Base;
  std::vector<Dimension> Dims;
  for (const Progression::Dimension &D : P.Dimensions) {
    auto Extent = static_cast<int64_t>(D.Extent);
    if (D.Stride < 0)
      Base += D.Stride * (Extent - 1);
    Dims.push_back({D.Stride < 0 ? -D.Stride : D.Stride, Extent});
  }
  sortByStride(Dims);
  join(Dims);
  takeApart(Base, Dims, 0, Bytes, mulSaturating(P.Times, Times));
}

/// Splits dimensions from Dims[From] on until all strides are multiples of an element.
void ElementCounts::takeApart(int64_t Base, const std::vector<Dimension> &Dims, size_t From,
                              unsigned Bytes, uint64_t Times) {
  const int64_t Size = int64_t(1) << ElementShift;
  while (From < Dims.size() && Dims[From].Stride % Size == 0)
    ++From;
  if (From < Dims.size()) {
    const Dimension D = Dims[From];
    const int64_t Period = Size / std::gcd(D.Stride, Size);
    std::vector<Dimension> Part = Dims;
    for (int64_t R = 0; R < std::min(Period, D.Extent); ++R) {
      Part[From] = {D.Stride * Period, (D.Extent - R + Period - 1) / Period};
      takeApart(Base + R * D.Stride, Part, From + 1, Bytes, Times);
    }
    return;
  }
  const int64_t Start = floorDivide(Base, Size);
  const int64_t Touched = (Base - Start * Size + int64_t(Bytes) - 1) / Size + 1;
  std::vector<Dimension> Elements;
  if (Touched > 1)
    Elements.push_back({1, Touched});
  for (const Dimension &D : Dims)
    if (D.Extent > 1)
      Elements.push_back({D.Stride / Size, D.Extent});
  addElements(Start, std::move(Elements), Times);
}

void ElementCounts::addElements(int64_t Base, std::vector<Dimension> Dims, uint64_t Times) {
  sortByStride(Dims);
  uint64_t Accesses = Times;
  for (const Dimension &D : Dims)
    Accesses = mulSaturating(Accesses, static_cast<uint64_t>(D.Extent));
  Total = addSaturating(Total, Accesses);
  join(Dims);
  clip(Base - First, std::move(Dims), Times);
}

/// Keeps the part within the counted elements. `Base` is relative to the first of them.
void ElementCounts::clip(int64_t Base, std::vector<Dimension> Dims, uint64_t Times) {
  int64_t Inner = 0; // distance from first to last element in all but the last dimension
  for (size_t I = 0; I + 1 < Dims.size(); ++I)
    Inner += Dims[I].Stride * (Dims[I].Extent - 1);
  const int64_t Span = Inner + (Dims.empty() ? 0 : Dims.back().Stride * (Dims.back().Extent - 1));
  if (Base >= Count || Base + Span < 0)
    return;
  if (Base >= 0 && Base + Span < Count) {
    keep(Base, Dims, Times);
    return;
  }
  // The last dimension has the largest stride. Most of its steps lie wholly inside or wholly
  // outside; only the few others need to be clipped one by one.
  const Dimension D = Dims.back();
  Dims.pop_back();
  const auto CeilDivide = [&](int64_t A) { return -floorDivide(-A, D.Stride); };
  const auto InExtent = [&](int64_t T) { return std::clamp<int64_t>(T, 0, D.Extent); };
  const int64_t From = InExtent(CeilDivide(-Base - Inner)); // first step that is not below
  const int64_t To = InExtent(floorDivide(Count - 1 - Base, D.Stride) + 1);
  const int64_t FromWhole = std::clamp(CeilDivide(-Base), From, To);
  const int64_t ToWhole =
      std::clamp(floorDivide(Count - 1 - Base - Inner, D.Stride) + 1, FromWhole, To);
  for (int64_t T = From; T < FromWhole; ++T)
    clip(Base + T * D.Stride, Dims, Times);
  for (int64_t T = ToWhole; T < To; ++T)
    clip(Base + T * D.Stride, Dims, Times);
  if (FromWhole == ToWhole)
    return;
  if (ToWhole - FromWhole > 1)
    Dims.push_back({D.Stride, ToWhole - FromWhole});
  keep(Base + FromWhole * D.Stride, Dims, Times);
}

void ElementCounts::keep(int64_t Base, const std::vector<Dimension> &Dims, uint64_t Times) {
  Strides Key;
  Item I{Base, {}, Times};
  double Runs = 1;
  for (const Dimension &D : Dims) {
    Key.push_back(D.Stride);
    I.Extents.push_back(D.Extent);
    Runs *= D.Stride == 1 && Key.size() == 1 ? 1 : static_cast<double>(D.Extent);
  }
  if (Runs <= 4) {
    addDirectly(Key, I);
    return;
  }
  Group &G = Groups[Key];
  G.Items.push_back(std::move(I));
  G.DirectCost += Runs;
  if (++Pending == MaxPending)
    flushAll();
}

void ElementCounts::flushAll() {
  for (auto &[Strides, Waiting] : Groups)
    flush(Strides, Waiting);
  Groups.clear();
  Pending = 0;
}

void ElementCounts::flush(const Strides &Key, Group &G) {
  const auto Passes = static_cast<double>(Key.size() + 2);
  const double Corners =
      static_cast<double>(G.Items.size()) * static_cast<double>(uint64_t(1) << Key.size());
  if (Passes * static_cast<double>(Count) + Corners < G.DirectCost) {
    addByPasses(Key, G);
    return;
  }
  for (const Item &I : G.Items)
    addDirectly(Key, I);
}

/// Converts edges to differences.
void ElementCounts::spread() {
  if (!Differences.empty())
    return;
  Differences.resize(static_cast<size_t>(Count) + 1);
  for (const auto &[At, Change] : Edges)
    Differences[static_cast<size_t>(At)] += Change;
  Edges.clear();
}

void ElementCounts::addRun(int64_t Begin, int64_t Length, uint64_t Times) {
  if (Differences.empty() && Edges.size() < MaxEdges) {
    Edges.emplace_back(Begin, Times);
    Edges.emplace_back(Begin + Length, -Times);
    return;
  }
  spread();
  Differences[static_cast<size_t>(Begin)] += Times;
  Differences[static_cast<size_t>(Begin + Length)] -= Times;
}

void ElementCounts::addDirectly(const Strides &Key, const Item &I) {
  const bool HasRun = !Key.empty() && Key.front() == 1;
  const int64_t Length = HasRun ? I.Extents.front() : 1;
  std::vector<int64_t> At(Key.size(), 0);
  for (int64_t Base = I.Base;;) {
    addRun(Base, Length, I.Times);
    size_t D = HasRun ? 1 : 0;
    for (; D < Key.size(); ++D) {
      Base += Key[D];
      if (++At[D] < I.Extents[D])
        break;
      Base -= Key[D] * I.Extents[D];
      At[D] = 0;
    }
    if (D == Key.size())
      return;
  }
}

void ElementCounts::addByPasses(const Strides &Key, const Group &G) {
  spread();
  // Positions beyond the end do not affect earlier elements.
  std::vector<uint64_t> Work(static_cast<size_t>(Count));
  for (const Item &I : G.Items)
    for (uint64_t Corner = 0; Corner < uint64_t(1) << Key.size(); ++Corner) {
      int64_t At = I.Base;
      uint64_t Times = I.Times;
      for (size_t D = 0; D < Key.size(); ++D)
        if (Corner >> D & 1) {
          At += Key[D] * I.Extents[D];
          Times = -Times;
        }
      if (At < Count)
        Work[static_cast<size_t>(At)] += Times;
    }
  for (int64_t Stride : Key)
    for (auto E = static_cast<size_t>(Stride); E < Work.size(); ++E)
      Work[E] += Work[E - static_cast<size_t>(Stride)];
  uint64_t Before = 0;
  for (size_t E = 0; E < Work.size(); Before = Work[E++])
    Differences[E] += Work[E] - Before;
}

std::vector<uint64_t> ElementCounts::finish() {
  flushAll();
  spread();
  Differences.pop_back(); // behind the last element
  std::partial_sum(Differences.begin(), Differences.end(), Differences.begin());
  return std::move(Differences);
}

static void append(std::vector<CountRun> &To, uint64_t Elements, uint64_t Times) {
  if (Elements == 0)
    return;
  if (!To.empty() && To.back().Times == Times)
    To.back().Elements += Elements;
  else
    To.push_back({Elements, Times});
}

std::vector<CountRun> ElementCounts::finishRuns() {
  std::vector<CountRun> Runs;
  flushAll();
  uint64_t Times = 0;
  if (!Differences.empty()) {
    const auto Last = Differences.end() - 1; // behind the last element
    for (auto Begin = Differences.begin(), End = Begin; Begin != Last; Begin = End) {
      Times += *Begin;
      End = std::find_if(Begin + 1, Last, [](uint64_t Change) { return Change != 0; });
      append(Runs, static_cast<uint64_t>(End - Begin), Times);
    }
    return Runs;
  }
  std::sort(Edges.begin(), Edges.end());
  int64_t Begin = 0;
  for (const auto &[At, Change] : Edges) {
    append(Runs, static_cast<uint64_t>(At - Begin), Times);
    Begin = At;
    Times += Change;
  }
  append(Runs, static_cast<uint64_t>(Count - Begin), Times);
  return Runs;
}

} // namespace gmprof
