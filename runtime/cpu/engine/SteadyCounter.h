//===- SteadyCounter.h - A counter that never goes back ---------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Counters of processors may differ, and a thread may go on on another one. What %clock64 says is
// later each time all the same, as it is on an SM: traces are ordered by it.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CPU_ENGINE_STEADYCOUNTER_H
#define GMPROF_CPU_ENGINE_STEADYCOUNTER_H

#include <algorithm>
#include <cstdint>

namespace gmprof::cpu {

/// Of one thread.
class SteadyCounter {
  uint64_t Last = 0;

public:
  /// Now: of the processor that the thread is on.
  uint64_t read(uint64_t Now) { return Last = std::max(Last + 1, Now); }
};

} // namespace gmprof::cpu

#endif // GMPROF_CPU_ENGINE_STEADYCOUNTER_H
