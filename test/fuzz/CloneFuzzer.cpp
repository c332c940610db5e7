//===- CloneFuzzer.cpp - Fuzzes clones of PTX kernels ---------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "instrument/CloneCompiler.h"
#include "ptx/Parser.h"
#include "ptx/Select.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  const llvm::StringRef Text(reinterpret_cast<const char *>(Data), Size);
  llvm::Expected<gmprof::ptx::Module> Source = gmprof::ptx::parse(Text, "input.ptx");
  if (!Source) {
    llvm::consumeError(Source.takeError());
    return 0;
  }
  const std::vector<llvm::StringRef> Kernels = gmprof::ptx::kernels(*Source);
  if (Kernels.empty())
    return 0;
  constexpr std::string_view Profiles[] = {"shared", "global", "objects", "heat", "cache"};
  gmprof::CloneRequest Request;
  Request.Module = Text;
  Request.Kernel = Kernels.front();
  Request.Profiles = {Profiles[Size % std::size(Profiles)]};
  Request.Architecture = "sm_90";
  llvm::Expected<gmprof::instrument::CompiledClone> Clone =
      gmprof::instrument::CloneCompiler().compile(Request, "input.ptx");
  if (!Clone) {
    // An invalid module must have been reported as an error of the input.
    const std::string Message = llvm::toString(Clone.takeError());
    if (llvm::StringRef(Message).contains("is invalid: "))
      __builtin_trap();
  }
  return 0;
}
