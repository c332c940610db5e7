//===- DeviceFunctions.h - Which functions a profile has to follow -*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A device function that is not inlined needs a clone if it can access the memory that the profile
// records, or calls a function that can; with counters in shared memory also if it can end a
// thread.
//
// With relocatable device code, a called function may be in another translation unit. Each unit
// therefore has clones of all its functions that others can call, whose name consists of the
// function's name and of everything that both sides must agree on. A caller refers to that name and
// defines it weakly as a fallback, which calls the function itself and records that accesses are
// missing. The linker takes the other unit's clone if there is one.
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

/// Returns whether F is declared here and defined in another translation unit by the program: not
/// an intrinsic, nor one of CUDA's own functions.
bool isProgramsExternal(const llvm::Function &F);

/// Returns F and all functions with bodies, here or in other translation units, that it can call.
llvm::SetVector<llvm::Function *> reachableFrom(llvm::Function &F);

class DeviceFunctions {
public:
  DeviceFunctions(llvm::Module &M, llvm::FunctionAnalysisManager &FAM, const CloneBuilder &Profile);

  /// Returns whether a clone has to call a clone of F.
  bool needsClone(const llvm::Function &F) const { return Needed.contains(&F); }

  /// Returns the functions of this module that another module can call.
  llvm::ArrayRef<llvm::Function *> visibleToOthers() const { return Visible; }

private:
  llvm::DenseSet<const llvm::Function *> Needed;
  llvm::SmallVector<llvm::Function *, 8> Visible;
};

/// Returns the weak clone of a function that another translation unit defines.
llvm::Function *fallbackClone(llvm::Function &External, const CloneBuilder &Builder,
                              const CloneKind &Kind);

/// Returns a clone, for other translation units to call, of a function without accesses to record.
llvm::Function *forwardingClone(llvm::Function &F, const CloneBuilder &Builder,
                                const CloneKind &Kind);

/// Emits an atomic increment of a 64-bit number in device memory.
void emitIncrement(llvm::IRBuilderBase &B, llvm::Value *Pointer);

/// Makes a call in a clone call the clone Callee.
void redirectCall(llvm::CallBase &Call, llvm::Function &Callee, const Clone &Caller);

} // namespace gmprof

#endif // GMPROF_PASS_CORE_DEVICEFUNCTIONS_H
