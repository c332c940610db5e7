//===- AccessSummaryTest.cpp ----------------------------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/builder/AccessSummary.h"
#include <gtest/gtest.h>

using namespace gmprof;
using log::AccessKnowledge;

static profile::Launch launch(uint32_t Kernel, uint32_t Set, uint64_t Times = 1) {
  profile::Launch L;
  L.Kernel = Kernel;
  L.AccessSet = Set;
  L.Times = Times;
  return L;
}

TEST(AccessSummary, AddsUpLaunches) {
  profile::Profile P;
  P.AccessSets = {{AccessKnowledge::Exact, {{7, 1, 0}, {9, 0, 1}}},
                  {AccessKnowledge::Possible, {{9, 1, 1}}},
                  {AccessKnowledge::Inferred, {{9, 1, 1}}}};
  P.Launches = {launch(0, 0), launch(0, 1, 5), launch(1, 1),
                launch(1, 2), launch(1, 1),    launch(1, profile::None)};
  std::vector<summary::Kernel> Kernels(3);
  addObjectAccesses(P, Kernels, [](uint64_t Id) { return static_cast<uint32_t>(Id + 100); });

  ASSERT_EQ(Kernels[0].object_accesses.size(), 2u);
  const summary::ObjectAccess &Most = Kernels[0].object_accesses[0];
  EXPECT_EQ(Most.object, 109u);
  EXPECT_EQ(Most.launches, 6u) << "one, and five replays of a graph's node";
  EXPECT_EQ(Most.reads, 5u);
  EXPECT_EQ(Most.writes, 6u);
  EXPECT_EQ(Most.known, "possible");
  const summary::ObjectAccess &Other = Kernels[0].object_accesses[1];
  EXPECT_EQ(Other.object, 107u);
  EXPECT_EQ(Other.reads, 1u);
  EXPECT_EQ(Other.writes, 0u);
  EXPECT_EQ(Other.known, "exact");

  ASSERT_EQ(Kernels[1].object_accesses.size(), 1u);
  EXPECT_EQ(Kernels[1].object_accesses[0].launches, 3u);
  EXPECT_EQ(Kernels[1].object_accesses[0].known, "inferred") << "what is least known counts";
  EXPECT_TRUE(Kernels[2].object_accesses.empty());
}

TEST(AccessSummary, CountsOmittedAccesses) {
  profile::Profile P;
  P.AccessSets.resize(1);
  for (uint64_t Id = 1; Id <= 103; ++Id)
    P.AccessSets[0].Accesses.push_back({Id, 1, 0});
  P.Launches = {launch(0, 0)};
  std::vector<summary::Kernel> Kernels(1);
  addObjectAccesses(P, Kernels, [](uint64_t Id) { return static_cast<uint32_t>(Id); });
  EXPECT_EQ(Kernels[0].object_accesses.size(), 100u);
  EXPECT_EQ(Kernels[0].object_accesses_omitted, 3u);
}
