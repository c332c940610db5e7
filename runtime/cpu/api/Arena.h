//===- Arena.h - Guarded memory of the CPU device ---------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A reservation of inaccessible address space from which device memory is cut.
// Every allocation ends at a page boundary (rounded up to its 256-byte
// alignment) and has an inaccessible page on both sides, so that a kernel that
// runs over its end faults rather than reaching another object or the host's
// heap. Freed ranges become inaccessible again and are handed out anew only
// when the whole reservation has been used once.
//
// The system lets a process have 65,530 mappings. Beyond a quarter of them, small
// allocations share mappings, without pages between them, and are handed out anew
// as soon as they are freed.
//
// New memory holds a repeated word. It is mapped copy-on-write from one small
// file of that word, so memory that nobody writes to costs nothing.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CPU_API_ARENA_H
#define GMPROF_CPU_API_ARENA_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace gmprof::cpu::api {

class Arena {
public:
  static constexpr size_t Page = 4096;
  static constexpr size_t Alignment = 256;
  /// Addresses that do not depend on the run, so that a program that prints or
  /// hashes pointers behaves the same every time.
#if defined(__has_feature) && __has_feature(thread_sanitizer) // leaves the first two terabytes
  static constexpr uintptr_t PreferredBase = uintptr_t(1) << 40;
  static constexpr size_t DefaultReservation = size_t(1) << 38;
#else
  static constexpr uintptr_t PreferredBase = uintptr_t(1) << 44;
  static constexpr size_t DefaultReservation = size_t(1) << 44;
#endif

  static constexpr size_t DefaultGuarded = 16384;

  /// `Reservation` is halved until the system grants it. Small allocations share
  /// mappings as soon as there are `Guarded` of them.
  explicit Arena(uint32_t Fill, size_t Reservation = DefaultReservation,
                 size_t Guarded = DefaultGuarded);
  ~Arena();
  Arena(const Arena &) = delete;
  Arena &operator=(const Arena &) = delete;

  enum class Content { Zero, Fill };

  /// Null if the address space or the system's memory is used up.
  void *allocate(size_t Bytes, Content With);
  void release(void *Start);

  /// Whether the address lies in the reservation, allocated or not.
  bool contains(uintptr_t Address) const { return Address - Base < Size; }

private:
  static constexpr size_t SharedBytes = size_t(1) << 20; ///< of a mapping that many share
  static constexpr size_t SlotSizes = 4;                 ///< 256, 512, 1024 and 2048 bytes

  void *allocateSlot(size_t Used, Content With);
  bool addSlots(size_t SizeIndex);
  uintptr_t addMapping(size_t Bytes, Content With);
  uintptr_t place(size_t Pages);
  bool map(uintptr_t Start, size_t Bytes, Content With);
  void openFillFile();

  const uint32_t Fill;
  const size_t Guarded;
  int FillFile = -1;
  uintptr_t Base = 0;
  size_t Size = 0;
  std::mutex Mutex;
  uintptr_t Cursor = 0;               ///< where the next search begins
  std::map<uintptr_t, size_t> Mapped; ///< live mappings, guard pages not included
  std::array<std::vector<uintptr_t>, SlotSizes> FreeSlots;
  std::unordered_map<uintptr_t, size_t>
      Slots; ///< those that are taken, and the index of their size
};

} // namespace gmprof::cpu::api

#endif // GMPROF_CPU_API_ARENA_H
