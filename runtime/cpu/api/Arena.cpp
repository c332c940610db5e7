//===- Arena.cpp - Guarded device memory ----------------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cpu/api/Arena.h"
#include <algorithm>
#include <bit>
#include <sys/mman.h>
#include <unistd.h>

namespace gmprof::cpu::api {

namespace {

/// Size of the fill file, and of the mappings that make up large allocations.
constexpr size_t FillFileBytes = size_t(1) << 20;
constexpr size_t roundUp(size_t Value, size_t Unit) { return (Value + Unit - 1) / Unit * Unit; }

void *pointer(uintptr_t Address) {
  return reinterpret_cast<void *>(Address); // NOLINT(performance-no-int-to-ptr)
}

void *reserve(uintptr_t Where, size_t Bytes, int ExtraFlags) {
  return mmap(pointer(Where), Bytes, PROT_NONE,
              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | ExtraFlags, -1, 0);
}

} // namespace

Arena::Arena(uint32_t Fill, size_t Reservation, size_t Guarded) : Fill(Fill), Guarded(Guarded) {
  void *Start = MAP_FAILED;
  for (Size = Reservation; Start == MAP_FAILED && Size >= 4 * Page; Size /= 2) {
    Start = reserve(PreferredBase, Size, MAP_FIXED_NOREPLACE);
    if (Start == MAP_FAILED)
      Start = reserve(0, Size, 0);
    if (Start != MAP_FAILED)
      break;
  }
  if (Start == MAP_FAILED) {
    Size = 0;
    return;
  }
  Base = reinterpret_cast<uintptr_t>(Start);
  Cursor = Base;
  openFillFile();
}

Arena::~Arena() {
  if (Size != 0)
    munmap(pointer(Base), Size);
  if (FillFile >= 0)
    close(FillFile);
}

void Arena::openFillFile() {
  if (Fill == 0)
    return;
  int File = memfd_create("gmprof-device-memory", MFD_CLOEXEC);
  if (File < 0)
    return;
  std::vector<uint32_t> Words(FillFileBytes / sizeof(uint32_t), Fill);
  if (write(File, Words.data(), FillFileBytes) == static_cast<ssize_t>(FillFileBytes))
    FillFile = File;
  else
    close(File);
}

void *Arena::allocate(size_t Bytes, Content With) {
  if (Bytes == 0 || Bytes > Size)
    return nullptr;
  size_t Used = roundUp(Bytes, Alignment);
  LockGuard Lock(Mutex);
  if (Mapped.size() >= Guarded && Used <= Alignment << (SlotSizes - 1))
    return allocateSlot(Used, With);
  size_t Span = roundUp(Used, Page);
  uintptr_t Start = addMapping(Span, With);
  return Start != 0 ? pointer(Start + Span - Used) : nullptr;
}

uintptr_t Arena::addMapping(size_t Bytes, Content With) {
  uintptr_t Start = place(Bytes);
  if (Start == 0 || !map(Start, Bytes, With))
    return 0;
  Mapped.emplace(Start, Bytes);
  Cursor = Start + Bytes;
  return Start;
}

void *Arena::allocateSlot(size_t Used, Content With) {
  size_t SizeIndex = std::bit_width(Used / Alignment - 1);
  std::vector<uintptr_t> &Free = FreeSlots[SizeIndex];
  if (Free.empty() && !addSlots(SizeIndex))
    return nullptr;
  uintptr_t Slot = Free.back();
  Free.pop_back();
  Slots.emplace(Slot, SizeIndex);
  std::fill_n(static_cast<uint32_t *>(pointer(Slot)), Used / sizeof(uint32_t),
              With == Content::Fill ? Fill : 0);
  return pointer(Slot);
}

/// Adds a mapping of free slots, which are taken in ascending order.
bool Arena::addSlots(size_t SizeIndex) {
  uintptr_t Start = addMapping(SharedBytes, Content::Zero);
  size_t Bytes = Alignment << SizeIndex;
  for (size_t End = Start != 0 ? SharedBytes : 0; End != 0; End -= Bytes)
    FreeSlots[SizeIndex].push_back(Start + End - Bytes);
  return Start != 0;
}

/// Returns the first gap from the cursor on, then from the beginning, that holds the mapping and
/// its guard pages; 0 if there is none.
uintptr_t Arena::place(size_t Span) {
  auto Search = [&](uintptr_t From, uintptr_t To) GMPROF_REQUIRES(Mutex) -> uintptr_t {
    auto Next = Mapped.lower_bound(From);
    for (;;) {
      uintptr_t Start = From + Page;
      uintptr_t End = Next == Mapped.end() ? To : std::min(To, Next->first);
      if (Start + Span + Page <= End)
        return Start;
      if (Next == Mapped.end() || Next->first >= To)
        return 0;
      From = Next->first + Next->second;
      ++Next;
    }
  };
  if (uintptr_t Start = Search(Cursor, Base + Size))
    return Start;
  return Search(Base, Base + Size);
}

bool Arena::map(uintptr_t Start, size_t Bytes, Content With) {
  if (With == Content::Fill && FillFile >= 0) {
    for (size_t Offset = 0; Offset < Bytes; Offset += FillFileBytes) {
      void *Chunk =
          mmap(pointer(Start + Offset), std::min(FillFileBytes, Bytes - Offset),
               PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE | MAP_FIXED, FillFile, 0);
      if (Chunk == MAP_FAILED) {
        reserve(Start, Bytes, MAP_FIXED);
        return false;
      }
    }
    return true;
  }
  if (mprotect(pointer(Start), Bytes, PROT_READ | PROT_WRITE) != 0)
    return false;
  if (With == Content::Fill && Fill != 0)
    std::fill_n(static_cast<uint32_t *>(pointer(Start)), Bytes / sizeof(uint32_t), Fill);
  return true;
}

void Arena::release(void *Address) {
  LockGuard Lock(Mutex);
  if (auto Slot = Slots.extract(reinterpret_cast<uintptr_t>(Address))) {
    FreeSlots[Slot.mapped()].push_back(Slot.key());
    return;
  }
  uintptr_t Start = reinterpret_cast<uintptr_t>(Address) / Page * Page;
  auto Found = Mapped.find(Start);
  if (Found == Mapped.end())
    return;
  reserve(Start, Found->second, MAP_FIXED);
  Mapped.erase(Found);
}

} // namespace gmprof::cpu::api
