//===- Clone.h - The copy of a function that counts -------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A clone of a kernel has one more parameter, struct GmprofSharedLaunch,
// GmprofGlobalLaunch, GmprofObjectsLaunch, GmprofHeatLaunch or GmprofTraceLaunch by value. A clone
// of a device function has what the counting hooks (runtime/device/Count.cu, CountGlobal.cu,
// Objects.cu, Heat.cu, Trace.cu) need of it at run time, so that it stays in registers; for shared
// memory also the struct's address.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PASS_CORE_CLONE_H
#define GMPROF_PASS_CORE_CLONE_H

#include "pass/core/Mode.h"
#include "static-analysis/AddressSpaces.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/PassManager.h"

namespace llvm {
class Argument;
class Function;
class FunctionType;
class GlobalVariable;
class IRBuilderBase;
class Value;
} // namespace llvm

namespace gmprof {

class Hooks;

struct Clone {
  const llvm::Function *Original = nullptr;
  llvm::Function *F = nullptr;
  const Mode *M = nullptr;
  bool IsKernel = false;
  llvm::Argument *Launch = nullptr; ///< of device functions, only for shared memory
  /// The first parameters of the counting hooks.
  llvm::SmallVector<llvm::Value *, 4> Counters;
  /// Device functions that note or record requests: the first number of the module's sites
  /// (GmprofUnit).
  llvm::Value *FirstSite = nullptr;
  /// Kernels only, in the entry block: whether this is the block's first thread,
  /// and how many there are.
  llvm::Value *IsFirstThread = nullptr, *Threads = nullptr;
  /// Pointers from anywhere may be to other blocks' shared memory (OtherBlocks.h).
  bool MeetsOtherBlocks = false;
  /// Kernels only: all blocks count alike (AlikeBlocks.h), so that the first one
  /// does for all of them. Their number, if counters are in device memory.
  bool BlocksAlike = false;
  llvm::Value *Blocks = nullptr;
  /// Kernels only: a word may have several live ranges, which some clone counts. This
  /// one does if it CountsRanges (RangeRule.h), those of these variables; so do clones
  /// of device functions.
  bool HasRanges = false;
  bool CountsRanges = false;
  llvm::SmallVector<llvm::GlobalVariable *, 4> RangeVariables;
};

/// A copy of a kernel with the launch parameter.
Clone cloneKernel(llvm::Function &Kernel, const Mode &M);

/// A kernel's clone takes more registers than the kernel, but must run with as many threads per
/// block; and where heat is noted, as many blocks should run at a time as of the kernel, since most
/// are not noted. To be asked when hooks are inlined. Not if it calls functions of what may not be
/// the whole program: nvlink refuses kernels with a limit that calls of relocatable code exceed.
/// Nor if a call may be of any function: ptxas then limits these for all kernels, for those of the
/// program, too. The hooks that note heat and those that trace take no more than the limit.
void limitRegisters(const Clone &C, bool WholeProgram);

/// A copy of a device function with the counters' parameters.
Clone cloneDeviceFunction(llvm::Function &F, const Mode &M);

/// The type of the clone of a device function.
llvm::FunctionType *deviceCloneType(llvm::FunctionType *Type, const Mode &M);

/// What a device function's clone is to be given at a call from this clone.
llvm::SmallVector<llvm::Value *, 5> counterArguments(const Clone &C);

/// The shared address of a kernel clone's counters.
llvm::Value *counterBase(llvm::IRBuilderBase &B, const Clone &C);
/// A kernel clone's GmprofTraceContext.
llvm::Value *traceContext(llvm::IRBuilderBase &B, const Clone &C);

/// The shared address of word 0: of the variables and dynamic shared memory, the
/// first, rounded down so that groups of words are groups of counters.
llvm::Value *firstWord(llvm::IRBuilderBase &B, const Clone &C,
                       llvm::ArrayRef<llvm::GlobalVariable *> Variables);

/// An uninstrumented copy that can be called and inlined into a kernel.
llvm::Function *clonePlainBody(llvm::Function &Kernel);

/// Puts a clone into the form that the analyses see most in: address spaces
/// inferred, loops in canonical form; at -O0 also registers instead of memory.
void simplifyForAnalysis(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);

/// Cleans up what instrumentation made.
void simplifyAfterInstrumentation(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);

/// What instrumentation keeps for each thread goes into registers, where no call needs it in
/// memory.
void keepInRegisters(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);

/// Emits, at the kernel clone's entry, what Clone::Counters and its other fields
/// name. Variables are the shared variables that the kernel can reach.
void emitCounters(Clone &C, llvm::ArrayRef<llvm::GlobalVariable *> Variables, Hooks &H);

/// Emits, at the entry of a device function's clone that notes or records requests, what
/// Clone::FirstSite names.
void emitFirstSite(Clone &C, uint64_t Unit, Hooks &H);

/// The start of dynamic shared memory as a variable of the module.
llvm::GlobalVariable *dynamicSharedMemory(llvm::Module &M);

} // namespace gmprof

#endif // GMPROF_PASS_CORE_CLONE_H
