//===- WhatIfPlanTest.cpp - Plans of gmprof whatif, as they are read ------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/WhatIfPlan.h"
#include "report/SkipPlanFile.h"
#include <gtest/gtest.h>

namespace gmprof::host {
namespace {

using analysis::SkipAs;
using Instead = WhatIfPlan::Instead;

TEST(WhatIfPlanTest, ReadsWhatIsWritten) {
  analysis::SkipPlan Written;
  Written.Depth = 32;
  Written.Reuse = true;
  Written.KernelsAccessPinned = true;
  Written.Places.resize(2);
  Written.Places[0].Api = "cudaMemcpy";
  Written.Places[0].Place = "app+1";
  Written.Places[0].Ranges = {{0, 2, SkipAs::NoCopy}, {3, 3, SkipAs::NoCopyButWait}};
  Written.Places[1].Api = "cudaFree";
  Written.Places[1].Place = "app+2";
  Written.Places[1].Ranges = {{5, 6, SkipAs::NoWait}, {8, UINT64_MAX, SkipAs::WaitLate}};
  const auto Read = parseWhatIfPlan(planJson(Written, "/tmp/result", /*Verify=*/true));
  ASSERT_TRUE(Read);
  EXPECT_EQ(Read->Depth, 32u);
  EXPECT_TRUE(Read->Reuse);
  EXPECT_TRUE(Read->Verify);
  EXPECT_FALSE(Read->KernelsAccessManaged);
  EXPECT_TRUE(Read->KernelsAccessPinned);
  EXPECT_EQ(Read->ResultPath, "/tmp/result");
  EXPECT_TRUE(Read->movesWaits());
  ASSERT_EQ(Read->Places.size(), 2u);
  EXPECT_EQ(Read->Places[0].Api, "cudaMemcpy");
  EXPECT_EQ(Read->Places[1].Key, "app+2");
  const std::vector<WhatIfPlan::Range> &Ranges = Read->Places[1].Ranges;
  ASSERT_EQ(Ranges.size(), 2u);
  EXPECT_EQ(Ranges[0].Do, Instead::NoWait);
  EXPECT_EQ(Ranges[1].First, 8u);
  EXPECT_EQ(Ranges[1].Last, UINT64_MAX);
  EXPECT_EQ(Ranges[1].Do, Instead::WaitLate);
  EXPECT_EQ(Read->Places[0].Ranges[0].Do, Instead::NoCopy);
  EXPECT_EQ(Read->Places[0].Ranges[1].Do, Instead::NoCopyButWait);
}

std::string planWith(const std::string &Depth, const std::string &Calls) {
  return R"({"depth": )" + Depth +
         R"(, "reuse": false, "verify": false, "result": "", )"
         R"("kernels_access": {"managed": false, "pinned": false}, )"
         R"("places": [{"api": "cudaFree", "place": "app+1", "calls": [)" +
         Calls + "]}]}";
}

TEST(WhatIfPlanTest, RefusesWhatIsNoPlan) {
  EXPECT_TRUE(parseWhatIfPlan(planWith("256", R"([0, 1, "no_wait"], [2, 2, "no_copy"])")));
  EXPECT_FALSE(parseWhatIfPlan(""));
  EXPECT_FALSE(parseWhatIfPlan("[]"));
  EXPECT_FALSE(parseWhatIfPlan("{}"));
  EXPECT_FALSE(parseWhatIfPlan(planWith("257", "")));
  EXPECT_FALSE(parseWhatIfPlan(planWith("-1", "")));
  EXPECT_FALSE(parseWhatIfPlan(planWith("1.5", "")));
  EXPECT_FALSE(parseWhatIfPlan(planWith("1", R"([0, 1])")));
  EXPECT_FALSE(parseWhatIfPlan(planWith("1", R"([-1, 1, "no_wait"])")));
  EXPECT_FALSE(parseWhatIfPlan(planWith("1", R"([2, 1, "no_wait"])")));
  EXPECT_FALSE(parseWhatIfPlan(planWith("1", R"([0, 1, "no_wait"], [1, 2, "no_wait"])")));
  EXPECT_FALSE(parseWhatIfPlan(planWith("1", R"([0, 1, "something_else"])")));
}

} // namespace
} // namespace gmprof::host
