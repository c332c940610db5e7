//===- ApiTraceBuilder.h - From a Profile to its GPU APIs -------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The memory access trace of DrGPUM (ASPLOS'23, Section 5.1). The order of calls is
// that of their begin, on one clock for all threads; allocations count at their
// return: what another thread released before may have the same address, and
// its release began before. Calls of the same time are in the order of their records.
//
// Each launch of a graph makes an API of each of its nodes that is one. They are in
// lanes: a node goes on in that of a node it waits for, or begins another. What a graph
// allocates is another object in each launch.
//
// Variables of modules are objects that no API allocates. Memory of the host comes
// and goes in no stream. Copies that touch neither known objects nor the device
// are no GPU APIs, and neither are those of no bytes.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PROFILE_APITRACEBUILDER_H
#define GMPROF_PROFILE_APITRACEBUILDER_H

#include "profile/ApiTrace.h"

namespace gmprof {

profile::ApiTrace buildApiTrace(const profile::Profile &P);

} // namespace gmprof

#endif // GMPROF_PROFILE_APITRACEBUILDER_H
