//===- TraceRecords.h - Clones that record each request ---------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// (von Buelow et al., 2022, Section 4.1.) K__gm_cache records each request (Requests.h) of global
// and of local memory in front of the access (runtime/device/Trace.cu). The hook checks in which
// memory a generic address is.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PASS_CACHE_TRACERECORDS_H
#define GMPROF_PASS_CACHE_TRACERECORDS_H

#include "pass/requests/Requests.h"

namespace gmprof {

/// Emits the record of a request.
void emitTrace(const RequestClone &C, Hooks &H, const Request &R);

/// Emits a record that L1 is empty, behind the fence's own accesses.
void emitTraceOfFence(const Clone &C, Hooks &H, const Fence &Each);

/// Returns whether a thread's behaviour in F may depend on its warp: F shuffles, votes, or reads
/// the lane.
bool usesWarps(const llvm::Function &F);

} // namespace gmprof

#endif // GMPROF_PASS_CACHE_TRACERECORDS_H
