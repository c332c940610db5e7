//===- IdIndex.h - Maps record ids to indices -------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ids are 1, 2, … roughly in the order of their records, so a vector maps them compactly. A map
// holds ids that are far ahead, which only occur in damaged logs.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PROFILE_IDINDEX_H
#define GMPROF_PROFILE_IDINDEX_H

#include "profile/Profile.h"
#include <unordered_map>
#include <vector>

namespace gmprof {

class IdIndex {
public:
  /// Returns None if the id is unknown.
  uint32_t find(uint64_t Id) const {
    if (Id < Near.size())
      return Near[Id];
    auto It = Far.find(Id);
    return It == Far.end() ? profile::None : It->second;
  }
  bool contains(uint64_t Id) const { return find(Id) != profile::None; }

  void add(uint64_t Id, uint32_t Index) {
    // Threads write records out of order by far less than this.
    constexpr uint64_t Ahead = 1 << 16;
    if (Id >= Near.size() + Ahead) {
      Far[Id] = Index;
      return;
    }
    while (Id >= Near.size()) {
      auto Early = Far.extract(Near.size());
      Near.push_back(Early ? Early.mapped() : profile::None);
    }
    Near[Id] = Index;
  }

private:
  std::vector<uint32_t> Near; ///< by id
  std::unordered_map<uint64_t, uint32_t> Far;
};

} // namespace gmprof

#endif // GMPROF_PROFILE_IDINDEX_H
