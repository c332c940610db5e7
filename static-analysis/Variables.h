//===- Variables.h - The variables that accesses go to ---------*- C++ -*--===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Describes variables by their names, types and sizes in the source: from debug info if available,
// else from the symbol's mangled name (_ZZ1kPfiE4tile is `tile`) and the LLVM type. If no type
// gives the element size (pointers, untyped dynamic shared memory), it is that of the narrowest
// access.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_STATIC_ANALYSIS_VARIABLES_H
#define GMPROF_STATIC_ANALYSIS_VARIABLES_H

#include "Accesses.h"
#include "llvm/ADT/DenseMap.h"

namespace gmprof {

class VariableTable {
public:
  explicit VariableTable(std::vector<Variable> &Variables) : Variables(Variables) {}

  /// Returns the index of the variable Base (see PointsTo), which is added on first use.
  int indexOf(const llvm::Value *Base);
  /// Records an access of Bytes bytes to the variable.
  void noteAccess(int Index, unsigned Bytes);
  /// Sets the element sizes; call after all accesses are recorded.
  void finish();

private:
  std::vector<Variable> &Variables;
  llvm::DenseMap<const llvm::Value *, int> Indices;
  llvm::DenseMap<std::pair<const llvm::Value *, uint64_t>, int> Members;
  llvm::DenseMap<int, unsigned> NarrowestAccess;
};

/// Returns a variable's name from its mangled symbol.
std::string variableNameFromSymbol(llvm::StringRef Symbol);

} // namespace gmprof

#endif // GMPROF_STATIC_ANALYSIS_VARIABLES_H
