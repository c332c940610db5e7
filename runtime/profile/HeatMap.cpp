//===- HeatMap.cpp - Which warps access which words -----------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "profile/HeatMap.h"
#include "profile/Profile.h"
#include "profile/SiteNumbers.h"
#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

namespace gmprof::profile {

std::vector<uint32_t> heatPlaces(const Descriptor &Desc) {
  std::vector<uint32_t> Places(Desc.Sites.size(), GMPROF_HEAT_PLACES - 1);
  std::map<std::pair<std::string_view, unsigned>, uint32_t> Numbers;
  const auto Number = [&](size_t I) {
    const SourcePosition &At = Desc.Sites[I].Source;
    const auto It = Numbers.try_emplace({At.File, At.Line}, uint32_t(Numbers.size())).first;
    Places[I] = std::min(It->second, GMPROF_HEAT_PLACES - 1);
  };
  for (size_t I = 0; I < Desc.Sites.size(); ++I)
    if (Desc.Sites[I].FunctionSite == None)
      Number(I);
  for (const uint32_t I : siteNumbers(Desc).OfFunctions)
    if (I != None)
      Number(I);
  return Places;
}

} // namespace gmprof::profile
