//===- OptionsTest.cpp - GMPROF_OPTIONS -----------------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/core/Options.h"
#include "host/core/KernelRegex.h"
#include <gtest/gtest.h>

namespace gmprof::host {
namespace {

using Mistakes = std::vector<std::string>;

std::string notAProfile(const std::string &Value) {
  return "profile must be overview, off, or one or more of objects, elements, sync, heat, "
         "cache, shared and global, separated by commas, not '" +
         Value + "'";
}

TEST(Options, Defaults) {
  Options O;
  EXPECT_EQ(parseOptions("", O), Mistakes());
  EXPECT_EQ(O.Profiles, OverviewProfiles);
  EXPECT_EQ(O.Output, "gmprof-%e-%p");
  EXPECT_EQ(O.BlockSample, 1u);
}

TEST(Options, All) {
  Options O;
  EXPECT_EQ(parseOptions("profile=off:output=a b:kernels=^x+$:block-sample=16:launch-sample=3:"
                         "quiet=1:device=cpu:log-only=1",
                         O),
            Mistakes());
  EXPECT_TRUE(O.Profiles.empty());
  EXPECT_EQ(O.Output, "a b");
  EXPECT_EQ(O.Kernels, "^x+$");
  EXPECT_EQ(O.BlockSample, 16u);
  EXPECT_EQ(O.LaunchSample, 3u);
  EXPECT_TRUE(O.Quiet);
  EXPECT_EQ(O.Device, DeviceChoice::Cpu);
  EXPECT_TRUE(O.LogOnly);
}

TEST(Options, Unwind) {
  Options O;
  EXPECT_EQ(O.Unwind, 32u);
  EXPECT_EQ(parseOptions("unwind=1", O), Mistakes());
  EXPECT_EQ(O.Unwind, 1u);
  EXPECT_EQ(parseOptions("unwind=off", O), Mistakes());
  EXPECT_EQ(O.Unwind, 0u);
  EXPECT_EQ(parseOptions("unwind=256", O), Mistakes());
  EXPECT_EQ(parseOptions("unwind=257:unwind=0:unwind=on", O),
            Mistakes({"unwind must be off or a number of frames from 1 to 256, not '257'",
                      "unwind must be off or a number of frames from 1 to 256, not '0'",
                      "unwind must be off or a number of frames from 1 to 256, not 'on'"}));
  EXPECT_EQ(O.Unwind, 256u);
}

// A folder whose name ends in a backslash, in front of the next option.
TEST(Options, BackslashesInValues) {
  Options O, Again;
  EXPECT_TRUE(parseOptions("output=a\\:b\\\\:quiet=1", O).empty());
  EXPECT_EQ(O.Output, "a:b\\");
  EXPECT_TRUE(O.Quiet);
  EXPECT_TRUE(parseOptions(formatOptions(O), Again).empty());
  EXPECT_EQ(Again.Output, "a:b\\");
  EXPECT_TRUE(Again.Quiet);
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
                notAProfile("all"), "output must name a directory, not ''"}));
  EXPECT_EQ(formatOptions(O), formatOptions(Options()));
}

TEST(Options, Profiles) {
  Options O;
  EXPECT_EQ(parseOptions("profile=global", O), Mistakes());
  EXPECT_EQ(O.Profiles, ProfileChoice::Global);
  EXPECT_FALSE(O.Profiles.several());
  EXPECT_EQ(parseOptions("profile=heat,shared,heat", O), Mistakes());
  EXPECT_EQ(O.Profiles, ProfileSet(ProfileChoice::Shared) | ProfileChoice::Heat);
  EXPECT_TRUE(O.Profiles.several());
  for (const char *Bad : {"", "shared,", ",shared", "shared+heat", "shared,off", "overview,heat"})
    EXPECT_EQ(parseOptions(std::string("profile=") + Bad, O), Mistakes({notAProfile(Bad)}));
  EXPECT_EQ(parseOptions("profile=cache,shared", O),
            Mistakes({"profile cannot combine cache with another profile, since a trace slows each "
                      "launch down: profile it in a run of its own, not 'cache,shared'"}));
  EXPECT_EQ(O.Profiles, ProfileSet(ProfileChoice::Shared) | ProfileChoice::Heat);
}

