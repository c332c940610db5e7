//===- WideAccesses.cpp - Accesses that become one instruction ------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pass/requests/WideAccesses.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/ValueHandle.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Vectorize/LoadStoreVectorizer.h"

using namespace llvm;
using namespace gmprof;

namespace {

/// An access of a vector's elements from First on.
struct Part {
  unsigned Number = 0, First = 0;
};

class Finder {
public:
  Finder(Function &F, const AccessInfo &Info, FunctionAnalysisManager &FAM)
      : Info(Info), FAM(FAM), Copy(CloneFunction(&F, Map)) {}
  ~Finder() {
    FAM.clear(*Copy, Copy->getName());
    Copy->eraseFromParent();
  }

  SmallVector<WideAccess, 0> find() {
    follow();
    LoadStoreVectorizerPass().run(*Copy, FAM);
    findLoads();
    for (Instruction &I : instructions(*Copy))
      if (auto *Store = dyn_cast<StoreInst>(&I))
        findStores(Store->getValueOperand(), Parts[Store]);
    SmallVector<WideAccess, 0> Found;
    for (auto &[Inst, Of] : Parts)
      if (Of.size() > 1)
        Found.push_back(describe(*Inst, Of));
    return Found;
  }

private:
  const AccessInfo &Info;
  FunctionAnalysisManager &FAM;
  ValueToValueMapTy Map;
  Function *Copy;
  SmallVector<std::pair<unsigned, WeakTrackingVH>, 0> Loads;
  DenseMap<const Value *, unsigned> Stored; ///< number of the store that stores the value
  MapVector<Instruction *, SmallVector<Part, 4>> Parts;

  void follow() {
    for (auto [Number, A] : enumerate(Info.accesses())) {
      Value *Inst = Map.lookup(A.Inst);
      if (auto *Load = dyn_cast_or_null<LoadInst>(Inst)) {
        Loads.emplace_back(Number, Load);
      } else if (auto *Store = dyn_cast_or_null<StoreInst>(Inst)) {
        auto *Value = new FreezeInst(PoisonValue::get(Store->getValueOperand()->getType()), "",
                                     Copy->getEntryBlock().getFirstNonPHIIt());
        Store->setOperand(0, Value);
        Stored[Value] = Number;
      }
    }
  }

  /// Masks exclude elements that are not used, but are loaded nevertheless.
  static Instruction *vectorLoad(Value *V) {
    auto *Call = dyn_cast<IntrinsicInst>(V);
    if (Call && Call->getIntrinsicID() == Intrinsic::masked_load)
      return Call;
    return dyn_cast<LoadInst>(V);
  }

  void findLoads() {
    for (auto &[Number, Load] : Loads) {
      Value *V = Load;
      while (auto *Cast = dyn_cast_or_null<CastInst>(V))
        V = Cast->getOperand(0);
      if (auto *E = dyn_cast_or_null<ExtractElementInst>(V)) {
        if (auto *From = vectorLoad(E->getVectorOperand()))
          Parts[From].push_back(
              {Number, unsigned(cast<ConstantInt>(E->getIndexOperand())->getZExtValue())});
      } else if (auto *S = dyn_cast_or_null<ShuffleVectorInst>(V)) {
        if (auto *From = vectorLoad(S->getOperand(0)))
          Parts[From].push_back({Number, unsigned(S->getMaskValue(0))});
      }
    }
  }

  /// Vectors are put together element by element.
  void findStores(Value *Vector, SmallVectorImpl<Part> &To) {
    for (auto *I = dyn_cast<InsertElementInst>(Vector); I;
         I = dyn_cast<InsertElementInst>(I->getOperand(0))) {
      const auto *Index = dyn_cast<ConstantInt>(I->getOperand(2));
      Value *Element = I->getOperand(1);
      while (auto *Cast = dyn_cast<CastInst>(Element))
        Element = Cast->getOperand(0);
      uint64_t Skipped = 0;
      if (auto *E = dyn_cast<ExtractElementInst>(Element)) {
        Element = E->getVectorOperand();
        if (auto *Of = dyn_cast<ConstantInt>(E->getIndexOperand()))
          Skipped = Of->getZExtValue();
      }
      auto It = Stored.find(Element);
      if (It != Stored.end() && Index && Skipped == 0)
        To.push_back({It->second, unsigned(Index->getZExtValue())});
    }
  }

  WideAccess describe(const Instruction &Inst, ArrayRef<Part> Of) const {
    const auto *Masked = dyn_cast<IntrinsicInst>(&Inst);
    const bool IsLoad = Masked || isa<LoadInst>(Inst);
    const DataLayout &Layout = Inst.getDataLayout();
    Type *Vector = Masked ? Inst.getType() : getLoadStoreType(&Inst);
    const auto Instruction = [&](const Part &P) { return Info.accesses()[P.Number].Inst; };
    const Part *Leader = &Of.front();
    for (const Part &P : Of)
      if (Instruction(P)->comesBefore(Instruction(*Leader)) == IsLoad && &P != Leader)
        Leader = &P;
    const int64_t ElementBytes = Layout.getTypeStoreSize(Vector->getScalarType());
    const auto PartOf = [&](const Part &P) { return WidePart{P.Number, P.First * ElementBytes}; };
    WideAccess W;
    W.Leader = PartOf(*Leader);
    W.Bytes = Layout.getTypeStoreSize(Vector);
    W.Alignment = Masked ? Masked->getParamAlign(0).valueOrOne() : getLoadStoreAlignment(&Inst);
    for (const Part &P : Of)
      if (&P != Leader)
        W.Others.push_back(PartOf(P));
    return W;
  }
};

} // namespace

SmallVector<WideAccess, 0> gmprof::wideAccesses(Function &F, const AccessInfo &Info,
                                                FunctionAnalysisManager &FAM) {
  return Finder(F, Info, FAM).find();
}
