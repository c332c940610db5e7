//===- sites.h - Sites at run time --------------------------------*- C -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_ABI_SITES_H
#define GMPROF_ABI_SITES_H

#include "gmprof/abi/types.h"

/// Site of a request in 16 bits. A site of the kernel itself is its number in the descriptor. A
/// function that is not inlined serves many kernels with different numbers, so its site is
/// GMPROF_SITE_OF_FUNCTION plus the first number that the launch assigns to its translation unit
/// plus GmprofSiteDesc::functionSite. Sites without a number are unknown.
#define GMPROF_SITE_MASK 0xffffu
#define GMPROF_SITE_OF_FUNCTION 0x8000u
#define GMPROF_SITE_UNKNOWN 0xffffu

/// Translation unit with functions that the launch may call.
struct GmprofUnit {
  gmprof_u64 id; ///< GmprofKernelDesc::unit; 0: end of the list
  gmprof_u32 firstSite;
  gmprof_u32 reserved;
};
/// Largest number of translation units in a launch; sites of further ones are unknown.
#define GMPROF_UNITS 8u

#endif // GMPROF_ABI_SITES_H
