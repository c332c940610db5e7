//===- RequestCostTest.cpp ------------------------------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "profile/RequestCost.h"
#include <bit>
#include <gtest/gtest.h>

using namespace gmprof;

namespace {

constexpr uint32_t AllLanes = ~0u;

/// Returns the pattern with lane L at L * Step bytes, relative to the first active lane.
LanePattern everyLane(int64_t Step, uint32_t Lanes = AllLanes) {
  LanePattern P;
  P.Lanes = Lanes;
  const int First = std::countr_zero(Lanes);
  for (int L = 0; L < 32; ++L)
    P.Offsets[L] = Lanes >> L & 1 ? (L - First) * Step : 0;
  return P;
}

template <typename Function> LanePattern lanesAt(Function Offset) {
  LanePattern P;
  P.Lanes = AllLanes;
  for (int L = 0; L < 32; ++L)
    P.Offsets[L] = Offset(L);
  return P;
}

/// Lanes, bytes, sectors, ideal sectors, misaligned, stride.
using Numbers = std::vector<int64_t>;
Numbers numbers(const RequestCost &C) {
  return {C.Lanes, C.Bytes, C.Transactions, C.Ideal, C.Misaligned, C.Stride};
}
Numbers inGlobal(const LanePattern &P, uint64_t Address, unsigned Bytes) {
  return numbers(costInGlobal(P, Address, Bytes));
}
/// Returns wavefronts and ideal wavefronts.
std::pair<uint32_t, uint32_t> inShared(const LanePattern &P, unsigned Bytes, uint64_t At = 0) {
  const RequestCost C = costInShared(P, At, Bytes);
  EXPECT_FALSE(C.Misaligned);
  return {C.Transactions, C.Ideal};
}
using Wavefronts = std::pair<uint32_t, uint32_t>;

} // namespace

TEST(RequestCostTest, ConsecutiveWords) {
  EXPECT_EQ(inGlobal(everyLane(4), 64, 4), (Numbers{32, 128, 4, 4, 0, 0}));
  // Ascending or descending: lane 31 is at 64.
  EXPECT_EQ(inGlobal(everyLane(-4), 188, 4), (Numbers{32, 128, 4, 4, 0, 0}));
}

TEST(RequestCostTest, ConsecutiveFromWithinASector) {
  EXPECT_EQ(inGlobal(everyLane(4), 4, 4), (Numbers{32, 128, 5, 4, 1, 0}));
  EXPECT_EQ(inGlobal(everyLane(1), 16, 1), (Numbers{32, 32, 2, 1, 1, 0}));
  EXPECT_EQ(inGlobal(everyLane(1), 32, 1), (Numbers{32, 32, 1, 1, 0, 0}));
  // 8 words from the middle of a sector; groups of four lanes share one.
  EXPECT_EQ(inGlobal(lanesAt([](int L) { return L / 4 * 4; }), 16, 4),
            (Numbers{32, 32, 2, 1, 1, 0}));
}

TEST(RequestCostTest, WideAccesses) {
  EXPECT_EQ(inGlobal(everyLane(16), 0, 16), (Numbers{32, 512, 16, 16, 0, 0}));
  EXPECT_EQ(inGlobal(everyLane(8, 0xffff), 0, 8), (Numbers{16, 128, 4, 4, 0, 0}));
}

/// Bytes 0 to 375: twelve sectors for 128 bytes.
TEST(RequestCostTest, Strided) {
  EXPECT_EQ(inGlobal(everyLane(12), 0, 4), (Numbers{32, 128, 12, 4, 0, 12}));
  EXPECT_EQ(inGlobal(everyLane(-4096), 1 << 20, 4), (Numbers{32, 128, 32, 4, 0, -4096}));
  // Only lanes 1 and 3 are active.
  EXPECT_EQ(inGlobal(everyLane(4, 0xa), 0, 4), (Numbers{2, 8, 1, 1, 0, 8}));
}

TEST(RequestCostTest, OneWordForAll) {
  EXPECT_EQ(inGlobal(everyLane(0), 100, 4), (Numbers{32, 4, 1, 1, 0, 0}));
  EXPECT_EQ(inGlobal(everyLane(4, 1u << 7), 100, 4), (Numbers{1, 4, 1, 1, 0, 0}));
}

