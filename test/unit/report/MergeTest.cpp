//===- MergeTest.cpp - Summaries of many processes as one -----------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/check/Merge.h"
#include "../TemporaryFolder.h"
#include "profile/Progress.h"
#include "report/builder/WriteSummary.h"
#include "report/check/Outliers.h"
#include "report/check/ProcessNames.h"
#include "report/model/CallPaths.h"
#include "report/model/Measures.h"
#include "report/model/SummaryJson.h"
#include "report/text/TextReport.h"
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

using namespace gmprof;
using namespace gmprof::summary;
using test::TemporaryFolder;

namespace {

using Indexes = std::vector<uint32_t>;

Finding finding(const std::string &Fingerprint, const std::string &Severity, uint64_t Bytes) {
  Finding F;
  F.id = 1;
  F.pattern = "memory_leak";
  F.severity = Severity;
  F.object = ObjectRef{4, "table", "device"};
  F.bytes_saved = Bytes;
  F.message = "It leaks " + std::to_string(Bytes) + ".";
  F.fingerprint = Fingerprint;
  return F;
}

/// Returns the summary of one rank: Launches launches of f, and an object that makes up the peak.
Summary process(std::optional<int> Rank, uint64_t Bytes, uint64_t Launches) {
  Summary S;
  S.schema = "gmprof.summary/3";
  S.run.command = {"app"};
  S.run.host = "node";
  S.run.pid = 100 + Rank.value_or(0);
  S.run.rank = Rank;
  S.run.start = "2026-01-01T00:00:0" + std::to_string(Rank.value_or(0) % 10);
  S.run.wall_seconds = 1.0 + Rank.value_or(0);
  S.run.exit_status = 0;
  S.run.complete = true;
  S.coverage.whole = true;
  S.config.text = R"({"profile":"objects"})";
  S.devices.emplace_back().name = "GPU";
  Object O;
  O.id = 4;
  O.name = "table";
  O.kind = "device";
  O.bytes = Bytes;
  O.device = 0;
  O.alloc.emplace().api = "cudaMalloc";
  O.alloc->call_path = 0;
  S.objects = {O};
  S.frames = {Frame{"main", Source{"a.cu", 7}, false, "app", 16}};
  S.call_paths = {{0}};
  Kernel K;
  K.id = 9;
  K.name = "_Z1fv";
  K.demangled = "f()";
  K.instrumented = true;
  K.launch_counts.seen = K.launch_counts.profiled = Launches;
  LaunchGroup First, Second;
  First.device = 0;
  First.count = Launches - 1;
  Second.device = 1;
  Second.count = 1;
  K.launches = {First, Second};
  S.kernels = {K};
  S.coverage.launches.seen = S.coverage.launches.profiled = Launches;
  S.memory.emplace().objects = 1;
  DeviceMemory D;
  D.peak_bytes = Bytes;
  D.peaks.emplace_back().bytes = Bytes;
  D.peaks[0].largest = {4};
  S.memory->devices = {D};
  return S;
}

MemoryAccount account(std::vector<MemoryRow> Rows) {
  MemoryAccount A;
  A.moment = "peak";
  A.rows = std::move(Rows);
  return A;
}

class MergeTest : public testing::Test {
protected:
  std::string write(const std::string &Name, const Summary &S) {
    std::filesystem::create_directories(Folder.file(Name));
    const std::string Path = Folder.file(Name) + "/summary.json";
    std::ofstream(Path) << toJson(S);
    return Path;
  }
  TemporaryFolder Folder;
};

Summary merged(const std::vector<std::string> &Paths, unsigned Threads = 1) {
  MergeOptions Options;
  Options.Threads = Threads;
  Result<Summary> S = mergeSummaries(Paths, Options);
  EXPECT_TRUE(S) << S.error();
  return std::move(*S);
}

const Spread &spread(const Summary &S, const std::string &Name, const std::string &Of = "") {
  static const Spread None;
  for (const Spread &Each : S.processes->measures)
    if (Each.name == Name && Each.of == Of)
      return Each;
  ADD_FAILURE() << "there is no " << Name;
  return None;
}

} // namespace

