//===- Sites.cu - Site numbers of device functions --------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A device function that is not inlined looks up its unit's first site number at its entry (see
// GmprofUnit).
//
//===----------------------------------------------------------------------===//

#include "Device.h"

/// Returns the first number of a translation unit's sites in this launch; GMPROF_SITE_UNKNOWN if
/// the launch does not know the unit.
GM_HOOK gmprof_u32 __gm_first_site(const GmprofUnit *Units, gmprof_u64 Id) {
#pragma unroll 1
  for (gmprof_u32 I = 0; I != GMPROF_UNITS && Units[I].id != 0; ++I)
    if (Units[I].id == Id)
      return Units[I].firstSite;
  return GMPROF_SITE_UNKNOWN;
}

/// Returns the site number of a function's site in a unit with this first number.
GM_HOOK gmprof_u32 __gm_function_site(gmprof_u32 First, gmprof_u32 FunctionSite) {
  const gmprof_u32 Most = GMPROF_SITE_UNKNOWN - GMPROF_SITE_OF_FUNCTION;
  const gmprof_u32 Number = First + FunctionSite;
  return GMPROF_SITE_OF_FUNCTION + (Number < Most ? Number : Most);
}
