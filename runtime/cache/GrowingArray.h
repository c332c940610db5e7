//===- GrowingArray.h - Array that is refilled many times -------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Like a vector, except that callers reserve room for several elements, write some of them, and
// that clear() keeps the elements, so that refilling sets none to zero first.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CACHE_GROWINGARRAY_H
#define GMPROF_CACHE_GROWINGARRAY_H

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace gmprof::cache {

template <typename T> class GrowingArray {
  std::vector<T> Room; ///< elements behind the first Count are free
  size_t Count = 0;

public:
  GrowingArray() = default;
  GrowingArray(const GrowingArray &) = default;
  GrowingArray(GrowingArray &&O) noexcept
      : Room(std::move(O.Room)), Count(std::exchange(O.Count, 0)) {}
  GrowingArray &operator=(GrowingArray O) noexcept {
    std::swap(Room, O.Room);
    std::swap(Count, O.Count);
    return *this;
  }

  /// Makes room for Most elements in all.
  void reserve(size_t Most) {
    if (Room.size() < Most)
      Room.resize(std::max(2 * Room.size(), Most));
  }
  /// Returns room for More elements behind the last one.
  T *roomFor(size_t More) {
    reserve(Count + More);
    return Room.data() + Count;
  }
  /// Sets the size: all elements before End have been written.
  void endAt(const T *End) { Count = static_cast<size_t>(End - Room.data()); }
  void add(const T &New) {
    *roomFor(1) = New;
    ++Count;
  }
  void removeFirst(size_t Removed) {
    std::copy(begin() + Removed, end(), Room.data());
    Count -= Removed;
  }
  void clear() { Count = 0; }

  size_t size() const { return Count; }
  bool empty() const { return Count == 0; }
  const T *begin() const { return Room.data(); }
  const T *end() const { return Room.data() + Count; }
  T &operator[](size_t I) { return Room[I]; }
  const T &operator[](size_t I) const { return Room[I]; }
};

} // namespace gmprof::cache

#endif // GMPROF_CACHE_GROWINGARRAY_H
