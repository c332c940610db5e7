//===- Lower.h - From NVPTX bitcode to x86-64 IR -------------- -*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes one kernel and everything it calls out of an image and rewrites it for
// x86-64. See Intrinsics.h for the order of the steps.
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

struct LoweredUnit {
  std::unique_ptr<llvm::LLVMContext> Context;
  std::unique_ptr<llvm::Module> M;
  std::vector<Site> Sites;
  bool NeedsFibers = false;
  bool Watched = false; ///< for races
  size_t StackBytes = 0;
  std::string Error; ///< empty: lowered
};

/// Name of the function `void (ThreadState *)` that executes one thread.
constexpr const char *EntryName = "gm_kernel_entry";

enum class DebugInfo { None, LineTables };

/// Lowers a kernel, or with an empty name the functions that Image's variables
/// point to, under their own names. Its sites get numbers from FirstSite on.
LoweredUnit lower(const Image &Image, const std::string &Kernel, uint32_t FirstSite,
                  const llvm::Triple &Target, const llvm::DataLayout &Layout,
                  DebugInfo Debug = DebugInfo::None);

//===----------------------------------------------------------------------===//
// The steps, each in a file of its own.
//===----------------------------------------------------------------------===//

/// LowerSignatures.cpp: gives every function the hidden parameter, and makes the
/// kernel a function of it alone.
void addThreadParameter(llvm::Module &M);
void makeEntry(llvm::Function &Kernel, const KernelInfo &Info, LoweringContext &Context);

/// LowerVariables.cpp: replaces variables by their addresses.
void lowerVariables(llvm::Module &M, const Image &Image, const SharedLayout &Shared,
                    LoweringContext &Context);

/// LowerThreads.cpp: special registers, barriers, warp operations and waiting
/// loops. numberSites comes before any intrinsic is lowered and answers whether
/// threads wait for each other anywhere; lowerThreadIntrinsic is false for
/// intrinsics of other kinds.
bool numberSites(llvm::Module &M, uint32_t FirstSite, std::vector<Site> &Sites,
                 LoweringContext &Context);
bool lowerThreadIntrinsic(llvm::CallInst &Call, LoweringContext &Context);

/// What it is, and its line.
Site siteAt(std::string What, const llvm::Instruction &I);

/// LowerRaces.cpp: has accesses of memory watched, those of the program alone: they are looked for
/// before others are added.
struct WatchedAccess {
  llvm::Instruction *Access;
  llvm::Value *Pointer, *Bytes;
  uint32_t Kind; ///< RaceAccessKind
};
std::vector<WatchedAccess> accessesToWatch(llvm::Module &M);
void watchAccesses(const std::vector<WatchedAccess> &Accesses, uint32_t FirstSite,
                   std::vector<Site> &Sites, LoweringContext &Context);

/// LowerArithmetic.cpp: what is defined on the GPU and not on x86-64 (division by
/// zero, shifts), and fused multiply-add where the GPU would fuse.
void lowerArithmetic(llvm::Function &F);

/// LowerAccesses.cpp: makes vector accesses fault at misaligned addresses.
void lowerAccesses(llvm::Function &F, LoweringContext &Context);

/// LowerCalls.cpp: vprintf, malloc, free, __assertfail and traps.
void lowerSystemCalls(llvm::Module &M, LoweringContext &Context);

} // namespace gmprof::cpu

#endif // GMPROF_CPU_ENGINE_LOWER_H
