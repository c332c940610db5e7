//===- LaunchParameter.cpp - The clones' launch parameters in IR ----------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pass/core/LaunchParameter.h"

#include "gmprof/abi.h"
#include "llvm/IR/IRBuilder.h"
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

// Two addresses, two numbers, then objects: five addresses and two numbers each.
static_assert(offsetof(GmprofGlobalLaunch, totals) == 8 &&
              offsetof(GmprofGlobalLaunch, objectCount) == 16 &&
              offsetof(GmprofGlobalLaunch, blockSample) == 20 &&
              offsetof(GmprofGlobalLaunch, roots) == 24 && sizeof(GmprofGlobalObject) == 48 &&
              offsetof(GmprofGlobalObject, elementShift) == 40 &&
              offsetof(GmprofGlobalObject, replicas) == 44 &&
              offsetof(GmprofGlobalObject, replicaShift) == 46);

// Two addresses, four numbers.
static_assert(offsetof(GmprofObjectsLaunch, hits) == 8 &&
              offsetof(GmprofObjectsLaunch, objectCount) == 16 &&
              offsetof(GmprofObjectsLaunch, objectHits) == 20 &&
              offsetof(GmprofObjectsLaunch, replicas) == 24 &&
              offsetof(GmprofObjectsLaunch, replicaShift) == 28 &&
              sizeof(GmprofObjectsLaunch) == 32);

// Four 64-bit numbers.
static_assert(offsetof(GmprofHeatLaunch, context) == 0 && offsetof(GmprofHeatLaunch, first) == 8 &&
              offsetof(GmprofHeatLaunch, end) == 16 && offsetof(GmprofHeatLaunch, step) == 24 &&
              sizeof(GmprofHeatLaunch) == 32);

static_assert(offsetof(GmprofTraceLaunch, context) == 0 &&
              offsetof(GmprofTraceLaunch, first) == 8 && offsetof(GmprofTraceLaunch, end) == 16 &&
              offsetof(GmprofTraceLaunch, step) == 24 &&
              offsetof(GmprofTraceLaunch, smStep) == 32 && sizeof(GmprofTraceLaunch) == 40);

StructType *gmprof::launchType(LLVMContext &Context) {
  if (StructType *Known = StructType::getTypeByName(Context, "struct.GmprofSharedLaunch"))
    return Known;
  Type *Address = Type::getInt64Ty(Context), *Number = Type::getInt32Ty(Context);
  return StructType::create({Address, Address, Address, Address, Number, Number, Number, Number,
                             Number, Number, Address, Address, Number, Number, Number, Number},
                            "struct.GmprofSharedLaunch");
}

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

StructType *gmprof::objectsLaunchType(LLVMContext &Context) {
  if (StructType *Known = StructType::getTypeByName(Context, "struct.GmprofObjectsLaunch"))
    return Known;
  Type *Address = Type::getInt64Ty(Context), *Number = Type::getInt32Ty(Context);
  return StructType::create({Address, Address, Number, Number, Number, Number},
                            "struct.GmprofObjectsLaunch");
}

StructType *gmprof::heatLaunchType(LLVMContext &Context) {
  if (StructType *Known = StructType::getTypeByName(Context, "struct.GmprofHeatLaunch"))
    return Known;
  Type *Number = Type::getInt64Ty(Context);
  return StructType::create({Number, Number, Number, Number}, "struct.GmprofHeatLaunch");
}

StructType *gmprof::traceLaunchType(LLVMContext &Context) {
  if (StructType *Known = StructType::getTypeByName(Context, "struct.GmprofTraceLaunch"))
    return Known;
  Type *Number = Type::getInt64Ty(Context);
  return StructType::create({Number, Number, Number, Number, Number}, "struct.GmprofTraceLaunch");
}

static Value *loadField(IRBuilderBase &B, StructType *Type, Value *Launch, unsigned Index) {
  return B.CreateLoad(Type->getElementType(Index), B.CreateStructGEP(Type, Launch, Index));
}

Value *gmprof::launchField(IRBuilderBase &B, Value *Launch, LaunchField Field) {
  return loadField(B, launchType(B.getContext()), Launch, static_cast<unsigned>(Field));
}

Value *gmprof::launchField(IRBuilderBase &B, Value *Launch, GlobalLaunchField Field) {
  return loadField(B, globalLaunchType(B.getContext()), Launch, static_cast<unsigned>(Field));
}

Value *gmprof::launchField(IRBuilderBase &B, Value *Launch, ObjectsLaunchField Field) {
  return loadField(B, objectsLaunchType(B.getContext()), Launch, static_cast<unsigned>(Field));
}

Value *gmprof::launchField(IRBuilderBase &B, Value *Launch, HeatLaunchField Field) {
  return loadField(B, heatLaunchType(B.getContext()), Launch, static_cast<unsigned>(Field));
}

Value *gmprof::launchField(IRBuilderBase &B, Value *Launch, TraceLaunchField Field) {
  return loadField(B, traceLaunchType(B.getContext()), Launch, static_cast<unsigned>(Field));
}

Value *gmprof::launchRoot(IRBuilderBase &B, Value *Launch, unsigned Root) {
  Value *Path[] = {B.getInt32(0), B.getInt32(static_cast<unsigned>(GlobalLaunchField::roots)),
                   B.getInt32(Root)};
  return B.CreateInBoundsGEP(globalLaunchType(B.getContext()), Launch, Path);
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
