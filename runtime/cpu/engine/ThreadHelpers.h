//===- ThreadHelpers.h - What lowered code calls -------------- -*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CPU_ENGINE_THREADHELPERS_H
#define GMPROF_CPU_ENGINE_THREADHELPERS_H

#include "cpu/engine/Helper.h"

namespace gmprof::cpu {

/// What pointers to functions without a definition point to: calling it is a fault.
extern "C" [[noreturn]] void gm_undefined_function(ThreadState *Thread);

/// Special registers, barriers, warp operations, printf, malloc, assert, trap.
std::span<const Helper> threadHelpers();

} // namespace gmprof::cpu

#endif // GMPROF_CPU_ENGINE_THREADHELPERS_H
