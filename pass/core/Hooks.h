//===- Hooks.h - The device functions that clones call ----------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PASS_CORE_HOOKS_H
#define GMPROF_PASS_CORE_HOOKS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/IRBuilder.h"

namespace gmprof {

/// The hooks (runtime/device) in a module: links in all hooks when constructed, inlines them into
/// clones, and removes them when destroyed, except for functions that are still called.
class Hooks {
public:
  /// Prepares the hooks of M. Budget: number of instructions that inlining may add. Clones:
  /// approximate number of functions that share the budget.
  Hooks(llvm::Module &M, size_t Budget, size_t Clones);
  ~Hooks();

  /// Reads the hooks in advance, for the first module of the context that needs them. Reading them
  /// takes longer than all else of a small module.
  static void read(llvm::LLVMContext &Context);
  /// Returns the bitcode of the module of all hooks.
  static llvm::StringRef bitcode();
  /// Drops what read() has left. The context may end then.
  static void forget();

  /// Calls __gm_<Name>. Integers are extended or cut to the parameters' types.
  llvm::CallInst *call(llvm::IRBuilderBase &B, const llvm::Twine &Name,
                       llvm::ArrayRef<llvm::Value *> Args);

  /// Kernels among the hooks stay in the module.
  void keepKernels() { KeepKernels = true; }

  /// Inlines calls of hooks in F, all unless that would make it too large.
  void inlineInto(llvm::Function &F);

private:
  llvm::Module &M;
  const size_t Budget; ///< of a function
  llvm::SmallVector<llvm::Function *, 0> Functions;
  /// Functions that hooks call, and that are not inlined.
  llvm::SmallVector<llvm::Function *, 0> Helpers;
  /// For the host runtime to launch.
  llvm::SmallVector<llvm::Function *, 0> Kernels;
  bool KeepKernels = false;
};

} // namespace gmprof

#endif // GMPROF_PASS_CORE_HOOKS_H
