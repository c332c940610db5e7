//===- WordingTest.cpp ----------------------------------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/Wording.h"
#include <gtest/gtest.h>

using namespace gmprof;

TEST(Wording, Bytes) {
  EXPECT_EQ(bytesText(0), "0 bytes");
  EXPECT_EQ(bytesText(1), "1 byte");
  EXPECT_EQ(bytesText(1023), "1023 bytes");
  EXPECT_EQ(bytesText(1024), "1 KiB");
  EXPECT_EQ(bytesText(1536), "1.5 KiB");
  EXPECT_EQ(bytesText(532'512), "520 KiB");
  EXPECT_EQ(bytesText(1'638'400), "1.6 MiB");
  EXPECT_EQ(bytesText(1024 * 1024 - 1), "1 MiB");
  EXPECT_EQ(bytesText(16.0 * 1024 * 1024 * 1024), "16 GiB");
  EXPECT_EQ(bytesText(1.8446744073709552e19), "16 EiB");
}

TEST(Wording, Seconds) {
  EXPECT_EQ(secondsText(0), "0 s");
  EXPECT_EQ(secondsText(3e-9), "3 ns");
  EXPECT_EQ(secondsText(1.25e-6), "1.2 us");
  EXPECT_EQ(secondsText(0.024740), "25 ms");
  EXPECT_EQ(secondsText(0.0509), "51 ms");
  EXPECT_EQ(secondsText(0.9994), "999 ms");
  EXPECT_EQ(secondsText(0.99951), "1 s");
  EXPECT_EQ(secondsText(12.4), "12 s");
}

TEST(Wording, BriefNames) {
  EXPECT_EQ(briefName("void ns::reduce<float, 256>(float *)"), "ns::reduce<float, 256>");
  EXPECT_EQ(briefName("void ns::reduce<float, 256>(float *)", 20), "reduce<float, 256>");
  EXPECT_EQ(briefName("void ns::reduce<float, 2560>(float *)", 18), "reduce<float, ...>");
  EXPECT_EQ(briefName("void ns::reduce<float, 256>(float *)", 12), "reduce<...>");
  EXPECT_EQ(briefName("void a_very_long_name(int)", 12), "a_very_lo...");
  const char *Agent =
      "void thrust::core::_kernel_agent<thrust::by_key::Agent<int *, std::plus<int>>, "
      "int *, (anonymous namespace)::Last<int>>(int *)";
  EXPECT_EQ(briefName(Agent, 70), "_kernel_agent<Agent<int *, plus<int>>, int *, Last<int>>");
  EXPECT_EQ(briefName(Agent, 50), "_kernel_agent<Agent<...>, int *, Last<...>>");
  EXPECT_EQ(briefName(Agent, 40), "_kernel_agent<Agent<...>, ...>");
  EXPECT_EQ(briefName("main_kernel", 40), "main_kernel");
  const char *Lambda = "void run<sum(View<double, 3>, (anonymous namespace)::T)::'lambda'(int)>"
                       "(int, sum(View<double, 3>, (anonymous namespace)::T)::'lambda'(int))";
  EXPECT_EQ(briefName(Lambda),
            "run<sum(View<double, 3>, (anonymous namespace)::T)::'lambda'(int)>");
  EXPECT_EQ(briefName(Lambda, 60), "run<sum()::'lambda'(int)>");
  EXPECT_EQ(briefName(Lambda, 20), "run<'lambda'(int)>");
}

TEST(Wording, Ratios) {
  EXPECT_EQ(ratioText(16.62), "16.6");
  EXPECT_EQ(ratioText(2.51), "2.5");
  EXPECT_EQ(ratioText(32), "32");
  EXPECT_EQ(ratioText(0), "0");
  EXPECT_EQ(ratioText(0.031), "0.031");
  EXPECT_EQ(ratioText(1234.4), "1,234");
}

TEST(Wording, Percents) {
  EXPECT_EQ(percentText(0), "0 %");
  EXPECT_EQ(percentText(0.47), "47 %");
  EXPECT_EQ(percentText(0.085), "8.5 %");
  EXPECT_EQ(percentText(0.0004), "0.04 %");
  EXPECT_EQ(percentText(1), "100 %");
  EXPECT_EQ(percentText(0.994), "99 %");
  EXPECT_EQ(percentText(0.9962), "99.6 %");
  EXPECT_EQ(percentText(0.99999), "99.9 %");
}
