//===- ElementCounts.h - How often each element is accessed -----*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Adds progressions of accesses (ClosedForm.h) up to counts per element, without
// going through the accesses. A progression with strides s1 … sd and extents
// e1 … ed is, as a generating function, x^base times the product of
// (1 - x^(s*e)) / (1 - x^s): 2^d numbers in an array, and then for each stride s
// one pass that adds element i - s to element i. All progressions with the same
// strides share these passes. Few and short progressions are cheaper to add run by
// run, a run being a difference of two numbers; whichever costs less is done.
//
// An access counts once for each element that it touches. Strides that are no
// multiple of the element size are taken apart by remainders first.
//
// As long as there are few runs, only they are kept, whatever number of elements they are of.
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

/// So many elements side by side have Times accesses each.
struct CountRun {
  uint64_t Elements = 0, Times = 0;
  bool operator==(const CountRun &) const = default;
};

/// Counts elements First to First + Count - 1 of an object; what lies outside is
/// only part of total().
class ElementCounts {
public:
  ElementCounts(uint64_t First, uint64_t Count, unsigned ElementShift)
      : First(static_cast<int64_t>(First)), Count(static_cast<int64_t>(Count)),
        ElementShift(ElementShift) {}

  /// Each access is of Bytes bytes (not 0), from the start of the object on.
  void add(const Progression &P, unsigned Bytes, uint64_t Times = 1);
  /// The counts. Nothing may be added after that.
  std::vector<uint64_t> finish();
  /// The same, from the first element to the last; those of neighbours differ.
  std::vector<CountRun> finishRuns();
  /// Elements touched by all accesses, each as often as it is.
  uint64_t total() const { return Total; }

private:
  /// Strides in elements, ascending.
  using Strides = std::vector<int64_t>;
  struct Item {
    int64_t Base;
    std::vector<int64_t> Extents; ///< beside the strides
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
  /// Where counts change and by how much, in no order, until there are many.
  std::vector<std::pair<int64_t, uint64_t>> Edges;
  /// Then: by how much the count of each element, and of the one behind the last, differs from that
  /// of the one before it.
  std::vector<uint64_t> Differences;
};

} // namespace gmprof

#endif // GMPROF_PROFILE_ELEMENTCOUNTS_H
