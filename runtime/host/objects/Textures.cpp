//===- Textures.cpp - Texture and surface objects -------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/objects/Textures.h"

namespace gmprof::host {

void Textures::created(uint64_t Handle, uint64_t Object) {
  LockGuard Guard(Lock);
  ByHandle[Handle] = Object;
  Version.fetch_add(1, std::memory_order_release);
}

void Textures::destroyed(uint64_t Handle) {
  LockGuard Guard(Lock);
  ByHandle.erase(Handle);
  Version.fetch_add(1, std::memory_order_release);
}

std::optional<uint64_t> Textures::find(uint64_t Handle) const {
  if (!any())
    return std::nullopt;
  SharedLockGuard Guard(Lock);
  auto It = ByHandle.find(Handle);
  return It == ByHandle.end() || It->second == 0 ? std::nullopt : std::optional(It->second);
}

std::optional<std::set<uint64_t>> Textures::all() const {
  std::set<uint64_t> Objects;
  SharedLockGuard Guard(Lock);
  for (auto [Handle, Object] : ByHandle) {
    if (Object == 0)
      return std::nullopt;
    Objects.insert(Object);
  }
  return Objects;
}

} // namespace gmprof::host
