//===- SummaryTest.cpp - From a Profile to summary.json -------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SummaryCases.h"
#include "TestHeat.h"
#include "report/model/Measures.h"
#include "report/model/SummaryFilter.h"
#include "report/model/SummaryJson.h"
#include "report/model/SummaryNames.h"
#include "report/text/TextReport.h"
#include "report/text/TextStyle.h"
#include <gtest/gtest.h>

using namespace gmprof;
using namespace gmprof::test;

TEST(SummaryTest, CoverageNamesUnrecordedHeat) {
  test::TestHeat H;
  H.object("x", 4096, 32);
  H.map({});
  H.Heat[0].Sites.resize(3);
  H.Heat[0].SharedSites.resize(3);
  H.Heat[0].OtherBlocks = 12;
  H.Kernels[0].Desc->Sites[1].Rule = GMPROF_RULE_SKIPPED;
  H.Kernels[0].Desc->Sites[1].Reason = "bulk copy";
  const summary::Coverage C = buildSummary(H).Content.coverage;
  ASSERT_EQ(C.gaps.size(), 1u);
  EXPECT_EQ(C.gaps[0].what, "accesses");
  EXPECT_EQ(C.gaps[0].reason,
            "to the shared memory of other blocks of the cluster: only those to a block's own "
            "shared memory are recorded");
  EXPECT_EQ(C.gaps[0].count, 12u);
  ASSERT_EQ(C.accesses.skipped.size(), 1u);
  EXPECT_EQ(C.accesses.skipped[0].kernel, "k(float*)");
  EXPECT_EQ(C.accesses.skipped[0].access, "store");
  EXPECT_EQ(C.accesses.skipped[0].reason, "bulk copy");
}

TEST(SummaryTest, TellsTheRun) {
  summary::Summary S = buildSummary(example().P).Content;
  EXPECT_EQ(S.schema, "gmprof.summary/3");
  EXPECT_EQ(S.run.start, "2023-11-14T22:13:20.123Z");
  EXPECT_EQ(S.run.wall_seconds, 2.5);
  EXPECT_EQ(S.run.exit_status, std::nullopt);
  EXPECT_TRUE(S.run.complete);
  EXPECT_TRUE(S.coverage.whole);
  // The caller's exit status replaces that of the log.
  EXPECT_EQ(buildSummary(example().P, 139).Content.run.exit_status, 139);
}

TEST(SummaryTest, CountsGoToASideFile) {
  SummaryAndFiles Built = buildSummary(example().P);
  ASSERT_EQ(Built.Files.size(), 1u);
  const std::string &Csv = Built.Files[0].Content;
  EXPECT_EQ(Csv.rfind("kernel,object,index,accesses,blocks_at_threshold\n0,0,0,12,0\n", 0), 0u);
  EXPECT_EQ(std::count(Csv.begin(), Csv.end(), '\n'), 1 + 16);
  ASSERT_EQ(Built.Content.files.size(), 1u);
  EXPECT_EQ(Built.Content.files[0].path, "shared_counts.csv");

  // A summary without counts has no side files.
  EXPECT_TRUE(buildSummary(HandMade().P).Files.empty());
}

static void accessOnly(profile::Kernel &K, GmprofSpace Space) {
  K.Desc.emplace().Sites.emplace_back().Space = Space;
}

