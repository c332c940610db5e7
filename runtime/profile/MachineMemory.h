//===- MachineMemory.h - Decodes instructions of machine code ---*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The part of a kernel descriptor that the recorder does not need (GmprofInstructionDesc).
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PROFILE_MACHINEMEMORY_H
#define GMPROF_PROFILE_MACHINEMEMORY_H

#include "profile/Profile.h"
#include "profile/Result.h"
#include <optional>
#include <span>

namespace gmprof {

/// Returns what the descriptor states of the kernel's machine code; nothing if the code is not
/// known. Desc: the result of decodeDescriptor for the same bytes.
Result<std::optional<profile::MachineMemory>> decodeMachineMemory(std::span<const std::byte> Bytes,
                                                                  const profile::Descriptor &Desc);

} // namespace gmprof

#endif // GMPROF_PROFILE_MACHINEMEMORY_H
