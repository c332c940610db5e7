//===- Select.h - One kernel of a PTX module --------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PTX_SELECT_H
#define GMPROF_PTX_SELECT_H

#include "Syntax.h"

#include "llvm/ADT/StringSet.h"

namespace gmprof::ptx {

/// Returns the names of the kernels that a module defines.
std::vector<llvm::StringRef> kernels(const Module &M);

/// The functions and variables of a module that a kernel needs: lifting the rest would take time.
class Selection {
public:
  /// Selects nothing. M must outlive the selection.
  explicit Selection(const Module &M);

  /// Selects a function or variable, and all that it refers to, directly or through functions,
  /// variables and aliases.
  void add(llvm::StringRef Name);
  bool contains(llvm::StringRef Name) const { return Names.contains(Name); }
  /// Returns the selected names that the module declares as defined elsewhere.
  std::vector<llvm::StringRef> declared() const;
  /// Removes from M, a copy of the module or the module itself, what is not selected.
  void removeRest(Module &M) const;

private:
  void follow(llvm::StringRef Name);
  void follow(const Operand &O);
  void follow(const Function &F);
  void follow(const Variable &V);

  // A name may have several declarations.
  llvm::StringMap<llvm::SmallVector<const Function *, 1>> Functions;
  llvm::StringMap<llvm::SmallVector<const Variable *, 1>> Variables;
  llvm::StringMap<llvm::StringRef> Aliases;
  llvm::StringSet<> Names;
  llvm::SmallVector<llvm::StringRef, 16> Work; ///< selected, but not followed
};

} // namespace gmprof::ptx

#endif // GMPROF_PTX_SELECT_H
