//===- DebugLines.cpp - Source lines of a lifted module -------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DebugLines.h"

#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace gmprof::ptx {

DebugLines::DebugLines(const Module &Source, llvm::Module &Target)
    : Source(Source), Builder(Target) {
  if (none_of(Source.Functions, [](const Function &F) { return !F.Lines.empty(); }))
    return;
  unsigned First = Source.Files.empty() ? 0 : Source.Files.begin()->first;
  // LineTablesOnly would add sections to the PTX, from which ptxas makes larger code.
  Unit = Builder.createCompileUnit(DISourceLanguageName(dwarf::DW_LANG_C_plus_plus_14), file(First),
                                   "gmprof-instrument", /*isOptimized=*/true, "", 0, "",
                                   DICompileUnit::DebugDirectivesOnly);
  Target.addModuleFlag(llvm::Module::Warning, "Debug Info Version", DEBUG_METADATA_VERSION);
  Target.addModuleFlag(llvm::Module::Max, "Dwarf Version", 2);
}

DIFile *DebugLines::file(unsigned Number) {
  DIFile *&File = Files[Number];
  if (!File) {
    auto Found = Source.Files.find(Number);
    StringRef Path = Found == Source.Files.end() ? StringRef("unknown") : StringRef(Found->second);
    File = Builder.createFile(sys::path::filename(Path), sys::path::parent_path(Path));
  }
  return File;
}

void DebugLines::begin(const Function &F, llvm::Function &Target) {
  Subprogram = nullptr;
  Locations.assign(F.Lines.size(), nullptr);
  Latest.clear();
  CallSites.clear();
  if (F.Lines.empty())
    return;
  auto Own = find_if(F.Lines, [](const SourceLine &S) { return !S.Inlined; });
  const SourceLine &First = Own == F.Lines.end() ? F.Lines.front() : *Own;
  Subprogram = Builder.createFunction(
      file(First.File), Target.getName(), StringRef(), file(First.File), First.Line,
      Builder.createSubroutineType(Builder.getOrCreateTypeArray({})), First.Line, DINode::FlagZero,
      DISubprogram::SPFlagDefinition | DISubprogram::SPFlagOptimized);
  Target.setSubprogram(Subprogram);
}

/// Returns the scope of the kernel's lines in a file. Triton does not say which lines are inlined:
/// those of functions that it calls are in other files.
DIScope *DebugLines::scope(unsigned Number) {
  DIFile *In = file(Number);
  if (In == Subprogram->getFile())
    return Subprogram;
  return Builder.createLexicalBlockFile(Subprogram, In);
}

DILocation *DebugLines::make(const SourceLine &S) {
  LLVMContext &Context = Subprogram->getContext();
  if (!S.Inlined)
    return DILocation::get(Context, S.Line, S.Column, scope(S.File));
  DISubprogram *&Callee = Inlined[{S.File, S.Function}];
  if (!Callee)
    Callee = Builder.createFunction(
        file(S.File), S.Function.empty() ? "inlined" : S.Function, StringRef(), file(S.File),
        S.Line, Builder.createSubroutineType(Builder.getOrCreateTypeArray({})), S.Line,
        DINode::FlagZero, DISubprogram::SPFlagDefinition | DISubprogram::SPFlagOptimized);
  Place At{S.AtFile, S.AtLine, S.AtColumn};
  DILocation *&CallSite = CallSites[{At, S.Function}];
  if (!CallSite) {
    // The call is in an inlined function itself if the latest line of its place is.
    auto Caller = Latest.find(At);
    CallSite =
        Caller == Latest.end()
            ? DILocation::getDistinct(Context, S.AtLine, S.AtColumn, Subprogram)
            : DILocation::getDistinct(Context, S.AtLine, S.AtColumn, Caller->second->getScope(),
                                      Caller->second->getInlinedAt());
  }
  return DILocation::get(Context, S.Line, S.Column, Callee, CallSite);
}

DILocation *DebugLines::location(const Function &F, int Line) {
  if (!Subprogram)
    return nullptr;
  if (Line < 0)
    return DILocation::get(Subprogram->getContext(), 0, 0, Subprogram);
  DILocation *&Location = Locations[Line];
  if (!Location) {
    const SourceLine &S = F.Lines[Line];
    Location = make(S);
    Latest[{S.File, S.Line, S.Column}] = Location;
  }
  return Location;
}

void DebugLines::finish() { Builder.finalize(); }

} // namespace gmprof::ptx
