//===- ElementCounts.h - Counts of accesses per element ---------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sums progressions of accesses (ClosedForm.h) into counts per element without visiting single
// accesses. As a generating function, a progression with strides s1 … sd and extents e1 … ed is
// x^base times the product of (1 - x^(s*e)) / (1 - x^s): 2^d numbers in an array, then, for each
// stride s, one pass that adds element i - s to element i. Progressions with the same strides share
// the passes. Few and short progressions are cheaper to add run by run, each run being two
// differences; the cheaper way is taken.
//
// An access counts once for each element that it touches. Strides that are not multiples of the
// element size are first split by remainder.
//
// While there are few runs, only their edges are stored, however large the object is.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PROFILE_ELEMENTCOUNTS_H
#define GMPROF_PROFILE_ELEMENTCOUNTS_H

#include "profile/ClosedForm.h"
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace gmprof {

/// Consecutive elements with Times accesses each.
struct CountRun {
  uint64_t Elements = 0, Times = 0;
  bool operator==(const CountRun &) const = default;
};

/// Counts accesses to elements First to First + Count - 1 of an object. Accesses outside only
/// contribute to total().
class ElementCounts {
public:
  ElementCounts(uint64_t First, uint64_t Count, unsigned ElementShift)
      : First(static_cast<int64_t>(First)), Count(static_cast<int64_t>(Count)),
        ElementShift(ElementShift) {}

  /// Adds accesses of `Bytes` bytes (not 0), addressed from the object's start.
  void add(const Progression &P, unsigned Bytes, uint64_t Times = 1);
  /// Returns the counts; the object must not be used afterwards.
  std::vector<uint64_t> finish();
  /// Returns the same as maximal runs, in order; the object must not be used afterwards.
  std::vector<CountRun> finishRuns();
  /// Returns the number of element touches by all accesses, including those outside the window;
  /// saturates.
  uint64_t total() const { return Total; }

private:
  /// In elements, ascending.
  using Strides = std::vector<int64_t>;
  struct Item {
    int64_t Base;
    std::vector<int64_t> Extents; ///< per stride
    uint64_t Times;
  };
  struct Dimension {
    int64_t Stride, Extent;
  };
  struct Group {
    std::vector<Item> Items;
    double DirectCost = 0;
  };

  void takeApart(int64_t Base, const std::vector<Dimension> &Bytewise, size_t From, unsigned Bytes,
                 uint64_t Times);
  void addElements(int64_t Base, std::vector<Dimension> Dims, uint64_t Times);
  void clip(int64_t Base, std::vector<Dimension> Dims, uint64_t Times);
  void keep(int64_t Base, const std::vector<Dimension> &Dims, uint64_t Times);
  void flushAll();
  void flush(const Strides &Key, Group &G);
  void addRun(int64_t Begin, int64_t Length, uint64_t Times);
  void spread();
  void addDirectly(const Strides &Key, const Item &I);
  void addByPasses(const Strides &Key, const Group &G);

  int64_t First, Count;
  unsigned ElementShift;
  uint64_t Total = 0;
  std::map<Strides, Group> Groups;
  size_t Pending = 0;
  /// Position and change of the count, unordered; used while there are few.
  std::vector<std::pair<int64_t, uint64_t>> Edges;
  /// Used afterwards: difference of each element's count from its predecessor's, with one more
  /// entry behind the last element.
  std::vector<uint64_t> Differences;
};

} // namespace gmprof

#endif // GMPROF_PROFILE_ELEMENTCOUNTS_H
