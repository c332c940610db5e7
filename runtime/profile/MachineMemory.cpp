//===- MachineMemory.cpp - Decodes instructions of machine code -----------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "profile/MachineMemory.h"

#include <cstring>
#include <filesystem>

namespace gmprof {

Result<std::optional<profile::MachineMemory>> decodeMachineMemory(std::span<const std::byte> Bytes,
                                                                  const profile::Descriptor &Desc) {
  GmprofKernelDesc Header;
  std::memcpy(&Header, Bytes.data(), sizeof(Header));
  if (Header.machineCode == 0)
    return std::optional<profile::MachineMemory>();
  Bytes = Bytes.first(Header.bytes);
  const auto Invalid = [](const char *Why) {
    return Error{std::string("its descriptor is invalid: ") + Why};
  };
  if (Header.instructionsOffset > Bytes.size() ||
      Header.instructionCount >
          (Bytes.size() - Header.instructionsOffset) / sizeof(GmprofInstructionDesc))
    return Invalid("an array lies outside it");
  const auto Text = [&](gmprof_u32 Offset) {
    return reinterpret_cast<const char *>(Bytes.data()) + Header.stringsOffset + Offset;
  };
  profile::MachineMemory To;
  To.Architecture = Header.machineCode;
  To.FrameBytes = Header.frameBytes;
  for (gmprof_u32 I = 0; I < Header.instructionCount; ++I) {
    GmprofInstructionDesc R;
    std::memcpy(&R, Bytes.data() + Header.instructionsOffset + I * sizeof(R), sizeof(R));
    if (R.kind > GMPROF_INSTRUCTION_TEXTURE_FETCH || R.index > GMPROF_INDEX_SPILL)
      return Invalid("an instruction is of unknown kind");
    if (R.variable != GMPROF_NONE && R.variable >= Desc.Variables.size())
      return Invalid("an instruction accesses a variable that it does not have");
    if (R.inlinedAt != GMPROF_NONE && R.inlinedAt >= Header.inlineCount)
      return Invalid("an instruction is in an inlined call that it does not have");
    if (R.file >= Header.stringsBytes || R.function >= Header.stringsBytes)
      return Invalid("a name lies outside its strings");
    profile::CodeInstruction &C = To.Instructions.emplace_back();
    C.Kind = static_cast<GmprofInstructionKind>(R.kind);
    C.Variable = R.variable;
    C.Source.File = Text(R.file);
    if (const std::string_view Directory = Text(Header.directory);
        !C.Source.File.empty() && C.Source.File[0] != '/' && !Directory.empty())
      C.Source.File =
          (std::filesystem::path(Directory) / C.Source.File).lexically_normal().string();
    C.Source.Line = R.line;
    C.Function = Text(R.function);
    C.InlinedAt = R.inlinedAt;
    C.Bytes = R.bytes;
    C.Count = R.count;
    C.Index = static_cast<GmprofIndex>(R.index);
    C.LaneStride = static_cast<int32_t>(R.laneStride);
  }
  return std::optional(std::move(To));
}

} // namespace gmprof
