//===- Arena.h - Guarded device memory --------------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Device memory is allocated from a reservation of inaccessible address space. Each allocation ends
// at a page boundary (rounded up to its 256-byte alignment) and has an inaccessible page on both
// sides, so that an out-of-bounds access of a kernel faults rather than reaching another object or
// the host's heap. Freed ranges become inaccessible again and are reused only when the whole
// reservation has been used once.
//
// A process can have 65,530 mappings. Beyond a quarter of them, small allocations share mappings,
// without guard pages between them, and are reused as soon as they are freed.
//
// New memory is filled with a repeated word. It is mapped copy-on-write from a small file of that
// word, so memory that is never written costs nothing.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CPU_API_ARENA_H
#define GMPROF_CPU_API_ARENA_H

#include "profile/Mutex.h"
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

namespace gmprof::cpu::api {

/// Allocator of guarded memory. Safe for concurrent use.
class Arena {
public:
  static constexpr size_t Page = 4096;
  static constexpr size_t Alignment = 256;
  /// Preferred start of the reservation. Fixed, so that a program that prints or hashes pointers
  /// behaves the same in every run.
#if defined(__has_feature) && __has_feature(thread_sanitizer) // allows the first two TiB
  static constexpr uintptr_t PreferredBase = uintptr_t(1) << 40;
  static constexpr size_t DefaultReservation = size_t(1) << 38;
#else
  static constexpr uintptr_t PreferredBase = uintptr_t(1) << 44;
  static constexpr size_t DefaultReservation = size_t(1) << 44;
#endif

  static constexpr size_t DefaultGuarded = 16384;

  /// Reserves address space; `Reservation` is halved until the system grants it. Small allocations
  /// share mappings once there are `Guarded` of them.
  explicit Arena(uint32_t Fill, size_t Reservation = DefaultReservation,
                 size_t Guarded = DefaultGuarded);
  ~Arena();
  Arena(const Arena &) = delete;
  Arena &operator=(const Arena &) = delete;

  enum class Content { Zero, Fill };

  /// Returns null if address space or system memory is exhausted.
  void *allocate(size_t Bytes, Content With);
  void release(void *Start);

  /// Returns whether the address is in the reservation, allocated or not.
  bool contains(uintptr_t Address) const { return Address - Base < Size; }

private:
  static constexpr size_t SharedBytes = size_t(1) << 20; ///< size of a shared mapping
  static constexpr size_t SlotSizes = 4;                 ///< 256, 512, 1024 and 2048 bytes

  void *allocateSlot(size_t Used, Content With) GMPROF_REQUIRES(Mutex);
  bool addSlots(size_t SizeIndex) GMPROF_REQUIRES(Mutex);
  uintptr_t addMapping(size_t Bytes, Content With) GMPROF_REQUIRES(Mutex);
  uintptr_t place(size_t Pages) GMPROF_REQUIRES(Mutex);
  bool map(uintptr_t Start, size_t Bytes, Content With);
  void openFillFile();

  const uint32_t Fill;
  const size_t Guarded;
  int FillFile = -1;
  uintptr_t Base = 0;
  size_t Size = 0;
  gmprof::Mutex Mutex;
  uintptr_t Cursor GMPROF_GUARDED_BY(Mutex) = 0; ///< start of the next search
  std::map<uintptr_t, size_t>
      Mapped GMPROF_GUARDED_BY(Mutex); ///< live mappings without guard pages
  std::array<std::vector<uintptr_t>, SlotSizes> FreeSlots GMPROF_GUARDED_BY(Mutex);
  /// Slots in use, with the index of their size.
  std::unordered_map<uintptr_t, size_t> Slots GMPROF_GUARDED_BY(Mutex);
};

} // namespace gmprof::cpu::api

#endif // GMPROF_CPU_API_ARENA_H
