//===- PackedAccesses.cpp - Sets of accesses in the event log -------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "profile/PackedAccesses.h"
#include "profile/Leb128.h"

namespace gmprof {

std::vector<std::byte> packAccesses(std::span<const log::ObjectAccess> Accesses) {
  std::vector<std::byte> Packed(Accesses.size() * MostLeb128Bytes);
  std::byte *To = Packed.data();
  uint64_t Last = 0;
  for (const log::ObjectAccess &A : Accesses) {
    To = writeLeb128(To, (A.object - Last) << 2 | uint64_t(A.writes != 0) << 1 | (A.reads != 0));
    Last = A.object;
  }
  Packed.resize(static_cast<size_t>(To - Packed.data()));
  return Packed;
}

std::optional<std::vector<log::ObjectAccess>> unpackAccesses(std::span<const std::byte> From,
                                                             size_t Count) {
  if (Count > From.size()) // at least a byte each
    return std::nullopt;
  std::vector<log::ObjectAccess> Accesses;
  Accesses.reserve(Count);
  uint64_t Last = 0, Number = 0;
  for (size_t I = 0; I < Count; ++I) {
    if (!takeLeb128(From, Number) || Number >> 2 == 0)
      return std::nullopt;
    Last += Number >> 2;
    Accesses.push_back(
        {Last, static_cast<uint32_t>(Number & 1), static_cast<uint32_t>(Number >> 1 & 1)});
  }
  if (!From.empty())
    return std::nullopt;
  return Accesses;
}

} // namespace gmprof
