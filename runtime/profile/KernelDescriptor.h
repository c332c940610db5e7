//===- KernelDescriptor.h - Decodes what the pass left ----------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Turns a kernel descriptor (gmprof/abi.h) into profile::Descriptor, with those of functions in
// other translation units that it calls, if they follow. Every offset, index and enumerator is
// checked, so that whatever bytes come in, what comes out can be used without further checks.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PROFILE_KERNELDESCRIPTOR_H
#define GMPROF_PROFILE_KERNELDESCRIPTOR_H

#include "profile/Profile.h"
#include "profile/Result.h"
#include <cstddef>
#include <span>

namespace gmprof {

/// The size that a descriptor at the front states, at most that of Bytes; if there is none that
/// this version reads, theirs.
size_t descriptorBytes(std::span<const std::byte> Bytes);

Result<profile::Descriptor> decodeDescriptor(std::span<const std::byte> Bytes);

/// From an inlined call of the descriptor outwards.
std::vector<const profile::InlinedCall *> inlineChain(const profile::Descriptor &Desc,
                                                      uint32_t InlinedAt);

/// Whether a kernel accesses what profiles look at, as far as its instructions tell: shared memory,
/// device memory, either of them, what has a cache.
bool usesSharedMemory(const profile::Descriptor &Desc);
bool usesGlobalMemory(const profile::Descriptor &Desc);
bool usesNotedMemory(const profile::Descriptor &Desc);
bool usesCachedMemory(const profile::Descriptor &Desc);

} // namespace gmprof

#endif // GMPROF_PROFILE_KERNELDESCRIPTOR_H
