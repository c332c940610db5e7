//===- Collectives.h - Results of warp operations ------------- -*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CPU_ENGINE_COLLECTIVES_H
#define GMPROF_CPU_ENGINE_COLLECTIVES_H

#include <cstdint>

namespace gmprof::cpu {

struct Lane;

/// Sets the result of each lane of Group, a non-empty set of lanes that execute one operation
/// together. Lanes points to the warp's first lane.
void carryOut(Lane *Lanes, uint32_t Group);

} // namespace gmprof::cpu

#endif // GMPROF_CPU_ENGINE_COLLECTIVES_H
