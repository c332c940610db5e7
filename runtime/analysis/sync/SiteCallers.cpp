//===- SiteCallers.cpp - Callers of lines with several sites --------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/sync/SiteCallers.h"
#include "analysis/LineCallers.h"
#include "analysis/ProgramSource.h"
#include <fmt/format.h>
#include <set>

namespace gmprof::analysis {

void nameCallers(std::vector<SyncSite> &Sites, const profile::Profile &P,
                 const std::vector<uint32_t> &SamePath) {
  std::set<uint32_t> Paths;
  for (const SyncSite &Site : Sites)
    Paths.insert(Site.CallPath);
  const LineCallers Callers(P, SamePath, Paths);
  for (SyncSite &Site : Sites)
    if (const profile::SourcePosition Caller = Callers.of(Site.CallPath); !Caller.File.empty())
      Site.Caller = placeText(Caller);
}

std::string callerSentence(const SyncSite &Site) {
  return Site.Caller.empty() ? "" : fmt::format(" The caller is {}.", Site.Caller);
}

} // namespace gmprof::analysis
