//===- HeatLaunch.cpp - The launch parameter of heat clones ---------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pass/heat/HeatLaunch.h"

#include "pass/core/LaunchParameter.h"

#include "gmprof/abi.h"
#include <cstddef>

using namespace llvm;
using namespace gmprof;

// Four 64-bit numbers.
static_assert(offsetof(GmprofHeatLaunch, context) == 0 && offsetof(GmprofHeatLaunch, first) == 8 &&
              offsetof(GmprofHeatLaunch, end) == 16 && offsetof(GmprofHeatLaunch, step) == 24 &&
              sizeof(GmprofHeatLaunch) == 32);

StructType *gmprof::heatLaunchType(LLVMContext &Context) {
  Type *Number = Type::getInt64Ty(Context);
  return launchStruct(Context, "struct.GmprofHeatLaunch", {Number, Number, Number, Number});
}

Value *gmprof::launchField(IRBuilderBase &B, Value *Launch, HeatLaunchField Field) {
  return loadLaunchField(B, heatLaunchType(B.getContext()), Launch, static_cast<unsigned>(Field));
}
