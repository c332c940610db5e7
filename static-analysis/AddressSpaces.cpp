//===- AddressSpaces.cpp - The memory that a pointer points to ------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
#include "AddressSpaces.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/PointerIntPair.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/CallingConv.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/GlobalAlias.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Operator.h"
#include "llvm/Support/NVPTXAddrSpace.h"

using namespace llvm;
using namespace gmprof;

bool gmprof::isKernel(const Function &F) { return F.getCallingConv() == CallingConv::PTX_Kernel; }

bool gmprof::isDynamicSharedMemory(const Value *V) {
  auto *Global = dyn_cast_or_null<GlobalVariable>(V);
  return Global && Global->getAddressSpace() == NVPTXAS::ADDRESS_SPACE_SHARED &&
         Global->isDeclaration() && Global->getValueType()->isSized() &&
         Global->getDataLayout().getTypeAllocSize(Global->getValueType()).isZero();
}

GmprofSpace gmprof::spaceOfAddressSpace(unsigned AddressSpace) {
  switch (AddressSpace) {
  case NVPTXAS::ADDRESS_SPACE_GLOBAL:
    return GMPROF_SPACE_GLOBAL;
  case NVPTXAS::ADDRESS_SPACE_SHARED:
    return GMPROF_SPACE_SHARED;
  case NVPTXAS::ADDRESS_SPACE_CONST:
    return GMPROF_SPACE_CONSTANT;
  case NVPTXAS::ADDRESS_SPACE_LOCAL:
    return GMPROF_SPACE_LOCAL;
  case NVPTXAS::ADDRESS_SPACE_PARAM:
    return GMPROF_SPACE_PARAM;
  case NVPTXAS::ADDRESS_SPACE_SHARED_CLUSTER:
    return GMPROF_SPACE_SHARED_CLUSTER;
  default:
    return GMPROF_SPACE_GENERIC;
  }
}

GmprofSpace gmprof::spaceOfAccess(GmprofSpace Said, const PointsTo &Memory) {
  const bool IsOwn = Said == GMPROF_SPACE_SHARED_CLUSTER && Memory.Space == GMPROF_SPACE_SHARED;
  return Said == GMPROF_SPACE_GENERIC || IsOwn ? Memory.Space : Said;
}

bool gmprof::areDisjoint(GmprofSpace A, GmprofSpace B) {
  const auto IsShared = [](GmprofSpace Space) {
    return Space == GMPROF_SPACE_SHARED || Space == GMPROF_SPACE_SHARED_CLUSTER;
  };
  return A != B && A != GMPROF_SPACE_GENERIC && B != GMPROF_SPACE_GENERIC &&
         !(IsShared(A) && IsShared(B));
}

namespace {

/// Walks from a pointer, or an integer made from one, back to its origins.
class OriginWalk {
public:
  PointsTo run(const Value *Pointer) {
    push(Pointer);
    while (!Worklist.empty()) {
      // Give up on webs of phis that are larger than in hand-written code.
      if (Visited.size() > 256)
        return {spaceOfType(Pointer->getType()), nullptr};
      Step Next = Worklist.pop_back_val();
      Known = Next.getInt();
      visit(Next.getPointer());
    }
    return Result.value_or(PointsTo{spaceOfType(Pointer->getType()), nullptr});
  }

private:
  /// A value, and the address space implied by the pointer types on the path to it.
  using Step = PointerIntPair<const Value *, 3, GmprofSpace>;
  SmallDenseSet<Step, 16> Visited;
  SmallVector<Step, 8> Worklist;
  GmprofSpace Known = GMPROF_SPACE_GENERIC;
  std::optional<PointsTo> Result;

  static GmprofSpace spaceOfType(Type *Ty) {
    return Ty->isPointerTy() ? spaceOfAddressSpace(Ty->getPointerAddressSpace())
                             : GMPROF_SPACE_GENERIC;
  }

  void push(const Value *V) {
    GmprofSpace Space = Known == GMPROF_SPACE_GENERIC ? spaceOfType(V->getType()) : Known;
    if (Visited.insert({V, Space}).second)
      Worklist.push_back({V, Space});
  }

