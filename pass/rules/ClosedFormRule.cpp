//===- ClosedFormRule.cpp - Accesses that the launch determines -----------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Beyond GMProf's Algorithm 1: what all threads of a launch access at a site is a
// function of the launch's dimensions and parameters (ClosedForms.h). The descriptor
// says which, and whoever reads the counts adds it. K__gm_global_all and
// K__gm_shared_all are for launches in which that function does not hold.
//
//===----------------------------------------------------------------------===//

#include "pass/rules/Rules.h"

using namespace llvm;
using namespace gmprof;

std::optional<ClosedForm> gmprof::describeByForm(const Access &A, const RuleContext &Context,
                                                 ArrayRef<Variable> Variables, const char *&Why) {
  const GmprofSpace Counted = Context.C.M->isGlobal() ? GMPROF_SPACE_GLOBAL : GMPROF_SPACE_SHARED;
  if (!Context.C.IsKernel || A.Space != Counted)
    return std::nullopt;
  return Context.Forms.closedForm(A, Variables, Why);
}
