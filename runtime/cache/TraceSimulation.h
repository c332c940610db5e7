//===- TraceSimulation.h - Simulates what a trace holds ---------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CACHE_TRACESIMULATION_H
#define GMPROF_CACHE_TRACESIMULATION_H

#include "cache/Simulator.h"
#include "cache/TraceReader.h"

namespace gmprof::cache {

/// What is known of the GPU that a trace was made on, with its own number of SMs and size of
/// L2.
Result<Architecture> architectureOf(const TraceDevice &Device);

/// Threads take SMs in turn.
Result<SimulationResults> simulateTrace(const std::string &Path, const Architecture &Gpu,
                                        const SimulationOptions &Options);

} // namespace gmprof::cache

#endif // GMPROF_CACHE_TRACESIMULATION_H
