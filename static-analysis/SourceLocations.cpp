//===- SourceLocations.cpp - Source positions of instructions -------------===//
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

/// Returns true for CUDA's or clang's own headers. Users look for their own lines, not for those of
/// __shfl_sync or __pipeline_memcpy_async.
static bool isToolkitHeader(StringRef Path) {
  if (Path.contains("/lib/clang/"))
    return true;
  // Matches …/cuda/include/…, …/cuda-13.0/targets/x86_64-linux/include/…
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

/// Returns the function in which the line was written.
static std::string functionOf(const DILocation &Location) {
  const DISubprogram *SP = Location.getScope()->getSubprogram();
  return SP ? SP->getName().str() : "";
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
  Result.Function = functionOf(*Location);
  for (; const DILocation *Call = Location->getInlinedAt(); Location = Call)
    Result.InlinedAt.push_back(
        {Call->getFilename().str(), functionOf(*Location), Call->getLine(), Call->getColumn()});
  return Result;
}
