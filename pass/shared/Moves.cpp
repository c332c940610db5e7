//===- Moves.cpp - Moves between global and shared memory -----------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pass/shared/Moves.h"

using namespace llvm;
using namespace gmprof;

std::vector<MoveSite> gmprof::describeMoves(const LiveRanges &Ranges, FunctionSites &Kernel) {
  std::vector<MoveSite> Moves;
  auto Index = [&](int Number) {
    if (Number < 0)
      return -1;
    Variable V = siteVariable(Ranges.Variables[Number]);
    if (!V.Base && V.Parameter < 0)
      return -1;
    auto Known = find_if(Kernel.Variables, [&](const Variable &Other) {
      return Other.Base == V.Base && Other.Parameter == V.Parameter &&
             Other.ParameterOffset == V.ParameterOffset;
    });
    const auto At = static_cast<int>(Known - Kernel.Variables.begin());
    if (Known == Kernel.Variables.end())
      Kernel.Variables.push_back(std::move(V));
    return At;
  };
  for (const Move &M : Ranges.Moves)
    Moves.push_back({M.What == Move::Begin ? GMPROF_MOVE_BEGIN : GMPROF_MOVE_END, Index(M.Shared),
                     Index(M.Global), M.Bytes, sourceLocation(*M.Inst)});
  return Moves;
}
