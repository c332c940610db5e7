//===- BitcodeRecords.h - Device bitcode in host objects --------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The compiler plugin writes these records; the recorder and the CPU device read them
// (EmbeddedBitcode.h finds them in a program). gmprof/abi.h describes their layout.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_HOST_INSTRUMENT_BITCODERECORDS_H
#define GMPROF_HOST_INSTRUMENT_BITCODERECORDS_H

#include "gmprof/abi.h"
#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gmprof {

/// Device code of a translation unit for one architecture.
struct BitcodeRecord {
  unsigned Architecture = 0; ///< 90 for sm_90
  std::string_view Content;  ///< bitcode, or a zstd frame of it
};

struct BitcodeRecordHeader {
  gmprof_u64 Magic, Bytes, Architecture;
};

/// Reads what may be a header, of Bytes that hold one. Behind a fat binary is whatever the linker
/// placed there, which AddressSanitizer takes for the space between two variables.
__attribute__((no_sanitize("address"))) inline BitcodeRecordHeader
headerOf(std::string_view Bytes) {
  BitcodeRecordHeader Header;
  __builtin_memcpy_inline(&Header, Bytes.data(), sizeof(Header));
  return Header;
}

/// Removes the record at the beginning, with its padding. Returns nothing, and removes nothing, if
/// there is none, or if it is malformed or cut off.
inline std::optional<BitcodeRecord> takeRecord(std::string_view &Bytes) {
  if (Bytes.size() < sizeof(BitcodeRecordHeader))
    return std::nullopt;
  const BitcodeRecordHeader Header = headerOf(Bytes);
  std::string_view Left = Bytes.substr(sizeof(Header));
  if (Header.Magic != GMPROF_BITCODE_MAGIC || Header.Bytes > Left.size())
    return std::nullopt;
  const BitcodeRecord Found = {static_cast<unsigned>(Header.Architecture),
                               Left.substr(0, Header.Bytes)};
  Left.remove_prefix(Header.Bytes);
  Left.remove_prefix(std::min<size_t>((8 - Header.Bytes % 8) % 8, Left.size()));
  Bytes = Left;
  return Found;
}

/// Splits a sequence of records; it ends at the first that is malformed or cut off.
inline std::vector<BitcodeRecord> bitcodeRecords(std::string_view Bytes) {
  std::vector<BitcodeRecord> Found;
  while (const std::optional<BitcodeRecord> Each = takeRecord(Bytes))
    Found.push_back(*Each);
  return Found;
}

/// Returns the bytes of a record.
inline std::string encode(const BitcodeRecord &R) {
  const BitcodeRecordHeader Header = {GMPROF_BITCODE_MAGIC, R.Content.size(), R.Architecture};
  std::string Bytes(reinterpret_cast<const char *>(&Header), sizeof(Header));
  Bytes += R.Content;
  Bytes.resize((Bytes.size() + 7) / 8 * 8);
  return Bytes;
}

} // namespace gmprof

#endif // GMPROF_HOST_INSTRUMENT_BITCODERECORDS_H
