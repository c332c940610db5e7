//===- MachineCodeFuzzer.cpp - Fuzzes the reader of cubins ----------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sass/MachineCode.h"

using namespace gmprof::sass;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  llvm::Expected<MachineCode> Code =
      readMachineCode(llvm::StringRef(reinterpret_cast<const char *>(Data), Size));
  if (!Code) {
    llvm::consumeError(Code.takeError());
    return 0;
  }
  for (const Function &F : Code->Functions) {
    if (F.Blocks.empty() || F.Blocks.front() != F.Offset)
      __builtin_trap();
    for (const MemoryInstruction &I : F.Instructions) {
      if (I.Offset < F.Blocks.at(I.Block) || I.Offset >= F.Offset + F.Bytes)
        __builtin_trap();
      for (const SourcePlace &P : I.Places)
        if (P.File >= Code->Files.size())
          __builtin_trap();
    }
  }
  return 0;
}
