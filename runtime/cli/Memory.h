//===- Memory.h - How commands take memory ----------------------*- C++ -*-===//
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

/// What is freed is kept for what comes next. Else each of the arrays that objects are looked at
/// in, one after the other, would be given back to the system and come again page by page, which
/// takes as long as looking at them.
inline void keepFreedMemory() {
  mallopt(M_MMAP_THRESHOLD, 1 << 25); // the most that there may be
  mallopt(M_TRIM_THRESHOLD, 1 << 28);
  // Threads' heaps would grow page by page, and whoever touches memory meanwhile would wait.
  mallopt(M_TOP_PAD, 1 << 26);
}

/// Has so much of this thread's heap there before it is needed. What the heap gets from here on
/// comes in large pages, of which one is found about as fast as a small one.
inline void prepareHeap(size_t Bytes) {
  constexpr uintptr_t PageBytes = 4096, LargePageBytes = 1 << 21;
  constexpr uintptr_t HeapBytes = 1 << 26; // glibc has threads' heaps begin at multiples of these
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

/// Calls Free, which frees much that nothing alike follows, and gives that back to the system. Else
/// it would be given back when the process ends, while somebody waits for that.
template <typename Callable> void giveBack(const Callable &Free) {
  // Threads' heaps become smaller only where something at their end is freed.
  mallopt(M_TRIM_THRESHOLD, 0);
  mallopt(M_TOP_PAD, 0);
  Free();
  malloc_trim(0);
  keepFreedMemory();
}

} // namespace gmprof::cli

#endif // GMPROF_CLI_MEMORY_H
