//===- MemorySummaryTest.cpp - Memory in use in summary.json --------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/builder/MemorySummary.h"
#include "../profile/TestCalls.h"
#include "report/builder/SummaryBuilder.h"
#include "report/model/SummaryJson.h"
#include "report/text/TextReport.h"
#include <algorithm>
#include <gtest/gtest.h>

using namespace gmprof;
using namespace gmprof::test;

namespace {

/// a, b and c; c is neither used nor released. Call I begins at 100 I ns.
TestCalls program() {
  TestCalls C;
  C.TheRun.Profiles = {"objects"};
  C.TheRun.ConfigJson = R"({"profile":"objects"})";
  C.TheRun.Ended = true;
  uint64_t A = C.allocate(1000), B = C.allocate(500); // calls 1 and 2
  C.set(A);                                           // 3
  C.launch({A}, {B});                                 // 4
  C.download(B);                                      // 5
  C.release(A);                                       // 6
  C.release(B);                                       // 7
  C.allocate(2000);                                   // 8
  C.Objects[0].Name = "a";
  C.Objects[1].Name = "b";
  C.Objects[2].Name = "c";
  return C;
}

summary::Summary summarize(const profile::Profile &P) { return buildSummary(P).Content; }

std::vector<std::string> patterns(const summary::Summary &S) {
  std::vector<std::string> Found;
  for (const summary::Finding &F : S.findings)
    Found.push_back(F.pattern + " " + F.object->name);
  std::sort(Found.begin(), Found.end());
  return Found;
}

/// The named file's content.
std::string file(const profile::Profile &P, const std::string &Name) {
  for (const SideFile &F : buildSummary(P).Files)
    if (F.Description.name == Name)
      return F.Content;
  return "";
}

profile::Frame frame(const std::string &Function, const std::string &File, unsigned Line) {
  profile::Frame F;
  F.Function = Function;
  F.Source = {File, Line, 0};
  return F;
}

} // namespace

TEST(MemorySummaryTest, PeaksAndAchievablePeaks) {
  summary::Summary S = summarize(program());
  ASSERT_TRUE(S.memory);
  ASSERT_EQ(S.memory->devices.size(), 1u);
  const summary::DeviceMemory &D = S.memory->devices[0];
  EXPECT_EQ(D.peak_bytes, 2000u);
  // The result without c; the launch uses both a and b.
  EXPECT_EQ(D.peak_bytes_after, 1500u);
  EXPECT_EQ(D.bytes_at_end, 2000u);
  ASSERT_EQ(D.peaks.size(), 2u);
  EXPECT_EQ(D.peaks[0].bytes, 2000u);
  EXPECT_EQ(D.peaks[0].api, 7u);
  EXPECT_EQ(D.peaks[0].topological_time, 7u);
  EXPECT_DOUBLE_EQ(D.peaks[0].seconds, 850e-9); // when the call returns
  EXPECT_EQ(D.peaks[0].objects, 1u);
  EXPECT_EQ(D.peaks[0].largest, std::vector<uint32_t>{2});
  EXPECT_EQ(D.peaks[1].bytes, 1500u);
  EXPECT_EQ(D.peaks[1].api, 1u);
  EXPECT_EQ(D.peaks[1].largest, (std::vector<uint32_t>{0, 1}));
}

TEST(MemorySummaryTest, FirstAndLastAccesses) {
  summary::Summary S = summarize(program());
  ASSERT_EQ(S.objects.size(), 3u);
  const summary::Object &A = S.objects[0];
  ASSERT_TRUE(A.first_access && A.last_access);
  EXPECT_EQ(A.first_access->kind, "set");
  EXPECT_EQ(A.first_access->api, "cudaMemsetAsync");
  EXPECT_EQ(A.first_access->topological_time, 2u);
  EXPECT_DOUBLE_EQ(A.first_access->seconds, 300e-9);
  EXPECT_EQ(A.last_access->kind, "launch");
  EXPECT_EQ(A.last_access->api, "k");
  EXPECT_EQ(A.last_access->topological_time, 3u);
  EXPECT_EQ(A.alloc->topological_time, 0u);
  EXPECT_EQ(A.free->topological_time, 5u);
  EXPECT_FALSE(S.objects[2].first_access);
  Result<summary::Summary> Again = parseSummary(toJson(S), "again");
  ASSERT_TRUE(Again) << Again.error();
  EXPECT_EQ(toJson(*Again), toJson(S));
}