// The overview is the list of its profiles, and has a name of its own.
TEST(Options, NamesOfProfiles) {
  const auto Config = [](const char *Text) {
    Options O;
    EXPECT_EQ(parseOptions(Text, O), Mistakes());
    const std::string Json = optionsJson(O).str();
    return Json.substr(0, Json.find("],") + 1);
  };
  EXPECT_EQ(Config(""), R"({"profile":"overview","profiles":["objects","sync","heat","shared"])");
  EXPECT_EQ(Config("profile=sync,heat,objects,shared"), Config("profile=overview"));
  EXPECT_EQ(Config("profile=sync,heat"), R"({"profile":"sync,heat","profiles":["sync","heat"])");
  EXPECT_EQ(Config("profile=off"), R"({"profile":"off","profiles":[])");
}

// Calls are recorded from the first one on, pools and accessed objects only for profiles of memory.
TEST(Options, NeedsOfProfiles) {
  const auto Needs = [](ProfileSet Profiles) {
    const ProfileNeeds N = needsOf(Profiles);
    return std::string(N.Objects ? "objects " : "") + (N.Parts ? "parts " : "") +
           (N.Calls ? "calls " : "");
  };
  EXPECT_EQ(Needs({}), "");
  EXPECT_EQ(Needs(ProfileChoice::Shared), "");
  EXPECT_EQ(Needs(ProfileChoice::Global), "parts ");
  EXPECT_EQ(Needs(ProfileChoice::Objects), "objects parts ");
  EXPECT_EQ(Needs(ProfileChoice::Elements), "objects parts ");
  EXPECT_EQ(Needs(ProfileChoice::Heat), "parts ");
  EXPECT_EQ(Needs(ProfileChoice::Cache), "parts ");
  EXPECT_EQ(Needs(ProfileChoice::Sync), "calls ");
  EXPECT_EQ(Needs(ProfileSet(ProfileChoice::Sync) | ProfileChoice::Heat), "parts calls ");
  EXPECT_EQ(Needs(OverviewProfiles), "objects parts calls ");
}

TEST(Options, SyncSharesARunInItsFirstStageOnly) {
  const auto Stage = [](const char *Text) {
    Options O;
    EXPECT_EQ(parseOptions(Text, O), Mistakes());
    return O.syncStage();
  };
  EXPECT_EQ(Stage("profile=shared"), std::nullopt);
  EXPECT_EQ(Stage("profile=sync:sync-stage=memory"), SyncStage::Memory);
  EXPECT_EQ(Stage("profile=sync,shared:sync-stage=memory"), SyncStage::Baseline);
}

TEST(Options, LaunchSamplingOfProfiles) {
  const auto Sampling = [](const char *Text) {
    Options O;
    EXPECT_EQ(parseOptions(Text, O), Mistakes());
    return O.launchSampling();
  };
  EXPECT_EQ(Sampling(""), LaunchSampling::Doubling);
  EXPECT_EQ(Sampling("profile=shared"), LaunchSampling::Every);
  EXPECT_EQ(Sampling("profile=objects,shared"), LaunchSampling::Every);
  EXPECT_EQ(Sampling("profile=shared,global"), LaunchSampling::Doubling);
  EXPECT_EQ(Sampling("profile=heat"), LaunchSampling::Doubling);
  EXPECT_EQ(Sampling("launch-sample=3"), LaunchSampling::Every);
  EXPECT_EQ(Sampling("launch-sampling=every"), LaunchSampling::Every);
}

TEST(Options, Memory) {
  Options O;
  EXPECT_EQ(O.Memory, (MemoryShare{0, 25}));
  EXPECT_EQ(parseOptions("memory=40%", O), Mistakes());
  EXPECT_EQ(O.Memory, (MemoryShare{0, 40}));
  EXPECT_EQ(parseOptions("memory=12345", O), Mistakes());
  EXPECT_EQ(O.Memory, (MemoryShare{12345, 0}));
  EXPECT_EQ(parseOptions("memory=3G", O), Mistakes());
  EXPECT_EQ(O.Memory, (MemoryShare{3ull << 30, 0}));
  for (const char *Bad : {"0", "0%", "91%", "", "-1", "1T", "1KB", "%", "20000000000G", "1.5G"})
    EXPECT_EQ(parseOptions(std::string("memory=") + Bad, O),
              Mistakes({"memory must be a share from 1% to 90%, or bytes (K, M, G: 512M), not '" +
                        std::string(Bad) + "'"}));
  EXPECT_EQ(O.Memory, (MemoryShare{3ull << 30, 0}));
}

