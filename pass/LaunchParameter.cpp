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

// Three addresses, then 32-bit numbers.
static_assert(offsetof(GmprofSharedLaunch, layout) == 16 &&
              offsetof(GmprofSharedLaunch, words) == 24 &&
              offsetof(GmprofSharedLaunch, counterOffset) == 28 &&
              offsetof(GmprofSharedLaunch, counterBytes) == 32 &&
              offsetof(GmprofSharedLaunch, replicas) == 36 &&
              offsetof(GmprofSharedLaunch, blockSample) == 40 &&
              offsetof(GmprofSharedLaunch, dynamicBytes) == 44 && sizeof(GmprofSharedLaunch) == 48);

StructType *gmprof::launchType(LLVMContext &Context) {
  if (StructType *Known = StructType::getTypeByName(Context, "struct.GmprofSharedLaunch"))
    return Known;
  Type *Address = Type::getInt64Ty(Context), *Number = Type::getInt32Ty(Context);
  return StructType::create(
      {Address, Address, Address, Number, Number, Number, Number, Number, Number},
      "struct.GmprofSharedLaunch");
}

Value *gmprof::launchField(IRBuilderBase &B, Value *Launch, LaunchField Field) {
  StructType *Type = launchType(B.getContext());
  unsigned Index = static_cast<unsigned>(Field);
  return B.CreateLoad(Type->getElementType(Index), B.CreateStructGEP(Type, Launch, Index));
}
