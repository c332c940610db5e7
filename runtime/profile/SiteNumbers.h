//===- SiteNumbers.h - What requests call a kernel's sites ------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The numbers by which requests say which site makes them (gmprof/abi.h, "Sites at run time").
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PROFILE_SITENUMBERS_H
#define GMPROF_PROFILE_SITENUMBERS_H

#include "gmprof/abi.h"
#include "profile/Profile.h"
#include <array>

namespace gmprof {

struct SiteNumbers {
  /// Those of functions that are not inlined, as launches are told.
  std::array<GmprofUnit, GMPROF_UNITS> Units = {};
  std::vector<uint32_t> OfFunctions; ///< by number: the site in the descriptor, or None
  uint32_t SiteCount = 0;            ///< of the descriptor

  /// The site in the descriptor that a request calls Number; SiteCount: it is not known.
  uint32_t siteOf(uint32_t Number) const;
};

SiteNumbers siteNumbers(const profile::Descriptor &Desc);

} // namespace gmprof

#endif // GMPROF_PROFILE_SITENUMBERS_H
