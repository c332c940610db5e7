//===- AccessGroups.cpp - Accesses that may be one instruction ------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pass/requests/AccessGroups.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <utility>

using namespace llvm;
using namespace gmprof;

std::vector<AccessGroup> gmprof::segmentsOf(ArrayRef<const AccessCluster *> Clusters) {
  std::vector<AccessGroup> Segments;
  for (const AccessCluster *Each : Clusters) {
    SmallVector<ClusterElement, 8> Sorted = Each->Elements;
    sort(Sorted, [](const ClusterElement &A, const ClusterElement &B) {
      return std::pair(A.Offset, A.Number) < std::pair(B.Offset, B.Number);
    });
    const size_t Begin = Segments.size();
    for (const ClusterElement &E : Sorted) {
      const auto Continues = [&] {
        const ClusterElement &Last = Segments.back().Elements.back();
        return Segments.size() > Begin && Last.Offset + Last.Bytes == E.Offset;
      };
      if (Segments.size() == Begin || !Continues())
        Segments.push_back({Each, {}, 0});
      Segments.back().Elements.push_back(E);
    }
  }
  return Segments;
}

void gmprof::takeGroups(std::vector<AccessGroup> &Segments, unsigned Bytes, unsigned Most,
                        unsigned Skip, std::vector<AccessGroup> &Into) {
  std::vector<AccessGroup> Left;
  for (AccessGroup &S : Segments) {
    AccessGroup Rest{S.Of, {}, 0};
    const auto Flush = [&] {
      if (!Rest.Elements.empty())
        Left.push_back(std::move(Rest));
      Rest = {S.Of, {}, 0};
    };
    for (size_t I = 0; I < S.Elements.size();) {
      size_t End = I;
      unsigned Sum = 0;
      while (End < S.Elements.size() && Sum < Bytes)
        Sum += S.Elements[End++].Bytes;
      const bool Fits = Sum == Bytes;
      if (Fits && Skip > 0)
        --Skip;
      else if (Fits && Most > 0) {
        --Most;
        Flush();
        Into.push_back({S.Of, {S.Elements.begin() + I, S.Elements.begin() + End}, Bytes});
        I = End;
        continue;
      } else if (!Fits)
        End = I + 1;
      for (; I < End; ++I)
        Rest.Elements.push_back(S.Elements[I]);
    }
    Flush();
  }
  Segments = std::move(Left);
}

/// Returns the bytes of the aligned instruction that accesses Used bytes at At; 0: several do.
static unsigned widthOf(unsigned At, unsigned Used) {
  if (Used * 4 >= 3 * WindowBytes)
    return WindowBytes;
  return isPowerOf2_32(Used) && At % Used == 0 ? Used : 0;
}

std::vector<AccessGroup> gmprof::windowsOf(const AccessGroup &Segment, unsigned Begin) {
  std::vector<AccessGroup> Windows;
  int64_t LastWindow = -1;
  for (const ClusterElement &E : Segment.Elements) {
    const int64_t At = Begin + E.Offset - Segment.Elements.front().Offset;
    if (At / WindowBytes != LastWindow)
      Windows.push_back({Segment.Of, {}, 0, 1, static_cast<unsigned>(At % WindowBytes)});
    LastWindow = At / WindowBytes;
    Windows.back().Elements.push_back(E);
    Windows.back().Bytes += E.Bytes;
  }
  std::vector<AccessGroup> Groups;
  for (AccessGroup &W : Windows) {
    const unsigned At = std::exchange(W.Unused, 0);
    if (const unsigned Width = widthOf(At, W.Bytes)) {
      W.Bytes = Width;
      W.Unused = At % Width;
      Groups.push_back(std::move(W));
    } else {
      for (const ClusterElement &E : W.Elements)
        Groups.push_back({W.Of, {E}, E.Bytes});
    }
  }
  return Groups;
}

/// Returns how many groups of Bytes segments have.
static unsigned capacity(const std::vector<AccessGroup> &Segments, unsigned Bytes) {
  std::vector<AccessGroup> Copy = Segments, Into;
  takeGroups(Copy, Bytes, UINT_MAX, 0, Into);
  return Into.size();
}

AccessDivision gmprof::divide(ArrayRef<const AccessCluster *> Clusters,
                              const InstructionWidths &Wanted, bool NarrowFirst,
                              bool AsManyAsPossible) {
  AccessDivision D;
  D.Left = segmentsOf(Clusters);
  for (auto [Bytes, Count] : Wanted) {
    const unsigned Most = capacity(D.Left, Bytes);
    const unsigned Take = AsManyAsPossible ? Most : std::min(Most, Count);
    D.IsAsWanted &= Take == Count;
    takeGroups(D.Left, Bytes, Take, NarrowFirst ? Most - Take : 0, D.Groups);
  }
  D.IsAsWanted &= D.Left.empty();
  return D;
}
