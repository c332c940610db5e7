//===- Padding.cpp - Bytes between allocations ----------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cpu/engine/Padding.h"
#include "cpu/Engine.h"

#include <sys/mman.h>

namespace gmprof::cpu {

static uint8_t *reserveTable() {
#if defined(__has_feature) && __has_feature(thread_sanitizer) // has no room for the table
  return nullptr;
#endif
  constexpr size_t Bytes = size_t(1) << (AddressBits - PaddingUnitBits);
  void *Table = mmap(nullptr, Bytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (Table == MAP_FAILED)
    return nullptr;
  madvise(Table, Bytes, MADV_NOHUGEPAGE);
  madvise(Table, Bytes, MADV_DONTDUMP);
  return static_cast<uint8_t *>(Table);
}

static uint8_t *table() {
  static uint8_t *const Table = reserveTable();
  return Table;
}

uint64_t paddingTable() { return uint64_t(table()); }

void guardPadding(uint64_t End, bool Guarded) {
  constexpr uint64_t Unit = uint64_t(1) << PaddingUnitBits;
  if (uint8_t *Table = table(); Table && End % Unit != 0)
    Table[End >> PaddingUnitBits] = Guarded ? static_cast<uint8_t>(Unit - End % Unit) : 0;
}

} // namespace gmprof::cpu
