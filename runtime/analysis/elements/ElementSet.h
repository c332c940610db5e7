//===- ElementSet.h - The set of accessed elements --------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The bitmap of DrGPUM (ASPLOS'23, Section 5.2), one bit per element. Chunks of equal bits take no
// memory.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_ANALYSIS_ELEMENTS_ELEMENTSET_H
#define GMPROF_ANALYSIS_ELEMENTS_ELEMENTSET_H

#include "profile/ElementRuns.h"
#include <map>

namespace gmprof::analysis {

class ElementSet {
public:
  explicit ElementSet(uint64_t Elements) : Elements(Elements) {}

  /// Adds a run; elements beyond the object are ignored.
  void add(ElementRun Run);
  /// Adds the elements of another set of the same object.
  void add(const ElementSet &Others);
  uint64_t size() const { return Size; }
  bool full() const { return Size == Elements; }
  /// Calls Emit for each maximal run of elements outside the set, in order.
  void forEachGap(const std::function<void(ElementRun)> &Emit) const;

private:
  static constexpr uint64_t ChunkElements = 65536, WordBits = 64;
  struct Chunk {
    uint64_t Size = 0;
    std::vector<uint64_t> Words; ///< empty: all are in the set
  };

  uint64_t elementsOf(uint64_t Number) const {
    return std::min(ChunkElements, Elements - Number * ChunkElements);
  }
  void addTo(uint64_t Number, uint64_t Begin, uint64_t End);

  const uint64_t Elements;
  uint64_t Size = 0;
  std::map<uint64_t, Chunk> Chunks;
};

} // namespace gmprof::analysis

#endif // GMPROF_ANALYSIS_ELEMENTS_ELEMENTSET_H