/// Rows of 8 words, 128 bytes apart: neither strided nor misaligned.
TEST(RequestCostTest, Rows) {
  EXPECT_EQ(inGlobal(lanesAt([](int L) { return L / 8 * 128 + L % 8 * 4; }), 0, 4),
            (Numbers{32, 128, 4, 4, 0, 0}));
  // Each row is in two sectors.
  EXPECT_EQ(inGlobal(lanesAt([](int L) { return L / 8 * 128 + L % 8 * 4; }), 4, 4),
            (Numbers{32, 128, 8, 4, 0, 0}));
}

/// The hooks do not compare addresses that are this far apart.
TEST(RequestCostTest, DistantLanes) {
  const int64_t Far = int64_t(1) << 30;
  EXPECT_EQ(inGlobal(everyLane(Far, 3), 0, 4), (Numbers{2, 8, 2, 1, 0, 0}));
  EXPECT_EQ(inGlobal(everyLane(Far - 4, 3), 0, 4), (Numbers{2, 8, 2, 1, 0, Far - 4}));
}

TEST(RequestCostTest, BankConflicts) {
  EXPECT_EQ(inShared(everyLane(4), 4), (Wavefronts{1, 1}));
  EXPECT_EQ(inShared(everyLane(8), 4), (Wavefronts{2, 1}));
  EXPECT_EQ(inShared(everyLane(32 * 4), 4), (Wavefronts{32, 1}));
  EXPECT_EQ(inShared(everyLane(33 * 4), 4), (Wavefronts{1, 1}));
  EXPECT_EQ(inShared(everyLane(32 * 4, 0xff), 4), (Wavefronts{8, 1}));
  EXPECT_EQ(inShared(everyLane(8), 4, /*At=*/60), (Wavefronts{2, 1}));
}

TEST(RequestCostTest, LanesThatWantOneWordDoNotConflict) {
  EXPECT_EQ(inShared(everyLane(0), 4), (Wavefronts{1, 1}));
  EXPECT_EQ(inShared(everyLane(1), 1), (Wavefronts{1, 1}));
  // Two words of bank 0.
  EXPECT_EQ(inShared(lanesAt([](int L) { return L % 2 * 128; }), 4), (Wavefronts{2, 1}));
}

/// Wide requests are served by halves and quarters of the warp.
TEST(RequestCostTest, WideAccessesOfSharedMemory) {
  EXPECT_EQ(inShared(everyLane(8), 8), (Wavefronts{2, 2}));
  EXPECT_EQ(inShared(everyLane(16), 16), (Wavefronts{4, 4}));
  // Two of the sixteen lanes of each half conflict in a bank.
  EXPECT_EQ(inShared(everyLane(16), 8), (Wavefronts{4, 2}));
  // Paired lanes access the same word: one pass serves the whole warp.
  EXPECT_EQ(inShared(lanesAt([](int L) { return L / 2 * 8; }), 8), (Wavefronts{1, 1}));
  EXPECT_EQ(inShared(everyLane(8, 0xff), 8), (Wavefronts{1, 1}));
}

TEST(RequestCostTest, RequestsAddUp) {
  GmprofHeatSite S = {};
  add(S, costInGlobal(everyLane(12), 0, 4), 3);
  add(S, costInGlobal(everyLane(-8), 4096, 4), 1);
  add(S, costInGlobal(everyLane(4), 4, 4), 2);
  EXPECT_EQ(S.requests, 6u);
  EXPECT_EQ(S.lanes, 192u);
  EXPECT_EQ(S.bytes, 768u);
  // 3 * 12, then bytes 3848 to 4099 in 9 sectors, then 2 * 5.
  EXPECT_EQ(S.transactions, 36u + 9 + 10);
  EXPECT_EQ(S.ideal, 24u);
  EXPECT_EQ(S.misaligned, 2u);
  EXPECT_EQ(S.strided, 4u);
  EXPECT_EQ(static_cast<int64_t>(S.stride), 3 * 12 - 8);
}
