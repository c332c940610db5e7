//===- References.h - What a function reaches ----------------- -*- C++ -*-===//
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

/// Functions and variables that a function names, itself or through what it
/// calls. Not what the initial values of variables name.
struct References {
  llvm::SetVector<const llvm::Function *> Functions;
  llvm::SmallPtrSet<const llvm::GlobalVariable *, 8> Variables;
};

/// Globals that the instructions of F name directly.
llvm::SetVector<llvm::GlobalValue *> directReferences(const llvm::Function &F);

/// Looks at each function of a module once.
class ReferenceMap {
public:
  void addReachable(const llvm::Function &F, References &To);

private:
  llvm::DenseMap<const llvm::Function *, llvm::SetVector<llvm::GlobalValue *>> Direct;
};

} // namespace gmprof::cpu

#endif // GMPROF_CPU_ENGINE_REFERENCES_H
