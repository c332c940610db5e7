//===- Sites.h - Sites at which threads wait for each other -----*- C++ -*-===//
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

/// Place where threads wait for others: a warp operation, a barrier or a waiting loop. Sites of one
/// function are numbered in program order, with the blocks of a loop contiguous.
struct Site {
  std::string What;  ///< "__syncthreads()", "a warp shuffle" …
  std::string Where; ///< "file:line", or the function without debug info
};

/// Maximum number of sites in a unit.
constexpr uint32_t SitesOfUnit = 1 << 14;

/// Reserves site numbers for a unit and returns the first. Numbers are unique in the process,
/// because a kernel may call, through a pointer, a function compiled in another unit.
uint32_t newSites();

/// Registers the sites of a unit, for messages.
void recordSites(uint32_t First, std::vector<Site> Sites);
Site siteOf(uint32_t Number);

} // namespace gmprof::cpu

#endif // GMPROF_CPU_ENGINE_SITES_H
