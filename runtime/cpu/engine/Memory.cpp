//===- Memory.cpp - Memory with guard pages -------------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cpu/engine/Memory.h"
#include "profile/Mutex.h"

#include <cerrno>
#include <new>
#include <sys/mman.h>
#include <vector>

namespace gmprof::cpu {

static size_t wholePages(size_t Bytes) { return (Bytes + PageBytes - 1) & ~(PageBytes - 1); }

//===----------------------------------------------------------------------===//
// Mapping
//===----------------------------------------------------------------------===//

Mapping::Mapping(size_t Bytes) {
  Length = wholePages(Bytes ? Bytes : 1);
  void *All = mmap(nullptr, Length + 2 * PageBytes, PROT_NONE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (All == MAP_FAILED)
    throw std::bad_alloc();
  Start = static_cast<char *>(All) + PageBytes;
  if (mprotect(Start, Length, PROT_READ | PROT_WRITE) != 0) {
    munmap(All, Length + 2 * PageBytes);
    throw std::bad_alloc();
  }
}

Mapping::~Mapping() {
  if (Start)
    munmap(Start - PageBytes, Length + 2 * PageBytes);
}

//===----------------------------------------------------------------------===//
// SharedWindow
//===----------------------------------------------------------------------===//

namespace {

/// Allocator of slots of equal size below 4 GiB. Slots are never unmapped.
class LowPlaces {
public:
  static constexpr size_t PlaceBytes = 256 * 1024;

  char *take() {
    LockGuard Lock(Mutex);
    if (Free.empty())
      findMore();
    if (Free.empty())
      return nullptr;
    char *Place = Free.back();
    Free.pop_back();
    return Place;
  }

  void giveBack(char *Place) {
    LockGuard Lock(Mutex);
    Free.push_back(Place);
  }

private:
  /// Reserves the next free 16 MiB without replacing existing mappings: a non-PIE program and its
  /// heap are at low addresses.
  void findMore() GMPROF_REQUIRES(Mutex) {
    constexpr size_t RangeBytes = 64 * PlaceBytes;
    for (; NextRange + RangeBytes <= (uint64_t(1) << 32); NextRange += RangeBytes) {
      void *Range = mmap(reinterpret_cast<void *>(NextRange), RangeBytes, PROT_NONE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
      if (Range == MAP_FAILED)
        continue;
      NextRange += RangeBytes;
      if (uint64_t(Range) >= (uint64_t(1) << 32)) { // kernel without MAP_FIXED_NOREPLACE
        munmap(Range, RangeBytes);
        continue;
      }
      for (size_t I = RangeBytes / PlaceBytes; I-- > 0;)
        Free.push_back(static_cast<char *>(Range) + I * PlaceBytes);
      return;
    }
  }

  gmprof::Mutex Mutex;
  std::vector<char *> Free GMPROF_GUARDED_BY(Mutex);
  uint64_t NextRange GMPROF_GUARDED_BY(Mutex) = 0x20000000;
};

LowPlaces &lowPlaces() {
  static auto *Places = new LowPlaces; // outlives every thread
  return *Places;
}

} // namespace

SharedWindow::~SharedWindow() {
  if (!Place)
    return;
  mprotect(Place, LowPlaces::PlaceBytes, PROT_NONE);
  lowPlaces().giveBack(Place);
}

uint64_t SharedWindow::resize(size_t Bytes, size_t Reserved) {
  constexpr size_t Alignment = 256;
  size_t Aligned = (Bytes + Alignment - 1) & ~(Alignment - 1);
  if (!Place && !(Place = lowPlaces().take()))
    return 0;
  size_t Needed = wholePages(Aligned + Reserved);
  if (Needed > Accessible)
    mprotect(Place + PageBytes, Needed, PROT_READ | PROT_WRITE);
  else if (Needed < Accessible)
    mprotect(Place + PageBytes + Needed, Accessible - Needed, PROT_NONE);
  Accessible = Needed;
  return uint64_t(Place) + PageBytes + Needed - Aligned;
}

bool SharedWindow::covers(uint64_t Address) const {
  return Place && Address - uint64_t(Place) < LowPlaces::PlaceBytes;
}

//===----------------------------------------------------------------------===//
// StackRow
//===----------------------------------------------------------------------===//

#ifndef MADV_GUARD_INSTALL
#define MADV_GUARD_INSTALL 102
#endif

/// Installs a guard page; if possible one that does not split the mapping (Linux 6.13), because the
/// number of mappings is limited.
static bool guardPage(char *Page) {
  return madvise(Page, PageBytes, MADV_GUARD_INSTALL) == 0 ||
         mprotect(Page, PageBytes, PROT_NONE) == 0;
}

StackRow::~StackRow() { release(); }

void StackRow::release() {
  if (Start)
    munmap(Start, Count * Bytes);
  Start = nullptr;
  Count = Bytes = 0;
}

bool StackRow::reserve(size_t NewCount, size_t NewBytes) {
  if (NewCount <= Count && NewBytes <= Bytes)
    return true;
  NewCount = std::max(NewCount, Count);
  NewBytes = std::max(NewBytes, Bytes);
  release();
  void *All = mmap(nullptr, NewCount * NewBytes, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (All == MAP_FAILED)
    return false;
  Start = static_cast<char *>(All);
  Count = NewCount;
  Bytes = NewBytes;
  for (size_t I = 0; I < Count; ++I)
    if (!guardPage(Start + I * Bytes)) {
      release();
      return false;
    }
  return true;
}

} // namespace gmprof::cpu