TEST(SummaryTest, NoGapPassesInSilence) {
  auto IsWhole = [](const HandMade &H) { return buildSummary(H.P).Content.coverage.whole; };
  ASSERT_TRUE(IsWhole(example()));

  HandMade H = example();
  H.P.TheRun.Ended = false;
  EXPECT_FALSE(IsWhole(H));
  H = example();
  H.P.TheRun.Truncated = true;
  EXPECT_FALSE(IsWhole(H));
  H = example();
  H.plainLaunch(1);
  EXPECT_FALSE(IsWhole(H));
  H = example();
  refuse(H, "why");
  EXPECT_FALSE(IsWhole(H));
  H = example();
  H.P.Launches[0].Grid[0] = 3; // one block never finished
  EXPECT_FALSE(IsWhole(H));
  H = example();
  H.P.Shared.clear(); // counts never read
  EXPECT_FALSE(IsWhole(H));
  EXPECT_EQ(buildSummary(H.P).Content.coverage.launches.without_counts, 1u);
  H = example();
  H.P.Shared[0].Lost = 1;
  EXPECT_FALSE(IsWhole(H));
  H = example();
  H.P.Shared[0].Sums.push_back(1); // beyond the only variable
  H.P.Shared[0].Capped.push_back(0);
  EXPECT_FALSE(IsWhole(H));
  EXPECT_EQ(buildSummary(H.P).Content.coverage.accesses.unattributed, 1u);
  H = example();
  H.site(profile::None, GMPROF_ACCESS_LOAD, GMPROF_RULE_SKIPPED);
  EXPECT_FALSE(IsWhole(H));
  H = example();
  H.P.Gaps.push_back({"records", "disk full", 1});
  EXPECT_FALSE(IsWhole(H));
  EXPECT_EQ(buildSummary(H.P).Content.coverage.records_dropped, 1u);
  H = example();
  H.P.PlainGraphNodes = 1;
  EXPECT_FALSE(IsWhole(H));
  H = example();
  H.P.Kernels.push_back({"h", "h()", {0}, 0, 0, 0, std::nullopt, "it was not compiled with it"});
  EXPECT_FALSE(IsWhole(H));

  // A kernel without shared memory is no gap, launched or not, whatever else is known of it.
  H = example();
  profile::Kernel &K = H.P.Kernels.emplace_back();
  K.Desc.emplace();
  K.Desc->Modes = GMPROF_MODE_GLOBAL | GMPROF_MODE_HEAT;
  K.Reason = "no shared memory";
  H.plainLaunch(1);
  H.P.Launches.back().Kernel = 1;
  EXPECT_TRUE(IsWhole(H));
}

TEST(SummaryTest, UncachedMemoryIsNothingToTrace) {
  HandMade H;
  H.P.TheRun.Profiles = {"cache"};
  profile::Kernel &K = H.P.Kernels.emplace_back();
  K.Desc.emplace();
  auto Kernels = [&] { return buildSummary(H.P).Content.coverage.kernels; };
  EXPECT_EQ(Kernels().nothing_to_profile, 1u);
  for (GmprofSpace Space : {GMPROF_SPACE_SHARED, GMPROF_SPACE_CONSTANT}) {
    accessOnly(K, Space);
    EXPECT_EQ(Kernels().nothing_to_profile, 1u) << Space;
  }
  for (GmprofSpace Space : {GMPROF_SPACE_GLOBAL, GMPROF_SPACE_LOCAL, GMPROF_SPACE_GENERIC}) {
    accessOnly(K, Space);
    EXPECT_EQ(Kernels().not_instrumented.size(), 1u) << Space;
  }
}

TEST(SummaryTest, CodeForAnotherProfileIsAGap) {
  HandMade H;
  profile::Kernel &K = H.P.Kernels.emplace_back();
  accessOnly(K, GMPROF_SPACE_GLOBAL);
  auto Kernels = [&](const char *Profile) {
    H.P.TheRun.Profiles = {Profile};
    return buildSummary(H.P).Content.coverage.kernels;
  };
  for (const char *Profile : {"global", "elements", "heat", "cache"})
    EXPECT_EQ(Kernels(Profile).not_instrumented.size(), 1u) << Profile;
  EXPECT_EQ(Kernels("shared").nothing_to_profile, 1u);
  for (const char *Profile : {"objects", "sync"}) // and the example's kernel
    EXPECT_EQ(Kernels(Profile).instrumented, 2u) << Profile;
}

TEST(SummaryTest, AKernelHasNothingToProfileIfNoProfileOfTheRunHas) {
  HandMade H;
  profile::Kernel &K = H.P.Kernels.emplace_back();
  accessOnly(K, GMPROF_SPACE_GLOBAL);
  auto Kernels = [&](std::vector<std::string> Profiles) {
    H.P.TheRun.Profiles = std::move(Profiles);
    return buildSummary(H.P).Content.coverage.kernels;
  };
  EXPECT_EQ(Kernels({"shared"}).nothing_to_profile, 1u);
  EXPECT_EQ(Kernels({"shared", "heat"}).nothing_to_profile, 0u);
  EXPECT_EQ(Kernels({"shared", "heat"}).not_instrumented.size(), 1u);
  EXPECT_EQ(Kernels({"shared", "objects"}).instrumented, 2u); // and the example's kernel
}

// The counts of launches that fail are not read.
TEST(SummaryTest, ASelectedLaunchWithoutCountsDidNotEnd) {
  for (const log::LaunchMode Mode : {log::LaunchMode::Objects, log::LaunchMode::Heat}) {
    HandMade H = example();
    H.P.TheRun.Profiles = {"heat"};
    H.plainLaunch(1);
    H.P.Launches.back().Mode = Mode;
    const summary::ProfileCoverage Heat = buildSummary(H.P).Content.coverage.profiles.at(0);
    ASSERT_EQ(Heat.never_counted.size(), 1u);
    EXPECT_EQ(Heat.never_counted[0].reason, Mode == log::LaunchMode::Heat
                                                ? "no launch ended without an error"
                                                : "no launch was selected");
  }
}

