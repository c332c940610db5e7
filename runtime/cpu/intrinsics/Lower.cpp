//===- Lower.cpp - Lookup of the rule for an intrinsic --------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Helpers.h"
#include "Lowering.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/IR/IntrinsicInst.h"

#include <vector>

using namespace llvm;

namespace gmprof::cpu {

static const StringMap<Rule> &rules() {
  static const StringMap<Rule> Map = [] {
    StringMap<Rule> M;
    for (auto Table : {mathRules(), integerRules(), conversionRules(), atomicRules(), memoryRules(),
                       matrixRules()})
      for (const RuleEntry &Entry : Table) {
        [[maybe_unused]] bool New = M.try_emplace(Entry.Stem, Entry.Lower).second;
        assert(New && "two rules for one stem");
      }
    return M;
  }();
  return Map;
}

bool lowerComputeIntrinsic(CallInst &Call, LoweringContext &Context) {
  Intrinsic::ID ID = Call.getIntrinsicID();
  if (ID == Intrinsic::not_intrinsic)
    return false;
  StringRef Name = Intrinsic::getBaseName(ID);
  if (!Name.consume_front("llvm.nvvm."))
    return false;
  SmallVector<StringRef, 8> Parts;
  Name.split(Parts, '.');
  auto It = rules().find(Parts.front());
  if (It == rules().end())
    return false;

  IntrinsicCall S(Call, Context);
  Parts.erase(Parts.begin());
  S.Mods = Modifiers(std::move(Parts));
  if (!It->second(S) || !S.Mods.empty())
    return false;
  if (!Call.getType()->isVoidTy()) {
    S.Result->takeName(&Call);
    Call.replaceAllUsesWith(S.Result);
  }
  Call.eraseFromParent();
  return true;
}

std::span<const Helper> computeHelpers() {
  static const std::vector<Helper> All = [] {
    std::vector<Helper> V;
    for (auto Table : {mathHelpers(), atomicHelpers(), clusterHelpers(), conversionHelpers(),
                       memoryHelpers(), matrixHelpers(), textureHelpers()})
      V.insert(V.end(), Table.begin(), Table.end());
    return V;
  }();
  return All;
}

} // namespace gmprof::cpu
