//===- Sites.cpp - The accesses of a function -----------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pass/core/Sites.h"

#include "llvm/IR/GlobalVariable.h"

using namespace llvm;
using namespace gmprof;

Variable gmprof::siteVariable(const Variable &V) {
  Variable Result = V;
  if (!isa<GlobalVariable>(V.Base))
    Result.Base = nullptr;
  return Result;
}

bool gmprof::isOfCompilerTable(const Access &A, const FunctionSites &Function) {
  return A.Variable >= 0 && isTableOfCompiler(Function.Variables[A.Variable]);
}
