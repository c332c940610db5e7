//===- GlobalLaunch.cpp - The launch parameter of global clones -----------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pass/global/GlobalLaunch.h"

#include "pass/core/LaunchParameter.h"

#include "gmprof/abi.h"
#include <cstddef>

using namespace llvm;
using namespace gmprof;

// Two addresses, two numbers, then objects: five addresses and two numbers each.
static_assert(offsetof(GmprofGlobalLaunch, roots) == 2 * 8 + 2 * 4 &&
              sizeof(GmprofGlobalObject) == 48 &&
              offsetof(GmprofGlobalObject, elementShift) == 40 &&
              offsetof(GmprofGlobalObject, replicas) == 44 &&
              offsetof(GmprofGlobalObject, replicaShift) == 46);

StructType *gmprof::globalLaunchType(LLVMContext &Context) {
  if (StructType *Known = StructType::getTypeByName(Context, "struct.GmprofGlobalLaunch"))
    return Known;
  Type *Address = Type::getInt64Ty(Context), *Number = Type::getInt32Ty(Context);
  Type *Object = StructType::create(
      {Address, Address, ArrayType::get(Address, GMPROF_COUNTER_KINDS), Number, Number},
      "struct.GmprofGlobalObject");
  return StructType::create(
      {Address, Address, Number, Number, ArrayType::get(Object, GMPROF_GLOBAL_ROOTS)},
      "struct.GmprofGlobalLaunch");
}

Value *gmprof::globalLaunchField(IRBuilderBase &B, Value *Launch, size_t Offset) {
  return launchField(B, globalLaunchType(B.getContext()), Launch, Offset);
}

Value *gmprof::launchRoot(IRBuilderBase &B, Value *Launch, unsigned Root) {
  StructType *Type = globalLaunchType(B.getContext());
  Value *Path[] = {B.getInt32(0),
                   B.getInt32(launchFieldAt(Type, offsetof(GmprofGlobalLaunch, roots))),
                   B.getInt32(Root)};
  return B.CreateInBoundsGEP(Type, Launch, Path);
}

std::array<Value *, 5> gmprof::launchRootFields(IRBuilderBase &B, Value *Launch, unsigned Root,
                                                unsigned Counters) {
  Value *Object = launchRoot(B, Launch, Root);
  auto Field = [&](size_t Offset, Type *Type) {
    return B.CreateLoad(Type, B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), Object, Offset));
  };
  return {
      Field(offsetof(GmprofGlobalObject, base), B.getInt64Ty()),
      Field(offsetof(GmprofGlobalObject, bytes), B.getInt64Ty()),
      Field(offsetof(GmprofGlobalObject, counters) + sizeof(gmprof_u64) * Counters, B.getInt64Ty()),
      Field(offsetof(GmprofGlobalObject, elementShift), B.getInt32Ty()),
      Field(offsetof(GmprofGlobalObject, replicas), B.getInt32Ty())};
}
