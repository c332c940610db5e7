//===- LargePages.cpp - Memory in pages of 2 MiB --------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/core/LargePages.h"
#include "host/core/RealSystem.h"
#include "profile/OwnThread.h"
#include "profile/Parallel.h"
#include <cstdint>
#include <system_error>

namespace gmprof::host {

void UnmapLargePages::operator()(std::byte *First) const { realSystem().munmap(First, Bytes); }

static LargePages mapNew(size_t Bytes) {
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

/// Not by madvise(), for which who maps or unmaps memory meanwhile would have to wait.
static void touch(std::byte *Page) {
  constexpr size_t SmallPageBytes = 4096;
  for (size_t I = 0; I < LargePageBytes; I += SmallPageBytes)
    *static_cast<volatile std::byte *>(Page + I) = std::byte(0);
}

void touchLargePages(const LargePages &Pages) {
  const auto Touch = [&](size_t I) { touch(Pages.get() + I * LargePageBytes); };
  inParallel(Pages.get_deleter().Bytes / LargePageBytes, Touch, 4);
}

LargePagesAhead::LargePagesAhead(size_t Wanted)
    : First(mapNew(Wanted).release()), Bytes(First ? Wanted : 0) {
  const auto Touch = [this] {
    for (size_t I = 0; I < Bytes; I += LargePageBytes) {
      touch(First + I);
      There.store(I + LargePageBytes, std::memory_order_release);
    }
  };
  try {
    Thread = startOwnThread(Touch);
  } catch (const std::system_error &) {
    return; // there are no more threads to be had, and nothing is ahead
  }
}

LargePagesAhead::~LargePagesAhead() {
  wait();
  if (Taken != Bytes)
    UnmapLargePages{Bytes - Taken}(First + Taken);
}

void LargePagesAhead::wait() {
  if (Thread.joinable())
    Thread.join();
}

LargePages LargePagesAhead::take(size_t Wanted) {
  size_t Before = Taken.load(std::memory_order_relaxed);
  do
    if (Before + Wanted > There.load(std::memory_order_acquire))
      return nullptr;
  while (!Taken.compare_exchange_weak(Before, Before + Wanted, std::memory_order_relaxed));
  return LargePages(First + Before, UnmapLargePages{Wanted});
}

static std::atomic<LargePagesAhead *> Ahead = nullptr;

// Never deleted: threads may take some as long as there are any.
void mapLargePagesAhead(size_t Bytes) { Ahead = new LargePagesAhead(Bytes); }

LargePages takeLargePages(size_t Bytes) {
  LargePagesAhead *const Some = Ahead;
  return Some ? Some->take(Bytes) : nullptr;
}

LargePages mapLargePages(size_t Bytes) {
  LargePages Taken = takeLargePages(Bytes);
  return Taken ? std::move(Taken) : mapNew(Bytes);
}

} // namespace gmprof::host