TEST(Options, Objects) {
  Options O;
  EXPECT_EQ(O.IdleApis, 2u);
  EXPECT_EQ(O.SizeDifference, 10u);
  EXPECT_EQ(O.Peaks, 2u);
  EXPECT_EQ(parseOptions("idle-apis=5:size-difference=0%:peaks=7", O), Mistakes());
  EXPECT_EQ(O.IdleApis, 5u);
  EXPECT_EQ(O.SizeDifference, 0u);
  EXPECT_EQ(O.Peaks, 7u);
  EXPECT_NE(optionsJson(O).str().find(R"("idle_apis":5)"), std::string::npos);
  EXPECT_NE(optionsJson(O).str().find(R"("size_difference":0.0)"), std::string::npos);
  EXPECT_NE(optionsJson(O).str().find(R"("peaks":7)"), std::string::npos);
  EXPECT_EQ(parseOptions("idle-apis=0:peaks=0:peaks=1001", O),
            Mistakes({"idle-apis must be a whole number from 1 to 4294967295, not '0'",
                      "peaks must be a whole number from 1 to 1000, not '0'",
                      "peaks must be a whole number from 1 to 1000, not '1001'"}));
  for (const char *Bad : {"10", "0.1", "100%", "-1%", "%", "", "5%%"})
    EXPECT_EQ(parseOptions(std::string("size-difference=") + Bad, O),
              Mistakes({"size-difference must be a share from 0% to 99%, not '" + std::string(Bad) +
                        "'"}));
  EXPECT_EQ(O.SizeDifference, 0u);
}

TEST(Options, LateShare) {
  Options O;
  EXPECT_EQ(O.LateShare, 1u);
  EXPECT_EQ(parseOptions("late-share=0%", O), Mistakes());
  EXPECT_EQ(O.LateShare, 0u);
  EXPECT_NE(formatOptions(O).find("late-share=0%"), std::string::npos);
  EXPECT_EQ(parseOptions("late-share=101%", O),
            Mistakes({"late-share must be a share from 0% to 100%, not '101%'"}));
}

TEST(Options, Elements) {
  Options O;
  EXPECT_EQ(O.AccessedShare, 80u);
  EXPECT_EQ(O.FrequencyVariation, 20u);
  EXPECT_EQ(optionsJson(O).str().find("accessed_share"), std::string::npos);
  EXPECT_EQ(parseOptions("profile=elements:accessed-share=50%:frequency-variation=150%", O),
            Mistakes());
  EXPECT_TRUE(O.countsGlobalMemory());
  EXPECT_NE(optionsJson(O).str().find(R"("accessed_share":0.5)"), std::string::npos);
  EXPECT_NE(optionsJson(O).str().find(R"("frequency_variation":1.5)"), std::string::npos);
  EXPECT_NE(optionsJson(O).str().find(R"("memory":"25%")"), std::string::npos);
  EXPECT_EQ(
      parseOptions("accessed-share=101%:frequency-variation=0%", O),
      Mistakes({"accessed-share must be a share from 1% to 100%, not '101%'",
                "frequency-variation must be a coefficient of variation from 1% to 1000%, not "
                "'0%'"}));
  EXPECT_EQ(O.AccessedShare, 50u);
}

/// Numbers of the launches, of the first Count, that are profiled.
static std::vector<uint64_t> sampled(const Options &O, const char *Kernel, uint64_t Count) {
  std::vector<uint64_t> Numbers;
  for (uint64_t Launch = 0; Launch < Count; ++Launch)
    if (outsideSample(O, Kernel, Launch).empty())
      Numbers.push_back(Launch);
  return Numbers;
}

TEST(Options, LaunchSampling) {
  Options O;
  O.Profiles = ProfileChoice::Shared;
  using Numbers = std::vector<uint64_t>;
  EXPECT_EQ(sampled(O, "k", 3), (Numbers{0, 1, 2}));
  EXPECT_EQ(parseOptions("launch-sample=3", O), Mistakes());
  EXPECT_EQ(sampled(O, "k", 8), (Numbers{0, 3, 6}));
  EXPECT_EQ(outsideSample(O, "k", 1), "not in the sample (launch-sample=3)");
  EXPECT_EQ(parseOptions("launch-sampling=first", O), Mistakes());
  EXPECT_EQ(sampled(O, "k", 8), (Numbers{0, 1, 2}));
  EXPECT_EQ(outsideSample(O, "k", 3), "not in the sample (launch-sample=3, launch-sampling=first)");
  EXPECT_EQ(
      parseOptions("launch-sampling=last", O),
      Mistakes({"launch-sampling must be auto, every, first, random or doubling, not 'last'"}));
}

