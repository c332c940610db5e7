//===- SharedLaunch.cpp - The launch parameter of shared clones -----------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pass/shared/SharedLaunch.h"

#include "pass/core/LaunchParameter.h"

#include "gmprof/abi.h"
#include <cstddef>

using namespace llvm;
using namespace gmprof;

// Four addresses, six 32-bit numbers, two addresses, four numbers.
static_assert(sizeof(GmprofSharedLaunch) == 6 * 8 + 10 * 4);

StructType *gmprof::sharedLaunchType(LLVMContext &Context) {
  Type *Address = Type::getInt64Ty(Context), *Number = Type::getInt32Ty(Context);
  return launchStruct(Context, "struct.GmprofSharedLaunch",
                      {Address, Address, Address, Address, Number, Number, Number, Number, Number,
                       Number, Address, Address, Number, Number, Number, Number});
}

Value *gmprof::sharedLaunchField(IRBuilderBase &B, Value *Launch, size_t Offset) {
  return launchField(B, sharedLaunchType(B.getContext()), Launch, Offset);
}
