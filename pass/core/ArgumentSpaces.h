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

/// In which memory the objects are that device functions get pointers to, where it is the same in
/// all calls and these are all in the module. What it need not ask at run time makes a clone that
/// notes thousands of accesses through such pointers small, or has nothing to note of local memory.
class ArgumentSpaces {
public:
  /// WholeProgram: no other module calls its functions.
  ArgumentSpaces(const llvm::Module &M, bool WholeProgram);

  /// Casts the pointers in a clone to what is known of them, for InferAddressSpaces to go on with.
  void castIn(llvm::Function &Clone, const llvm::Function &Original) const;

private:
  /// Generic: of several, or unknown. Of other functions there are none.
  llvm::DenseMap<const llvm::Argument *, GmprofSpace> Spaces;

  bool addCalls(const llvm::Function &F);
  GmprofSpace spaceOf(const llvm::Value &Pointer, bool &IsKnown) const;
};

} // namespace gmprof

#endif // GMPROF_PASS_CORE_ARGUMENTSPACES_H