TEST(MemorySummaryTest, FindingsAreRankedBySavings) {
  summary::Summary S = summarize(program());
  EXPECT_EQ(patterns(S), (std::vector<std::string>{"early_allocation a", "early_allocation b",
                                                   "late_deallocation a", "late_deallocation b",
                                                   "unused_allocation c"}));
  EXPECT_EQ(S.findings[0].object->name, "c");
  EXPECT_EQ(S.findings[0].bytes_saved, 500u);
  EXPECT_EQ(S.findings[0].severity, "high"); // a quarter of the peak
  EXPECT_EQ(S.findings[2].bytes_saved, 0u);
  EXPECT_EQ(S.findings[2].severity, "info");
  EXPECT_EQ(S.findings[0].origin, "drgpum");
  ASSERT_TRUE(S.coverage.objects);
  EXPECT_EQ(S.coverage.objects->launches_inferred, 0u);
}

TEST(MemorySummaryTest, FindingsSayWhere) {
  TestCalls C = program();
  C.CallPaths.resize(2);
  C.CallPaths[0].Frames = {frame("cudaMalloc<float>", "/cuda/cuda_runtime.h", 1),
                           frame("make()", "/src/a.cu", 12), frame("main", "/src/a.cu", 40)};
  C.CallPaths[1].Frames = {frame("main", "/src/main.cu", 60)};
  C.Objects[0].Made.CallPath = 0;
  C.Objects[0].Released->CallPath = 1;
  C.Objects[0].Name = "";
  summary::Summary S = summarize(C);
  unsigned Seen = 0;
  for (const summary::Finding &F : S.findings) {
    if (F.object->id != 0)
      continue;
    ++Seen;
    ASSERT_TRUE(F.source);
    if (F.pattern == "early_allocation") {
      EXPECT_EQ(F.source->file + ":" + std::to_string(F.source->line), "/src/a.cu:12");
      EXPECT_EQ(F.call_path.size(), 3u);
      EXPECT_EQ(F.message, "The allocation at a.cu:12 (1000 bytes) is allocated 1 CUDA operation "
                           "before cudaMemsetAsync uses it first.");
    } else {
      EXPECT_EQ(F.source->file + ":" + std::to_string(F.source->line), "/src/main.cu:60");
    }
  }
  EXPECT_EQ(Seen, 2u);
}

TEST(MemorySummaryTest, FingerprintsOfNamelessObjectsDiffer) {
  TestCalls C = program();
  for (size_t I = 0; I < C.Objects.size(); ++I)
    C.Objects[I].Name = "";
  summary::Summary S = summarize(C);
  std::vector<std::string> All;
  for (const summary::Finding &F : S.findings)
    All.push_back(F.fingerprint);
  std::sort(All.begin(), All.end());
  EXPECT_EQ(std::adjacent_find(All.begin(), All.end()), All.end());
  // The same objects in another run, at other addresses and times.
  for (size_t I = 0; I < C.Objects.size(); ++I)
    C.Objects[I].Address += 0x1000;
  for (size_t I = 0; I < C.Launches.size(); ++I)
    C.Launches[I].TimeNs += 1;
  std::vector<std::string> Again;
  for (const summary::Finding &F : summarize(C).findings)
    Again.push_back(F.fingerprint);
  std::sort(Again.begin(), Again.end());
  EXPECT_EQ(Again, All);
}

TEST(MemorySummaryTest, OptionsAreThoseOfTheRun) {
  TestCalls C = program();
  C.TheRun.ConfigJson = R"({"profile":"objects","peaks":1})";
  EXPECT_EQ(summarize(C).memory->devices[0].peaks.size(), 1u);
  TestCalls Idle;
  Idle.TheRun.Profiles = {"objects"};
  Idle.TheRun.Ended = true;
  uint64_t A = Idle.allocate(100);
  Idle.set(A);
  for (int I = 0; I < 3; ++I)
    Idle.launch({}, {});
  Idle.download(A);
  Idle.release(A);
  auto Patterns = [&](const std::string &Config) {
    Idle.TheRun.ConfigJson = Config;
    return patterns(summarize(Idle)).size();
  };
  EXPECT_EQ(Patterns("{}"), 1u);
  EXPECT_EQ(Patterns(R"({"idle_apis":3})"), 1u);
  EXPECT_EQ(Patterns(R"({"idle_apis":4})"), 0u);
}

