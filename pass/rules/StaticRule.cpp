//===- StaticRule.cpp - Accesses counted at compile time ------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Algorithm 1, lines 7 and 8. All threads of a block execute the access equally often, a known
// number of times, at a known address: the descriptor contains the count, and the reader of the
// counts adds it.
//
//===----------------------------------------------------------------------===//

#include "pass/rules/Rules.h"

#include "llvm/ADT/Statistic.h"

using namespace llvm;
using namespace gmprof;

#define DEBUG_TYPE "gm-instrument"

STATISTIC(AccessesStatic, "Accesses counted at compile time");

std::optional<GmprofRule> gmprof::countStatically(const Access &A, RuleContext &Context) {
  if (!Context.C.IsKernel || !A.Static || A.Variable < 0 || !A.Bytes)
    return std::nullopt;
  if (A.Space != GMPROF_SPACE_SHARED || A.Predicate || A.Lanes != 32 || A.Tile)
    return std::nullopt;
  ++AccessesStatic;
  return GMPROF_RULE_STATIC;
}
