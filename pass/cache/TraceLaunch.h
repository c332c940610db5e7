//===- TraceLaunch.h - The launch parameter of cache clones -----*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PASS_CACHE_TRACELAUNCH_H
#define GMPROF_PASS_CACHE_TRACELAUNCH_H

namespace llvm {
class IRBuilderBase;
class LLVMContext;
class StructType;
class Value;
} // namespace llvm

namespace gmprof {

/// The fields of abi.h's GmprofTraceLaunch, by number.
enum class TraceLaunchField {
  context,
  first,
  end,
  step,
  smStep,
};

llvm::StructType *traceLaunchType(llvm::LLVMContext &Context);

/// Loads a field of the launch parameter.
llvm::Value *launchField(llvm::IRBuilderBase &B, llvm::Value *Launch, TraceLaunchField Field);

} // namespace gmprof

#endif // GMPROF_PASS_CACHE_TRACELAUNCH_H