TEST(MemorySummaryTest, LaunchesOfUnknownAccessesAreAGap) {
  TestCalls C = program();
  C.AccessSets[0].Knowledge = log::AccessKnowledge::Inferred;
  C.launch({}, {});
  summary::Summary S = summarize(C);
  ASSERT_TRUE(S.coverage.objects);
  EXPECT_EQ(S.coverage.objects->launches_inferred, 1u);
  EXPECT_EQ(S.coverage.objects->objects_uncertain, 2u);
  EXPECT_FALSE(S.coverage.whole);
  // All APIs between the allocations and that launch have known accesses.
  EXPECT_NE(textReport(S, {}).find("the accesses of 1 launch are inferred from its parameters"),
            std::string::npos);
}

TEST(MemorySummaryTest, GraphMemoryOutlivesTheLastLaunch) {
  TestCalls C;
  C.TheRun.Profiles = {"objects"};
  const uint64_t O = C.object(log::ObjectKind::Graph, 64, "cudaMallocAsync");
  profile::GraphNode Node;
  Node.Kind = log::GraphNodeKind::Allocation;
  Node.Object = O;
  C.Nodes.push_back(Node);
  C.Graphs.push_back({{0}, {}});
  const auto LaunchGraph = [&] {
    C.synchronize();
    profile::GraphLaunch L;
    L.TimeNs = C.Orders.back().BeginNs;
    L.Record = C.Orders.back().Record;
    L.Graph = L.Nodes = 0;
    C.GraphLaunches.push_back(L);
  };
  LaunchGraph();
  C.release(O);
  summary::Object Known = summarize(C).objects.at(0);
  EXPECT_EQ(Known.released, true);
  EXPECT_EQ(Known.free->api, "cudaFree");
  LaunchGraph();
  summary::Summary S = summarize(C);
  EXPECT_EQ(S.objects.at(0).released, false);
  EXPECT_FALSE(S.objects.at(0).free);
  EXPECT_EQ(S.memory->devices.at(0).bytes_at_end, 64u);
}

TEST(MemorySummaryTest, MemoryInUseAtACrashIsNoLeak) {
  TestCalls C = program();
  C.TheRun.Ended = false;
  summary::Summary S = summarize(C);
  EXPECT_EQ(patterns(S), (std::vector<std::string>{"early_allocation a", "early_allocation b",
                                                   "late_deallocation a", "late_deallocation b"}));
  EXPECT_EQ(S.memory->devices[0].bytes_at_end, 2000u);
  EXPECT_NE(textReport(S, {}).find("2,000 bytes in use when the program ended early (no leak)"),
            std::string::npos);
  C = program();
  C.Gaps.push_back({"records", "disk full", 1}); // possibly the release
  EXPECT_EQ(patterns(summarize(C)).size(), 4u);
}

TEST(MemorySummaryTest, FindingsWithoutBenefitAreListedOnRequest) {
  TestCalls C = program();
  C.TheRun.Ended = false; // a leak would have a benefit
  const summary::Summary S = summarize(C);
  const std::string Text = textReport(S, {});
  EXPECT_NE(Text.find("4 findings without estimated benefit: 2 early_allocation, 2 "
                      "late_deallocation (--top 0 shows them)"),
            std::string::npos)
      << Text;
  EXPECT_EQ(Text.find("Fix:"), std::string::npos) << Text;
  TextOptions All, Filtered;
  All.Top = 0;
  Filtered.LeftOut = 1;
  for (const TextOptions &Each : {All, Filtered}) {
    EXPECT_EQ(textReport(S, Each).find("without estimated benefit"), std::string::npos);
    EXPECT_NE(textReport(S, Each).find("Fix:"), std::string::npos);
  }
}

TEST(MemorySummaryTest, OtherProfilesHaveOnlyPeaks) {
  TestCalls C = program();
  C.TheRun.Profiles = {"global"};
  summary::Summary S = summarize(C);
  EXPECT_TRUE(S.findings.empty());
  EXPECT_FALSE(S.coverage.objects);
  EXPECT_EQ(S.memory->devices[0].peak_bytes, 2000u);
  EXPECT_FALSE(S.memory->devices[0].peak_bytes_after);
  EXPECT_FALSE(S.objects[0].first_access);
  EXPECT_FALSE(S.objects[0].alloc->topological_time);
}

