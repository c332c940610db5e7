//===- SharedRegions.cpp - Arrays in shared memory ------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/shared/SharedRegions.h"
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace gmprof::analysis {

using namespace profile;

/// Upper bound of shared memory per block on any GPU; limits what a descriptor can request.
static constexpr uint64_t MaxSharedBytes = 1 << 20;

std::vector<SharedRegion> sharedRegions(const Descriptor &Desc, const SharedAddresses &Addresses) {
  std::vector<SharedRegion> Regions;
  std::vector<uint32_t> Dynamic;
  uint32_t DynamicBegin = Addresses.Dynamic;
  for (uint32_t V = 0; V < Desc.Variables.size(); ++V) {
    const Variable &Var = Desc.Variables[V];
    const uint32_t Address = Addresses.OfVariables[V];
    if (Var.Kind == GMPROF_VARIABLE_SHARED && Address != None && Address >= Addresses.First &&
        Var.Bytes != 0 && Var.Bytes <= MaxSharedBytes)
      Regions.push_back({false, {V}, Address, Var.Bytes});
    if (Var.Kind != GMPROF_VARIABLE_SHARED_DYNAMIC)
      continue;
    if (Address != None)
      DynamicBegin = Dynamic.empty() ? Address : std::min(DynamicBegin, Address);
    Dynamic.push_back(V);
  }
  const uint64_t DynamicEnd = uint64_t(Addresses.Dynamic) + Addresses.DynamicBytes;
  if (Addresses.DynamicBytes != 0 && Addresses.DynamicBytes <= MaxSharedBytes &&
      DynamicBegin >= Addresses.First && DynamicBegin < DynamicEnd)
    Regions.push_back({true, Dynamic, DynamicBegin, DynamicEnd - DynamicBegin});
  return Regions;
}

std::string regionName(const Descriptor &Desc, const std::vector<uint32_t> &Variables) {
  std::vector<std::string> Names;
  for (uint32_t V : Variables)
    if (std::find(Names.begin(), Names.end(), Desc.Variables[V].Name) == Names.end())
      Names.push_back(Desc.Variables[V].Name);
  return Names.empty() ? "(dynamic shared memory)" : fmt::format("{}", fmt::join(Names, ", "));
}

} // namespace gmprof::analysis
