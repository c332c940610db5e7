//===- Workers.h - Worker threads -------------------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// These are not the threads of profile/Workers.h, which has one owner, joins its threads and blocks
// all signals: here several host threads launch at a time, the process ends without waiting for
// kernels, and a fault in a kernel reaches the device's handler.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CPU_ENGINE_WORKERS_H
#define GMPROF_CPU_ENGINE_WORKERS_H

#include <cstdint>

namespace gmprof::cpu {

class Launch;

/// Returns the number of threads that run blocks: one per core, or GMPROF_CPU_THREADS.
unsigned numWorkers();

/// Calls L.work() in this thread and in up to numWorkers() - 1 others, at most MaxWorkers in all;
/// returns when all have returned.
void runOnWorkers(Launch &L, uint64_t MaxWorkers);

} // namespace gmprof::cpu

#endif // GMPROF_CPU_ENGINE_WORKERS_H