TEST(Options, HeatProfilesTakeDoublingLaunches) {
  Options O;
  EXPECT_EQ(parseOptions("profile=heat", O), Mistakes());
  const auto Profiled = [&] {
    std::vector<uint64_t> Numbers;
    for (uint64_t Launch = 0; Launch < 20; ++Launch)
      if (outsideSample(O, "k", Launch).empty())
        Numbers.push_back(Launch + 1);
    return Numbers;
  };
  EXPECT_EQ(Profiled(), (std::vector<uint64_t>{1, 2, 4, 8, 16}));
  EXPECT_EQ(outsideSample(O, "k", 2),
            "not in the sample (launch-sampling=doubling: the first, second, fourth, eighth, … of "
            "each kernel)");
  EXPECT_EQ(parseOptions("launch-sample=8", O), Mistakes());
  EXPECT_EQ(Profiled(), (std::vector<uint64_t>{1, 9, 17}));
  EXPECT_EQ(parseOptions("launch-sampling=first", O), Mistakes());
  EXPECT_EQ(Profiled(), (std::vector<uint64_t>{1, 2, 3, 4, 5, 6, 7, 8}));
}

TEST(Options, HeatBlocks) {
  Options O;
  const auto Set = [&](const std::string &Value) {
    EXPECT_EQ(parseOptions("heat-blocks=" + Value, O), Mistakes()) << Value;
    return O.HeatBlocks;
  };
  EXPECT_EQ(O.HeatBlocks, (BlockRange{0, 1, 1}));
  EXPECT_EQ(Set("7"), (BlockRange{7, 8, 1}));
  EXPECT_EQ(Set("2:16"), (BlockRange{2, 16, 1}));
  EXPECT_EQ(Set("2:16:5"), (BlockRange{2, 16, 5}));
  EXPECT_EQ(Set("::4"), (BlockRange{0, UINT64_MAX, 4}));
  EXPECT_EQ(Set("all"), (BlockRange{0, UINT64_MAX, 1}));
  for (const char *Wrong : {"", "-1", "3:3", "4:2", "1:2:0", "1:2:3:4", "x", "1:y"})
    EXPECT_EQ(parseOptions("heat-blocks=" + std::string(Wrong), O),
              Mistakes({"heat-blocks must be a block's number, FIRST:END or FIRST:END:STEP (0:16, "
                        "::4), or all, not '" +
                        std::string(Wrong) + "'"}))
        << Wrong;
  EXPECT_EQ(O.HeatBlocks, (BlockRange{0, UINT64_MAX, 1}));
  Options Again;
  O.HeatBlocks = {2, 16, 5};
  EXPECT_EQ(parseOptions(formatOptions(O), Again), Mistakes());
  EXPECT_EQ(Again.HeatBlocks, O.HeatBlocks);
}

TEST(Options, BlocksOfARangeThatALaunchHas) {
  EXPECT_EQ((BlockRange{0, 1, 1}).count(100), 1u);
  EXPECT_EQ((BlockRange{7, 8, 1}).count(7), 0u);
  EXPECT_EQ((BlockRange{2, 16, 5}).count(100), 3u); // 2, 7, 12
  EXPECT_EQ((BlockRange{2, 16, 5}).count(12), 2u);
  EXPECT_EQ((BlockRange{0, UINT64_MAX, 1}).count(100), 100u);
  EXPECT_EQ((BlockRange{0, 0, 1}).count(0), 0u);
}

