//===- Payload.h - Reads record payloads ------------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PROFILE_PAYLOAD_H
#define GMPROF_PROFILE_PAYLOAD_H

#include <cstddef>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

namespace gmprof {

/// A record's payload, or the rest of it.
using Payload = std::span<const std::byte>;

inline std::string_view text(Payload B) {
  return {reinterpret_cast<const char *>(B.data()), B.size()};
}

/// Removes a T, or Count of them, from the front of B; returns false if B is too short.
template <typename T> bool take(Payload &B, T &To) {
  if (B.size() < sizeof(T))
    return false;
  std::memcpy(&To, B.data(), sizeof(T));
  B = B.subspan(sizeof(T));
  return true;
}
template <typename T> bool take(Payload &B, std::vector<T> &To, size_t Count) {
  if (Count > B.size() / sizeof(T))
    return false;
  To.resize(Count);
  if (Count != 0)
    std::memcpy(To.data(), B.data(), Count * sizeof(T));
  B = B.subspan(Count * sizeof(T));
  return true;
}

} // namespace gmprof

#endif // GMPROF_PROFILE_PAYLOAD_H