TEST_F(MergeTest, NumbersHaveASpread) {
  std::vector<std::string> Paths;
  // Paths are not in the order of ranks. The peak of rank 3 is 5000, the others' 1000.
  for (int Rank : {4, 3, 2, 1, 0})
    Paths.push_back(write(std::to_string(Rank), process(Rank, Rank == 3 ? 5000 : 1000, Rank + 1)));
  const Summary S = merged(Paths);
  ASSERT_TRUE(S.processes);
  ASSERT_EQ(S.processes->list.size(), 5u);
  EXPECT_EQ(S.processes->list[2].rank, 2);
  EXPECT_EQ(S.processes->list[2].path, Paths[2]);

  const Spread &Peak = spread(S, "peak");
  EXPECT_EQ(Peak.unit, "bytes");
  EXPECT_EQ(Peak.processes, 5u);
  EXPECT_EQ(Peak.min, 1000);
  EXPECT_EQ(Peak.min_process, 0u);
  EXPECT_EQ(Peak.mean, 1800);
  EXPECT_EQ(Peak.max, 5000);
  EXPECT_EQ(Peak.max_process, 3u);
  EXPECT_EQ(Peak.deviation, 1600); // sqrt((4 * 800^2 + 3200^2) / 5)
  EXPECT_EQ(Peak.outliers, (Indexes{3}));
  // 1 to 5.
  const Spread &Launches = spread(S, "launches", "f");
  EXPECT_EQ(Launches.mean, 3);
  EXPECT_EQ(Launches.max_process, 4u);
  EXPECT_EQ(Launches.outliers, Indexes());

  EXPECT_EQ(S.processes->list[3].command, std::vector<std::string>{"app"});
  EXPECT_EQ(S.processes->list[3].host, "node");
  EXPECT_EQ(S.processes->list[3].exit_status, 0);

  // All in all.
  EXPECT_EQ(S.run.start, "2026-01-01T00:00:00");
  EXPECT_EQ(S.run.wall_seconds, 5.0);
  EXPECT_EQ(S.run.rank, std::nullopt);
  EXPECT_EQ(S.run.exit_status, 0);
  EXPECT_TRUE(S.run.complete);
  EXPECT_TRUE(S.coverage.whole);
  EXPECT_EQ(S.coverage.launches.seen, 15u);
  ASSERT_EQ(S.kernels.size(), 1u);
  EXPECT_EQ(S.kernels[0].launch_counts.seen, 15u);
  ASSERT_EQ(S.kernels[0].launches.size(), 1u);
  EXPECT_EQ(S.kernels[0].launches[0].count, 15u);
  EXPECT_EQ(S.kernels[0].launches[0].device, std::nullopt);
  ASSERT_EQ(S.devices.size(), 1u);
  // Memory comes from the process with the highest peak.
  ASSERT_EQ(S.memory->devices.size(), 1u);
  EXPECT_EQ(S.memory->devices[0].peak_bytes, 5000u);
  ASSERT_EQ(S.objects.size(), 1u);
  EXPECT_EQ(S.objects[0].bytes, 5000u);
  EXPECT_EQ(S.memory->devices[0].peaks[0].largest, (Indexes{S.objects[0].id}));

  // Budgets are about the process with most.
  for (const Measure &M : measuresOf(S))
    if (M.Name == "peak" && M.Of.empty()) {
      EXPECT_EQ(M.Value, 5000);
    }
}

TEST_F(MergeTest, CoverageOfProfilesAddsUp) {
  Summary A = process(0, 100, 2), B = process(1, 100, 3);
  A.coverage.profiles = {{"objects", 2, 2, {}}, {"heat", 1, 2, {{"g()", "why", 1}}}};
  B.coverage.profiles = {{"objects", 2, 3, {}},
                         {"heat", 0, 3, {{"f()", "why", 3}, {"g()", "why", 4}}}};
  const Summary S = merged({write("a", A), write("b", B)});
  ASSERT_EQ(S.coverage.profiles.size(), 2u);
  EXPECT_EQ(S.coverage.profiles[0].profile, "objects");
  EXPECT_EQ(S.coverage.profiles[0].launches, 4u);
  EXPECT_EQ(S.coverage.profiles[0].of, 5u);
  const ProfileCoverage &Heat = S.coverage.profiles[1];
  EXPECT_EQ(Heat.launches, 1u);
  EXPECT_EQ(Heat.of, 5u);
  ASSERT_EQ(Heat.never_counted.size(), 2u);
  EXPECT_EQ(Heat.never_counted[0].kernel, "g()");
  EXPECT_EQ(Heat.never_counted[0].count, 5u);
  EXPECT_EQ(Heat.never_counted[1].count, 3u);
}

