//===- GrowingArray.h - Array that is refilled many times -------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Like a vector, except that callers write elements to uninitialised room reserved for several at
// once. Untouched room costs no page faults, which dominate the time of small traces.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CACHE_GROWINGARRAY_H
#define GMPROF_CACHE_GROWINGARRAY_H

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

namespace gmprof::cache {

template <typename T> class GrowingArray {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);
  struct Free {
    void operator()(T *Data) const { std::free(static_cast<void *>(Data)); }
  };
  std::unique_ptr<T, Free> Room;
  size_t Capacity = 0, Count = 0;

public:
  GrowingArray() = default;
  GrowingArray(GrowingArray &&O) noexcept
      : Room(std::move(O.Room)), Capacity(std::exchange(O.Capacity, 0)),
        Count(std::exchange(O.Count, 0)) {}
  GrowingArray(const GrowingArray &O) {
    std::copy(O.begin(), O.end(), roomFor(O.size()));
    Count = O.size();
  }
  GrowingArray &operator=(GrowingArray O) noexcept {
    std::swap(Room, O.Room);
    std::swap(Capacity, O.Capacity);
    std::swap(Count, O.Count);
    return *this;
  }

  /// Makes room for Most elements in all.
  void reserve(size_t Most) {
    if (Capacity < Most)
      grow(Most);
  }
  /// Returns uninitialised room for More elements behind the last one.
  [[gnu::always_inline]] T *roomFor(size_t More) {
    if (Capacity - Count < More) [[unlikely]]
      grow(Count + More);
    return Room.get() + Count;
  }
  /// Sets the size: all elements before End have been written.
  void endAt(const T *End) { Count = static_cast<size_t>(End - Room.get()); }
  void add(const T &New) {
    *roomFor(1) = New;
    ++Count;
  }
  void removeFirst(size_t Removed) {
    std::copy(begin() + Removed, end(), Room.get());
    Count -= Removed;
  }
  void clear() { Count = 0; }

  size_t size() const { return Count; }
  bool empty() const { return Count == 0; }
  const T *begin() const { return Room.get(); }
  const T *end() const { return Room.get() + Count; }
  T &operator[](size_t I) { return Room.get()[I]; }
  const T &operator[](size_t I) const { return Room.get()[I]; }

private:
  [[gnu::noinline]] void grow(size_t Needed) {
    Capacity = std::max(2 * Capacity, Needed);
    void *Moved = std::realloc(static_cast<void *>(Room.get()), Capacity * sizeof(T));
    if (!Moved)
      throw std::bad_alloc();
    (void)Room.release();
    Room.reset(static_cast<T *>(Moved));
  }
};

} // namespace gmprof::cache

#endif // GMPROF_CACHE_GROWINGARRAY_H
