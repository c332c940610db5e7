//===- SplitCopies.cpp - Copies of vectors in several parts ---------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/heat/SplitCopies.h"
#include "analysis/Wording.h"
#include <fmt/format.h>

namespace gmprof::analysis {

std::optional<SplitCopy> splitCopy(const HeatAccess &A) {
  const unsigned PartBytes = A.splitBytes();
  if ((A.Kind != GMPROF_ACCESS_COPY_FROM && A.Kind != GMPROF_ACCESS_COPY_TO) ||
      (A.Bytes != 8 && A.Bytes != 16) || PartBytes == 0)
    return std::nullopt;
  return SplitCopy{A.Bytes, PartBytes};
}

std::optional<SplitCopy> splitCopy(const LaunchHeat &L, const std::vector<uint32_t> &Accesses) {
  std::optional<SplitCopy> Found;
  for (uint32_t I : Accesses) {
    const std::optional<SplitCopy> Each = splitCopy(L.Accesses[I]);
    if (!Each || (Found && *Found != *Each))
      return std::nullopt;
    Found = Each;
  }
  return Found;
}

std::string SplitCopy::sentence() const {
  return fmt::format(" clang splits this copy of {} bytes into {} accesses of {}; nvcc makes one.",
                     Bytes, Bytes / PartBytes, plural(PartBytes, "byte"));
}

std::string SplitCopy::suggestion() const {
  return fmt::format(
      "Copy the members one by one instead of the whole structure (float4: make_float4(v.x, v.y, "
      "v.z, v.w)), provided that its type is aligned to {0} bytes: clang then makes one access of "
      "{0} bytes.",
      Bytes);
}

} // namespace gmprof::analysis
