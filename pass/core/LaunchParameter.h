//===- LaunchParameter.h - The clones' launch parameters in IR --*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PASS_CORE_LAUNCHPARAMETER_H
#define GMPROF_PASS_CORE_LAUNCHPARAMETER_H

#include <array>

namespace llvm {
class IRBuilderBase;
class LLVMContext;
class StructType;
class Value;
} // namespace llvm

namespace gmprof {

/// The fields of abi.h's GmprofSharedLaunch, by number.
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
  ranges,
  rangeLog,
  rangeOffset,
  rangeCount,
};

/// The same of GmprofGlobalLaunch.
enum class GlobalLaunchField {
  objects,
  totals,
  objectCount,
  blockSample,
  roots,
};

/// And of GmprofObjectsLaunch.
enum class ObjectsLaunchField {
  objects,
  hits,
  objectCount,
  objectHits,
  replicas,
  replicaShift,
};

/// And of GmprofHeatLaunch.
enum class HeatLaunchField {
  context,
  first,
  end,
  step,
};

/// And of GmprofTraceLaunch.
enum class TraceLaunchField {
  context,
  first,
  end,
  step,
  smStep,
};

llvm::StructType *launchType(llvm::LLVMContext &Context);
llvm::StructType *globalLaunchType(llvm::LLVMContext &Context);
llvm::StructType *objectsLaunchType(llvm::LLVMContext &Context);
llvm::StructType *heatLaunchType(llvm::LLVMContext &Context);
llvm::StructType *traceLaunchType(llvm::LLVMContext &Context);

/// Loads a field of the launch parameter.
llvm::Value *launchField(llvm::IRBuilderBase &B, llvm::Value *Launch, LaunchField Field);
llvm::Value *launchField(llvm::IRBuilderBase &B, llvm::Value *Launch, GlobalLaunchField Field);
llvm::Value *launchField(llvm::IRBuilderBase &B, llvm::Value *Launch, ObjectsLaunchField Field);
llvm::Value *launchField(llvm::IRBuilderBase &B, llvm::Value *Launch, HeatLaunchField Field);
llvm::Value *launchField(llvm::IRBuilderBase &B, llvm::Value *Launch, TraceLaunchField Field);

/// The address of a root, of type struct GmprofGlobalObject.
llvm::Value *launchRoot(llvm::IRBuilderBase &B, llvm::Value *Launch, unsigned Root);
/// Loads a root's base, bytes, counters of a kind, element shift, and both numbers of
/// replicas in one.
std::array<llvm::Value *, 5> launchRootFields(llvm::IRBuilderBase &B, llvm::Value *Launch,
                                              unsigned Root, unsigned Counters);

} // namespace gmprof

#endif // GMPROF_PASS_CORE_LAUNCHPARAMETER_H
