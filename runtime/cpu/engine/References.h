//===- References.h - Globals that a function references --------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CPU_ENGINE_REFERENCES_H
#define GMPROF_CPU_ENGINE_REFERENCES_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace llvm {
class Function;
class GlobalVariable;
class GlobalValue;
class Module;
} // namespace llvm

namespace gmprof::cpu {

/// Functions and variables that a function references, directly or through callees. Excludes
/// references from initial values of variables.
struct References {
  llvm::SetVector<const llvm::Function *> Functions;
  llvm::SmallPtrSet<const llvm::GlobalVariable *, 8> Variables;
};

/// Returns the globals that the instructions of F reference directly.
llvm::SetVector<llvm::GlobalValue *> directReferences(const llvm::Function &F);

/// Cache of direct references; scans each function of a module once.
class ReferenceMap {
public:
  void addReachable(const llvm::Function &F, References &To);

private:
  llvm::DenseMap<const llvm::Function *, llvm::SetVector<llvm::GlobalValue *>> Direct;
};

} // namespace gmprof::cpu

#endif // GMPROF_CPU_ENGINE_REFERENCES_H
