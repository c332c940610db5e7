//===- LaunchParameter.h - struct GmprofSharedLaunch in IR ------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PASS_LAUNCHPARAMETER_H
#define GMPROF_PASS_LAUNCHPARAMETER_H

namespace llvm {
class IRBuilderBase;
class LLVMContext;
class StructType;
class Value;
} // namespace llvm

namespace gmprof {

/// The fields of abi.h's struct, by number.
enum class LaunchField {
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
};

llvm::StructType *launchType(llvm::LLVMContext &Context);

/// Loads a field of the launch parameter.
llvm::Value *launchField(llvm::IRBuilderBase &B, llvm::Value *Launch, LaunchField Field);

} // namespace gmprof

#endif // GMPROF_PASS_LAUNCHPARAMETER_H
