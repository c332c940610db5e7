//===- CounterKind.h - Maps access kinds to counters ------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PROFILE_COUNTERKIND_H
#define GMPROF_PROFILE_COUNTERKIND_H

#include "gmprof/abi.h"
#include <optional>

namespace gmprof {

/// Returns nothing for GMPROF_ACCESS_MATRIX, which may be a read or a write.
inline std::optional<GmprofCounterKind> counterKind(GmprofAccessKind K) {
  switch (K) {
  case GMPROF_ACCESS_LOAD:
  case GMPROF_ACCESS_COPY_FROM:
  case GMPROF_ACCESS_ASYNC_FROM:
    return GMPROF_COUNTER_READS;
  case GMPROF_ACCESS_STORE:
  case GMPROF_ACCESS_COPY_TO:
  case GMPROF_ACCESS_ASYNC_TO:
    return GMPROF_COUNTER_WRITES;
  case GMPROF_ACCESS_ATOMIC:
  case GMPROF_ACCESS_BARRIER:
    return GMPROF_COUNTER_ATOMICS;
  case GMPROF_ACCESS_MATRIX:
    break;
  }
  return std::nullopt;
}

} // namespace gmprof

#endif // GMPROF_PROFILE_COUNTERKIND_H
