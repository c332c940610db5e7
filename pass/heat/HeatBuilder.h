//===- HeatBuilder.h - Records which warps access which words ---*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// (cuThermo, 2025.) K__gm_heat records the requests that no closed form describes. K__gm_heat_all
// records all requests, for launches in which a closed form does not hold.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PASS_HEAT_HEATBUILDER_H
#define GMPROF_PASS_HEAT_HEATBUILDER_H

#include "pass/core/CloneBuilder.h"

namespace gmprof {

std::unique_ptr<CloneBuilder> createHeatBuilder(Instrumenter &I, const Profile &P);

} // namespace gmprof

#endif // GMPROF_PASS_HEAT_HEATBUILDER_H
