//===- ApiTraceBuilder.h - From a Profile to its GPU APIs -------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Builds the memory access trace of DrGPUM (ASPLOS'23, Section 5.1). Calls are ordered by their
// begin, on one clock for all threads. Allocations are ordered by their return instead: the address
// may have been released by another thread during the call, and that release has to come first.
// Calls with equal times keep the order of their records.
//
// Each launch of a graph adds an API for each node that is a GPU API. Nodes run in lanes: a node
// continues the lane of one of its predecessors or opens a new lane. Memory that a graph allocates
// is a new object in each launch.
//
// Module variables are objects without an allocating API. Host memory is allocated and released in
// NoStream. Copies of zero bytes, and copies that touch neither a known object nor the device, are
// not GPU APIs.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PROFILE_APITRACEBUILDER_H
#define GMPROF_PROFILE_APITRACEBUILDER_H

#include "profile/ApiTrace.h"

namespace gmprof {

profile::ApiTrace buildApiTrace(const profile::Profile &P);

} // namespace gmprof

#endif // GMPROF_PROFILE_APITRACEBUILDER_H
