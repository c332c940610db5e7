//===- KeyTable.h - Something that is known of keys -------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A hash table of linear probing, whose entries have nothing but a key and what is known of it.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CACHE_KEYTABLE_H
#define GMPROF_CACHE_KEYTABLE_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace gmprof::cache {

/// Key: an unsigned number. The largest one is none.
template <typename Key, typename T> class KeyTable {
public:
  static constexpr Key None = ~Key(0);

  /// Of a new key: nothing yet.
  T &of(Key K) {
    Entry *E = &entryOf(K);
    if (E->Of == None) {
      // 4,096 entries are to do for 2,048 keys and the one that is too many (NotedLines.h).
      if (++Count * 8 > Entries.size() * 5) {
        rebuild(2 * Entries.size(), [](Key) { return true; });
        ++Count;
        E = &entryOf(K);
      }
      E->Of = K;
    }
    return E->Known;
  }
  /// Has the processor fetch what of() looks at first.
  void prefetch(Key K) const { __builtin_prefetch(&Entries[firstPlace(K)], /*rw=*/1); }
  /// Forgets the others.
  template <typename Predicate> void keep(const Predicate &Wanted) {
    rebuild(Entries.size(), Wanted);
  }
  size_t size() const { return Count; }
  void clear() { *this = {}; }

private:
  struct Entry {
    Key Of = None;
    T Known = {};
  };
  std::vector<Entry> Entries = std::vector<Entry>(64);
  size_t Count = 0;

  size_t firstPlace(Key K) const {
    return uint64_t(K) * 0x9e3779b97f4a7c15 >> 40 & (Entries.size() - 1);
  }
  Entry &entryOf(Key K) {
    size_t I = firstPlace(K);
    while (Entries[I].Of != K && Entries[I].Of != None)
      I = (I + 1) & (Entries.size() - 1);
    return Entries[I];
  }
  /// With room for so many entries, of which those stay whose keys are wanted.
  template <typename Predicate> void rebuild(size_t Size, const Predicate &Wanted) {
    std::vector<Entry> Old(Size);
    Old.swap(Entries);
    Count = 0;
    for (const Entry &E : Old)
      if (E.Of != None && Wanted(E.Of)) {
        entryOf(E.Of) = E;
        ++Count;
      }
  }
};

} // namespace gmprof::cache

#endif // GMPROF_CACHE_KEYTABLE_H
