//===- PtxModuleFuzzer.cpp - Fuzzes the PTX reader ------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ptx/Lift.h"
#include "ptx/Parser.h"

#include "llvm/IR/LLVMContext.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  const llvm::StringRef Text(reinterpret_cast<const char *>(Data), Size);
  llvm::Expected<gmprof::ptx::Module> Source = gmprof::ptx::parse(Text, "input.ptx");
  if (!Source) {
    llvm::consumeError(Source.takeError());
    return 0;
  }
  llvm::LLVMContext Context;
  llvm::Expected<std::unique_ptr<llvm::Module>> M =
      gmprof::ptx::lift(*Source, "input.ptx", Context);
  if (!M) {
    // An invalid module must have been reported as an error of the input.
    const std::string Message = llvm::toString(M.takeError());
    if (llvm::StringRef(Message).contains("the LLVM IR of this module is invalid"))
      __builtin_trap();
  }
  return 0;
}
