//===- OptionsTest.cpp - GMPROF_OPTIONS -----------------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/Options.h"
#include <gtest/gtest.h>

namespace gmprof::host {
namespace {

using Mistakes = std::vector<std::string>;

TEST(Options, Defaults) {
  Options O;
  EXPECT_EQ(parseOptions("", O), Mistakes());
  EXPECT_TRUE(O.ProfileShared);
  EXPECT_EQ(O.Output, "gmprof-%e-%p");
  EXPECT_EQ(O.BlockSample, 1u);
}

TEST(Options, All) {
  Options O;
  EXPECT_EQ(parseOptions("profile=off:output=a b:kernels=^x+$:block-sample=16:launch-sample=3:"
                         "quiet=1:device=cpu:log-only=1",
                         O),
            Mistakes());
  EXPECT_FALSE(O.ProfileShared);
  EXPECT_EQ(O.Output, "a b");
  EXPECT_EQ(O.Kernels, "^x+$");
  EXPECT_EQ(O.BlockSample, 16u);
  EXPECT_EQ(O.LaunchSample, 3u);
  EXPECT_TRUE(O.Quiet);
  EXPECT_EQ(O.Device, DeviceChoice::Cpu);
  EXPECT_TRUE(O.LogOnly);
}

TEST(Options, ColonsInValues) {
  Options O;
  EXPECT_EQ(parseOptions("kernels=ns::f|a:b:output=x\\:quiet=1", O), Mistakes());
  EXPECT_EQ(O.Kernels, "ns::f|a:b");
  EXPECT_EQ(O.Output, "x:quiet=1");
  EXPECT_FALSE(O.Quiet);
}

TEST(Options, EmptyItemsMeanNothing) {
  Options O;
  EXPECT_EQ(parseOptions("quiet=1::device=gpu", O), Mistakes({"quiet must be 0 or 1, not '1:'"}));
  O = Options();
  EXPECT_EQ(parseOptions(":quiet=1", O), Mistakes());
  EXPECT_TRUE(O.Quiet);
}

TEST(Options, MistakesKeepTheOldValue) {
  Options O;
  EXPECT_EQ(
      parseOptions("block-sample=0:launch-sample=-1:device=tpu:quiet=yes:profile=all:output=", O),
      Mistakes({"block-sample must be a whole number from 1 to 4294967295, not '0'",
                "launch-sample must be a whole number from 1 to 4294967295, not '-1'",
                "device must be auto, gpu or cpu, not 'tpu'", "quiet must be 0 or 1, not 'yes'",
                "profile must be shared or off, not 'all'",
                "output must name a directory, not ''"}));
  EXPECT_EQ(formatOptions(O), formatOptions(Options()));
}

TEST(Options, CountsOutOfRange) {
  Options O;
  EXPECT_EQ(parseOptions("block-sample=4294967295", O), Mistakes());
  EXPECT_EQ(parseOptions("block-sample=4294967296", O).size(), 1u);
  EXPECT_EQ(parseOptions("block-sample=16x", O).size(), 1u);
  EXPECT_EQ(parseOptions("block-sample=", O).size(), 1u);
  EXPECT_EQ(O.BlockSample, 4294967295u);
}

TEST(Options, UnknownKey) {
  Options O;
  EXPECT_EQ(parseOptions("outptu=x", O),
            Mistakes({"'outptu=x' is not an option: write key=value with a key of profile, output, "
                      "kernels, block-sample, launch-sample, device, quiet, log-only"}));
  EXPECT_EQ(parseOptions("verbose", O).size(), 1u);
}

TEST(Options, BadRegex) {
  Options O;
  Mistakes M = parseOptions("kernels=a(b", O);
  ASSERT_EQ(M.size(), 1u);
  EXPECT_TRUE(M[0].starts_with("kernels must be a POSIX extended regular expression ("));
  EXPECT_EQ(O.Kernels, "");
}

TEST(Options, FormatIsParsedBack) {
  Options O, Again;
  O.Output = "/a:quiet=1/%p";
  O.Kernels = "x::y";
  O.BlockSample = 7;
  O.Device = DeviceChoice::Gpu;
  EXPECT_EQ(parseOptions(formatOptions(O), Again), Mistakes());
  EXPECT_EQ(formatOptions(Again), formatOptions(O));
  EXPECT_EQ(Again.Output, O.Output);
  EXPECT_EQ(Again.Kernels, O.Kernels);
}

TEST(Options, OutputPatterns) {
  EXPECT_EQ(expandOutput("gmprof-%e-%p", 42, "node1", "app"), "gmprof-app-42");
  EXPECT_EQ(expandOutput("/x/%h/%%p%", 42, "node1", "app"), "/x/node1/%p%");
  EXPECT_EQ(expandOutput("%q", 42, "node1", "app"), "%q");
}

TEST(Options, KernelFilter) {
  EXPECT_TRUE(matchesKernel("", "_Z3addPi", "add(int*)"));
  EXPECT_TRUE(matchesKernel("^add\\(", "_Z3addPi", "add(int*)"));
  EXPECT_TRUE(matchesKernel("^_Z3add", "_Z3addPi", "add(int*)"));
  EXPECT_FALSE(matchesKernel("sub|mul", "_Z3addPi", "add(int*)"));
}

} // namespace
} // namespace gmprof::host