  void origin(GmprofSpace Space, const Value *Base) {
    // A pointer type outweighs the space that its origin implies.
    if (Known != GMPROF_SPACE_GENERIC && Known != Space) {
      if (Known != GMPROF_SPACE_SHARED_CLUSTER || Space != GMPROF_SPACE_SHARED)
        Base = nullptr;
      Space = Known;
    }
    if (!Result) {
      Result = PointsTo{Space, Base};
      return;
    }
    if (Result->Space != Space)
      Result->Space = GMPROF_SPACE_GENERIC;
    if (Result->Base != Base)
      Result->Base = nullptr;
  }

  void unknown() { origin(GMPROF_SPACE_GENERIC, nullptr); }

  void visit(const Value *V) {
    // Undef is never dereferenced, nor is generic null; null in shared memory is a valid address.
    if (isa<UndefValue>(V) || (isa<ConstantPointerNull>(V) && Known == GMPROF_SPACE_GENERIC))
      return;
    if (auto *Argument = dyn_cast<llvm::Argument>(V))
      return visitArgument(*Argument);
    if (auto *Global = dyn_cast<GlobalVariable>(V))
      return origin(spaceOfAddressSpace(Global->getAddressSpace()), Global);
    if (auto *Alias = dyn_cast<GlobalAlias>(V))
      return push(Alias->getAliasee());
    if (isa<AllocaInst>(V))
      return origin(GMPROF_SPACE_LOCAL, V);
    if (auto *Load = dyn_cast<LoadInst>(V))
      return visitLoad(*Load);
    if (auto *Call = dyn_cast<CallBase>(V))
      return visitCall(*Call);
    if (auto *Extract = dyn_cast<ExtractValueInst>(V)) {
      if (Value *Inserted = FindInsertedValue(const_cast<Value *>(Extract->getAggregateOperand()),
                                              Extract->getIndices());
          Inserted && Inserted != V)
        return push(Inserted);
      return unknown();
    }
    if (auto *Extract = dyn_cast<ExtractElementInst>(V)) {
      auto *Index = dyn_cast<ConstantInt>(Extract->getIndexOperand());
      Value *Element = Index ? findScalarElement(const_cast<Value *>(Extract->getVectorOperand()),
                                                 Index->getLimitedValue())
                             : nullptr;
      return Element ? push(Element) : unknown();
    }
    if (auto *Phi = dyn_cast<PHINode>(V)) {
      for (const Value *Incoming : Phi->incoming_values())
        push(Incoming);
      return;
    }
    if (auto *Op = dyn_cast<Operator>(V))
      return visitOperator(*Op);
    unknown();
  }

  /// Pointers and integers that the host passes to a kernel can only be global addresses.
  static bool canHoldPointer(const Type &Ty) {
    return Ty.isPointerTy() ? Ty.getPointerAddressSpace() == 0 : Ty.isIntegerTy(64);
  }

  void visitArgument(const llvm::Argument &Argument) {
    bool InKernel = isKernel(*Argument.getParent());
    if (Argument.hasByValAttr())
      return origin(InKernel ? GMPROF_SPACE_PARAM : GMPROF_SPACE_LOCAL, &Argument);
    if (InKernel && canHoldPointer(*Argument.getType()))
      return origin(GMPROF_SPACE_GLOBAL, &Argument);
    if (InKernel && Argument.getType()->isPointerTy())
      return origin(spaceOfType(Argument.getType()), &Argument);
    unknown();
  }

  void visitLoad(const LoadInst &Load) {
    auto *Holder = dyn_cast<llvm::Argument>(getUnderlyingObject(Load.getPointerOperand()));
    bool FromKernelParameter = Holder && Holder->hasByValAttr() && isKernel(*Holder->getParent());
    if (FromKernelParameter && canHoldPointer(*Load.getType()) && !isWritten(*Holder))
      return origin(GMPROF_SPACE_GLOBAL, &Load);
    unknown();
  }

