//===- PackedRecords.h - Delta-encoded records of calls ---------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Most calls differ from the previous one in their times and little else. A packed record is the
// difference from the last record of its kind, in 8-byte words:
//
//   1 byte    PackedMark | kind, and SameSize if the payload is as long as the previous one
//   LEB128    payload bytes, unless SameSize
//   LEB128    mask of the words that differ; beyond a payload's end words are 0
//   LEB128    difference of each of these words (Leb128.h)
//
// The writer and each reader keep the last record of each kind.
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

  /// Returns true if payloads of this kind and size are packed.
  static bool packs(log::RecordKind Kind, uint64_t Bytes);
  static bool isPacked(std::byte First) { return (uint8_t(First) & PackedMark) != 0; }

  /// Writes a record to To except for its first byte, which it returns. Size receives the record's
  /// size, first byte included.
  uint8_t pack(log::RecordKind Kind, std::initializer_list<Part> Parts,
               std::array<std::byte, MostBytes> &To, size_t &Size);

  struct Unpacked {
    log::RecordKind Kind;
    Part Payload; ///< valid until the next record of its kind
  };
  /// Removes a packed record from the front; returns nothing if From is cut off or holds none.
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
