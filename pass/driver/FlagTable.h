//===- FlagTable.h - The flags of gmprof-clang++ ----------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One entry per flag of clang's or nvcc's spelling, with the action that translates it.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_DRIVER_FLAGTABLE_H
#define GMPROF_DRIVER_FLAGTABLE_H

#include "FlagActions.h"
#include <span>

namespace gmprof::driver {

/// Returns all flags whose translation is not themselves.
std::span<const Flag> flags();

} // namespace gmprof::driver

#endif // GMPROF_DRIVER_FLAGTABLE_H