TEST(SummaryTest, EachProfileHasItsCoverage) {
  HandMade H = example(); // a launch counted in the shared profile
  H.P.TheRun.Profiles = {"objects", "shared", "heat", "sync"};
  accessOnly(H.P.Kernels.emplace_back(), GMPROF_SPACE_GLOBAL);
  H.P.Kernels.back().Demangled = "g()";
  H.P.Kernels.back().Reason = "why";
  H.plainLaunch(1);
  H.P.Launches.back().Mode = log::LaunchMode::Objects;
  H.plainLaunch(1);
  H.P.Launches.back().Mode = log::LaunchMode::Objects;
  H.P.Launches.back().Kernel = 1;
  const auto Profiles = [&] { return buildSummary(H.P).Content.coverage.profiles; };
  ASSERT_EQ(Profiles().size(), 3u); // sync measures calls
  const summary::ProfileCoverage Objects = Profiles()[0], Shared = Profiles()[1],
                                 Heat = Profiles()[2];
  EXPECT_EQ(Shared.profile, "shared");
  EXPECT_EQ(Shared.launches, 1u);
  EXPECT_EQ(Shared.of, 2u); // g has no shared memory
  EXPECT_TRUE(Shared.never_counted.empty());
  EXPECT_EQ(Heat.profile, "heat");
  EXPECT_EQ(Heat.launches, 0u);
  EXPECT_EQ(Heat.of, 3u);
  ASSERT_EQ(Heat.never_counted.size(), 2u);
  EXPECT_EQ(Heat.never_counted[0].kernel, "k(float*)");
  EXPECT_EQ(Heat.never_counted[0].reason, "no launch was selected");
  EXPECT_EQ(Heat.never_counted[0].count, 2u);
  EXPECT_EQ(Heat.never_counted[1].kernel, "g()");
  EXPECT_EQ(Heat.never_counted[1].reason, "why");
  EXPECT_EQ(Heat.never_counted[1].count, 1u);
  EXPECT_EQ(Objects.profile, "objects");
  EXPECT_FALSE(buildSummary(H.P).Content.coverage.whole);

  // A launch of another profile's clone counts by closed forms as well.
  H.P.FurtherContexts = {{2, log::LaunchMode::Heat, 9}};
  H.P.Heat.emplace_back().Context = 9;
  H.P.Heat.back().Kernel = 1;
  H.P.Heat.back().Sites.resize(2);
  H.P.Heat.back().SharedSites.resize(2);
  const summary::ProfileCoverage Both = Profiles()[2];
  EXPECT_EQ(Both.launches, 1u);
  ASSERT_EQ(Both.never_counted.size(), 1u);
  EXPECT_EQ(Both.never_counted[0].kernel, "k(float*)");
}

TEST(SummaryTest, FirstSightMakesNoFinding) {
  HandMade H;
  H.P.TheRun.Profiles = {"objects", "shared", "heat", "sync"};
  H.P.TheRun.SyncStage = "baseline";
  uint64_t Now = 1000;
  for (log::CallKind Kind : {log::CallKind::Copy, log::CallKind::DeviceSynchronized,
                             log::CallKind::Copy, log::CallKind::DeviceSynchronized}) {
    profile::ApiCall &C = H.P.Calls.emplace_back();
    C.Api = Kind == log::CallKind::Copy ? "cudaMemcpy" : "cudaDeviceSynchronize";
    C.Kind = Kind;
    C.BeginNs = Now;
    C.EndNs = C.ResumeNs = Now += 1'000'000;
  }
  const summary::Summary S = buildSummary(H.P).Content;
  EXPECT_TRUE(S.findings.empty());
  ASSERT_TRUE(S.sync);
  EXPECT_EQ(S.sync->calls, 4u);
  ASSERT_EQ(S.sync->sites.size(), 2u);
  for (const summary::SyncSite &Site : S.sync->sites) {
    EXPECT_EQ(Site.waits, 2u);
    EXPECT_DOUBLE_EQ(Site.wait_seconds, 0.002);
    EXPECT_EQ(Site.unnecessary + Site.misplaced + Site.duplicates, 0u);
    EXPECT_EQ(benefit(Site), 0);
  }
}