TEST_F(MergeTest, KernelTimesAddUp) {
  Summary A = process(0, 100, 2), B = process(1, 100, 3);
  Kernel G = B.kernels[0];
  G.id = 10;
  G.name = G.demangled = "g";
  B.kernels.push_back(G);
  A.kernels[0].seconds = {2, 1.0, 2.0, false, 1};
  B.kernels[0].seconds = {1, 4.0, 12.0, false, 0.75};
  B.kernels[1].seconds = {1, 6.0, 6.0, true, 0.3};
  const Summary S = merged({write("a", A), write("b", B)});
  ASSERT_EQ(S.kernels.size(), 2u);
  ASSERT_TRUE(S.kernels[0].seconds);
  EXPECT_EQ(S.kernels[0].seconds->measured_launches, 3u);
  EXPECT_DOUBLE_EQ(S.kernels[0].seconds->mean, 2);
  EXPECT_DOUBLE_EQ(S.kernels[0].seconds->total, 14);
  EXPECT_DOUBLE_EQ(S.kernels[0].seconds->share, 1);
  EXPECT_DOUBLE_EQ(S.kernels[1].seconds->share, 0.3); // 6 of 14 + 6
}

TEST_F(MergeTest, FindingsAreJoinedByFingerprint) {
  Summary A = process(0, 100, 1), B = process(1, 100, 1), C = process(2, 100, 1);
  A.findings = {finding("same", "low", 10)};
  B.findings = {finding("other", "high", 5), finding("same", "low", 30)};
  C.findings = {finding("same", "low", 20)};
  const Summary S = merged({write("c", C), write("b", B), write("a", A)}); // found in another order
  ASSERT_EQ(S.findings.size(), 2u);
  EXPECT_EQ(S.findings[0].fingerprint, "other");
  EXPECT_EQ(S.findings[0].id, 1u);
  // The finding comes from the process with the largest saving.
  EXPECT_EQ(S.findings[1].message, "It leaks 30.");
  EXPECT_EQ(S.findings[1].id, 2u);
  ASSERT_EQ(S.processes->findings.size(), 2u);
  EXPECT_EQ(S.processes->findings[0].fingerprint, "other");
  EXPECT_EQ(S.processes->findings[0].processes, (Indexes{1}));
  EXPECT_EQ(S.processes->findings[1].processes, (Indexes{0, 1, 2}));
  EXPECT_EQ(S.processes->list[1].findings, 2u);
  // The finding keeps its object and the object's allocation.
  const Object *About = nullptr;
  for (const Object &O : S.objects)
    if (O.id == S.findings[1].object->id)
      About = &O;
  ASSERT_TRUE(About);
  EXPECT_EQ(About->name, "table");
  ASSERT_TRUE(About->alloc->call_path);
  EXPECT_EQ(callPath(S, About->alloc->call_path).at(0).function, "main");

  TextOptions Options;
  Options.Width = 200;
  const std::string Text = textOverview(S, Options);
  EXPECT_NE(Text.find("3 processes on 1 host, GPU"), std::string::npos) << Text;
  EXPECT_NE(Text.find("in all 3 processes"), std::string::npos) << Text;
  EXPECT_NE(Text.find("in 1 of 3 processes: rank 1"), std::string::npos) << Text;
}

TEST_F(MergeTest, ThreadsDoNotChangeTheResult) {
  std::vector<std::string> Paths;
  for (int Rank = 0; Rank < 40; ++Rank) {
    Summary S = process(Rank % 3 ? std::optional(Rank) : std::nullopt, 1000 + Rank, 1);
    S.findings = {finding(std::to_string(Rank % 7), "low", 5)};
    Paths.push_back(write(std::to_string(Rank), S));
  }
  const std::string One = toJson(merged(Paths, 1));
  EXPECT_EQ(toJson(merged(Paths, 7)), One);
  // It is a summary itself.
  Result<Summary> Again = parseSummary(One, "merged");
  ASSERT_TRUE(Again) << Again.error();
  EXPECT_EQ(toJson(*Again), One);
}

