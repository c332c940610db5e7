//===- Kernel.h - Compiled kernel -------------------------------*- C++ -*-===//
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

namespace gmprof::cpu {

/// Kernel that is ready to run.
struct CompiledKernel {
  std::string Name;
  void (*Entry)(ThreadState *) = nullptr; ///< executes one thread
  /// Threads wait for each other and need one fiber each. Otherwise they run one after another.
  bool NeedsFibers = false;
  bool Watched = false;  ///< checked for races
  size_t StackBytes = 0; ///< per thread
  uint64_t StaticShared = 0, DynamicOffset = 0;
  size_t ParamBytes = 0;
  uint32_t FirstSite = 0; ///< see Sites.h
};

} // namespace gmprof::cpu

#endif // GMPROF_CPU_ENGINE_KERNEL_H
