//===- LaunchParameter.cpp - struct GmprofSharedLaunch in IR --------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LaunchParameter.h"

#include "gmprof/abi.h"
#include "llvm/IR/IRBuilder.h"
#include <cstddef>

using namespace llvm;
using namespace gmprof;

// Four addresses, then 32-bit numbers.
static_assert(offsetof(GmprofSharedLaunch, totals) == 16 &&
              offsetof(GmprofSharedLaunch, layout) == 24 &&
              offsetof(GmprofSharedLaunch, words) == 32 &&
              offsetof(GmprofSharedLaunch, counterOffset) == 36 &&
              offsetof(GmprofSharedLaunch, counterBytes) == 40 &&
              offsetof(GmprofSharedLaunch, replicas) == 44 &&
              offsetof(GmprofSharedLaunch, blockSample) == 48 &&
              offsetof(GmprofSharedLaunch, dynamicBytes) == 52 && sizeof(GmprofSharedLaunch) == 56);

StructType *gmprof::launchType(LLVMContext &Context) {
  if (StructType *Known = StructType::getTypeByName(Context, "struct.GmprofSharedLaunch"))
    return Known;
  Type *Address = Type::getInt64Ty(Context), *Number = Type::getInt32Ty(Context);
  return StructType::create(
      {Address, Address, Address, Address, Number, Number, Number, Number, Number, Number},
      "struct.GmprofSharedLaunch");
}

Value *gmprof::launchField(IRBuilderBase &B, Value *Launch, LaunchField Field) {
  StructType *Type = launchType(B.getContext());
  unsigned Index = static_cast<unsigned>(Field);
  return B.CreateLoad(Type->getElementType(Index), B.CreateStructGEP(Type, Launch, Index));
}
