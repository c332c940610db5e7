//===- SharedLaunch.h - The launch parameter of shared clones ---*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PASS_SHARED_SHAREDLAUNCH_H
#define GMPROF_PASS_SHARED_SHAREDLAUNCH_H

#include <cstddef>

namespace llvm {
class IRBuilderBase;
class LLVMContext;
class StructType;
class Value;
} // namespace llvm

namespace gmprof {

llvm::StructType *sharedLaunchType(llvm::LLVMContext &Context);

/// Loads the field of GmprofSharedLaunch at an offset.
llvm::Value *sharedLaunchField(llvm::IRBuilderBase &B, llvm::Value *Launch, size_t Offset);

} // namespace gmprof

#endif // GMPROF_PASS_SHARED_SHAREDLAUNCH_H
