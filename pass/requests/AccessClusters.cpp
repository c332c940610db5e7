//===- AccessClusters.cpp - Accesses at constant distances ----------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pass/requests/AccessClusters.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace gmprof;

bool gmprof::isCopy(const Access &A) { return isa<MemIntrinsic>(A.Inst); }

std::optional<AccessShape> gmprof::shapeOf(const Access &A) {
  if ((!isa<LoadInst>(A.Inst) && !isa<StoreInst>(A.Inst) && !isCopy(A)) || A.Bytes == 0 ||
      A.Space == GMPROF_SPACE_CONSTANT || A.Space == GMPROF_SPACE_LOCAL ||
      A.Space == GMPROF_SPACE_PARAM)
    return std::nullopt;
  return AccessShape{A.Space == GMPROF_SPACE_SHARED, A.Writes};
}

namespace {

class ClusterBuilder {
public:
  ClusterBuilder(Function &F, const AccessInfo &Info, ScalarEvolution &SE)
      : F(F), Info(Info), SE(SE) {}

  std::vector<AccessCluster> build(ArrayRef<WideAccess> Predicted) {
    DenseMap<const Instruction *, SmallVector<unsigned, 2>> Numbers;
    for (auto [Number, A] : enumerate(Info.accesses()))
      Numbers[A.Inst].push_back(Number);
    /// The predicted wide access of each, and the parts' offsets.
    DenseMap<unsigned, std::pair<const WideAccess *, int64_t>> InWide;
    for (const WideAccess &W : Predicted) {
      InWide[W.Leader.Number] = {&W, W.Leader.Offset};
      for (const WidePart &P : W.Others)
        InWide[P.Number] = {&W, P.Offset};
    }
    for (const BasicBlock &BB : F) {
      size_t Begin = Clusters.size(); // of those that can get further elements
      DenseMap<const WideAccess *, std::pair<size_t, int64_t>> Known;
      for (const Instruction &I : BB) {
        if (separates(I)) {
          Begin = Clusters.size();
          Known.clear();
        }
        for (const unsigned Number : Numbers.lookup(&I)) {
          const Access &A = Info.accesses()[Number];
          const std::optional<AccessShape> Is = shapeOf(A);
          if (!Is)
            continue;
          if (Is->Stores) // loads of the same memory before it and after it stay apart
            for (size_t Each = Begin; Each < Clusters.size(); ++Each)
              if (!Clusters[Each].Is.Stores && Clusters[Each].Is.Shared == Is->Shared &&
                  mayOverlap(Clusters[Each], A))
                Clusters[Each].Block = nullptr;
          const auto Wide = InWide.find(Number);
          const WideAccess *W = Wide == InWide.end() ? nullptr : Wide->second.first;
          const auto [To, Offset] =
              placeIn(Begin, BB, A, *Is, W, W ? Wide->second.second : 0, Known);
          Clusters[To].Elements.push_back({Number, Offset, A.Bytes});
        }
      }
    }
    return std::move(Clusters);
  }

private:
  Function &F;
  const AccessInfo &Info;
  ScalarEvolution &SE;
  std::vector<AccessCluster> Clusters;

  /// Returns the address, as ptxas computes with it: modulo 2^32 in shared memory.
  const SCEV *addressOf(const Access &A, AccessShape Is) {
    const SCEV *S = SE.getSCEV(A.Pointer);
    if (!Is.Shared)
      return S;
    Type *Bits32 = Type::getInt32Ty(F.getContext());
    if (S->getType()->isPointerTy())
      S = SE.getPtrToIntExpr(S, SE.getEffectiveSCEVType(S->getType()));
    return isa<SCEVCouldNotCompute>(S) ? S : SE.getTruncateOrNoop(S, Bits32);
  }

  std::optional<int64_t> distance(const SCEV *From, const SCEV *To) {
    if (isa<SCEVCouldNotCompute>(From) || isa<SCEVCouldNotCompute>(To))
      return std::nullopt;
    const auto *Difference = dyn_cast<SCEVConstant>(SE.getMinusSCEV(To, From));
    return Difference ? std::optional(Difference->getAPInt().getSExtValue()) : std::nullopt;
  }

  /// Returns whether accesses before and after I cannot be one instruction.
  static bool separates(const Instruction &I) {
    const auto *Call = dyn_cast<CallBase>(&I);
    return (Call && !isa<DbgInfoIntrinsic>(I) && Call->mayHaveSideEffects() &&
            !isa<AssumeInst>(I)) ||
           isa<FenceInst>(I) || isa<AtomicRMWInst>(I) || isa<AtomicCmpXchgInst>(I);
  }

  /// Returns whether a store may change what a cluster loads: unless both variables are known and
  /// differ.
  bool mayOverlap(const AccessCluster &C, const Access &Store) const {
    const Access &Load = Info.accesses()[C.Elements.front().Number];
    return Load.Variable < 0 || Store.Variable < 0 || Load.Variable == Store.Variable;
  }

  /// Returns the cluster of an access, and its offset there. Makes one if there is none.
  std::pair<size_t, int64_t>
  placeIn(size_t Begin, const BasicBlock &BB, const Access &A, AccessShape Is,
          const WideAccess *Wide, int64_t InWide,
          DenseMap<const WideAccess *, std::pair<size_t, int64_t>> &Known) {
    if (Wide)
      if (const auto It = Known.find(Wide); It != Known.end())
        return {It->second.first, It->second.second + InWide};
    const SCEV *Address = addressOf(A, Is);
    const auto Found = [&](size_t Index, int64_t Offset) {
      if (Wide)
        Known[Wide] = {Index, Offset - InWide};
      return std::pair(Index, Offset);
    };
    for (size_t Each = Begin; Each < Clusters.size(); ++Each) {
      AccessCluster &C = Clusters[Each];
      if (C.Block != &BB || C.Is != Is)
        continue;
      if (const std::optional<int64_t> Offset = distance(C.Address, Address))
        return Found(Each, *Offset + A.Displacement);
    }
    Clusters.push_back({Is, &BB, Address, {}});
    return Found(Clusters.size() - 1, A.Displacement);
  }
};

} // namespace

std::vector<AccessCluster> gmprof::clustersOf(Function &F, const AccessInfo &Info,
                                              ArrayRef<WideAccess> Predicted, ScalarEvolution &SE) {
  return ClusterBuilder(F, Info, SE).build(Predicted);
}
