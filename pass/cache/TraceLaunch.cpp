//===- TraceLaunch.cpp - The launch parameter of cache clones -------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pass/cache/TraceLaunch.h"

#include "pass/core/LaunchParameter.h"

#include "gmprof/abi.h"
#include <cstddef>

using namespace llvm;
using namespace gmprof;

// Five 64-bit numbers.
static_assert(offsetof(GmprofTraceLaunch, context) == 0 &&
              offsetof(GmprofTraceLaunch, first) == 8 && offsetof(GmprofTraceLaunch, end) == 16 &&
              offsetof(GmprofTraceLaunch, step) == 24 &&
              offsetof(GmprofTraceLaunch, smStep) == 32 && sizeof(GmprofTraceLaunch) == 40);

StructType *gmprof::traceLaunchType(LLVMContext &Context) {
  Type *Number = Type::getInt64Ty(Context);
  return launchStruct(Context, "struct.GmprofTraceLaunch",
                      {Number, Number, Number, Number, Number});
}

Value *gmprof::launchField(IRBuilderBase &B, Value *Launch, TraceLaunchField Field) {
  return loadLaunchField(B, traceLaunchType(B.getContext()), Launch, static_cast<unsigned>(Field));
}
