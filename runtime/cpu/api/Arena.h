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
// New memory holds a repeated word. It is mapped copy-on-write from one small
// file of that word, so memory that nobody writes to costs nothing.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CPU_API_ARENA_H
#define GMPROF_CPU_API_ARENA_H

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>

namespace gmprof::cpu::api {

class Arena {
public:
  static constexpr size_t Page = 4096;
  static constexpr size_t Alignment = 256;
  static constexpr size_t DefaultReservation = size_t(1) << 44;

  /// `Reservation` is halved until the system grants it.
  explicit Arena(uint32_t Fill, size_t Reservation = DefaultReservation);
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
  uintptr_t place(size_t Pages);
  bool map(uintptr_t Start, size_t Bytes, Content With);
  void openFillFile();

  const uint32_t Fill;
  int FillFile = -1;
  uintptr_t Base = 0;
  size_t Size = 0;
  std::mutex Mutex;
  uintptr_t Cursor = 0;               ///< where the next search begins
  std::map<uintptr_t, size_t> Mapped; ///< live mappings, guard pages not included
};

} // namespace gmprof::cpu::api

#endif // GMPROF_CPU_API_ARENA_H
