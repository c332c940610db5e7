//===- KernelDescriptor.h - Decodes kernel descriptors ----------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Decodes a kernel descriptor (gmprof/abi.h) and the descriptors that follow it, of functions it
// calls in other translation units, into profile::Descriptor. Every offset, index and enumerator is
// checked: a decoded descriptor needs no further checks, whatever the bytes were.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PROFILE_KERNELDESCRIPTOR_H
#define GMPROF_PROFILE_KERNELDESCRIPTOR_H

#include "profile/Profile.h"
#include "profile/Result.h"
#include <cstddef>
#include <span>

namespace gmprof {

/// Returns the size that the descriptor at the front states, at most that of Bytes. Returns the
/// size of Bytes if this version cannot read the descriptor.
size_t descriptorBytes(std::span<const std::byte> Bytes);

Result<profile::Descriptor> decodeDescriptor(std::span<const std::byte> Bytes);

/// Returns the chain of inlined calls, from InlinedAt outwards.
std::vector<const profile::InlinedCall *> inlineChain(const profile::Descriptor &Desc,
                                                      uint32_t InlinedAt);

/// Return true if an instruction of the kernel accesses: shared memory; device memory; either of
/// them; cached memory.
bool usesSharedMemory(const profile::Descriptor &Desc);
bool usesGlobalMemory(const profile::Descriptor &Desc);
bool usesNotedMemory(const profile::Descriptor &Desc);
bool usesCachedMemory(const profile::Descriptor &Desc);

} // namespace gmprof

#endif // GMPROF_PROFILE_KERNELDESCRIPTOR_H
