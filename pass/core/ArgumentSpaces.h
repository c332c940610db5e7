//===- ArgumentSpaces.h - Which memory functions get pointers to -*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PASS_CORE_ARGUMENTSPACES_H
#define GMPROF_PASS_CORE_ARGUMENTSPACES_H

#include "gmprof/abi.h"
#include "llvm/ADT/DenseMap.h"

namespace llvm {
class Argument;
class Function;
class Module;
class Value;
} // namespace llvm

namespace gmprof {

/// Finds the address space of pointers that device functions receive, if it is the same in all
/// calls and all calls are in the module. A clone that need not check the space at run time is
/// smaller, and records no accesses to other spaces.
class ArgumentSpaces {
public:
  /// Infers the spaces. WholeProgram: no other module calls the functions of M.
  ArgumentSpaces(const llvm::Module &M, bool WholeProgram);

  /// Casts the pointers in a clone to their address space, which InferAddressSpaces propagates.
  void castIn(llvm::Function &Clone, const llvm::Function &Original) const;

private:
  /// Generic: several, or unknown.
  llvm::DenseMap<const llvm::Argument *, GmprofSpace> Spaces;

  bool addCalls(const llvm::Function &F);
  GmprofSpace spaceOf(const llvm::Value &Pointer, bool &IsKnown) const;
};

} // namespace gmprof

#endif // GMPROF_PASS_CORE_ARGUMENTSPACES_H
