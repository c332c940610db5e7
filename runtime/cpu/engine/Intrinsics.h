//===- Intrinsics.h - Lowering of device-only operations --------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The engine rewrites a kernel and all it calls for x86-64, in this order:
//
//   1. every function gets the hidden first parameter (ThreadState *);
//   2. lowerInlineAsm translates each inline PTX call, to plain IR, helpers or
//      NVVM intrinsics (anything that has to do with warps, barriers or special
//      registers goes to the NVVM intrinsic, which step 4 lowers). It may split
//      blocks and add control flow;
//   3. the engine numbers warp operations, barriers and waiting loops;
//   4. every call of an llvm.nvvm.* intrinsic is lowered: by the engine's own
//      table (special registers, barriers, warp collectives, exit, nanosleep),
//      else by lowerComputeIntrinsic.
//
// Pointers keep their address space in lowered IR: on x86-64 all of them (1, 3,
// 4, 5, 101) are flat 64-bit addresses, and addrspacecast is free. A shared
// pointer is the real address of the block's window, below 4 GiB.
//
// A construct known to neither makes the kernels that use it fail with a LoadError.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CPU_ENGINE_INTRINSICS_H
#define GMPROF_CPU_ENGINE_INTRINSICS_H

#include "cpu/engine/Helper.h"

#include "llvm/IR/IRBuilder.h"

#include <string>

namespace llvm {
class CallInst;
class Function;
class Module;
} // namespace llvm

namespace gmprof::cpu {

/// Access to the module and its thread state while instructions are lowered.
class LoweringContext {
public:
  explicit LoweringContext(llvm::Module &M, std::string Kernel)
      : TheModule(M), Kernel(std::move(Kernel)) {}

  llvm::Module &module() { return TheModule; }

  /// Returns the calling thread's state (ThreadState *) in the function of B.
  llvm::Value *threadState(llvm::IRBuilderBase &B);

  /// Loads the field at Offset of the thread's ThreadState or BlockState:
  ///
  ///   loadThread(B, offsetof(ThreadState, Lane), B.getInt32Ty())
  llvm::Value *loadThread(llvm::IRBuilderBase &B, size_t Offset, llvm::Type *Type);
  llvm::Value *loadBlock(llvm::IRBuilderBase &B, size_t Offset, llvm::Type *Type);

  /// Calls a C++ function by its name in a table of helpers. Pointers of any
  /// address space are passed as generic ones. Values of type i1 and vectors
  /// have no C++ counterpart: pass them as integers or through memory. The
  /// helper's C++ signature must match.
  llvm::CallInst *callHelper(llvm::IRBuilderBase &B, llvm::StringRef Name, llvm::Type *Result,
                             llvm::ArrayRef<llvm::Value *> Args = {});

  /// Returns stack memory of B's function, aligned for any type, for operands and results of
  /// helpers.
  llvm::Value *scratch(llvm::IRBuilderBase &B, unsigned Bytes);

  /// Reports that the kernel uses an unsupported construct, for example "inline PTX
  /// 'tensormap.replace …'". The source line is added.
  void unsupported(const llvm::Instruction &At, const llvm::Twine &Construct);

  /// Returns the site (i32) of a warp-wide operation, which the helper passes to warpExchange. Only
  /// calls for which isWarpWide() holds have one.
  llvm::Value *site(const llvm::CallInst &Call);

  /// Returns the first report of unsupported(), as one line; empty if there is none.
  const std::string &error() const { return Error; }

private:
  llvm::Module &TheModule;
  std::string Kernel;
  std::string Error;
};

/// Returns whether an intrinsic of intrinsics/ is executed by the lanes of a warp together.
bool isWarpWide(llvm::StringRef Intrinsic);

/// Replaces a call of an NVVM intrinsic unrelated to scheduling; defined in intrinsics/. Returns
/// true if it knows the intrinsic: then it has erased Call, or called LoweringContext::unsupported
/// and left Call alone.
bool lowerComputeIntrinsic(llvm::CallInst &Call, LoweringContext &Context);
std::span<const Helper> computeHelpers();

/// Replaces the calls of inline PTX in a function, or calls LoweringContext::unsupported; defined
/// in ptx/.
void lowerInlineAsm(llvm::Function &F, LoweringContext &Context);

} // namespace gmprof::cpu

#endif // GMPROF_CPU_ENGINE_INTRINSICS_H
