//===- ElementSize.h - Element size for counts ------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PROFILE_ELEMENTSIZE_H
#define GMPROF_PROFILE_ELEMENTSIZE_H

#include "profile/Profile.h"
#include <cstdint>

namespace gmprof {

/// Returns the binary logarithm of the element size for counting a kernel's accesses to global
/// memory through a variable: the largest power of two that divides all access sizes and the
/// variable's element size, so that structure fields and vector components are distinguished. With
/// the default level it is at least 4 bytes, so that 8-bit counters take at most a quarter of the
/// object. None: accesses through unknown pointers.
///
/// If several variables point to an object, the smallest of their sizes applies.
unsigned elementShift(const profile::Descriptor &Desc, uint32_t Variable);

} // namespace gmprof

#endif // GMPROF_PROFILE_ELEMENTSIZE_H
