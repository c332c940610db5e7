//===- Sites.cpp - What the descriptor says of a function's accesses ------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pass/core/Sites.h"

#include "llvm/IR/GlobalVariable.h"

using namespace llvm;
using namespace gmprof;

SiteVariable gmprof::siteVariable(const Variable &V) {
  SiteVariable Result;
  static_cast<Variable &>(Result) = V;
  if (!isa<GlobalVariable>(V.Base))
    Result.Base = nullptr;
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
      bool HasPointer =
          V.Parameter >= 0 || (V.Kind == GMPROF_VARIABLE_GLOBAL && !isTableOfCompiler(V));
      if (HasPointer && !V.Root && Next != GMPROF_GLOBAL_ROOTS)
        V.Root = Next++;
    }
}
