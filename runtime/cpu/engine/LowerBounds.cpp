//===- LowerBounds.cpp - Checks of accesses against their objects ---------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An access whose address is computed from a variable must be inside of it. Other accesses of
// global memory must not touch the padding behind an object (Padding.h); what is farther away is
// inaccessible anyway. Local variables, parameters and accesses by helpers, such as asynchronous
// copies, are not checked.
//
// Checks are made while variables have names, as calls with the condition as first argument.
// expandChecks makes branches of them after the steps that look at whole blocks.
//
//===----------------------------------------------------------------------===//

#include "cpu/engine/Intrinsics.h"
#include "cpu/engine/Lower.h"
#include "cpu/engine/Padding.h"
#include "profile/Mutex.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/Support/NVPTXAddrSpace.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

#include <set>

using namespace llvm;

namespace gmprof::cpu {

namespace {

/// The end of a helper's name in a call that expandChecks makes conditional.
constexpr StringLiteral ConditionalSuffix = ".if";

class BoundsChecks {
public:
  BoundsChecks(Function &F, const Image &Image, const SharedLayout &Layout,
               LoweringContext &Context)
      : F(F), From(Image), Layout(Layout), Context(Context), DL(F.getDataLayout()) {}

  void insert();

private:
  struct Access {
    Instruction *I;
    Value *Pointer;
    uint64_t Bytes;
  };

  void collect(Instruction &I);
  void add(Instruction &I, Value *Pointer, uint64_t Bytes);
  void addType(Instruction &I, Value *Pointer, Type *Type) {
    add(I, Pointer, DL.getTypeStoreSize(Type));
  }
  void checkVariable(const Access &A, GlobalVariable &V);
  void checkPadding(const Access &A);
  void failIf(Value *Outside, StringRef Helper, ArrayRef<Value *> Args, IRBuilderBase &B);

