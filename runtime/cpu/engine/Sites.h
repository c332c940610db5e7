//===- Sites.h - Places where threads wait for each other ----- -*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CPU_ENGINE_SITES_H
#define GMPROF_CPU_ENGINE_SITES_H

#include <cstdint>
#include <string>
#include <vector>

namespace gmprof::cpu {

/// A place where threads wait for others: a warp operation, a barrier or a
/// waiting loop. Sites of one function are numbered in program order, with the
/// blocks of a loop next to each other.
struct Site {
  std::string What;  ///< "__syncthreads()", "a warp shuffle" …
  std::string Where; ///< "file:line", or the function without debug info
};

/// At most.
constexpr uint32_t SitesOfUnit = 1 << 14;

/// Numbers are unique in the process: a kernel may call, through a pointer, a
/// function that was compiled with another. The first of a unit's numbers:
uint32_t newSites();

/// What the sites of a unit are, for messages.
void recordSites(uint32_t First, std::vector<Site> Sites);
Site siteOf(uint32_t Number);

} // namespace gmprof::cpu

#endif // GMPROF_CPU_ENGINE_SITES_H