TEST(SummaryTest, KernelsHaveTheirTimes) {
  HandMade H = example();
  H.P.TheRun.DeviceKind = "gpu";
  EXPECT_FALSE(buildSummary(H.P).Content.kernels[0].seconds);
  H.P.LaunchTimes = {{0, 1500}};
  const std::optional<summary::KernelSeconds> T = buildSummary(H.P).Content.kernels[0].seconds;
  ASSERT_TRUE(T);
  EXPECT_EQ(T->measured_launches, 1u);
  EXPECT_DOUBLE_EQ(T->mean, 1.5e-6);
  EXPECT_DOUBLE_EQ(T->total, 1.5e-6);
  EXPECT_TRUE(T->instrumented);
  EXPECT_DOUBLE_EQ(T->share, 1);
  H.P.TheRun.DeviceKind = "cpu";
  EXPECT_FALSE(buildSummary(H.P).Content.kernels[0].seconds);
}

TEST(SummaryTest, CoverageCountsLaunchesAndBlocks) {
  HandMade H = example();
  refuse(H, "out of memory");
  refuse(H, "out of memory");
  H.plainLaunch(7);
  H.P.PlainGraphNodes = 3;
  summary::Coverage C = buildSummary(H.P).Content.coverage;
  EXPECT_EQ(C.launches.seen, 7u);
  EXPECT_EQ(C.launches.profiled, 1u);
  EXPECT_EQ(C.launches.refused, 2u);
  EXPECT_EQ(C.launches.not_selected, 4u);
  ASSERT_EQ(C.launches.reasons.size(), 2u);
  EXPECT_EQ(C.launches.reasons[1].kernel, "graphs");
  EXPECT_EQ(C.launches.reasons[1].count, 3u);
  EXPECT_EQ(C.launches.reasons[0].reason, "out of memory");
  EXPECT_EQ(C.launches.reasons[0].count, 2u);
  // Objects and calls need no clones of graph nodes.
  H.P.TheRun.Profiles = {"objects", "sync"};
  C = buildSummary(H.P).Content.coverage;
  EXPECT_EQ(C.launches.seen, 7u);
  EXPECT_EQ(C.launches.not_selected, 1u);
  EXPECT_EQ(C.launches.nothing_to_profile, 3u);
  EXPECT_EQ(C.launches.reasons.size(), 1u);
  EXPECT_EQ(C.blocks.launched, 2u + 3 + 3 + 7);
  EXPECT_EQ(C.blocks.selected, 2u);
  EXPECT_EQ(C.blocks.counted, 2u);
  EXPECT_EQ(C.accesses.counted, 16u * 12);
}

TEST(SummaryTest, LaunchGroupsAreOfOneDevice) {
  HandMade H = example();
  for (const uint32_t Device : {1, 0, 1}) {
    H.plainLaunch(5);
    H.P.Launches.back().Device = Device;
  }
  const auto Groups = buildSummary(H.P).Content.kernels[0].launches;
  ASSERT_EQ(Groups.size(), 3u) << "the example's own launch is another one";
  EXPECT_EQ(Groups[0].device, 1u);
  EXPECT_EQ(Groups[0].count, 2u);
  EXPECT_EQ(Groups[0].grid[0], 5u);
  EXPECT_EQ(Groups[1].device, 0u);
  EXPECT_EQ(Groups[1].count, 1u);
  EXPECT_EQ(Groups[2].device, 0u);
}

TEST(SummaryTest, ReasonsOfUnprofiledLaunches) {
  HandMade H = example();
  H.plainLaunch(7);
  H.P.Launches.back().Reason = "not in the sample";
  H.P.Gaps.push_back({"launches", "unknown kernel", 4});
  H.P.Gaps.push_back({"launch counts", "the device was reset", 1});
  H.P.Shared.clear();
  summary::LaunchCoverage L = buildSummary(H.P).Content.coverage.launches;
  EXPECT_EQ(L.seen, 6u);
  EXPECT_EQ(L.profiled, 1u);
  EXPECT_EQ(L.without_counts, 0u); // that one is a gap
  EXPECT_EQ(L.not_selected, 1u);
  EXPECT_EQ(L.refused, 4u);
  ASSERT_EQ(L.reasons.size(), 1u);
  EXPECT_EQ(L.reasons[0].reason, "not in the sample");
}

TEST(SummaryTest, EqualLaunchesAreOneEntry) {
  HandMade H = example();
  for (int I = 0; I < 5; ++I)
    H.plainLaunch(9);
  for (uint32_t I = 0; I < 100; ++I)
    H.plainLaunch(100 + I);
  summary::Kernel K = buildSummary(H.P).Content.kernels.at(0);
  EXPECT_EQ(K.launch_counts.seen, 106u);
  ASSERT_EQ(K.launches.size(), 64u);
  EXPECT_EQ(K.launches[0].count, 5u);
  EXPECT_EQ(K.launches[0].grid[0], 9u);
  EXPECT_EQ(K.launch_groups_omitted, 102u - 64);
}

