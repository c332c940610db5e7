//===- Clone.h - The instrumented copy of a function ------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A clone of a kernel has one more parameter, a struct of the profile by value (gmprof/abi.h). A
// clone of a device function has the parameters that the hooks of the profile (runtime/device)
// take, so that these stay in registers.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PASS_CORE_CLONE_H
#define GMPROF_PASS_CORE_CLONE_H

#include "gmprof/abi.h"
#include "static-analysis/AddressSpaces.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/PassManager.h"

namespace llvm {
class Argument;
class Function;
class FunctionType;
class IRBuilderBase;
class Value;
} // namespace llvm

namespace gmprof {

class CloneBuilder;
class Hooks;
struct CloneKind;

struct Clone {
  const llvm::Function *Original = nullptr;
  llvm::Function *F = nullptr;
  CloneBuilder *Builder = nullptr;
  const CloneKind *Kind = nullptr;
  bool IsKernel = false;
  llvm::Value *Launch = nullptr; ///< the launch parameter; null in most device functions
  /// The first arguments of the profile's hooks.
  llvm::SmallVector<llvm::Value *, 5> Counters;
  /// Generic pointers may be to shared memory of other blocks (OtherBlocks.h).
  bool MeetsOtherBlocks = false;
};

/// Returns a copy of a kernel with the launch parameter.
Clone cloneKernel(llvm::Function &Kernel, CloneBuilder &Builder, const CloneKind &Kind);

/// The limit of registers for a kernel's clone.
struct RegisterLimit {
  /// Prefix of the names of hooks that use no more registers than the limit; empty: none.
  llvm::StringRef Hooks;
  /// As many blocks of the clone as of the kernel must be resident, since most blocks run the
  /// original body.
  bool KeepsOccupancy = false;
};

/// Limits the registers of a kernel's clone, so that the clone can run with as many threads per
/// block as the kernel. Call it once hooks are inlined. A kernel with launch bounds keeps its
/// bounds. The clone gets no limit in two cases: it calls functions and the module may not be the
/// whole program (nvlink refuses calls of relocatable code that exceeds the limit), or it has an
/// indirect call (ptxas then limits all functions for all kernels, including the program's).
void limitRegisters(const Clone &C, const RegisterLimit &Limit, bool WholeProgram);

/// Returns a copy of a device function with the parameters of the profile's hooks.
Clone cloneDeviceFunction(llvm::Function &F, CloneBuilder &Builder, const CloneKind &Kind);

/// Returns the type of the clone of a device function.
llvm::FunctionType *deviceCloneType(llvm::FunctionType *Type, const CloneBuilder &Builder,
                                    const CloneKind &Kind);

/// Returns an uninstrumented copy that can be called and inlined into a kernel.
llvm::Function *clonePlainBody(llvm::Function &Kernel);

/// Simplifies a clone for the analyses: infers address spaces and brings loops into canonical form;
/// at -O0 also promotes memory to registers.
void simplifyForAnalysis(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);

/// Removes redundant instructions after instrumentation. The control flow does not change.
void simplifyAfterInstrumentation(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);

/// Promotes per-thread variables of the instrumentation to registers, unless a call needs their
/// address.
void keepInRegisters(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);

/// Moves a builder to the entry of a clone, behind its allocas, with a location for calls of hooks.
void goToEntry(llvm::IRBuilderBase &B, const Clone &C);

} // namespace gmprof

#endif // GMPROF_PASS_CORE_CLONE_H
