//===- ThreadHelpers.h - Helpers of threads and blocks ----------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CPU_ENGINE_THREADHELPERS_H
#define GMPROF_CPU_ENGINE_THREADHELPERS_H

#include "cpu/engine/Helper.h"

namespace gmprof::cpu {

/// Target of pointers to functions without a definition; a call of it is a fault.
extern "C" [[noreturn]] void gm_undefined_function(ThreadState *Thread);

/// Returns the helpers for special registers, barriers, warp operations, printf, malloc, assert and
/// trap.
std::span<const Helper> threadHelpers();

} // namespace gmprof::cpu

#endif // GMPROF_CPU_ENGINE_THREADHELPERS_H
