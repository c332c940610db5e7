//===- TraceFollowerTest.cpp - Simulating traces as programs end ----------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tool/gmprof/TraceFollower.h"
#include "../../TemporaryFolder.h"
#include "../../cache/LayerTrace.h"
#include "../../cache/TraceLaunches.h"
#include "cache/TraceFormat.h"
#include "host/core/Options.h"
#include "host/record/Recorder.h"
#include "profile/EventLogWriter.h"
#include "profile/ProfileBuilder.h"
#include <dlfcn.h>
#include <filesystem>
#include <gtest/gtest.h>

extern "C" [[gnu::noinline]] void functionOfTest() {}

namespace gmprof::host {
namespace {

struct TraceFollowerTest : testing::Test {
  const test::TemporaryFolder Folder;
  const std::string Log = Folder.file("events-1.gmlog"), Trace = cache::tracePathOf(Log);

  void SetUp() override { ASSERT_TRUE(EventLogWriter::create(Log)); }
  static uint64_t sectorsOf(const CacheProfile &Made) {
    uint64_t Sectors = 0;
    for (const cache::Cell &C : Made.Results.Cells)
      Sectors += C.Counts.Sectors;
    return Sectors;
  }
};

constexpr uint64_t LayerSectors = 262144 + 256 + 2 * 256;

TEST_F(TraceFollowerTest, SimulatesWrittenLaunches) {
  TraceFollower Follower(Folder.path());
  ASSERT_TRUE(test::writeLayerTrace(Trace));
  const std::optional<CacheProfile> Made = Follower.take(Log).Caches;
  ASSERT_TRUE(Made);
  EXPECT_EQ(Made->Path, Trace);
  EXPECT_EQ(Made->Problem, "");
  EXPECT_EQ(sectorsOf(*Made), LayerSectors);
  EXPECT_FALSE(Follower.take(Log).Caches) << "it is given once";
}

// The second launch adds so many requests that one of four lines is sampled, regardless of earlier
// simulation.
TEST_F(TraceFollowerTest, SimulatesMoreThanWasExpected) {
  TraceFollower Follower(Folder.path());
  auto W = cache::TraceWriter::create(Trace, {"sm_90", "", 132, 64, 0});
  ASSERT_TRUE(W);
  (*W)->addKernel({"k", false});
  (*W)->addSite({0, "", 1, "", {}});
  test::addLaunch(**W, 1000);
  test::addLaunch(**W, 1U << 22);
  ASSERT_TRUE((*W)->finish());
  const std::optional<CacheProfile> Made = Follower.take(Log).Caches, Whole = simulateTraceOf(Log);
  ASSERT_TRUE(Made);
  ASSERT_TRUE(Whole);
  EXPECT_EQ(Made->Results.Options.Sampled, 4u);
  ASSERT_EQ(Made->Results.Cells.size(), 2u);
  ASSERT_EQ(Whole->Results.Cells.size(), 2u);
  for (size_t I = 0; I < 2; ++I)
    EXPECT_EQ(Made->Results.Cells[I].Counts, Whole->Results.Cells[I].Counts);
  EXPECT_EQ(Made->Results.Cells[1].Counts.Requests, 1u << 22);
}

TEST_F(TraceFollowerTest, FollowsOneTrace) {
  ASSERT_TRUE(test::writeLayerTrace(Trace));
  TraceFollower Follower(Folder.path());
  EXPECT_FALSE(Follower.take(Folder.file("events-2.gmlog")).Caches);
  EXPECT_TRUE(Follower.take(Log).Caches);
}

TEST_F(TraceFollowerTest, LooksUpNamesWhenTheTraceIsWritten) {
  const std::string Program = Folder.file("program"), Second = Folder.file("events-2.gmlog");
  std::filesystem::copy_file("/proc/self/exe", Program);
  {
    auto Writer = EventLogWriter::create(Second);
    ASSERT_TRUE(Writer);
    Recorder R(std::move(*Writer));
    R.run({}, "cpu", {Program}, 2);
    Dl_info Info = {};
    ASSERT_TRUE(dladdr(reinterpret_cast<const void *>(&functionOfTest), &Info));
    R.image({Program, "c0ffee42", reinterpret_cast<uint64_t>(Info.dli_fbase), 1U << 30, 0});
    const uint64_t Return = reinterpret_cast<uint64_t>(&functionOfTest) + 1;
    R.callPath(1, {&Return, 1});
  }
  TraceFollower Follower(Folder.path());
  ASSERT_TRUE(test::writeLayerTrace(cache::tracePathOf(Second)));
  TraceFollower::Results Made = Follower.take(Second);
  ASSERT_TRUE(Made.Caches);
  std::filesystem::remove(Program);
  Result<profile::Profile> P = readProfile(Second);
  ASSERT_TRUE(P);
  Made.Names.name(*P);
  ASSERT_EQ(P->CallPaths.size(), 1u);
  EXPECT_EQ(P->CallPaths[0].Frames.at(0).Function, "functionOfTest");
}

TEST_F(TraceFollowerTest, LeavesATraceWithoutItsEnd) {
  ASSERT_TRUE(test::writeLayerTrace(Trace));
  std::filesystem::resize_file(Trace, std::filesystem::file_size(Trace) - 1);
  EXPECT_FALSE(TraceFollower(Folder.path()).take(Log).Caches);
  std::filesystem::resize_file(Trace, 4);
  EXPECT_FALSE(TraceFollower(Folder.path()).take(Log).Caches);
  std::filesystem::remove(Trace);
  EXPECT_FALSE(TraceFollower(Folder.path()).take(Log).Caches);
}

} // namespace
} // namespace gmprof::host
