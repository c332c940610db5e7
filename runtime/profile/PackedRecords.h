//===- PackedRecords.h - Records of calls, in little room -------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Most calls differ from the one before in their times and little else. So a record of one is
// what differs from the last record of its kind, in 8-byte words:
//
//   1 byte    PackedMark | kind, and SameSize if the payload is as long as that one's
//   LEB128    bytes of the payload, if it is not
//   LEB128    mask of the words that differ; beyond the end of a payload, words are 0
//   LEB128    for each of these words the difference (Leb128.h)
//
// The writer and each reader of a log keep the last record of each kind.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PROFILE_PACKEDRECORDS_H
#define GMPROF_PROFILE_PACKEDRECORDS_H

#include "profile/Leb128.h"
#include "profile/Records.h"
#include <array>
#include <cstddef>
#include <initializer_list>
#include <optional>
#include <span>

namespace gmprof {

class PackedRecords {
  static constexpr size_t MostWords = 32;

public:
  static constexpr uint8_t PackedMark = 0x80, SameSize = 0x40, KindMask = 0x3f;
  static constexpr size_t MostBytes = 1 + MostLeb128Bytes * (2 + MostWords);
  using Part = std::span<const std::byte>;

  /// Whether records of this kind are packed, if their payload is so short.
  static bool packs(log::RecordKind Kind, uint64_t Bytes);
  static bool isPacked(std::byte First) { return (uint8_t(First) & PackedMark) != 0; }

  /// Writes a record of this kind to To, but for its first byte, which is returned; Size: how many
  /// bytes there are with it.
  uint8_t pack(log::RecordKind Kind, std::initializer_list<Part> Parts,
               std::array<std::byte, MostBytes> &To, size_t &Size);

  struct Unpacked {
    log::RecordKind Kind;
    Part Payload; ///< until the next one of its kind
  };
  /// Takes a packed record off the front; nothing if From ends within it, or it is none.
  std::optional<Unpacked> unpack(Part &From);

private:
  struct Record {
    uint64_t Bytes = 0;
    std::array<uint64_t, MostWords> Words = {};
  };

  std::array<Record, KindMask + 1> Last; ///< by kind
};

} // namespace gmprof

#endif // GMPROF_PROFILE_PACKEDRECORDS_H
