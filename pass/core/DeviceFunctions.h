//===- DeviceFunctions.h - Which functions a profile has to follow -*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A device function that is not inlined needs a clone if it can access the memory
// that is counted, or calls one that can; for counters in shared memory also if it
// can end a thread.
//
// With relocatable device code, what is called may be in another translation
// unit. Each unit therefore gives all its functions that others can call a clone,
// under a name made of the function's and of all that both sides must agree on.
// A caller refers to that name and defines it weakly as a fallback, which calls
// the function itself and notes that something was not counted. The linker takes
// the real clone if there is one.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PASS_CORE_DEVICEFUNCTIONS_H
#define GMPROF_PASS_CORE_DEVICEFUNCTIONS_H

#include "pass/core/Clone.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"

namespace llvm {
class CallBase;
class Module;
} // namespace llvm

namespace gmprof {

/// Declared here, defined in another translation unit by the program: not an
/// intrinsic, nor one of CUDA's own.
bool isProgramsExternal(const llvm::Function &F);

class DeviceFunctions {
public:
  DeviceFunctions(llvm::Module &M, llvm::FunctionAnalysisManager &FAM, const Mode &Profile);

  /// Whether a clone has to call a clone of F.
  bool needsClone(const llvm::Function &F) const { return Needed.contains(&F); }

  /// Functions of this module that another can call.
  llvm::ArrayRef<llvm::Function *> visibleToOthers() const { return Visible; }

  /// F and all functions with bodies that it can call.
  llvm::SetVector<llvm::Function *> reachableFrom(llvm::Function &F) const;

private:
  llvm::DenseSet<const llvm::Function *> Needed;
  llvm::SmallVector<llvm::Function *, 8> Visible;
};

/// Shared variables that the functions refer to.
llvm::SetVector<llvm::GlobalVariable *> sharedVariables(llvm::ArrayRef<llvm::Function *> Functions);

/// The weak clone of a function that is defined elsewhere.
llvm::Function *fallbackClone(llvm::Function &External, const Mode &M);

/// A clone for others to call, of a function that has nothing to count.
llvm::Function *forwardingClone(llvm::Function &F, const Mode &M);

/// Makes a call in a clone call the clone Callee.
void redirectCall(llvm::CallBase &Call, llvm::Function &Callee, const Clone &Caller);

} // namespace gmprof

#endif // GMPROF_PASS_CORE_DEVICEFUNCTIONS_H
