//===- DebugLines.h - Source lines of a lifted module -----------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PTX_DEBUGLINES_H
#define GMPROF_PTX_DEBUGLINES_H

#include "Syntax.h"

#include "llvm/IR/DIBuilder.h"

namespace gmprof::ptx {

/// Makes !dbg of .loc. A module without .loc gets no debug information, nor does a function.
class DebugLines {
public:
  DebugLines(const Module &Source, llvm::Module &Target);

  /// Begins a function; its lines follow.
  void begin(const Function &F, llvm::Function &Target);
  /// Returns the location of F.Lines[Line]; line 0 for -1, null in a function without lines.
  llvm::DILocation *location(const Function &F, int Line);
  void finish();

private:
  llvm::DIFile *file(unsigned Number);
  llvm::DIScope *scope(unsigned Number);
  llvm::DILocation *make(const SourceLine &S);

  const Module &Source;
  llvm::DIBuilder Builder;
  llvm::DICompileUnit *Unit = nullptr;
  std::map<unsigned, llvm::DIFile *> Files;
  llvm::DISubprogram *Subprogram = nullptr;
  std::vector<llvm::DILocation *> Locations; ///< of the function's lines
  using Place = std::tuple<unsigned, unsigned, unsigned>;
  std::map<Place, llvm::DILocation *> Latest; ///< of a file, line and column
  std::map<std::pair<Place, std::string>, llvm::DILocation *> CallSites;
  std::map<std::pair<unsigned, std::string>, llvm::DISubprogram *> Inlined;
};

} // namespace gmprof::ptx

#endif // GMPROF_PTX_DEBUGLINES_H
