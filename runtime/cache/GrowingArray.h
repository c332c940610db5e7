//===- GrowingArray.h - An array that is filled again and again -*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// As a vector, but that elements are written by hand to room that was made for several at once,
// which is not cleared each time.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CACHE_GROWINGARRAY_H
#define GMPROF_CACHE_GROWINGARRAY_H

#include <algorithm>
#include <cstddef>
#include <type_traits>
#include <vector>

namespace gmprof::cache {

template <typename T> class GrowingArray {
  static_assert(std::is_trivially_copyable_v<T>);
  std::vector<T> Room;
  size_t Count = 0;

public:
  /// Where so many more can be written; what is there is undefined.
  [[gnu::always_inline]] T *roomFor(size_t More) {
    if (Room.size() - Count < More) [[unlikely]]
      Room.resize(std::max(2 * Room.size(), Count + More));
    return Room.data() + Count;
  }
  /// All before this place have been written.
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
