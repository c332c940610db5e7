//===- StoredAddresses.cpp - Addresses copied to the GPU ------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/objects/StoredAddresses.h"
#include "host/core/RealSystem.h"
#include <algorithm>
#include <array>
#include <cerrno>
#include <span>
#include <sys/uio.h>
#include <unistd.h>

namespace gmprof::host {

StoredAddresses::StoredAddresses(Objects &Live, Pools &Parts) : Live(Live), Parts(Parts) {
  const auto Forget = [this](const LiveObject &Gone) {
    LockGuard Guard(Lock);
    Found.erase(Gone.Id);
  };
  Live.beforeRelease(Forget);
  Parts.beforeRelease(Forget);
}

bool StoredAddresses::lookAt(const char *From, uint64_t Bytes) {
  std::array<uint64_t, Beginning / sizeof(uint64_t)> Words;
  // Reads through a system call: the program's pointer may be invalid, and GMProf would fault.
  iovec To = {Words.data(), Bytes}, There = {const_cast<char *>(From), Bytes};
  const ssize_t Read = realSystem().process_vm_readv(getpid(), &To, 1, &There, 1, 0);
  if (Read < 0) {
    if (errno != EFAULT)
      Blind.store(true, std::memory_order_relaxed);
    return false;
  }
  const auto [Lowest, End] = Live.bounds();
  // Linked structures contain millions of addresses of one object.
  std::optional<LiveObject> Last;
  const auto IsOfLast = [&](uint64_t Address) {
    return Last && Last->contains(Address) &&
           // otherwise the address may be in a part
           (Last->Kind == log::ObjectKind::Pool || Parts.none());
  };
  for (const uint64_t Word : std::span(Words).first(static_cast<size_t>(Read) / sizeof(uint64_t))) {
    if (Word < Lowest || Word >= End || IsOfLast(Word))
      continue;
    const std::optional<LiveObject> Object = Parts.find(Word);
    if (!Object)
      continue;
    Last = Object;
    LockGuard Guard(Lock);
    if (Found.emplace(Object->Id, Object->Kind).second)
      Version.fetch_add(1, std::memory_order_release);
  }
  return Last.has_value();
}

bool StoredAddresses::look(const void *From, uint64_t Bytes) {
  const int Saved = errno;
  const auto *Begin = static_cast<const char *>(From);
  const bool Any = lookAt(Begin, std::min(Bytes, Beginning));
  for (uint64_t At = Beginning; Any && At < Bytes; At += Beginning)
    lookAt(Begin + At, std::min(Bytes - At, Beginning));
  errno = Saved;
  return Any || Bytes < Beginning;
}

} // namespace gmprof::host