TEST_F(MergeTest, NamesMissingProcesses) {
  Summary Died = process(1, 100, 1);
  Died.run.complete = false;
  Died.run.exit_status = 139;
  Died.run.wall_seconds.reset();
  Died.coverage.whole = false;
  Died.coverage.gaps = {{"records", "disk full", 3}};
  Summary Other = Died;
  Other.run.rank = 2;
  const Summary S = merged({write("0", process(0, 100, 1)), write("1", Died), write("2", Other)});
  EXPECT_FALSE(S.run.complete);
  EXPECT_EQ(S.run.exit_status, 139);
  EXPECT_FALSE(S.coverage.whole);
  ASSERT_EQ(S.coverage.gaps.size(), 1u);
  EXPECT_EQ(S.coverage.gaps[0].count, 6u);
  EXPECT_EQ(spread(S, "profiled_time").processes, 1u);

  // A summary that cannot be read.
  const std::string Good = Folder.file("0") + "/summary.json", Bad = Folder.file("bad.json");
  std::ofstream(Bad) << "{";
  EXPECT_EQ(mergeSummaries({Good, Bad}, {}).error(),
            "'" + Bad +
                "' is truncated: it ends in the middle of the JSON (--skip-broken leaves "
                "it out)");
  MergeOptions Skip;
  Skip.SkipBroken = true;
  const Result<Summary> Rest = mergeSummaries({Bad, Good, Bad}, Skip);
  ASSERT_TRUE(Rest);
  EXPECT_FALSE(Rest->coverage.whole);
  ASSERT_EQ(Rest->coverage.gaps.size(), 1u);
  EXPECT_EQ(Rest->coverage.gaps[0].what, "processes");
  EXPECT_EQ(Rest->coverage.gaps[0].count, 2u);
  EXPECT_FALSE(mergeSummaries({Bad}, Skip));

  // Interrupted after the first.
  static std::atomic<bool> Stop = false;
  MergeOptions Interrupted;
  Interrupted.Stop = &Stop;
  setProgressReceiver([](const std::string &, uint64_t, uint64_t) { Stop = true; });
  const Result<Summary> First = mergeSummaries({Good, Good, Good}, Interrupted);
  setProgressReceiver(nullptr);
  ASSERT_TRUE(First);
  EXPECT_EQ(First->processes->list.size(), 1u);
  ASSERT_EQ(First->coverage.gaps.size(), 1u);
  EXPECT_EQ(First->coverage.gaps[0].count, 2u);
}

TEST_F(MergeTest, RefusesOtherFiles) {
  Summary Heat = process(1, 1, 1);
  Heat.config.text = R"({"profile":"heat"})";
  const std::string A = write("a", process(0, 1, 1)), B = write("b", Heat);
  EXPECT_EQ(mergeSummaries({A, B}, {}).error(),
            "'" + A + "' is of --profile objects, '" + B +
                "' of --profile heat: merge what was profiled alike (--skip-broken leaves it out)");
  Summary Damaged = merged({A});
  Damaged.processes->measures[0].values.pop_back();
  const std::string M = write("m", Damaged);
  EXPECT_EQ(mergeSummaries({A, M}, {}).error(),
            "'" + M +
                "' is a damaged GMProf summary: numbers of processes are missing (--skip-broken "
                "leaves it out)");
}

