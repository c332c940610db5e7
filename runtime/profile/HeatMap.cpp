//===- HeatMap.cpp - Which warps access which words -----------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "profile/HeatMap.h"
#include "profile/Profile.h"
#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

namespace gmprof::profile {

std::vector<uint32_t> heatPlaces(const Descriptor &Desc) {
  std::vector<uint32_t> Places;
  std::map<std::pair<std::string_view, unsigned>, uint32_t> Numbers;
  for (const Site &S : Desc.Sites) {
    if (S.FunctionSite != None) {
      Places.push_back(GMPROF_HEAT_PLACES - 1);
      continue;
    }
    auto It = Numbers.try_emplace({S.Source.File, S.Source.Line}, uint32_t(Numbers.size())).first;
    Places.push_back(std::min(It->second, GMPROF_HEAT_PLACES - 1));
  }
  return Places;
}

} // namespace gmprof::profile
