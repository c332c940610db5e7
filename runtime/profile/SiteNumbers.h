//===- SiteNumbers.h - Site numbers of requests -----------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Maps the site numbers that requests carry (gmprof/abi.h, "Sites at run time") to descriptor
// sites.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PROFILE_SITENUMBERS_H
#define GMPROF_PROFILE_SITENUMBERS_H

#include "gmprof/abi.h"
#include "profile/Profile.h"
#include <array>

namespace gmprof {

struct SiteNumbers {
  /// Translation units with functions that are not inlined, as passed to launches.
  std::array<GmprofUnit, GMPROF_UNITS> Units = {};
  std::vector<uint32_t> OfFunctions; ///< by number: index of the site in the descriptor, or None
  uint32_t SiteCount = 0;            ///< number of sites in the descriptor

  /// Returns the descriptor's index for a request's site number; SiteCount if it is unknown.
  uint32_t siteOf(uint32_t Number) const;
};

SiteNumbers siteNumbers(const profile::Descriptor &Desc);

} // namespace gmprof

#endif // GMPROF_PROFILE_SITENUMBERS_H