  /// Returns true unless all uses of a byval argument are loads, through GEPs and casts. It is the
  /// thread's own copy, and might be overwritten with any pointer.
  static bool isWritten(const Value &Pointer) {
    for (const User *U : Pointer.users()) {
      if (isa<LoadInst>(U))
        continue;
      if (auto *Copy = dyn_cast<MemTransferInst>(U); Copy && Copy->getRawDest() != &Pointer)
        continue;
      if (auto *I = dyn_cast<IntrinsicInst>(U); I && I->isAssumeLikeIntrinsic())
        continue;
      bool Derives =
          isa<GEPOperator>(U) || isa<AddrSpaceCastOperator>(U) || isa<BitCastOperator>(U);
      if (!Derives || isWritten(*U))
        return true;
    }
    return false;
  }

  void visitCall(const CallBase &Call) {
    if (Value *Returned = Call.getReturnedArgOperand())
      return push(Returned);
    if (auto *Intrinsic = dyn_cast<IntrinsicInst>(&Call)) {
      switch (Intrinsic->getIntrinsicID()) {
      case Intrinsic::launder_invariant_group:
      case Intrinsic::strip_invariant_group:
      case Intrinsic::ptrmask:
      case Intrinsic::ssa_copy:
      case Intrinsic::nvvm_internal_addrspace_wrap:
        return push(Intrinsic->getArgOperand(0));
      case Intrinsic::nvvm_mapa:
      case Intrinsic::nvvm_mapa_shared_cluster:
        return visitMapped(*Intrinsic->getArgOperand(0));
      default:
        return unknown();
      }
    }
    const Function *Callee = Call.getCalledFunction();
    if (Callee && Callee->isDeclaration() && Callee->getName() == "malloc")
      return origin(GMPROF_SPACE_GLOBAL, nullptr);
    unknown();
  }

  /// Follows a pointer that mapa translated to another block's shared memory.
  void visitMapped(const Value &Own) {
    if (Known == GMPROF_SPACE_GENERIC)
      Known = GMPROF_SPACE_SHARED_CLUSTER;
    if (Known != GMPROF_SPACE_SHARED_CLUSTER)
      return unknown();
    push(&Own);
  }

  void visitOperator(const Operator &Op) {
    switch (Op.getOpcode()) {
    case Instruction::AddrSpaceCast:
    case Instruction::GetElementPtr:
    case Instruction::BitCast:
    case Instruction::PtrToInt:
    case Instruction::PtrToAddr:
    case Instruction::IntToPtr:
    case Instruction::Freeze:
      if (Op.getType()->isVectorTy())
        return unknown();
      return push(Op.getOperand(0));
    case Instruction::Trunc:
    case Instruction::ZExt:
    case Instruction::SExt:
      return push(Op.getOperand(0));
    case Instruction::Select:
      push(Op.getOperand(1));
      push(Op.getOperand(2));
      return;
    case Instruction::Add:
    case Instruction::Or: {
      // Address plus offset; unknown if both operands could be the address.
      const Value *L = Op.getOperand(0), *R = Op.getOperand(1);
      bool LeftIsAddress = isAddressInteger(L), RightIsAddress = isAddressInteger(R);
      if (LeftIsAddress != RightIsAddress)
        return push(LeftIsAddress ? L : R);
      return unknown();
    }
    case Instruction::Sub:
    case Instruction::And:
      if (isAddressInteger(Op.getOperand(0)) && !isAddressInteger(Op.getOperand(1)))
        return push(Op.getOperand(0));
      return unknown();
    default:
      unknown();
    }
  }

  /// Returns true if V is a ptrtoint, possibly resized and with offsets added.
  static bool isAddressInteger(const Value *V, unsigned Depth = 0) {
    auto *Op = dyn_cast<Operator>(V);
    if (!Op || Depth > 6)
      return false;
    switch (Op->getOpcode()) {
    case Instruction::PtrToInt:
    case Instruction::PtrToAddr:
      return true;
    case Instruction::Trunc:
    case Instruction::ZExt:
    case Instruction::SExt:
    case Instruction::Freeze:
    case Instruction::Sub:
    case Instruction::And:
      return isAddressInteger(Op->getOperand(0), Depth + 1);
    case Instruction::Add:
    case Instruction::Or:
      return isAddressInteger(Op->getOperand(0), Depth + 1) ||
             isAddressInteger(Op->getOperand(1), Depth + 1);
    default:
      return false;
    }
  }
};

} // namespace

PointsTo gmprof::pointsTo(const Value *Pointer) { return OriginWalk().run(Pointer); }
