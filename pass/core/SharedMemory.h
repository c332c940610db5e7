//===- SharedMemory.h - Where the variables in shared memory are -*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PASS_CORE_SHAREDMEMORY_H
#define GMPROF_PASS_CORE_SHAREDMEMORY_H

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallVector.h"

namespace llvm {
class Function;
class GlobalVariable;
class IRBuilderBase;
class Module;
class Value;
} // namespace llvm

namespace gmprof {

struct KernelDescription;
struct KernelState;

/// Returns the shared variables that the functions refer to.
llvm::SetVector<llvm::GlobalVariable *> sharedVariables(llvm::ArrayRef<llvm::Function *> Functions);

/// Returns whether a shared variable is declared `extern __shared__`, without a size.
bool isDynamic(const llvm::GlobalVariable &Variable);

/// Returns the start of dynamic shared memory, as a variable of the module.
llvm::GlobalVariable *dynamicSharedMemory(llvm::Module &M);

/// Returns the shared address of word 0: the lowest address of the variables and of dynamic shared
/// memory, rounded down so that groups of words are groups of counters.
llvm::Value *firstWord(llvm::IRBuilderBase &B, llvm::Module &M,
                       llvm::ArrayRef<llvm::GlobalVariable *> Variables);

/// Emits stores of the addresses of K's variables to the struct GmprofSharedLayout at Address, by
/// the threads for which Writes is true.
void writeSharedLayout(llvm::IRBuilderBase &B, llvm::Value *Writes, llvm::Value *Address,
                       const KernelState &K);

} // namespace gmprof

#endif // GMPROF_PASS_CORE_SHAREDMEMORY_H
