//===- ObjectsLaunch.h - The launch parameter of objects clones -*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PASS_OBJECTS_OBJECTSLAUNCH_H
#define GMPROF_PASS_OBJECTS_OBJECTSLAUNCH_H

namespace llvm {
class IRBuilderBase;
class LLVMContext;
class StructType;
class Value;
} // namespace llvm

namespace gmprof {

/// The fields of abi.h's GmprofObjectsLaunch, by number.
enum class ObjectsLaunchField {
  objects,
  hits,
  objectCount,
  objectHits,
  replicas,
  replicaShift,
};

llvm::StructType *objectsLaunchType(llvm::LLVMContext &Context);

/// Loads a field of the launch parameter.
llvm::Value *launchField(llvm::IRBuilderBase &B, llvm::Value *Launch, ObjectsLaunchField Field);

} // namespace gmprof

#endif // GMPROF_PASS_OBJECTS_OBJECTSLAUNCH_H
