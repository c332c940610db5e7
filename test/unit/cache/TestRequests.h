//===- TestRequests.h - Requests of every kind ------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_TEST_UNIT_CACHE_TESTREQUESTS_H
#define GMPROF_TEST_UNIT_CACHE_TESTREQUESTS_H

#include "cache/Request.h"
#include <gtest/gtest.h>
#include <vector>

namespace gmprof::cache {

/// Compares all properties that do not depend on whether a request is affine.
inline void expectSame(const Request &A, const Request &B) {
  EXPECT_EQ(A.Site, B.Site);
  EXPECT_EQ(A.Block, B.Block);
  EXPECT_EQ(A.Warp, B.Warp);
  EXPECT_EQ(A.Kind, B.Kind);
  EXPECT_EQ(A.Operator, B.Operator);
  EXPECT_EQ(A.Size, B.Size);
  EXPECT_EQ(A.Mask, B.Mask);
  EXPECT_EQ(A.Slot, B.Slot);
  for (unsigned Lane = 0; Lane < WarpLanes; ++Lane)
    if (A.Mask >> Lane & 1) {
      EXPECT_EQ(A.address(Lane), B.address(Lane)) << Lane;
    }
}

/// Makes the lanes contiguous, as in bulk copies.
inline void makeSideBySide(Request &R) {
  R.Mask = AllLanes >> std::countl_zero(R.Mask);
  R.Affine = true;
  R.RowLanes = WarpLanes;
  R.Stride = R.Size;
  R.Step = 0;
}

/// Returns requests of every kind, operator and size, with one, some and all lanes.
inline std::vector<Request> everything() {
  std::vector<Request> All;
  for (unsigned I = 0; I < 210; ++I) {
    Request R;
    R.Site = I % 3;
    R.Block = I % 5 == 0 ? (uint64_t(1) << 40) - I : I / 7;
    R.Warp = static_cast<uint16_t>(I % 32);
    R.Slot = static_cast<uint16_t>(I % 64);
    R.Kind = static_cast<AccessKind>(I % AccessKinds);
    R.Operator = static_cast<CacheOperator>(I % CacheOperators);
    R.Size = static_cast<uint8_t>(1U << I % 6);
    R.Mask = I % 4 == 0 ? AllLanes : I % 4 == 1 ? 1U << I % 32 : 0x80f00010U + I;
    for (unsigned Lane = 0; Lane < WarpLanes; ++Lane)
      R.Addresses[Lane] = 0x7f0000000000 + I % 11 * 0x1000 - (I % 2 ? Lane * 64 : Lane * Lane);
    if (I % 3)
      findStride(R);
    if (R.Affine && I % 4 == 2) {
      R.RowLanes = static_cast<uint8_t>(2U << I % 4);
      R.Step = 0x5000 - int64_t(I) * 100;
    }
    if (R.Operator == CacheOperator::Bulk)
      makeSideBySide(R);
    All.push_back(R);
  }
  return All;
}

} // namespace gmprof::cache

#endif // GMPROF_TEST_UNIT_CACHE_TESTREQUESTS_H
