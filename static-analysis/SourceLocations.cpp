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

SourceLocation gmprof::sourceLocation(const Instruction &I) {
  SourceLocation Result;
  const DebugLoc &Loc = I.getDebugLoc();
  if (!Loc)
    return Result;
  Result.Line = Loc.getLine();
  Result.Column = Loc.getCol();
  auto *Scope = cast<DIScope>(Loc.getScope());
  Result.File = Scope->getFilename().str();
  Result.Directory = Scope->getDirectory().str();
  // The scope is in the function that the line was written in; the chain of
  // inlined-at locations would lead to the kernel.
  if (const DISubprogram *SP = Loc->getScope()->getSubprogram())
    Result.Function = SP->getName().str();
  return Result;
}
