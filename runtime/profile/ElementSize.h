//===- ElementSize.h - What counts of global memory are of ------*- C++ -*-===//
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

/// Binary logarithm of the size of the elements in which a kernel's accesses of global
/// memory through a variable are counted: what the smallest access and the variable's
/// type have in common, so that the fields of a structure are told apart and all parts
/// of a vector are. With the default level it is 4 bytes at least, so that counters of
/// 8 bits take no more than a quarter of the object. None: through unknown pointers.
///
/// An object that several variables point to is counted in the smallest of theirs.
unsigned elementShift(const profile::Descriptor &Desc, uint32_t Variable);

} // namespace gmprof

#endif // GMPROF_PROFILE_ELEMENTSIZE_H
