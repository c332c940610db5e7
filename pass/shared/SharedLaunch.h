//===- SharedLaunch.h - The launch parameter of shared clones ---*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PASS_SHARED_SHAREDLAUNCH_H
#define GMPROF_PASS_SHARED_SHAREDLAUNCH_H

namespace llvm {
class IRBuilderBase;
class LLVMContext;
class StructType;
class Value;
} // namespace llvm

namespace gmprof {

/// The fields of abi.h's GmprofSharedLaunch, by number.
enum class SharedLaunchField {
  sums,
  capped,
  totals,
  layout,
  words,
  counterOffset,
  counterBytes,
  replicas,
  blockSample,
  dynamicBytes,
  ranges,
  rangeLog,
  rangeOffset,
  rangeCount,
};

llvm::StructType *sharedLaunchType(llvm::LLVMContext &Context);

/// Loads a field of the launch parameter.
llvm::Value *launchField(llvm::IRBuilderBase &B, llvm::Value *Launch, SharedLaunchField Field);

} // namespace gmprof

#endif // GMPROF_PASS_SHARED_SHAREDLAUNCH_H
