//===- WhatIfPlanTest.cpp - Plans of gmprof whatif, as they are read ------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/sync/WhatIfPlan.h"
#include <gtest/gtest.h>

namespace gmprof::host {
namespace {

using Instead = WhatIfPlan::Instead;

TEST(WhatIfPlanTest, ReadsItsOutput) {
  WhatIfPlan Written;
  Written.Depth = 32;
  Written.Reuse = true;
  Written.Verify = true;
  Written.KernelsAccessPinned = true;
  Written.ResultPath = "/tmp/a \"result\"\n\\";
  Written.Places.resize(2);
  Written.Places[0].Api = "cudaMemcpy";
  Written.Places[0].Key = "|/a folder/app+1||";
  Written.Places[0].Ranges = {{0, 2, Instead::NoCopy}, {3, 3, Instead::NoCopyButWait}};
  Written.Places[1].Api = "cudaFree";
  Written.Places[1].Ranges = {{5, 6, Instead::NoWait}, {8, UINT64_MAX, Instead::WaitLate}};
  const auto Read = parseWhatIfPlan(formatWhatIfPlan(Written));
  ASSERT_TRUE(Read);
  EXPECT_EQ(Read->Depth, 32u);
  EXPECT_TRUE(Read->Reuse);
  EXPECT_TRUE(Read->Verify);
  EXPECT_FALSE(Read->KernelsAccessManaged);
  EXPECT_TRUE(Read->KernelsAccessPinned);
  EXPECT_EQ(Read->ResultPath, Written.ResultPath);
  EXPECT_TRUE(Read->movesWaits());
  ASSERT_EQ(Read->Places.size(), 2u);
  EXPECT_EQ(Read->Places[0].Api, "cudaMemcpy");
  EXPECT_EQ(Read->Places[0].Key, Written.Places[0].Key);
  EXPECT_EQ(Read->Places[1].Key, "");
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
  return "depth " + Depth +
         "\nreuse 0\nverify 0\nkernels_access 0 0\nresult \"\"\nplace \"cudaFree\" \"app+1\"\n" +
         Calls + "end\n";
}

TEST(WhatIfPlanTest, RefusesOtherText) {
  const std::string Valid = planWith("256", "calls 0 1 no_wait\ncalls 2 2 no_copy\n");
  EXPECT_TRUE(parseWhatIfPlan(Valid));
  EXPECT_FALSE(parseWhatIfPlan(""));
  EXPECT_FALSE(parseWhatIfPlan("end"));
  EXPECT_FALSE(parseWhatIfPlan(Valid + "end"));
  EXPECT_FALSE(parseWhatIfPlan(Valid.substr(0, Valid.size() - 4))) << "has no end";
  EXPECT_FALSE(parseWhatIfPlan(planWith("257", "")));
  EXPECT_FALSE(parseWhatIfPlan(planWith("-1", "")));
  EXPECT_FALSE(parseWhatIfPlan(planWith("1.5", "")));
  EXPECT_FALSE(parseWhatIfPlan(planWith("1", "calls 0 1\n")));
  EXPECT_FALSE(parseWhatIfPlan(planWith("1", "calls -1 1 no_wait\n")));
  EXPECT_FALSE(parseWhatIfPlan(planWith("1", "calls 2 1 no_wait\n")));
  EXPECT_FALSE(parseWhatIfPlan(planWith("1", "calls 0 1 no_wait\ncalls 1 2 no_wait\n")));
  EXPECT_FALSE(parseWhatIfPlan(planWith("1", "calls 0 1 something_else\n")));
  EXPECT_FALSE(parseWhatIfPlan(planWith("1", "place cudaFree \"app\"\n"))) << "is not quoted";
  EXPECT_FALSE(parseWhatIfPlan(planWith("1", "place \"cudaFree\" \"app\n"))) << "quote is open";
  EXPECT_FALSE(parseWhatIfPlan("depth 1 reuse 0 verify 2 kernels_access 0 0 result \"\" end"))
      << "is no boolean";
  EXPECT_FALSE(parseWhatIfPlan(
      "depth 1 reuse 0 verify 0 kernels_access 0 0 result \"\" calls 0 1 no_wait end"))
      << "has no place";
}

} // namespace
} // namespace gmprof::host
