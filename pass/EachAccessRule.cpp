//===- EachAccessRule.cpp - Every access counts itself ------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Algorithm 1, lines 23 and 24.
//
//===----------------------------------------------------------------------===//

#include "Rules.h"

using namespace llvm;
using namespace gmprof;

GmprofRule gmprof::countEach(const Access &A, RuleContext &Context) {
  Context.Planned.addAfter(A, Context.update(A));
  return GMPROF_RULE_COUNTED;
}
