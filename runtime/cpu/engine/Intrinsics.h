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
// What neither knows makes the kernels that use it fail with a LoadError.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CPU_ENGINE_INTRINSICS_H
#define GMPROF_CPU_ENGINE_INTRINSICS_H

#include "cpu/engine/Helper.h"

#include "llvm/IR/IRBuilder.h"

#include <string>

namespace llvm {
class CallInst;
class Module;
} // namespace llvm

namespace gmprof::cpu {

/// What lowering one instruction may need of the module around it.
class LoweringContext {
public:
  explicit LoweringContext(llvm::Module &M, std::string Kernel)
      : TheModule(M), Kernel(std::move(Kernel)) {}

  llvm::Module &module() { return TheModule; }

  /// The calling thread's state (ThreadState *) in the function of B.
  llvm::Value *threadState(llvm::IRBuilderBase &B);

  /// Loads the field at Offset of the thread's ThreadState or BlockState:
  ///   loadThread(B, offsetof(ThreadState, Lane), B.getInt32Ty())
  llvm::Value *loadThread(llvm::IRBuilderBase &B, size_t Offset, llvm::Type *Type);
  llvm::Value *loadBlock(llvm::IRBuilderBase &B, size_t Offset, llvm::Type *Type);

  /// Calls a C++ function by its name in a table of helpers. Pointers of any
  /// address space are passed as generic ones. Values of type i1 and vectors
  /// have no C++ counterpart: pass them as integers or through memory. The
  /// helper's C++ signature must match.
  llvm::CallInst *callHelper(llvm::IRBuilderBase &B, llvm::StringRef Name, llvm::Type *Result,
                             llvm::ArrayRef<llvm::Value *> Args = {});

  /// So many bytes of the frame of B's function, aligned for any value, for what
  /// helpers take and give.
  llvm::Value *scratch(llvm::IRBuilderBase &B, unsigned Bytes);

  /// Says that the kernel uses something the CPU device does not support, for
  /// example "inline PTX 'tensormap.replace …'". The source line is added.
  void unsupported(const llvm::Instruction &At, const llvm::Twine &Construct);

  /// The site of a warp-wide operation (i32), which the helper passes to
  /// warpExchange. Only calls of the intrinsics that isWarpWide names have one.
  llvm::Value *site(const llvm::CallInst &Call);

  /// The first thing said to be unsupported, as one line; empty if none.
  const std::string &error() const { return Error; }

private:
  llvm::Module &TheModule;
  std::string Kernel;
  std::string Error;
};

/// True for an intrinsic of intrinsics/ that the lanes of a warp do together.
bool isWarpWide(llvm::StringRef Intrinsic);

/// intrinsics/: replaces a call of an NVVM intrinsic that has nothing to do with
/// scheduling. True if it knew the intrinsic (and then Call is erased, or
/// LoweringContext::unsupported was called and Call is left alone).
bool lowerComputeIntrinsic(llvm::CallInst &Call, LoweringContext &Context);
std::span<const Helper> computeHelpers();

/// ptx/: the same for a call of inline PTX.
bool lowerInlineAsm(llvm::CallInst &Call, LoweringContext &Context);

} // namespace gmprof::cpu

#endif // GMPROF_CPU_ENGINE_INTRINSICS_H
