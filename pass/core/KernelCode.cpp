//===- KernelCode.cpp - The machine code of a kernel ----------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pass/core/KernelCode.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instruction.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace gmprof;

std::vector<const sass::MemoryInstruction *> KernelCode::instructions() const {
  std::vector<const sass::MemoryInstruction *> Found;
  for (const sass::Function &F : functions())
    for (const sass::MemoryInstruction &I : F.Instructions)
      Found.push_back(&I);
  return Found;
}

CodePlaces::CodePlaces(const KernelCode &Code, const Function &F)
    : Code(Code), HasLines(Code.Module.HasLines && F.getSubprogram()),
      HasCalls(any_of(Code.Kernel.Instructions,
                      [](const sass::MemoryInstruction &I) { return I.Places.size() > 1; })) {}

static std::string textOf(StringRef File, unsigned Line) {
  return (sys::path::filename(File) + ":" + Twine(Line) + "<").str();
}

std::string CodePlaces::of(const sass::MemoryInstruction &I) const {
  std::string Place;
  for (const sass::SourcePlace &Each :
       ArrayRef(I.Places).take_front(HasCalls ? I.Places.size() : 1))
    Place += textOf(Code.Module.Files[Each.File], Each.Line);
  return Place;
}

std::string CodePlaces::of(const Instruction &I) const {
  std::string Place;
  if (!HasLines)
    return Place;
  for (const DILocation *L = I.getDebugLoc(); L; L = HasCalls ? L->getInlinedAt() : nullptr)
    Place += textOf(L->getFilename(), L->getLine());
  return Place;
}

std::string CodePlaces::of(const SourceLocation &Source) const {
  if (!HasLines || Source.Line == 0)
    return "";
  std::string Place = textOf(Source.File, Source.Line);
  if (HasCalls)
    for (const SourceCall &Call : Source.InlinedAt)
      Place += textOf(Call.File, Call.Line);
  return Place;
}
