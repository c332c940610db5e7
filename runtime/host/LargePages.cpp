//===- LargePages.cpp - Memory in pages of 2 MiB --------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/LargePages.h"
#include "host/RealSystem.h"
#include "profile/Parallel.h"
#include <cstdint>

namespace gmprof::host {

void UnmapLargePages::operator()(std::byte *First) const { realSystem().munmap(First, Bytes); }

LargePages mapLargePages(size_t Bytes) {
  void *const All = realSystem().mmap(nullptr, Bytes + LargePageBytes, PROT_READ | PROT_WRITE,
                                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (All == MAP_FAILED)
    return nullptr;
  auto *const Begin = static_cast<std::byte *>(All);
  const size_t Before = -reinterpret_cast<uintptr_t>(All) % LargePageBytes;
  std::byte *const First = Begin + Before;
  if (Before != 0)
    realSystem().munmap(Begin, Before);
  realSystem().munmap(First + Bytes, LargePageBytes - Before);
  realSystem().madvise(First, Bytes, MADV_HUGEPAGE);
  return LargePages(First, UnmapLargePages{Bytes});
}

void touchLargePages(const LargePages &Pages) {
  const auto Touch = [&](size_t I) {
    realSystem().madvise(Pages.get() + I * LargePageBytes, LargePageBytes, MADV_POPULATE_WRITE);
  };
  inParallel(Pages.get_deleter().Bytes / LargePageBytes, Touch, 4);
}

} // namespace gmprof::host
