//===- Lower.h - Lowering of NVPTX bitcode to x86-64 IR ---------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Extracts one kernel and everything it calls from an image and rewrites it for x86-64.
// Intrinsics.h lists the steps.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CPU_ENGINE_LOWER_H
#define GMPROF_CPU_ENGINE_LOWER_H

#include "cpu/engine/Image.h"
#include "cpu/engine/Sites.h"

#include "llvm/IR/DataLayout.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/TargetParser/Triple.h"

namespace gmprof::cpu {

class LoweringContext;

/// Lowered kernel with its module.
struct LoweredUnit {
  std::unique_ptr<llvm::LLVMContext> Context;
  std::unique_ptr<llvm::Module> M;
  std::vector<Site> Sites;
  bool NeedsFibers = false;
  bool Watched = false; ///< checked for races
  size_t StackBytes = 0;
  std::string Error; ///< empty on success
};

/// Name of the function `void (ThreadState *)` that executes one thread.
constexpr const char *EntryName = "gm_kernel_entry";

enum class DebugInfo { None, LineTables };

/// Lowers a kernel; with an empty name, lowers the functions that Image's variables point to, under
/// their own names. Sites are numbered from FirstSite on.
LoweredUnit lower(const Image &Image, const std::string &Kernel, uint32_t FirstSite,
                  const llvm::Triple &Target, const llvm::DataLayout &Layout,
                  DebugInfo Debug = DebugInfo::None);

//===----------------------------------------------------------------------===//
// Lowering steps, each in a file of its own.
//===----------------------------------------------------------------------===//

/// Adds the hidden parameter to every function; makeEntry() turns the kernel into a function with
/// only that parameter (LowerSignatures.cpp).
void addThreadParameter(llvm::Module &M);
void makeEntry(llvm::Function &Kernel, const KernelInfo &Info, LoweringContext &Context);

/// Replaces variables by their addresses (LowerVariables.cpp).
void lowerVariables(llvm::Module &M, const Image &Image, const SharedLayout &Shared,
                    LoweringContext &Context);

/// Numbers the sites of barriers, warp operations and waiting loops, before any intrinsic is
/// lowered; returns whether threads wait for each other anywhere. lowerThreadIntrinsic() lowers
/// them and special registers, and returns false for intrinsics of other kinds (LowerThreads.cpp).
bool numberSites(llvm::Module &M, uint32_t FirstSite, std::vector<Site> &Sites,
                 LoweringContext &Context);
bool lowerThreadIntrinsic(llvm::CallInst &Call, LoweringContext &Context);

/// Returns a site with the description What and the instruction's source line.
Site siteAt(std::string What, const llvm::Instruction &I);

/// Access that is checked for races (LowerRaces.cpp). Accesses are collected before other steps add
/// any, so that only the program's own are checked.
struct WatchedAccess {
  llvm::Instruction *Access;
  llvm::Value *Pointer, *Bytes;
  uint32_t Kind; ///< RaceAccessKind
};
std::vector<WatchedAccess> accessesToWatch(llvm::Module &M);
void watchAccesses(const std::vector<WatchedAccess> &Accesses, uint32_t FirstSite,
                   std::vector<Site> &Sites, LoweringContext &Context);

/// Defines operations that are undefined on x86-64 but not on the GPU (division by zero, shifts),
/// and fuses multiply-add where the GPU's compiler would (LowerArithmetic.cpp).
void lowerArithmetic(llvm::Function &F);

/// Makes addresses in shared memory wrap at 32 bits (LowerAccesses.cpp).
void wrapSharedAddresses(llvm::Function &F);

/// Makes accesses fault outside of their variables and in the padding between objects
/// (LowerBounds.cpp).
void checkBounds(llvm::Function &F, const Image &Image, const SharedLayout &Shared,
                 LoweringContext &Context);

/// Makes branches of these checks.
void expandChecks(llvm::Function &F, LoweringContext &Context);

/// Makes vector accesses fault at misaligned addresses (LowerAccesses.cpp).
void lowerAccesses(llvm::Function &F, LoweringContext &Context);

/// Lowers vprintf, malloc, free, __assertfail and traps (LowerCalls.cpp).
void lowerSystemCalls(llvm::Module &M, LoweringContext &Context);

} // namespace gmprof::cpu

#endif // GMPROF_CPU_ENGINE_LOWER_H
