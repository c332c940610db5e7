//===- GlobalLaunch.h - The launch parameter of global clones ---*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PASS_GLOBAL_GLOBALLAUNCH_H
#define GMPROF_PASS_GLOBAL_GLOBALLAUNCH_H

#include <array>
#include <cstddef>

namespace llvm {
class IRBuilderBase;
class LLVMContext;
class StructType;
class Value;
} // namespace llvm

namespace gmprof {

llvm::StructType *globalLaunchType(llvm::LLVMContext &Context);

/// Loads the field of GmprofGlobalLaunch at an offset.
llvm::Value *globalLaunchField(llvm::IRBuilderBase &B, llvm::Value *Launch, size_t Offset);

/// Returns the address of a root, of type struct GmprofGlobalObject.
llvm::Value *launchRoot(llvm::IRBuilderBase &B, llvm::Value *Launch, unsigned Root);
/// Loads a root's base, bytes, counters of a kind, element shift, and both numbers of
/// replicas in one.
std::array<llvm::Value *, 5> launchRootFields(llvm::IRBuilderBase &B, llvm::Value *Launch,
                                              unsigned Root, unsigned Counters);

} // namespace gmprof

#endif // GMPROF_PASS_GLOBAL_GLOBALLAUNCH_H
