//===- HeatOptions.cpp - Options of the profile of heat -------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pass/heat/HeatOptions.h"

using namespace llvm;
using namespace gmprof;

static CloneOption<bool> HeatClosedFormsOption(
    "gm-heat-closed-forms", cl::init(true),
    cl::desc("Do not note which warps make accesses that are a known function of the launch"));
static CloneOption<bool>
    HeatLoopsOption("gm-heat-loops", cl::init(true),
                    cl::desc("Note all accesses of a loop before it where they move on evenly"));

HeatOptions gmprof::heatOptions(const Options &O) {
  return {O.usesStaticAnalysis() && HeatClosedFormsOption,
          O.usesStaticAnalysis() && HeatLoopsOption};
}