// A line of a header: read twice in a function that is called directly, once where that is called
// by another one, and once in a function that is not inlined.
TEST(SummaryTest, EachPathOfCallsByWhichALineWasInlinedOnce) {
  profile::Descriptor D;
  D.Inlines = {{"load", {"a.cu", 30, 3}, profile::None},
               {"tile", {"a.cu", 40, 5}, profile::None},
               {"load", {"tile.h", 12, 7}, 1}};
  const auto Add = [&](const char *File, unsigned Line, uint32_t InlinedAt) {
    D.Sites.emplace_back().Source = {File, Line, 1};
    D.Sites.back().InlinedAt = InlinedAt;
  };
  Add("load.h", 5, 0);
  Add("load.h", 5, 0);
  Add("load.h", 5, 2);
  Add("load.h", 5, profile::None);
  Add("load.h", 6, 1);
  Add("other.h", 5, 1);
  const std::vector<summary::InlineChain> At = inlinedAt(D, {"load.h", 5, 9});
  ASSERT_EQ(At.size(), 2u);
  EXPECT_EQ(text::inlinePath(At[0]), "load at a.cu:30");
  EXPECT_EQ(text::inlinePath(At[1]), "tile at a.cu:40 > load at tile.h:12");
}

TEST(SummaryTest, ManyRangesAreCounted) {
  HandMade H;
  H.variable("a", "int[256]", 4, 1024);
  std::vector<uint64_t> Sums;
  for (int I = 0; I < 256; ++I)
    Sums.push_back(I % 2);
  Sums[0] = 1;
  H.launch(1, Sums, {1024});
  summary::NeverTouched N = buildSummary(H.P).Content.kernels.at(0).objects.at(0).never_touched;
  EXPECT_EQ(N.elements, 127u);
  EXPECT_EQ(N.range_count, 127u);
  EXPECT_EQ(N.ranges.size(), 64u);
  EXPECT_EQ(N.description, "elements 2, 4, 6, 8, 10, 12, 14, 16 and 119 more ranges");
}

TEST(SummaryFilterTest, KeepsPartsOfAKernel) {
  HandMade H = example();
  H.P.Kernels.push_back(H.P.Kernels[0]);
  H.P.Kernels[1].Demangled = "other(int)";
  profile::SharedCounts C = H.P.Shared[0];
  C.Context = 99;
  C.Kernel = 1;
  H.P.Shared.push_back(C);
  summary::Summary S = buildSummary(H.P).Content;
  ASSERT_EQ(S.objects.size(), 2u);
  auto Kept = keepKernels(S, "^oth");
  ASSERT_TRUE(Kept);
  ASSERT_EQ(Kept->kernels.size(), 1u);
  EXPECT_EQ(Kept->kernels[0].id, 1u);
  ASSERT_EQ(Kept->objects.size(), 1u);
  EXPECT_EQ(Kept->objects[0].id, 1u);
  EXPECT_EQ(keepKernels(S, "nosuch").error(), "no kernel matches 'nosuch'; there are: k, other");
}

TEST(TextReportTest, ShortNames) {
  EXPECT_EQ(shortName("k"), "k");
  EXPECT_EQ(shortName("k(float*, int)"), "k");
  EXPECT_EQ(shortName("void k<float (*)(int)>(long) (.isra.0)"), "k<float (*)(int)>");
  EXPECT_EQ(shortName("k(int) (.part.3) (.cold)"), "k");
  EXPECT_EQ(shortName("void ns::k<float, 256>(float*)"), "ns::k<float, 256>");
  EXPECT_EQ(shortName("(anonymous namespace)::k(int)"), "(anonymous namespace)::k");
  EXPECT_EQ(shortName("void k<int (*)(int)>(int (*)(int))"), "k<int (*)(int)>");
  EXPECT_EQ(shortName("std::enable_if<(3)>(4), int>::type f<int>(int)"), "f<int>");
  EXPECT_EQ(shortName(")"), ")");
  EXPECT_EQ(shortName("(int)"), "(int)");
}

TEST(TextReportTest, SurvivesReferencesToNothing) {
  summary::Summary S = buildSummary(example().P).Content;
  S.objects.clear();
  S.kernels[0].objects[0].per_block.histogram.clear();
  EXPECT_NE(textReport(S, {}).find('?'), std::string::npos);
  EXPECT_NE(textOverview(S, {}).find("./app"), std::string::npos);
}
