//===- SumByKey.h - Sums values with equal keys -----------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PROFILE_SUMBYKEY_H
#define GMPROF_PROFILE_SUMBYKEY_H

#include <algorithm>
#include <utility>
#include <vector>

namespace gmprof {

/// Sorts the pairs, and merges those with equal keys by adding their values.
template <typename Key, typename Value> void sumByKey(std::vector<std::pair<Key, Value>> &All) {
  std::sort(All.begin(), All.end());
  size_t Count = 0;
  for (const auto &Each : All)
    if (Count != 0 && All[Count - 1].first == Each.first)
      All[Count - 1].second += Each.second;
    else
      All[Count++] = Each;
  All.resize(Count);
}

} // namespace gmprof

#endif // GMPROF_PROFILE_SUMBYKEY_H
