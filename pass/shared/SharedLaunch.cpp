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
static_assert(offsetof(GmprofSharedLaunch, totals) == 16 &&
              offsetof(GmprofSharedLaunch, layout) == 24 &&
              offsetof(GmprofSharedLaunch, words) == 32 &&
              offsetof(GmprofSharedLaunch, counterOffset) == 36 &&
              offsetof(GmprofSharedLaunch, counterBytes) == 40 &&
              offsetof(GmprofSharedLaunch, replicas) == 44 &&
              offsetof(GmprofSharedLaunch, blockSample) == 48 &&
              offsetof(GmprofSharedLaunch, dynamicBytes) == 52 &&
              offsetof(GmprofSharedLaunch, ranges) == 56 &&
              offsetof(GmprofSharedLaunch, rangeLog) == 64 &&
              offsetof(GmprofSharedLaunch, rangeOffset) == 72 &&
              offsetof(GmprofSharedLaunch, rangeCount) == 76 &&
              offsetof(GmprofSharedLaunch, longBlock) == 80 && sizeof(GmprofSharedLaunch) == 88);

StructType *gmprof::sharedLaunchType(LLVMContext &Context) {
  Type *Address = Type::getInt64Ty(Context), *Number = Type::getInt32Ty(Context);
  return launchStruct(Context, "struct.GmprofSharedLaunch",
                      {Address, Address, Address, Address, Number, Number, Number, Number, Number,
                       Number, Address, Address, Number, Number, Number, Number});
}

Value *gmprof::launchField(IRBuilderBase &B, Value *Launch, SharedLaunchField Field) {
  return loadLaunchField(B, sharedLaunchType(B.getContext()), Launch, static_cast<unsigned>(Field));
}
