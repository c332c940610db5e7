//===- ClosedFormRule.cpp - Accesses that the launch determines -----------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Beyond GMProf's Algorithm 1: the accesses of all threads of a launch at a site are a function of
// the launch's dimensions and parameters (ClosedForms.h). The descriptor has that function, and the
// reader of the log evaluates it. Another kind of clone counts these accesses in launches in which
// the function does not hold.
//
//===----------------------------------------------------------------------===//

#include "pass/rules/Rules.h"

#include "llvm/ADT/Statistic.h"

using namespace llvm;
using namespace gmprof;

#define DEBUG_TYPE "gm-instrument"

STATISTIC(AccessesOfClosedForm, "Accesses described by a closed form");

void gmprof::describeByForm(const Access &A, const RuleContext &Context,
                            ArrayRef<Variable> Variables, CountedSite &How) {
  if (!Context.C.IsKernel || A.Space != Context.Counted)
    return;
  const char *Why = "";
  if (auto Form = Context.Forms.closedForm(A, Variables, Why)) {
    ++AccessesOfClosedForm;
    How.Rule = GMPROF_RULE_CLOSED_FORM;
    How.Form = Form->words();
  } else if (*Why) {
    How.Reason = std::string("no closed form: ") + Why;
  }
}
