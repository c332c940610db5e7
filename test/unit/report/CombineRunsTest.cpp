//===- CombineRunsTest.cpp - Runs of one program in one summary -----------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/check/CombineRuns.h"
#include <gtest/gtest.h>

namespace gmprof {
namespace {

using namespace summary;

Object objectOf(uint32_t Id, const std::string &Name, uint64_t Bytes) {
  Object O;
  O.id = Id;
  O.name = Name;
  O.kind = "device";
  O.bytes = Bytes;
  O.alloc = ObjectEvent{"cudaMalloc", 0, {}, 1, {}, {}, {}};
  return O;
}

Kernel kernelOf(uint32_t Id, const std::string &Name, uint64_t Launches) {
  Kernel K;
  K.id = Id;
  K.name = Name;
  K.demangled = Name + "()";
  K.launch_counts.seen = Launches;
  return K;
}

Finding findingAbout(uint32_t Object, const std::string &Severity, const std::string &Print) {
  Finding F;
  F.pattern = "p";
  F.severity = Severity;
  F.object = ObjectRef{Object, "", "device"};
  F.fingerprint = Print;
  return F;
}

/// Allocates two equal arrays and another one, and launches k twice and l once.
Summary run(const std::string &Profile) {
  Summary S;
  S.run.exit_status = 0;
  S.config.text = R"({"profile":")" + Profile + R"(","profiles":[")" + Profile + R"("]})";
  S.memory.emplace();
  S.objects = {objectOf(0, "a", 16), objectOf(1, "a", 16), objectOf(2, "b", 64)};
  S.kernels = {kernelOf(0, "k", 2), kernelOf(1, "l", 1)};
  return S;
}

TEST(CombineRuns, EqualRunsDoNotDiffer) {
  EXPECT_EQ(differenceOfRuns(run("heat"), run("elements")), "");
}

TEST(CombineRuns, Differences) {
  Summary Other = run("elements");
  Other.run.exit_status = 3;
  EXPECT_EQ(differenceOfRuns(run("heat"), Other), "exit status 3 instead of 0");
  Other = run("elements");
  Other.kernels[0].launch_counts.seen = 1;
  EXPECT_EQ(differenceOfRuns(run("heat"), Other), "1 launch of `k()` instead of 2");
  Other.kernels.erase(Other.kernels.begin());
  EXPECT_EQ(differenceOfRuns(run("heat"), Other), "0 launches of `k()` instead of 2");
  EXPECT_EQ(differenceOfRuns(Other, run("heat")), "2 launches of `k` instead of 0");
  Other = run("elements");
  Other.objects[2].bytes = 65;
  EXPECT_EQ(differenceOfRuns(run("heat"), Other), "other allocations");
  Other.memory.reset(); // then objects are those that its kernels use
  EXPECT_EQ(differenceOfRuns(run("heat"), Other), "");
}

// For some graph nodes only their number is known, not their kernels.
TEST(CombineRuns, LaunchesOfGraphsAreComparedInAll) {
  Summary All = run("heat"), Other = run("cache");
  All.coverage.launches.seen = Other.coverage.launches.seen = 3;
  for (Kernel &K : Other.kernels)
    K.launch_counts.seen = 0;
  EXPECT_EQ(differenceOfRuns(All, Other), "0 launches of `k()` instead of 2");
  Other.coverage.launches.reasons = {{"graphs", "nodes of kernels that run no clone", 3}};
  EXPECT_EQ(differenceOfRuns(All, Other), "");
  Other.coverage.launches.seen = 2;
  EXPECT_EQ(differenceOfRuns(All, Other), "2 launches instead of 3");
  // A profile without clones, as sync, has nothing to profile in nodes.
  Other.coverage.launches = {};
  Other.coverage.launches.seen = Other.coverage.launches.nothing_to_profile = 3;
  EXPECT_EQ(differenceOfRuns(All, Other), "");
  Other.coverage.launches.seen = Other.coverage.launches.nothing_to_profile = 2;
  EXPECT_EQ(differenceOfRuns(All, Other), "2 launches instead of 3");
}

// Elements of objects tell more about the peak than their lifetimes.
TEST(CombineRuns, ThePeakWithAllFixesIsThatOfTheRunThatKnowsMost) {
  Summary To = run("heat"), Other = run("elements");
  To.memory->devices = {{0, 100, 90, 0, {}, {}, {}}};
  Other.memory->devices = {{0, 100, 40, 0, {}, {}, {}}};
  combineRuns(To, Other, "elements");
  EXPECT_EQ(To.memory->devices[0].peak_bytes_after, 40u);
}

// Findings about calls refer to the list of calls, which the run of sync replaces.
TEST(CombineRuns, FindingsAboutCallsAreThoseOfTheirRun) {
  Summary To = run("heat"), Other = run("sync");
  To.sync.emplace();
  Other.sync.emplace();
  Other.sync->stages.resize(1);
  To.findings = {findingAbout(0, "low", "calls"), findingAbout(0, "low", "memory")};
  To.findings[0].site = 7;
  Other.findings = {findingAbout(0, "medium", "calls")};
  Other.findings[0].site = 3;
  combineRuns(To, Other, "sync");
  ASSERT_EQ(To.findings.size(), 2u);
  EXPECT_EQ(To.findings[0].site, 3u);
  EXPECT_EQ(To.findings[0].severity, "medium");
  EXPECT_FALSE(To.findings[1].site);
}

// A kernel that was launched once had no launch for its shared memory in the overview.
TEST(CombineRuns, SharedMemoryOfARunOfItsOwn) {
  Summary To = run("heat"), Other = run("shared");
  To.coverage.profiles = {{"shared", 0, 1, {{"l()", "no launch was selected", 1}}}};
  Other.coverage.profiles = {{"shared", 1, 1, {}}};
  Object Tile = objectOf(3, "tile", 128);
  Tile.alloc.reset();
  Tile.kernel = 1;
  Other.objects.push_back(Tile);
  Other.kernels[1].objects.resize(1);
  Other.kernels[1].objects[0].object = 3;
  combineRuns(To, Other, "shared");
  ASSERT_EQ(To.kernels[1].objects.size(), 1u);
  EXPECT_EQ(To.objects[To.kernels[1].objects[0].object].name, "tile");
  ASSERT_EQ(To.coverage.profiles.size(), 1u);
  EXPECT_EQ(To.coverage.profiles[0].launches, 1u);
  EXPECT_TRUE(To.coverage.profiles[0].never_counted.empty());
}

// The other run lists its objects and kernels in another order; the n-th of equal objects is the
// n-th of the other run.
TEST(CombineRuns, ObjectsAndKernelsAreThoseOfTheFirstRun) {
  Summary Other = run("elements");
  Other.objects = {objectOf(0, "b", 64), objectOf(1, "a", 16), objectOf(2, "a", 16),
                   objectOf(3, "new", 8)};
  Other.kernels = {kernelOf(0, "l", 1), kernelOf(1, "k", 2)};
  Other.objects[2].elements.emplace();
  Other.objects[2].elements->accessed = 3;
  Other.objects[2].elements->frequencies.resize(1);
  Other.objects[2].elements->frequencies[0].kernel = 1;
  Other.kernels[1].global_memory.emplace();
  Other.kernels[1].global_memory->objects.resize(2);
  Other.kernels[1].global_memory->objects[0].object = 0;
  Other.kernels[1].global_memory->objects[1].object = 3;

  Summary To = run("heat");
  combineRuns(To, Other, "elements");
  ASSERT_EQ(To.objects.size(), 4u);
  EXPECT_FALSE(To.objects[0].elements);
  ASSERT_TRUE(To.objects[1].elements);
  EXPECT_EQ(To.objects[1].elements->accessed, 3u);
  EXPECT_EQ(To.objects[1].elements->frequencies[0].kernel, 0u);
  EXPECT_EQ(To.objects[3].name, "new");
  EXPECT_EQ(To.objects[3].id, 3u);
  ASSERT_TRUE(To.kernels[0].global_memory);
  EXPECT_EQ(To.kernels[0].global_memory->objects[0].object, 2u);
  EXPECT_EQ(To.kernels[0].global_memory->objects[1].object, 3u);
  EXPECT_FALSE(To.kernels[1].global_memory);
  EXPECT_EQ(To.config.text, R"({"profile":"full","profiles":["heat","elements"]})");
}

TEST(CombineRuns, FindingsAreRankedAnewAndOnce) {
  Summary To = run("heat"), Other = run("elements");
  To.findings = {findingAbout(0, "medium", "x")};
  Other.objects = {objectOf(0, "b", 64), objectOf(1, "a", 16), objectOf(2, "a", 16)};
  Other.findings = {findingAbout(0, "high", "y"), findingAbout(2, "low", "z"),
                    findingAbout(1, "medium", "x")};
  combineRuns(To, Other, "elements");
  ASSERT_EQ(To.findings.size(), 3u);
  EXPECT_EQ(To.findings[0].fingerprint, "y");
  EXPECT_EQ(To.findings[0].object->id, 2u);
  EXPECT_EQ(To.findings[1].fingerprint, "x");
  EXPECT_EQ(To.findings[2].object->id, 1u);
  EXPECT_EQ(To.findings[2].id, 3u);
}

TEST(CombineRuns, FindingsOfOtherRunsAreWeighedByKernelTime) {
  Summary To = run("heat"), Other = run("elements");
  To.kernels[0].seconds = {1, 0.0, 0.0, false, 0.005};
  To.kernels[1].seconds = {1, 0.0, 0.0, true, 0.04};
  for (uint32_t Kernel : {0, 1}) {
    Finding &F = Other.findings.emplace_back(findingAbout(0, "high", Kernel == 0 ? "k" : "l"));
    F.kernel = KernelRef{Kernel, "", {}};
    F.message = "Slow.";
  }
  Other.findings.push_back(findingAbout(1, "high", "memory"));
  Other.findings.back().kernel = KernelRef{0, "", {}};
  Other.findings.back().origin = "drgpum";
  combineRuns(To, Other, "elements");
  ASSERT_EQ(To.findings.size(), 3u);
  EXPECT_EQ(To.findings[0].fingerprint, "memory");
  EXPECT_EQ(To.findings[0].severity, "high");
  EXPECT_EQ(To.findings[1].fingerprint, "l");
  EXPECT_EQ(To.findings[1].severity, "medium");
  EXPECT_EQ(To.findings[1].message, "Slow. `l` takes at most 4 % of the kernel time.");
  EXPECT_EQ(To.findings[2].severity, "low");
  EXPECT_EQ(To.findings[2].message, "Slow. `k` takes 0.5 % of the kernel time.");
  EXPECT_EQ(To.findings[2].evidence.size(), 1u);
}

// The hot spot is known in the first run, the candidate for shared memory in the other one, which
// numbers its objects and kernels otherwise.
TEST(CombineRuns, PatternsOfOneCauseAreJoined) {
  Summary To = run("heat"), Other = run("elements");
  To.findings = {findingAbout(2, "medium", "hot"), findingAbout(0, "low", "hot a")};
  for (Finding &F : To.findings) {
    F.pattern = "hot_spot";
    F.kernel = KernelRef{0, "k()", {}};
  }
  Other.objects = {objectOf(0, "b", 64), objectOf(1, "a", 16), objectOf(2, "a", 16)};
  Other.kernels = {kernelOf(0, "l", 1), kernelOf(1, "k", 2)};
  Other.findings = {findingAbout(0, "low", "candidate")};
  Other.findings[0].pattern = "shared_memory_candidate";
  Other.findings[0].kind = "move_in";
  Other.findings[0].kernel = KernelRef{1, "k()", {}};
  combineRuns(To, Other, "elements");
  ASSERT_EQ(To.findings.size(), 2u);
  EXPECT_EQ(To.findings[0].fingerprint, "candidate");
  EXPECT_EQ(To.findings[0].severity, "medium");
  EXPECT_EQ(To.findings[0].also, std::vector<std::string>{"hot_spot"});
  EXPECT_EQ(To.findings[1].fingerprint, "hot a");
}

TEST(CombineRuns, CallPathsAndTracesMove) {
  Summary To = run("heat"), Other = run("sync");
  const Frame Main = {"main", Source{"a.cu", 3}, false, "app", 2};
  To.frames = {Main};
  To.call_paths = {{0}, {0, 0}};
  Other.frames = {Frame{"make", Source{"a.cu", 9}, false, "app", 1}, Main};
  Other.call_paths = {{0, 1}};
  Other.sync.emplace();
  Other.sync->stages.resize(3);
  Other.sync->sites.resize(1);
  Other.sync->sites[0].call_path = 0;
  Other.files = {{"memory_trace", "events.gmtrace", "gmtrace", ""},
                 {"global_counts", "global_counts.csv", "csv", ""}};
  combineRuns(To, Other, "cache");
  ASSERT_EQ(To.frames.size(), 2u); // main once
  EXPECT_EQ(To.frames[1].function, "make");
  EXPECT_EQ(To.call_paths, (std::vector<std::vector<uint32_t>>{{0}, {0, 0}, {1, 0}}));
  ASSERT_TRUE(To.sync);
  EXPECT_EQ(To.sync->sites[0].call_path, 2u);
  ASSERT_EQ(To.files.size(), 1u);
  EXPECT_EQ(To.files[0].path, "cache/events.gmtrace");
}

TEST(CombineRuns, CoverageIsThatOfAllRuns) {
  Summary To = run("heat"), Other = run("elements");
  To.coverage.whole = true;
  To.coverage.profiles = {{"heat", 1, 2, {}}};
  To.coverage.gaps = {{"launches", "why", 1}};
  Other.coverage.profiles = {{"heat", 2, 2, {}}, {"elements", 2, 2, {}}};
  Other.coverage.gaps = {{"launches", "why", 1}, {"launches", "also", 2}};
  combineRuns(To, Other, "elements");
  EXPECT_FALSE(To.coverage.whole);
  ASSERT_EQ(To.coverage.profiles.size(), 2u);
  EXPECT_EQ(To.coverage.profiles[0].launches, 1u);
  EXPECT_EQ(To.coverage.profiles[1].profile, "elements");
  ASSERT_EQ(To.coverage.gaps.size(), 2u);
  EXPECT_EQ(To.coverage.gaps[1].reason, "also");
}

} // namespace
} // namespace gmprof
