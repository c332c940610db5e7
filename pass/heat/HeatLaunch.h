//===- HeatLaunch.h - The launch parameter of heat clones -------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PASS_HEAT_HEATLAUNCH_H
#define GMPROF_PASS_HEAT_HEATLAUNCH_H

namespace llvm {
class IRBuilderBase;
class LLVMContext;
class StructType;
class Value;
} // namespace llvm

namespace gmprof {

/// The fields of abi.h's GmprofHeatLaunch, by number.
enum class HeatLaunchField {
  context,
  first,
  end,
  step,
};

llvm::StructType *heatLaunchType(llvm::LLVMContext &Context);

/// Loads a field of the launch parameter.
llvm::Value *launchField(llvm::IRBuilderBase &B, llvm::Value *Launch, HeatLaunchField Field);

} // namespace gmprof

#endif // GMPROF_PASS_HEAT_HEATLAUNCH_H
