//===- LineTable.h - Something that is known of lines -----------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A hash table of linear probing, where neighbouring lines are neighbours.
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
  size_t Count = 0;

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
  /// With room for so many entries, of which those stay whose lines are wanted.
  template <typename Predicate> void rebuild(size_t Size, const Predicate &Wanted) {
    std::vector<Entry> Old(Size);
    Old.swap(Entries);
    Count = 0;
    for (const Entry &E : Old)
      if (E.Line != NoLine && Wanted(E.Line)) {
        entryOf(E.Line) = E;
        ++Count;
      }
  }

public:
  /// Of a new line: nothing yet.
  T &of(uint64_t Line) {
    Entry *E = &entryOf(Line);
    if (E->Line == NoLine) {
      if (++Count * 2 > Entries.size()) {
        rebuild(2 * Entries.size(), [](uint64_t) { return true; });
        ++Count;
        E = &entryOf(Line);
      }
      E->Line = Line;
    }
    return E->Known;
  }
  /// Forgets the others.
  template <typename Predicate> void keep(const Predicate &Wanted) {
    rebuild(Entries.size(), Wanted);
  }
  size_t size() const { return Count; }
  void clear() { *this = {}; }
};

} // namespace gmprof::cache

#endif // GMPROF_CACHE_LINETABLE_H
