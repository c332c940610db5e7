//===- Sites.cpp - What the descriptor says of a function's accesses ------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Sites.h"

#include "llvm/IR/DataLayout.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;
using namespace gmprof;

SiteVariable gmprof::siteVariable(const Variable &V) {
  SiteVariable Result;
  static_cast<Variable &>(Result) = V;
  Result.Base = nullptr;
  if (auto *Global = dyn_cast<GlobalVariable>(V.Base)) {
    Result.Base = Global;
    if (V.Kind == GMPROF_VARIABLE_GLOBAL || V.Kind == GMPROF_VARIABLE_CONSTANT)
      Result.Symbol = Global->getName();
  } else if (auto *Parameter = dyn_cast<Argument>(V.Base)) {
    // Of a struct that is passed by value, the variable is the struct itself.
    if (!Parameter->hasByValAttr())
      Result.Parameter = Parameter->getArgNo();
  } else if (auto *Load = dyn_cast<LoadInst>(V.Base)) {
    const DataLayout &DL = Load->getDataLayout();
    const Value *Pointer = Load->getPointerOperand();
    APInt Offset(DL.getIndexTypeSizeInBits(Pointer->getType()), 0);
    Pointer = Pointer->stripAndAccumulateConstantOffsets(DL, Offset, /*AllowNonInbounds=*/true);
    Result.Parameter = cast<Argument>(Pointer)->getArgNo();
    Result.ParameterOffset = Offset.getZExtValue();
  }
  return Result;
}

void gmprof::assignRoots(FunctionSites &Kernel) {
  unsigned Next = 0;
  for (bool OfClosedForms : {false, true})
    for (const Site &S : Kernel.Sites) {
      if (S.Variable < 0 || (S.Global.Rule == GMPROF_RULE_CLOSED_FORM) != OfClosedForms ||
          (S.Space != GMPROF_SPACE_GLOBAL && S.Space != GMPROF_SPACE_GENERIC))
        continue;
      SiteVariable &V = Kernel.Variables[S.Variable];
      bool HasPointer = V.Parameter || V.Kind == GMPROF_VARIABLE_GLOBAL;
      if (HasPointer && !V.Root && Next != GMPROF_GLOBAL_ROOTS)
        V.Root = Next++;
    }
}
