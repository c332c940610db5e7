//===- SteadyCounter.h - Strictly increasing counter ------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Counters of processors may differ, and a thread may migrate. %clock64 nevertheless increases with
// each read, as on an SM: traces are ordered by it.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CPU_ENGINE_STEADYCOUNTER_H
#define GMPROF_CPU_ENGINE_STEADYCOUNTER_H

#include <algorithm>
#include <cstdint>

namespace gmprof::cpu {

/// Counter of one thread.
class SteadyCounter {
  uint64_t Last = 0;

public:
  /// Returns a value larger than all before. Now: counter of the current processor.
  uint64_t read(uint64_t Now) { return Last = std::max(Last + 1, Now); }
};

} // namespace gmprof::cpu

#endif // GMPROF_CPU_ENGINE_STEADYCOUNTER_H
