//===- MachineMemory.cpp - Decodes instructions of machine code -----------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "profile/MachineMemory.h"
#include "profile/DescriptorParts.h"
#include <cstring>

namespace gmprof {

static bool decode(DescriptorParts &D, const profile::Descriptor &Desc,
                   profile::MachineMemory &To) {
  std::vector<GmprofInstructionDesc> Raw;
  if (!D.strings() || !D.array(Raw, D.Header.instructionsOffset, D.Header.instructionCount))
    return false;
  for (const GmprofInstructionDesc &R : Raw) {
    if (R.kind > GMPROF_INSTRUCTION_TEXTURE_FETCH || R.index > GMPROF_INDEX_SPILL)
      return D.invalid("an instruction is of unknown kind");
    if (R.variable != GMPROF_NONE && R.variable >= Desc.Variables.size())
      return D.invalid("an instruction accesses a variable that it does not have");
    if (R.inlinedAt != GMPROF_NONE && R.inlinedAt >= D.Header.inlineCount)
      return D.invalid("an instruction is in an inlined call that it does not have");
    profile::CodeInstruction &C = To.Instructions.emplace_back();
    if (!D.file(C.Source, R.file, R.line) || !D.text(C.Function, R.function))
      return false;
    C.Kind = static_cast<GmprofInstructionKind>(R.kind);
    C.Variable = R.variable;
    C.InlinedAt = R.inlinedAt;
    C.Bytes = R.bytes;
    C.Count = R.count;
    C.Index = static_cast<GmprofIndex>(R.index);
    C.LaneStride = static_cast<int32_t>(R.laneStride);
  }
  return true;
}

Result<std::optional<profile::MachineMemory>> decodeMachineMemory(std::span<const std::byte> Bytes,
                                                                  const profile::Descriptor &Desc) {
  GmprofKernelDesc Header;
  std::memcpy(&Header, Bytes.data(), sizeof(Header));
  if (Header.machineCode == 0)
    return std::optional<profile::MachineMemory>();
  DescriptorParts D(Bytes.first(Header.bytes));
  D.Header = Header;
  profile::MachineMemory To;
  To.Architecture = Header.machineCode;
  To.FrameBytes = Header.frameBytes;
  if (!decode(D, Desc, To))
    return D.error();
  return std::optional(std::move(To));
}

} // namespace gmprof
