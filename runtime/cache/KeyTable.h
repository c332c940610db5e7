//===- KeyTable.h - Hash table with integer keys ----------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Open addressing with linear probing; an entry holds a key and a value only. With
// std::unordered_map instead, `gmprof recover` of a traced run takes a quarter more processor time.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CACHE_KEYTABLE_H
#define GMPROF_CACHE_KEYTABLE_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace gmprof::cache {

/// Maps unsigned keys to values. The largest key is reserved.
template <typename Key, typename T> class KeyTable {
public:
  static constexpr Key None = ~Key(0);

  /// Returns the value of a key; inserts a default value for a new key.
  T &of(Key K) {
    Entry *E = &entryOf(K);
    if (E->Of == None) {
      // This load factor lets 4,096 entries hold 2,048 keys and one in excess (NotedLines.h).
      if (++Count * 8 > Entries.size() * 5) {
        rebuild(2 * Entries.size(), [](Key) { return true; });
        ++Count;
        E = &entryOf(K);
      }
      E->Of = K;
    }
    return E->Known;
  }
  /// Prefetches the entry that of() reads first.
  void prefetch(Key K) const { __builtin_prefetch(&Entries[firstPlace(K)], /*rw=*/1); }
  /// Removes all keys that are not wanted.
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
  /// Resizes the table and keeps the wanted keys.
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
