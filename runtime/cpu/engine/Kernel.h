//===- Kernel.h - A kernel that is ready to run --------------- -*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CPU_ENGINE_KERNEL_H
#define GMPROF_CPU_ENGINE_KERNEL_H

#include "cpu/engine/ThreadState.h"

#include <cstddef>
#include <string>
#include <vector>

namespace gmprof::cpu {

/// A place where threads wait for others: a warp operation, a barrier or a
/// waiting loop. Sites of one function are numbered in program order, with the
/// blocks of a loop next to each other.
struct Site {
  std::string What;  ///< "__syncthreads()", "__shfl_sync()" …
  std::string Where; ///< "file:line", or the function without debug info
};

struct CompiledKernel {
  std::string Name;
  void (*Entry)(ThreadState *) = nullptr; ///< executes one thread
  /// Threads wait for each other: one fiber each. Otherwise they run one after
  /// another.
  bool NeedsFibers = false;
  size_t StackBytes = 0; ///< of each thread
  uint64_t StaticShared = 0, DynamicOffset = 0;
  size_t ParamBytes = 0;
  std::vector<Site> Sites;
};

} // namespace gmprof::cpu

#endif // GMPROF_CPU_ENGINE_KERNEL_H
