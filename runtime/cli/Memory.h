//===- Memory.h - Memory allocation of commands -----------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CLI_MEMORY_H
#define GMPROF_CLI_MEMORY_H

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <malloc.h>
#include <sys/mman.h>

namespace gmprof::cli {

/// Makes malloc keep freed memory. Otherwise, the arrays of each object would be returned to the
/// system and faulted in again page by page, which takes as long as processing them.
inline void keepFreedMemory() {
  mallopt(M_MMAP_THRESHOLD, 1 << 25); // maximum value
  mallopt(M_TRIM_THRESHOLD, 1 << 28);
  // Otherwise the heaps of threads grow page by page, and page faults wait meanwhile.
  mallopt(M_TOP_PAD, 1 << 26);
}

/// Faults in this many bytes of the calling thread's heap. Later growth of the heap uses large
/// pages; a fault of one takes about as long as that of a small page.
inline void prepareHeap(size_t Bytes) {
  constexpr uintptr_t PageBytes = 4096, LargePageBytes = 1 << 21;
  constexpr uintptr_t HeapBytes = 1 << 26; // glibc aligns threads' heaps to this size
  auto *const Memory = static_cast<volatile char *>(std::malloc(Bytes));
  if (!Memory)
    return;
  const auto Next = [First = reinterpret_cast<uintptr_t>(Memory)](uintptr_t MultipleOf) {
    return (First / MultipleOf + 1) * MultipleOf;
  };
  if (const uintptr_t Begin = Next(LargePageBytes), End = Next(HeapBytes); Begin < End)
    ::madvise(reinterpret_cast<void *>(Begin), End - Begin, MADV_HUGEPAGE);
  for (size_t I = 0; I < Bytes; I += PageBytes)
    Memory[I] = 0;
  std::free(const_cast<char *>(Memory));
}

/// Calls Free, and returns the memory that it frees to the system. Otherwise the memory would be
/// returned at process exit, while somebody waits.
template <typename Callable> void giveBack(const Callable &Free) {
  // The heaps of threads shrink only when memory at their end is freed.
  mallopt(M_TRIM_THRESHOLD, 0);
  mallopt(M_TOP_PAD, 0);
  Free();
  malloc_trim(0);
  keepFreedMemory();
}

} // namespace gmprof::cli

#endif // GMPROF_CLI_MEMORY_H
