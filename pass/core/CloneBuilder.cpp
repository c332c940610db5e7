//===- CloneBuilder.cpp - Interface of a profile's passes -----------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pass/core/CloneBuilder.h"

#include "pass/core/Instrumenter.h"

using namespace llvm;
using namespace gmprof;

bool CloneBuilder::isSelected() const { return I.O.Profiles.contains(P.Name); }

void CloneBuilder::setFunctionParameters(Clone &C, ArrayRef<Value *> Parameters) const {
  C.Counters.assign(Parameters.begin(), Parameters.end());
}

SmallVector<Value *, 5> CloneBuilder::functionArguments(const Clone &C) const {
  return SmallVector<Value *, 5>(C.Counters);
}

SmallVector<const CloneKind *, 2> CloneBuilder::kindsForOtherModules() const {
  return {&P.Kinds.front()};
}

void CloneBuilder::findFunctions() { Functions.emplace(I.M, I.FAM, *this); }

const CloneKind &CloneBuilder::kind(GmprofMode Mode) const {
  return *find_if(P.Kinds, [&](const CloneKind &Kind) { return Kind.Mode == Mode; });
}

bool CloneBuilder::hasClone(const KernelDescription &D) const {
  return any_of(P.Kinds, [&](const CloneKind &Kind) { return D.Modes & Kind.Mode; });
}