TEST(Options, RandomLaunchSampling) {
  Options O;
  EXPECT_EQ(parseOptions("launch-sample=10:launch-sampling=random", O), Mistakes());
  std::vector<uint64_t> Once = sampled(O, "k", 10'000);
  EXPECT_EQ(sampled(O, "k", 10'000), Once);
  // 1000 on average, with a standard deviation of 30.
  EXPECT_GT(Once.size(), 850u);
  EXPECT_LT(Once.size(), 1150u);
  EXPECT_NE(sampled(O, "l", 10'000), Once);
  O.Seed = 2;
  EXPECT_NE(sampled(O, "k", 10'000), Once);
}

TEST(Options, CountsOutOfRange) {
  Options O;
  EXPECT_EQ(parseOptions("block-sample=4294967295", O), Mistakes());
  EXPECT_EQ(parseOptions("block-sample=4294967296", O).size(), 1u);
  EXPECT_EQ(parseOptions("block-sample=16x", O).size(), 1u);
  EXPECT_EQ(parseOptions("block-sample=", O).size(), 1u);
  EXPECT_EQ(O.BlockSample, 4294967295u);
}

TEST(Options, NoSecondsForFirstLaunches) {
  Options O;
  EXPECT_EQ(O.FirstLaunchSeconds, 2u);
  EXPECT_EQ(parseOptions("first-launch-seconds=0", O), Mistakes());
  EXPECT_EQ(O.FirstLaunchSeconds, 0u);
  EXPECT_EQ(
      parseOptions("first-launch-seconds=-1", O),
      Mistakes({"first-launch-seconds must be a whole number from 0 to 4294967295, not '-1'"}));
  EXPECT_EQ(O.FirstLaunchSeconds, 0u);
}

TEST(Options, UnknownKey) {
  Options O;
  EXPECT_EQ(parseOptions("outptu=x", O),
            Mistakes({"'outptu=x' is not an option: write key=value with a key of profile, output, "
                      "kernels, block-sample, launch-sample, launch-sampling, seed, "
                      "live-ranges, heat-blocks, cache-blocks, sm-sample, launch-requests, "
                      "run-requests, trace-buffer, trace-memory, cache-stage, placement, clones, "
                      "clone-seconds, first-launch-seconds, memory, idle-apis, "
                      "size-difference, accessed-share, frequency-variation, late-share, peaks, "
                      "device, unwind, sync-stage, migrations, what-if, quiet, log-only"}));
  EXPECT_EQ(parseOptions("verbose", O).size(), 1u);
}

TEST(Options, RequestsOfTraces) {
  Options O;
  EXPECT_EQ(O.LaunchRequests, 4194304u);
  EXPECT_EQ(O.RunRequests, 16777216u);
  EXPECT_TRUE(parseOptions("launch-requests=1000:run-requests=all", O).empty());
  EXPECT_EQ(O.LaunchRequests, 1000u);
  EXPECT_EQ(O.RunRequests, 0u);
  for (const char *Wrong : {"launch-requests=0", "launch-requests=4M", "run-requests="})
    EXPECT_EQ(parseOptions(Wrong, O).size(), 1u) << Wrong;
}

TEST(Options, BadRegex) {
  Options O;
  Mistakes M = parseOptions("kernels=a(b", O);
  ASSERT_EQ(M.size(), 1u);
  EXPECT_TRUE(M[0].starts_with("kernels must be a POSIX extended regular expression ("));
  EXPECT_EQ(O.Kernels, "");
}

TEST(Options, RegexesThatRepeatTooMuch) {
  Options O;
  // 44 characters, and 2 * 4 * 2 * 12 * 2 * 2 copies of them at most.
  EXPECT_TRUE(parseOptions("kernels=^k[a-z]+_x{2,4}a+(b{12}|[0-9]+_v\\+[0-9]+)$", O).empty());
  for (const std::string &Many : {std::string(78, '+'), std::string("((a{1000}){1000}){1000}"),
                                  std::string("(((((((((a+)+)+)+)+)+){9})+){9})+{99}"),
                                  std::string("a{,99999999999999999999}")})
    EXPECT_EQ(
        parseOptions("kernels=x" + Many, O),
        Mistakes{"kernels must be a regular expression with fewer repetitions (+ and {}), not "
                 "'x" +
                 Many + "'"});
}

TEST(Options, FormatIsParsedBack) {
  Options O, Again;
  O.Output = "/a:quiet=1/%p";
  O.Kernels = "x::y";
  O.BlockSample = 7;
  O.Sampling = LaunchSampling::Random;
  O.Memory = {0, 7};
  O.Device = DeviceChoice::Gpu;
  EXPECT_EQ(parseOptions(formatOptions(O), Again), Mistakes());
  EXPECT_EQ(formatOptions(Again), formatOptions(O));
  EXPECT_EQ(Again.Output, O.Output);
  EXPECT_EQ(Again.Kernels, O.Kernels);
}

TEST(Options, OutputPatternsAreChecked) {
  Options O;
  EXPECT_EQ(parseOptions("output=prof-%p-%r-%q{JOB}", O), Mistakes());
  EXPECT_EQ(O.Output, "prof-%p-%r-%q{JOB}");
  EXPECT_EQ(parseOptions("output=%q", O),
            Mistakes({"output has a %q without a variable: write %q{VAR}, not '%q'"}));
  EXPECT_EQ(O.Output, "prof-%p-%r-%q{JOB}");
}

TEST(Options, KernelFilter) {
  EXPECT_TRUE(matchesKernel("", "_Z3addPi", "add(int*)"));
  EXPECT_TRUE(matchesKernel("^add\\(", "_Z3addPi", "add(int*)"));
  EXPECT_TRUE(matchesKernel("^_Z3add", "_Z3addPi", "add(int*)"));
  EXPECT_FALSE(matchesKernel("sub|mul", "_Z3addPi", "add(int*)"));
}

} // namespace
} // namespace gmprof::host