  Function &F;
  const Image &From;
  const SharedLayout &Layout;
  LoweringContext &Context;
  const DataLayout &DL;
  SmallVector<Access, 32> Accesses;
};

/// Returns the variable's name in the source, at an address that stays valid.
const char *nameInSource(const GlobalVariable &V) {
  static Mutex NamesMutex;
  static std::set<std::string> Names;
  const std::string Full = llvm::demangle(V.getName());
  const size_t Scope = Full.rfind("::");
  LockGuard Lock(NamesMutex);
  return Names.insert(Scope == std::string::npos ? Full : Full.substr(Scope + 2)).first->c_str();
}

void BoundsChecks::add(Instruction &I, Value *Pointer, uint64_t Bytes) {
  const unsigned Space = Pointer->getType()->getPointerAddressSpace();
  if (Bytes != 0 &&
      (Space == NVPTXAS::ADDRESS_SPACE_GENERIC || Space == NVPTXAS::ADDRESS_SPACE_GLOBAL ||
       Space == NVPTXAS::ADDRESS_SPACE_SHARED || Space == NVPTXAS::ADDRESS_SPACE_CONST))
    Accesses.push_back({&I, Pointer, Bytes});
}

void BoundsChecks::collect(Instruction &I) {
  const auto Length = [](const MemIntrinsic &Intrinsic) -> uint64_t {
    const auto *Constant = dyn_cast<ConstantInt>(Intrinsic.getLength());
    return Constant ? Constant->getZExtValue() : 0;
  };
  if (Value *Pointer = const_cast<Value *>(getLoadStorePointerOperand(&I)))
    addType(I, Pointer, getLoadStoreType(&I));
  else if (auto *Update = dyn_cast<AtomicRMWInst>(&I))
    addType(I, Update->getPointerOperand(), Update->getType());
  else if (auto *Exchange = dyn_cast<AtomicCmpXchgInst>(&I))
    addType(I, Exchange->getPointerOperand(), Exchange->getNewValOperand()->getType());
  else if (auto *Fill = dyn_cast<MemIntrinsic>(&I))
    add(I, Fill->getRawDest(), Length(*Fill));
  if (auto *Copy = dyn_cast<MemTransferInst>(&I))
    add(I, Copy->getRawSource(), Length(*Copy));
}

/// Calls the helper, which reports the access, if it is outside of its object.
void BoundsChecks::failIf(Value *Outside, StringRef Helper, ArrayRef<Value *> Args,
                          IRBuilderBase &B) {
  SmallVector<Value *, 8> All = {Outside, Context.threadState(B)};
  append_range(All, Args);
  Context.callHelper(B, (Helper + ConditionalSuffix).str(), B.getVoidTy(), All);
}

void BoundsChecks::checkVariable(const Access &A, GlobalVariable &V) {
  const std::string Name = V.getName().str();
  const bool IsShared = V.getAddressSpace() == NVPTXAS::ADDRESS_SPACE_SHARED;
  if (Name.starts_with("__gm_") ||
      !(IsShared ? Layout.Offsets.count(Name) : From.Addresses.count(Name)))
    return;
  // Static variables precede dynamic shared memory.
  const bool Dynamic = IsShared && Layout.Offsets.at(Name) == Layout.DynamicOffset;
  const uint64_t Size = Dynamic ? 0 : DL.getTypeAllocSize(V.getValueType()).getFixedValue();
  APInt Offset(DL.getIndexTypeSizeInBits(A.Pointer->getType()), 0);
  if (A.Pointer->stripAndAccumulateConstantOffsets(DL, Offset, true) == &V &&
      !Offset.isNegative() && Offset.getZExtValue() + A.Bytes <= Size)
    return;
  IRBuilder<> B(A.I);
  Type *I32 = B.getInt32Ty(), *I64 = B.getInt64Ty();
  // Addresses of shared memory have 32 bits.
  Value *At = B.CreateSub(B.CreatePtrToInt(A.Pointer, I64), B.CreatePtrToInt(&V, I64));
  if (IsShared)
    At = B.CreateZExt(B.CreateTrunc(At, I32), I64);
  Value *Bytes =
      Dynamic ? B.CreateZExt(Context.loadBlock(B, offsetof(BlockState, DynamicBytes), I32), I64)
              : B.getInt64(Size);
  Value *Outside = B.CreateOr(B.CreateICmpUGE(At, Bytes),
                              B.CreateICmpUGT(B.CreateAdd(At, B.getInt64(A.Bytes)), Bytes));
  failIf(Outside, "gm_outside_variable",
         {B.CreatePtrToInt(A.Pointer, I64), At, B.getInt64(A.Bytes), Bytes,
          B.getInt64(uint64_t(nameInSource(V)))},
         B);
}

void BoundsChecks::checkPadding(const Access &A) {
  IRBuilder<> B(A.I);
  Type *I8 = B.getInt8Ty(), *I64 = B.getInt64Ty();
  constexpr unsigned UnusedBits = 64 - AddressBits;
  Value *Address = B.CreatePtrToInt(A.Pointer, I64);
  Value *Last = A.Bytes == 1 ? Address : B.CreateAdd(Address, B.getInt64(A.Bytes - 1));
  Value *Entry =
      B.CreateAdd(B.CreateLShr(B.CreateShl(Last, UnusedBits), UnusedBits + PaddingUnitBits),
                  B.getInt64(paddingTable()));
  Value *Padding = B.CreateLoad(I8, B.CreateIntToPtr(Entry, B.getPtrTy()));
  failIf(B.CreateICmpUGT(Padding, B.CreateNot(B.CreateTrunc(Last, I8))), "gm_outside_allocation",
         {Address, B.getInt64(A.Bytes)}, B);
}

void BoundsChecks::insert() {
  for (Instruction &I : instructions(F))
    collect(I);
  for (const Access &A : Accesses) {
    Value *Object = getUnderlyingObject(A.Pointer, /*MaxLookup=*/0);
    if (auto *V = dyn_cast<GlobalVariable>(Object))
      checkVariable(A, *V);
    else if (!isa<AllocaInst>(Object) && paddingTable() &&
             A.Pointer->getType()->getPointerAddressSpace() <= NVPTXAS::ADDRESS_SPACE_GLOBAL)
      checkPadding(A);
  }
}

} // namespace

void checkBounds(Function &F, const Image &Image, const SharedLayout &Shared,
                 LoweringContext &Context) {
  BoundsChecks(F, Image, Shared, Context).insert();
}

void expandChecks(Function &F, LoweringContext &Context) {
  SmallVector<CallInst *, 32> Checks;
  for (Instruction &I : instructions(F))
    if (auto *Call = dyn_cast<CallInst>(&I);
        Call && Call->getCalledFunction() &&
        Call->getCalledFunction()->getName().ends_with(ConditionalSuffix))
      Checks.push_back(Call);
  for (CallInst *Check : Checks) {
    Instruction *Then = SplitBlockAndInsertIfThen(
        Check->getArgOperand(0), Check->getIterator(), /*Unreachable=*/true,
        MDBuilder(F.getContext()).createUnlikelyBranchWeights());
    IRBuilder<> B(Then);
    B.SetCurrentDebugLocation(Check->getDebugLoc());
    const SmallVector<Value *, 8> Args(drop_begin(Check->args()));
    Context.callHelper(B, Check->getCalledFunction()->getName().drop_back(ConditionalSuffix.size()),
                       B.getVoidTy(), Args);
    Check->eraseFromParent();
  }
}

} // namespace gmprof::cpu
