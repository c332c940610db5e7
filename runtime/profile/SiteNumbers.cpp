//===- SiteNumbers.cpp - Site numbers of requests -------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "profile/SiteNumbers.h"
#include <algorithm>
#include <map>

namespace gmprof {

uint32_t SiteNumbers::siteOf(uint32_t Number) const {
  uint32_t Site = Number;
  if (Number >= GMPROF_SITE_OF_FUNCTION) {
    const uint32_t OfFunction = Number - GMPROF_SITE_OF_FUNCTION;
    Site = OfFunction < OfFunctions.size() ? OfFunctions[OfFunction] : profile::None;
  }
  return std::min(Site, SiteCount);
}

SiteNumbers siteNumbers(const profile::Descriptor &Desc) {
  constexpr uint32_t Most = GMPROF_SITE_UNKNOWN - GMPROF_SITE_OF_FUNCTION;
  std::map<uint64_t, uint32_t> Counts; // by unit
  for (const profile::Site &S : Desc.Sites)
    if (S.FunctionSite < Most)
      Counts[S.Unit] = std::max(Counts[S.Unit], S.FunctionSite + 1);
  SiteNumbers Result;
  Result.SiteCount = static_cast<uint32_t>(Desc.Sites.size());
  std::map<uint64_t, size_t> First;
  for (const auto &[Unit, Count] : Counts) {
    const size_t Begin = Result.OfFunctions.size();
    if (First.size() == GMPROF_UNITS || Begin + Count > Most)
      break;
    Result.Units[First.size()] = {Unit, static_cast<uint32_t>(Begin), 0};
    First[Unit] = Begin;
    Result.OfFunctions.resize(Begin + Count, profile::None);
  }
  for (uint32_t I = 0; I < Desc.Sites.size(); ++I)
    if (const profile::Site &S = Desc.Sites[I]; S.FunctionSite < Most)
      if (const auto At = First.find(S.Unit); At != First.end())
        Result.OfFunctions[At->second + S.FunctionSite] = I;
  return Result;
}

} // namespace gmprof
