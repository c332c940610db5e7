//===- AtomicContentionTest.cpp -------------------------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/global/AtomicContention.h"
#include "HandMadeGlobal.h"
#include <gtest/gtest.h>

using namespace gmprof;
using namespace gmprof::analysis;
using namespace gmprof::test;

namespace {

/// Returns findings for a kernel's atomics on one object, by 4 blocks, in addition to Reads of
/// another.
std::vector<Finding> contention(const std::vector<uint64_t> &Atomics, bool Reduction,
                                uint64_t Reads = 0) {
  HandMadeGlobal H;
  const uint32_t Counter = H.variable("counter"), In = H.variable("in");
  H.desc().Sites[H.site(Counter, GMPROF_ACCESS_ATOMIC, 11)].Reduction = Reduction;
  H.site(In, GMPROF_ACCESS_LOAD, 12);
  const uint64_t O = H.object("", Atomics.size() * 4), Other = H.object("", 4);
  H.launches(1, 4, 256, {O, Other});
  H.counts(O, GMPROF_COUNTER_ATOMICS, Atomics);
  if (Reads != 0)
    H.counts(Other, GMPROF_COUNTER_READS, {Reads});
  return atomicContention(H.P, globalMemoryUse(H.P));
}

} // namespace

TEST(AtomicContention, CounterWhoseValuesAreUsed) {
  const std::vector<Finding> All = contention({512}, false, 512);
  ASSERT_EQ(All.size(), 1u);
  EXPECT_EQ(All[0].Pattern, "atomic_contention");
  EXPECT_EQ(All[0].Object, "counter");
  EXPECT_EQ(All[0].Source.Line, 11u);
  EXPECT_EQ(All[0].Level, Severity::Medium);
  EXPECT_EQ(All[0].Evidence.at(0),
            std::pair(std::string("atomics"), Finding::Value(uint64_t(512))));
  EXPECT_EQ(All[0].Message, "512 atomics update 1 element of `counter`, 128 per "
                            "block and element, one after the other.");
  EXPECT_NE(All[0].Suggestion.find("provided that the program does not depend on which thread gets "
                                   "which value"),
            std::string::npos);
  // A fifth of the accesses.
  EXPECT_EQ(contention({512}, false, 2048).at(0).Level, Severity::Low);
}

TEST(AtomicContention, InnocentNeighbours) {
  EXPECT_TRUE(contention({512}, true).empty());                            // only accumulated
  EXPECT_TRUE(contention(std::vector<uint64_t>(64, 124), false).empty());  // 31 per block
  EXPECT_EQ(contention(std::vector<uint64_t>(64, 128), false).size(), 1u); // 32
  EXPECT_TRUE(contention({512}, false, 512 * 20).empty());                 // 4.8 %
}