// 23 ranks in shares of any size; some died, have no rank or find what others do not.
TEST_F(MergeTest, MergingMergedSummariesGivesWhatMergingAllAtOnceGives) {
  std::vector<std::string> Paths;
  for (int Rank = 0; Rank < 23; ++Rank) {
    Summary S = process(Rank % 5 ? std::optional(22 - Rank) : std::nullopt, 1000 + 7 * Rank % 5,
                        2 + Rank % 3);
    S.run.host = "node" + std::to_string(Rank / 8);
    S.findings = {finding(std::to_string(Rank % 7), "low", Rank),
                  finding("all", "high", 100 - Rank)};
    S.coverage.gaps = {{"records", "disk full", uint64_t(Rank % 2)}};
    S.coverage.profiles = {{"objects", 1, 2, {{"f()", "why", 1}}}};
    S.kernels[0].seconds = {1, 0.5, 0.5 * Rank, false, 1};
    if (Rank == 9) {
      S.run.exit_status = 139;
      S.run.wall_seconds.reset();
      S.run.complete = S.coverage.whole = false;
      S.devices[0].name = "Another GPU";
    }
    if (Rank % 4 == 0)
      S.memory->devices[0].accounts.push_back(account({{"cached", "large blocks", 5, 1}}));
    Paths.push_back(write("rank" + std::to_string(100 + Rank), S));
  }
  const std::string AtOnce = toJson(merged(Paths));
  for (const size_t Shares : {1u, 2u, 5u, 23u, 30u}) {
    std::vector<std::string> Parts, Halves;
    for (size_t I = 0; I < Shares; ++I)
      if (const std::vector<std::string> Share = shareOf(Paths, I, Shares); !Share.empty())
        Parts.push_back(write(std::to_string(Shares) + "-" + std::to_string(I), merged(Share)));
    EXPECT_EQ(Parts.size(), std::min<size_t>(Shares, 23));
    EXPECT_EQ(toJson(merged(Parts)), AtOnce) << Shares;
    // A third level.
    for (size_t I = 0; I < 2; ++I)
      if (const std::vector<std::string> Half = shareOf(Parts, I, 2); !Half.empty())
        Halves.push_back(write(std::to_string(Shares) + "half" + std::to_string(I), merged(Half)));
    EXPECT_EQ(toJson(merged(Halves)), AtOnce) << Shares;
  }
}

TEST_F(MergeTest, SharesAreConsecutiveAndAll) {
  const std::vector<std::string> Paths = {"a", "b", "c", "d", "e"};
  using Strings = std::vector<std::string>;
  EXPECT_EQ(shareOf(Paths, 0, 2), (Strings{"a", "b"}));
  EXPECT_EQ(shareOf(Paths, 1, 2), (Strings{"c", "d", "e"}));
  EXPECT_EQ(shareOf(Paths, 0, 1), Paths);
  EXPECT_EQ(shareOf(Paths, 0, 8), Strings());
  EXPECT_EQ(shareOf(Paths, 1, 8), Strings{"a"});
}

// Six ranks: the last one has NCCL's memory on its second device, the first one has cached memory,
// and rank 1 has no account. One of five values that differs from equal ones is an outlier: 3.5
// * 1.2533 / 5 < 1.
TEST_F(MergeTest, MemoryHasASpreadByOwner) {
  std::vector<std::string> Paths;
  for (int Rank = 0; Rank < 6; ++Rank) {
    Summary S = process(Rank, 1000, 1);
    if (Rank != 1)
      S.memory->devices[0].accounts = {
          account({{"tensors", "", 600u + uint64_t(Rank), 3}, {"context", "", 100, 0}})};
    if (Rank == 0)
      S.memory->devices[0].accounts[0].rows.insert(
          S.memory->devices[0].accounts[0].rows.end(),
          {{"cached", "large blocks", 70, 1}, {"cached", "small blocks", 7, 1}});
    if (Rank == 5) {
      S.memory->devices.push_back(S.memory->devices[0]);
      S.memory->devices[1].device = 1;
      S.memory->devices[1].accounts[0].rows = {{"library", "NCCL", 50, 1}, {"context", "", 100, 0}};
      S.memory->devices[1].accounts.push_back(account({{"tensors", "", 9999, 1}}));
      S.memory->devices[1].accounts.back().moment = "end";
    }
    Paths.push_back(write(std::to_string(Rank), S));
  }
  const Summary S = merged(Paths);
  const Spread &Tensors = spread(S, "memory", "tensors");
  EXPECT_EQ(Tensors.unit, "bytes");
  EXPECT_EQ(Tensors.processes, 5u);
  EXPECT_EQ(Tensors.min, 600);
  EXPECT_EQ(Tensors.max, 605);
  EXPECT_EQ(Tensors.max_process, 5u);
  EXPECT_EQ(Tensors.values,
            (std::vector<std::optional<double>>{600, std::nullopt, 602, 603, 604, 605}));
  const Spread &Cached = spread(S, "memory", "cached");
  EXPECT_EQ(Cached.min, 0);
  EXPECT_EQ(Cached.min_process, 2u);
  EXPECT_EQ(Cached.mean, 77.0 / 5);
  EXPECT_EQ(Cached.max_process, 0u);
  EXPECT_EQ(Cached.outliers, Indexes{0});
  EXPECT_EQ(spread(S, "memory", "context").max, 200);
  EXPECT_EQ(spread(S, "memory", "context").outliers, Indexes{5});
  const Spread &Library = spread(S, "memory", "NCCL");
  EXPECT_EQ(Library.max, 50);
  EXPECT_EQ(Library.max_process, 5u);

  TextOptions Options;
  Options.Width = 200;
  const std::string Text = textOverview(S, Options);
  EXPECT_NE(Text.find("Memory at the peak by process\n"
                      "  owner, bytes              least  rank   mean  greatest  rank  outliers\n"
                      "  PyTorch tensors             600     0  602.8       605     5  -\n"
                      "  CUDA context                100     0    120       200     5  rank 5\n"
                      "  PyTorch, cached and free      0     2  15.40        77     0  rank 0\n"
                      "  NCCL                          0     0     10        50     5  rank 5\n"),
            std::string::npos)
      << Text;
}

