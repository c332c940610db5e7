//===- TraceRecords.h - Clones that record each request ---------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// (von Buelow et al., 2022, Section 4.1.) K__gm_cache records each access of global and of local
// memory in front of it (runtime/device/Trace.cu), as the accesses that hardware makes of it, which
// are found as those of K__gm_heat_all are (HeatNotes.h). Whether a generic address is one or the
// other is asked for there.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PASS_CACHE_TRACERECORDS_H
#define GMPROF_PASS_CACHE_TRACERECORDS_H

#include "pass/heat/HeatNotes.h"

namespace gmprof {

void emitTrace(const Clone &C, Hooks &H, const HeatNote &N);

/// That L1 has nothing still, behind what the fence itself accesses.
void emitTraceOfFence(const Clone &C, Hooks &H, const Fence &Each);

/// Whether what a thread does in F may depend on its warp: it shuffles, votes, or asks for its
/// lane.
bool usesWarps(const llvm::Function &F);

} // namespace gmprof

#endif // GMPROF_PASS_CACHE_TRACERECORDS_H
