//===- ApiTraceParts.h - Parts of an API trace that tests compare *- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_TEST_UNIT_PROFILE_APITRACEPARTS_H
#define GMPROF_TEST_UNIT_PROFILE_APITRACEPARTS_H

#include "profile/ApiTraceBuilder.h"
#include <string>
#include <tuple>
#include <vector>

namespace gmprof::test {

/// Returns the names of the APIs in order.
inline std::vector<std::string> names(const profile::ApiTrace &T) {
  std::vector<std::string> Names;
  for (const profile::Api &A : T.Apis)
    Names.push_back(A.Name);
  return Names;
}

/// Object, whether it is read and written, offset and bytes.
using Access = std::tuple<uint32_t, bool, bool, uint64_t, uint64_t>;

inline std::vector<Access> accesses(const profile::Api &A) {
  std::vector<Access> All;
  for (const profile::ApiAccess &Each : A.Accesses)
    All.emplace_back(Each.Object, Each.Reads, Each.Writes, Each.Offset, Each.Bytes);
  return All;
}

using Names = std::vector<std::string>;
using Accesses = std::vector<Access>;

} // namespace gmprof::test

#endif // GMPROF_TEST_UNIT_PROFILE_APITRACEPARTS_H
