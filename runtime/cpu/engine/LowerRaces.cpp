//===- LowerRaces.cpp - Instrumentation for the race detector -------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Inserts a call before each access to memory that other threads can see (Races.h). Accesses by
// helpers, such as asynchronous copies, are not covered.
//
//===----------------------------------------------------------------------===//

#include "cpu/engine/Intrinsics.h"
#include "cpu/engine/Lower.h"
#include "cpu/engine/Races.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace gmprof::cpu {

/// Returns whether a pointer is to constants, parameters or local variables, which are read-only or
/// private to a thread.
static bool isOfOneThread(const Value *Pointer) {
  const unsigned Space = Pointer->getType()->getPointerAddressSpace();
  return Space == 4 || Space == 5 || Space == 101 || isa<AllocaInst>(getUnderlyingObject(Pointer));
}

std::vector<WatchedAccess> accessesToWatch(llvm::Module &M) {
  std::vector<WatchedAccess> Found;
  const auto Add = [&](Instruction &I, Value *Pointer, Value *Bytes, uint32_t Kind) {
    if (!isOfOneThread(Pointer))
      Found.push_back(
          {&I, Pointer, Bytes, I.isVolatile() || I.isAtomic() ? Kind | RaceAtomic : Kind});
  };
  const auto Size = [&](Type *T) -> Value * {
    return ConstantInt::get(Type::getInt64Ty(M.getContext()),
                            M.getDataLayout().getTypeStoreSize(T));
  };
  for (Function &F : M)
    for (Instruction &I : instructions(F)) {
      if (auto *Load = dyn_cast<LoadInst>(&I))
        Add(I, Load->getPointerOperand(), Size(Load->getType()), RaceReads);
      else if (auto *Store = dyn_cast<StoreInst>(&I))
        Add(I, Store->getPointerOperand(), Size(Store->getValueOperand()->getType()), RaceWrites);
      else if (auto *Update = dyn_cast<AtomicRMWInst>(&I))
        Add(I, Update->getPointerOperand(), Size(Update->getType()), RaceWrites);
      else if (auto *Exchange = dyn_cast<AtomicCmpXchgInst>(&I))
        Add(I, Exchange->getPointerOperand(), Size(Exchange->getNewValOperand()->getType()),
            RaceWrites);
      else if (auto *Fill = dyn_cast<MemIntrinsic>(&I))
        Add(I, Fill->getRawDest(), Fill->getLength(), RaceWrites);
      if (auto *Copy = dyn_cast<MemTransferInst>(&I))
        Add(I, Copy->getRawSource(), Copy->getLength(), RaceReads);
    }
  return Found;
}

void watchAccesses(const std::vector<WatchedAccess> &Accesses, uint32_t FirstSite,
                   std::vector<Site> &Sites, LoweringContext &Context) {
  for (const WatchedAccess &A : Accesses) {
    if (Sites.size() == SitesOfUnit)
      return;
    IRBuilder<> B(A.Access);
    Context.callHelper(B, "gm_access", B.getVoidTy(),
                       {Context.threadState(B), A.Pointer,
                        B.CreateZExtOrTrunc(A.Bytes, B.getInt64Ty()), B.getInt32(A.Kind),
                        B.getInt32(FirstSite + static_cast<uint32_t>(Sites.size()))});
    Sites.push_back(siteAt(A.Kind == RaceReads      ? "a load"
                           : !(A.Kind & RaceAtomic) ? "a store"
                           : A.Kind & RaceWrites    ? "an atomic or volatile store"
                                                    : "an atomic or volatile load",
                           *A.Access));
  }
}

} // namespace gmprof::cpu
