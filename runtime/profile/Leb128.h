//===- Leb128.h - Variable-length integers ----------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LEB128 as in DWARF: 7 bits per byte, lowest first. Signed differences use the zigzag encoding of
// protocol buffers.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PROFILE_LEB128_H
#define GMPROF_PROFILE_LEB128_H

#include <cstddef>
#include <cstdint>
#include <span>

namespace gmprof {

inline constexpr size_t MostLeb128Bytes = 10;

inline std::byte *writeLeb128(std::byte *To, uint64_t Number) {
  for (; Number >= 0x80; Number >>= 7)
    *To++ = static_cast<std::byte>(Number | 0x80);
  *To++ = static_cast<std::byte>(Number);
  return To;
}

/// Reads a number from trusted bytes; returns where it ends.
inline const std::byte *readLeb128(const std::byte *From, uint64_t &Number) {
  Number = 0;
  for (unsigned Shift = 0;; Shift += 7) {
    const auto Byte = static_cast<uint64_t>(*From++);
    Number |= (Byte & 0x7f) << Shift;
    if (Byte < 0x80)
      return From;
  }
}

/// Reads a number from at most `Bytes` untrusted bytes; returns null if there is none.
inline const std::byte *readLeb128(const std::byte *From, size_t Bytes, uint64_t &Number) {
  Number = 0;
  for (size_t I = 0; I < Bytes && I < MostLeb128Bytes; ++I) {
    const auto Byte = static_cast<uint64_t>(From[I]);
    Number |= (Byte & 0x7f) << (7 * I);
    if (Byte < 0x80)
      return From + I + 1;
  }
  return nullptr;
}

/// Removes a number from the front of From; returns false if there is none.
inline bool takeLeb128(std::span<const std::byte> &From, uint64_t &Number) {
  const std::byte *const Rest = readLeb128(From.data(), From.size(), Number);
  if (!Rest)
    return false;
  From = From.subspan(static_cast<size_t>(Rest - From.data()));
  return true;
}

inline uint64_t zigzag(uint64_t Difference) {
  return Difference << 1 ^ (Difference >> 63 ? ~uint64_t(0) : 0);
}
inline uint64_t unzigzag(uint64_t Number) { return Number >> 1 ^ (Number & 1 ? ~uint64_t(0) : 0); }

} // namespace gmprof

#endif // GMPROF_PROFILE_LEB128_H
