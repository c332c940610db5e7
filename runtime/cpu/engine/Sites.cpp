//===- Sites.cpp - Sites at which threads wait for each other -------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cpu/engine/Sites.h"
#include "profile/Mutex.h"

#include <atomic>
#include <map>

namespace gmprof::cpu {

namespace {

struct Table {
  gmprof::Mutex Mutex;
  std::map<uint32_t, std::vector<Site>> Units GMPROF_GUARDED_BY(Mutex); ///< by first number
};

Table &table() {
  static auto *TheTable = new Table; // launches may outlive static objects
  return *TheTable;
}

} // namespace

uint32_t newSites() {
  static std::atomic<uint32_t> Next{0};
  return Next.fetch_add(SitesOfUnit);
}

void recordSites(uint32_t First, std::vector<Site> Sites) {
  Table &T = table();
  LockGuard Lock(T.Mutex);
  T.Units[First] = std::move(Sites);
}

Site siteOf(uint32_t Number) {
  Table &T = table();
  LockGuard Lock(T.Mutex);
  auto After = T.Units.upper_bound(Number);
  if (After != T.Units.begin()) {
    const auto &[First, Sites] = *std::prev(After);
    if (Number - First < Sites.size())
      return Sites[Number - First];
  }
  return {"an operation of several threads", "an unknown place"};
}

} // namespace gmprof::cpu
