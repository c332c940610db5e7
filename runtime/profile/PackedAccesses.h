//===- PackedAccesses.h - Sets of accesses in the event log -----*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A launch of a kernel that GMProf did not compile may access every object whose address was
// copied to the GPU: sets of hundreds of objects, one for each launch. An access takes one or two
// bytes: a LEB128 number, whose lowest bits are `reads` and `writes`, and whose others are the
// difference of the object's number and the last object's.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PROFILE_PACKEDACCESSES_H
#define GMPROF_PROFILE_PACKEDACCESSES_H

#include "profile/log/Launches.h"
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace gmprof {

/// Accesses are sorted by object.
std::vector<std::byte> packAccesses(std::span<const log::ObjectAccess> Accesses);
/// Nothing: From does not hold exactly Count accesses, sorted by object, each object once.
std::optional<std::vector<log::ObjectAccess>> unpackAccesses(std::span<const std::byte> From,
                                                             size_t Count);

} // namespace gmprof

#endif // GMPROF_PROFILE_PACKEDACCESSES_H
