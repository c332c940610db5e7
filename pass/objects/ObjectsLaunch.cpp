//===- ObjectsLaunch.cpp - The launch parameter of objects clones ---------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pass/objects/ObjectsLaunch.h"

#include "pass/core/LaunchParameter.h"

#include "gmprof/abi.h"
#include <cstddef>

using namespace llvm;
using namespace gmprof;

// Two addresses, four numbers.
static_assert(offsetof(GmprofObjectsLaunch, hits) == 8 &&
              offsetof(GmprofObjectsLaunch, objectCount) == 16 &&
              offsetof(GmprofObjectsLaunch, objectHits) == 20 &&
              offsetof(GmprofObjectsLaunch, replicas) == 24 &&
              offsetof(GmprofObjectsLaunch, replicaShift) == 28 &&
              sizeof(GmprofObjectsLaunch) == 32);

StructType *gmprof::objectsLaunchType(LLVMContext &Context) {
  Type *Address = Type::getInt64Ty(Context), *Number = Type::getInt32Ty(Context);
  return launchStruct(Context, "struct.GmprofObjectsLaunch",
                      {Address, Address, Number, Number, Number, Number});
}

Value *gmprof::launchField(IRBuilderBase &B, Value *Launch, ObjectsLaunchField Field) {
  return loadLaunchField(B, objectsLaunchType(B.getContext()), Launch,
                         static_cast<unsigned>(Field));
}
