//===- SourceLocations.cpp - Where an instruction is in the source --------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
#include "Accesses.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Instruction.h"

using namespace llvm;
using namespace gmprof;

/// Whether a file is CUDA's or clang's own header. Users look for their lines,
/// not for those of __shfl_sync or __pipeline_memcpy_async.
static bool isToolkitHeader(StringRef Path) {
  if (Path.contains("/lib/clang/"))
    return true;
  // …/cuda/include/…, …/cuda-13.0/targets/x86_64-linux/include/…
  for (size_t At = Path.find("/cuda"); At != StringRef::npos; At = Path.find("/cuda", At + 1)) {
    StringRef Rest = Path.drop_front(At + 5);
    if (Rest.starts_with("-"))
      Rest = Rest.drop_until([](char C) { return C == '/'; });
    if (Rest.consume_front("/targets/"))
      Rest = Rest.drop_until([](char C) { return C == '/'; });
    if (Rest.starts_with("/include/"))
      return true;
  }
  return false;
}

SourceLocation gmprof::sourceLocation(const Instruction &I) {
  SourceLocation Result;
  const DILocation *Location = I.getDebugLoc().get();
  while (Location && Location->getInlinedAt() && isToolkitHeader(Location->getFilename()))
    Location = Location->getInlinedAt();
  if (!Location)
    return Result;
  Result.Line = Location->getLine();
  Result.Column = Location->getColumn();
  Result.File = Location->getFilename().str();
  Result.Directory = Location->getDirectory().str();
  // The scope is in the function that the line was written in; what is left of
  // the chain of inlined-at locations leads to the kernel.
  if (const DISubprogram *SP = Location->getScope()->getSubprogram())
    Result.Function = SP->getName().str();
  return Result;
}
