//===- GlobalLaunch.h - The launch parameter of global clones ---*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PASS_GLOBAL_GLOBALLAUNCH_H
#define GMPROF_PASS_GLOBAL_GLOBALLAUNCH_H

#include <array>

namespace llvm {
class IRBuilderBase;
class LLVMContext;
class StructType;
class Value;
} // namespace llvm

namespace gmprof {

/// The fields of abi.h's GmprofGlobalLaunch, by number.
enum class GlobalLaunchField {
  objects,
  totals,
  objectCount,
  blockSample,
  roots,
};

llvm::StructType *globalLaunchType(llvm::LLVMContext &Context);

/// Loads a field of the launch parameter.
llvm::Value *launchField(llvm::IRBuilderBase &B, llvm::Value *Launch, GlobalLaunchField Field);

/// Returns the address of a root, of type struct GmprofGlobalObject.
llvm::Value *launchRoot(llvm::IRBuilderBase &B, llvm::Value *Launch, unsigned Root);
/// Loads a root's base, bytes, counters of a kind, element shift, and both numbers of
/// replicas in one.
std::array<llvm::Value *, 5> launchRootFields(llvm::IRBuilderBase &B, llvm::Value *Launch,
                                              unsigned Root, unsigned Counters);

} // namespace gmprof

#endif // GMPROF_PASS_GLOBAL_GLOBALLAUNCH_H
