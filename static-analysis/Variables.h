//===- Variables.h - The variables that accesses go to ---------*- C++ -*--===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Names, types and sizes of variables, as the source has them: from debug info
// where there is some, else from the symbol's mangled name (_ZZ1kPfiE4tile is
// `tile`) and the LLVM type. Element sizes that no type tells (pointers, untyped
// dynamic shared memory) are those of the narrowest access.
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

  /// The index of the variable that Base is (see PointsTo), made if needed.
  int indexOf(const llvm::Value *Base);
  /// Tells of an access of Bytes bytes.
  void noteAccess(int Index, unsigned Bytes);
  /// Call when all accesses are noted: settles the element sizes.
  void finish();

private:
  std::vector<Variable> &Variables;
  llvm::DenseMap<const llvm::Value *, int> Indices;
  llvm::DenseMap<std::pair<const llvm::Value *, uint64_t>, int> Members;
  llvm::DenseMap<int, unsigned> NarrowestAccess;
};

/// A variable's name from its symbol.
std::string variableNameFromSymbol(llvm::StringRef Symbol);

} // namespace gmprof

#endif // GMPROF_STATIC_ANALYSIS_VARIABLES_H
