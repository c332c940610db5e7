//===- ZeroedArray.h - Sparse array of zeros --------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For large, mostly unused arrays: untouched pages take no memory. calloc() would clear pages that
// it reuses. Unsuitable for elements that are read before they are written: each such page faults
// twice, and replacing the zero page interrupts all processors of the process.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CACHE_ZEROEDARRAY_H
#define GMPROF_CACHE_ZEROEDARRAY_H

#include <cstddef>
#include <memory>
#include <new>
#include <sys/mman.h>
#include <type_traits>

namespace gmprof::cache {

/// Fixed-size array whose elements are initially all zero bytes.
template <typename T> class ZeroedArray {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);
  struct Unmap {
    size_t Bytes;
    void operator()(T *Data) const { ::munmap(static_cast<void *>(Data), Bytes); }
  };
  std::unique_ptr<T, Unmap> Elements{nullptr, Unmap{0}};

public:
  ZeroedArray() = default;
  explicit ZeroedArray(size_t Count) {
    const size_t Bytes = Count * sizeof(T);
    void *Pages = ::mmap(nullptr, Bytes, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (Pages == MAP_FAILED)
      throw std::bad_alloc();
    Elements = {static_cast<T *>(Pages), Unmap{Bytes}};
  }

  bool empty() const { return !Elements; }
  T &operator[](size_t I) const { return Elements.get()[I]; }
};

} // namespace gmprof::cache

#endif // GMPROF_CACHE_ZEROEDARRAY_H
