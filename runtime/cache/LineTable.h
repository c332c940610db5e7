//===- LineTable.h - Something that is known of lines -----------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A hash table of linear probing, where neighbouring lines are neighbours. It has so many lines at
// most; of those that come then nothing is known.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CACHE_LINETABLE_H
#define GMPROF_CACHE_LINETABLE_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace gmprof::cache {

template <typename T> class LineTable {
  static constexpr uint64_t NoLine = ~uint64_t(0);
  struct Entry {
    uint64_t Line = NoLine;
    T Known = {};
  };
  std::vector<Entry> Entries = std::vector<Entry>(64);
  size_t Count = 0, Most;

  size_t placeOf(uint64_t Line) const {
    return ((Line >> 2) * 0x9e3779b97f4a7c15 >> 32 << 2 | (Line & 3)) & (Entries.size() - 1);
  }
  Entry &entryOf(uint64_t Line) {
    const size_t Mask = Entries.size() - 1;
    size_t I = placeOf(Line);
    while (Entries[I].Line != Line && Entries[I].Line != NoLine)
      I = (I + 1) & Mask;
    return Entries[I];
  }
  void grow() {
    std::vector<Entry> Old(2 * Entries.size());
    Old.swap(Entries);
    for (const Entry &E : Old)
      if (E.Line != NoLine)
        entryOf(E.Line) = E;
  }

public:
  explicit LineTable(size_t Most) : Most(Most) {}

  /// Of a new line: nothing yet. Null if there is no room for it.
  T *of(uint64_t Line) {
    Entry *E = &entryOf(Line);
    if (E->Line == NoLine) {
      if (Count == Most)
        return nullptr;
      if (++Count * 2 > Entries.size()) {
        grow();
        E = &entryOf(Line);
      }
      E->Line = Line;
    }
    return &E->Known;
  }
  /// Has the processor fetch what of() will look at.
  void prefetch(uint64_t Line) const { __builtin_prefetch(&Entries[placeOf(Line)], /*rw=*/1); }
  void clear() { *this = LineTable(Most); }
};

} // namespace gmprof::cache

#endif // GMPROF_CACHE_LINETABLE_H