TEST(MemorySummaryTest, PinnedMemoryAndVariablesAreNotOnTheDevice) {
  TestCalls C;
  C.TheRun.Ended = true;
  C.object(ObjectKind::Pinned, 1000, "cudaMallocHost");
  C.object(ObjectKind::GlobalVariable, 500, "");
  C.allocate(64, 1);
  summary::Summary S = summarize(C);
  ASSERT_EQ(S.memory->devices.size(), 1u);
  EXPECT_EQ(S.memory->devices[0].device, 1u);
  EXPECT_EQ(S.memory->devices[0].peak_bytes, 64u);
}

// Two parts of 400 and 300 bytes are cut from a slab of 1000; the second is not used.
TEST(MemorySummaryTest, PartsOfPoolsAreObjectsInTheirSlab) {
  TestCalls C;
  C.TheRun.Profiles = {"objects"};
  C.TheRun.ConfigJson = R"({"profile":"objects"})";
  C.TheRun.Ended = true;
  uint64_t Slab = C.allocate(1000);
  uint64_t A = C.object(ObjectKind::Pool, 400, "gmprof_alloc");
  uint64_t B = C.object(ObjectKind::Pool, 300, "gmprof_alloc");
  C.Objects[A - 1].Parent = C.Objects[B - 1].Parent = Slab;
  C.Objects[Slab - 1].Name = "arena";
  C.Objects[B - 1].Name = "b";
  C.set(A);
  C.download(A);
  C.release(A, "gmprof_free");
  C.release(B, "gmprof_free");
  C.release(Slab);
  summary::Summary S = summarize(C);
  ASSERT_EQ(S.memory->devices.size(), 1u);
  EXPECT_EQ(S.memory->devices[0].peak_bytes, 1000u);
  EXPECT_EQ(S.memory->devices[0].peak_bytes_after, 1000u);
  ASSERT_EQ(S.memory->pools.size(), 1u);
  const summary::PoolMemory &P = S.memory->pools[0];
  EXPECT_EQ(P.object, 0u);
  EXPECT_EQ(P.bytes, 1000u);
  EXPECT_EQ(P.parts, 2u);
  EXPECT_EQ(P.peak_bytes, 700u);
  EXPECT_EQ(P.wasted_bytes, 300u);
  EXPECT_EQ(P.peak_bytes_after, 400u);
  EXPECT_EQ(S.objects[1].kind, "pool");
  EXPECT_EQ(S.objects[1].parent, 0u);
  EXPECT_EQ(S.objects[0].parent, std::nullopt);
  // There is no finding about the slab: it is in use as long as its parts are.
  ASSERT_EQ(S.findings.size(), 2u);
  EXPECT_EQ(S.findings[0].pattern, "unused_allocation");
  EXPECT_EQ(S.findings[0].object->name, "b");
  EXPECT_EQ(S.findings[0].bytes_saved, 300u);
  EXPECT_EQ(S.findings[1].pattern, "early_allocation");
  EXPECT_EQ(S.findings[1].object->id, 1u);
  const std::string Text = textReport(S, {});
  EXPECT_NE(Text.find("  pool   bytes  parts  peak in use  never in use  achievable\n"
                      "  arena  1,000      2          700    300 (30 %)         400\n"),
            std::string::npos)
      << Text;
  EXPECT_NE(Text.find("300 bytes of the peak of its pool"), std::string::npos);
}

TEST(MemorySummaryTest, MemoryOverTime) {
  EXPECT_EQ(file(program(), "memory_over_time"), "device,api,seconds,bytes\n"
                                                 "0,0,0.000000150,1000\n"
                                                 "0,1,0.000000250,1500\n"
                                                 "0,5,0.000000600,500\n"
                                                 "0,6,0.000000700,0\n"
                                                 "0,7,0.000000850,2000\n");
  EXPECT_EQ(file(TestCalls(), "memory_over_time"), "");
}

TEST(MemorySummaryTest, ManyTimesAreTheHighestOfEach) {
  TestCalls C;
  for (size_t I = 0; I < MemorySummary::MaxTimes; ++I)
    C.release(C.allocate(I == 7 ? 9 : 1));
  const std::string Csv = file(C, "memory_over_time");
  // Two changes for each object, so every second change is kept.
  EXPECT_EQ(static_cast<size_t>(std::count(Csv.begin(), Csv.end(), '\n')),
            MemorySummary::MaxTimes + 1);
  EXPECT_NE(Csv.find(",9\n"), std::string::npos);
  EXPECT_EQ(Csv.find(",0\n"), std::string::npos);
}