TEST_F(MergeTest, MemoryIsOfTheProcessWithTheHighestPeak) {
  const Summary S = merged({write("a", process(2, 1000, 1)), write("b", process(0, 2000, 1)),
                            write("c", process(1, 3000, 1))});
  EXPECT_EQ(S.memory->devices[0].peak_bytes, 3000u);
  TextOptions Options;
  Options.Width = 200;
  const std::string Text = textOverview(S, Options);
  EXPECT_NE(Text.find("2.9 KiB in 0 allocations of the process with the highest peak"),
            std::string::npos)
      << Text;
}

TEST_F(MergeTest, FindsSummariesInFolders) {
  const std::string A = write("job/1", process(0, 1, 1)), B = write("job/0", process(1, 1, 1)),
                    Own = write("job", process(2, 1, 1));
  std::filesystem::create_directories(Folder.file("job/none"));
  EXPECT_EQ(*summariesIn({Folder.file("job"), A}), (std::vector<std::string>{Own, B, A}));
  EXPECT_EQ(*summariesIn({A, A, Folder.file("job/0")}), (std::vector<std::string>{A, B}));
  EXPECT_EQ(summariesIn({Folder.file("job/none")}).error(), "there is no summary.json in '" +
                                                                Folder.file("job/none") +
                                                                "', nor in the folders in it");
}

TEST(Merge, Outliers) {
  EXPECT_EQ(outliersOf({1, 1, 100}), Indexes()); // too few to say
  EXPECT_EQ(outliersOf({5, 5, 5, 5, 5}), Indexes());
  // The median is 3 and distances are 2, 1, 0, 1 and 97, whose median is 1: usual is 1 / 0.6745,
  // and 97 is more than 3.5 times that.
  EXPECT_EQ(outliersOf({1, 2, 3, 4, 100}), (Indexes{4}));
  // 3.5 / 0.6745 is 5.189.
  EXPECT_EQ(outliersOf({1, 2, 3, 4, 8.18}), Indexes());
  EXPECT_EQ(outliersOf({1, 2, 3, 4, 8.19}), (Indexes{4}));
  // More than half are equal: the mean distance is 1/5, and 1 > 3.5 * 1.2533 / 5.
  EXPECT_EQ(outliersOf({7, 7, 8, 7, 7}), (Indexes{2}));
  // The deviation of 4 values is 1/4, and 1 is less than 3.5 * 1.2533 / 4.
  EXPECT_EQ(outliersOf({7, 7, 8, 7}), Indexes());
  // Far off, but by less than 1 %.
  EXPECT_EQ(outliersOf({1000, 1000, 1009, 1000, 1000}), Indexes());
}

TEST(Merge, NamesOfProcesses) {
  Processes All;
  for (int Rank : {0, 1, 2, 4, 7, 8})
    All.list.emplace_back().rank = Rank;
  for (int Pid : {11, 12, 13, 14, 15, 16}) {
    MergedProcess P;
    P.host = "node";
    P.pid = Pid;
    All.list.push_back(P);
  }
  EXPECT_EQ(processNames(All, {0, 1, 2, 3, 4, 5}), "ranks 0-2, 4, 7, 8");
  EXPECT_EQ(processNames(All, {3}), "rank 4");
  EXPECT_EQ(processNames(All, {3, 6, 7, 8, 9, 10, 11}),
            "rank 4, node:11, node:12, node:13, node:14, 2 more");
  EXPECT_EQ(processNames(All, {99}), "");
}
