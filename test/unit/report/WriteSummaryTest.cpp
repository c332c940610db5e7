//===- WriteSummaryTest.cpp - Writing summary.json safely -----------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/builder/WriteSummary.h"
#include "../TemporaryFolder.h"
#include "../cache/LayerTrace.h"
#include "../profile/TestLog.h"
#include "report/builder/CacheProfile.h"
#include "report/model/SummaryJson.h"
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>
#include <sys/stat.h>

using namespace gmprof;
using namespace gmprof::test;
namespace fs = std::filesystem;

namespace {

class WriteSummaryTest : public ::testing::Test {
protected:
  void SetUp() override {
    LogBytes L;
    L.run();
    DescriptorWriter D("_Z1kPf");
    D.variable("tile", "float[2]", 4, 8);
    L.kernel(1, "_Z1kPf", D.bytes(), 8);
    L.launch(1, 1, 1, 1, 32);
    LogBytes::Counts C;
    C.Sums = {5, 6};
    C.Addresses = {1024};
    L.counts(C);
    L.end();
    Log = Folder / "events.log";
    std::ofstream(Log, std::ios::binary)
        .write(reinterpret_cast<const char *>(L.Bytes.data()), std::streamsize(L.Bytes.size()));
  }

  static std::string read(const fs::path &Path) {
    std::ostringstream Text;
    Text << std::ifstream(Path).rdbuf();
    return Text.str();
  }
  static void write(const fs::path &Path, const std::string &Text) { std::ofstream(Path) << Text; }
  static size_t filesIn(const fs::path &Path) {
    return size_t(std::distance(fs::directory_iterator(Path), fs::directory_iterator()));
  }

  TemporaryFolder Own;
  const fs::path Folder = Own.path();
  fs::path Log;
};

} // namespace

TEST_F(WriteSummaryTest, WritesAFolderOfItsOwn) {
  auto Written = writeSummary(Log, Folder / "out", 3);
  ASSERT_TRUE(Written) << Written.error();
  EXPECT_EQ(Written->Path, Folder / "out/summary.json");
  EXPECT_EQ(Written->Content.run.exit_status, 3);
  EXPECT_EQ(filesIn(Folder / "out"), 2u); // and no temporary ones
  EXPECT_EQ(read(Folder / "out/shared_counts.csv"),
            "kernel,object,index,accesses,blocks_at_threshold\n0,0,0,5,0\n0,0,1,6,0\n");
  auto Read = readSummary(Written->Path);
  ASSERT_TRUE(Read) << Read.error();
  EXPECT_EQ(Read->kernels.at(0).objects.at(0).accesses.value, 11);
  for (const char *Name : {"summary.json", "shared_counts.csv"}) {
    struct stat Status = {};
    ASSERT_EQ(::stat((Folder / "out" / Name).c_str(), &Status), 0);
    EXPECT_EQ(Status.st_mode & 0777, 0600u) << Name;
  }
}

TEST_F(WriteSummaryTest, ReplacesItsOwn) {
  ASSERT_TRUE(writeSummary(Log, Folder, 3));
  auto Written = writeSummary(Log, Folder, 4);
  ASSERT_TRUE(Written) << Written.error();
  EXPECT_EQ(readSummary(Written->Path)->run.exit_status, 4);
}

TEST_F(WriteSummaryTest, ReplacesNothingElse) {
  const std::string End = "', which GMProf did not write: choose another output folder";
  for (const char *Name : {"summary.json", "shared_counts.csv"}) {
    fs::path Out = Folder / (std::string("out-") + Name);
    fs::create_directory(Out);
    for (const char *Foreign : {"{\"schema\": \"other/1\"}", "", "kernel"}) {
      write(Out / Name, Foreign);
      auto Written = writeSummary(Log, Out);
      ASSERT_FALSE(Written);
      EXPECT_EQ(Written.error(), "refusing to replace '" + (Out / Name).string() + End);
      EXPECT_EQ(read(Out / Name), Foreign);
      EXPECT_EQ(filesIn(Out), 1u); // not even the other file
    }
  }

  // A link is refused too, even one to GMProf's own folder.
  ASSERT_TRUE(writeSummary(Log, Folder / "ours"));
  fs::create_directory(Folder / "linked");
  fs::create_symlink(Folder / "ours/summary.json", Folder / "linked/summary.json");
  EXPECT_FALSE(writeSummary(Log, Folder / "linked", 9));
  EXPECT_EQ(readSummary(Folder / "ours/summary.json")->run.exit_status, 0);

  fs::create_directories(Folder / "folder/summary.json");
  EXPECT_FALSE(writeSummary(Log, Folder / "folder"));
}

TEST_F(WriteSummaryTest, SaysWhyItCannot) {
  const std::string Missing = Folder / "missing/out";
  EXPECT_EQ(writeSummary(Log, Missing).error(),
            "cannot create the folder '" + Missing + "': No such file or directory");
  write(Folder / "file", "x");
  EXPECT_EQ(writeSummary(Log, Folder / "file").error(),
            "cannot write '" + (Folder / "file").string() + "/shared_counts.csv': Not a directory");
  EXPECT_EQ(writeSummary(Folder / "file", Folder / "out").error(),
            "'" + (Folder / "file").string() + "' is not a GMProf event log");
  EXPECT_FALSE(fs::exists(Folder / "out"));
}

TEST_F(WriteSummaryTest, ATruncatedLogGivesASummaryOrAnError) {
  const std::string Bytes = read(Log);
  size_t Summaries = 0;
  for (size_t Size = 0; Size < Bytes.size(); Size += 11) {
    std::ofstream(Log, std::ios::binary) << Bytes.substr(0, Size);
    auto Written = writeSummary(Log, Folder);
    if (!Written) {
      EXPECT_FALSE(Written.error().empty());
      continue;
    }
    ++Summaries;
    auto Read = readSummary(Written->Path);
    ASSERT_TRUE(Read) << Read.error();
    EXPECT_TRUE(!Read->run.complete || Size + 8 > Bytes.size());
  }
  EXPECT_GT(Summaries, 10u);
}

namespace {

/// The log for the trace of LayerTrace.h, with or without the trace.
class CacheSummaryTest : public WriteSummaryTest {
protected:
  void SetUp() override { writeLog("cache"); }

  void writeLog(const std::string &Profile) {
    writeLog(Profile, DescriptorWriter("_Z5layerPKfPf", "/src/layer.cu", 5));
  }
  void writeLog(const std::string &Profile, const DescriptorWriter &Layer) {
    LogBytes L;
    L.run("[\"./layer\"]", "{\"profile\":\"" + Profile + "\"}");
    L.kernel(1, "_Z5layerPKfPf", Layer.bytes());
    DescriptorWriter Copy("_Z4copyPKfPf", "/src/layer.cu", 12);
    L.kernel(2, "_Z4copyPKfPf", Copy.bytes());
    L.object(1, "in", "cudaMalloc", LayerIn, LayerInBytes);
    L.object(2, "out", "cudaMalloc", LayerOut, LayerOutBytes);
    L.launch(1, 1, 0, 4, 1024, log::LaunchMode::Cache);
    L.launch(2, 2, 0, 2, 1024, log::LaunchMode::Cache);
    L.end();
    Log = Folder / "events.gmlog";
    std::ofstream(Log, std::ios::binary)
        .write(reinterpret_cast<const char *>(L.Bytes.data()), std::streamsize(L.Bytes.size()));
  }

  fs::path trace() const { return Folder / "events.gmtrace"; }
  /// Written, and read again.
  summary::Summary summarized() {
    auto Written = writeSummary(Log, Folder);
    EXPECT_TRUE(Written) << Written.error();
    auto Read = readSummary(Folder);
    EXPECT_TRUE(Read) << Read.error();
    EXPECT_EQ(toJson(*Read), toJson(Written->Content)); // nothing is lost on the way
    return *Read;
  }
};

using Traffic = summary::CacheTraffic;
using Counter = uint64_t Traffic::*;
constexpr Counter Counters[] = {
    &Traffic::requests,      &Traffic::sectors,    &Traffic::bytes_used,
    &Traffic::l1_lookups,    &Traffic::l1_hits,    &Traffic::l2_reads,
    &Traffic::l2_writes,     &Traffic::l2_atomics, &Traffic::l2_hits,
    &Traffic::fetched_again, &Traffic::dram_reads, &Traffic::dram_writes,
    &Traffic::dram_bytes,    &Traffic::l2_bytes,   &Traffic::dram_reads_again,
    &Traffic::lost_to_fences};

template <typename Rows> uint64_t sumOf(const Rows &All, Counter Of) {
  uint64_t Sum = 0;
  for (const auto &Row : All)
    Sum += Row.traffic.*Of;
  return Sum;
}

} // namespace

TEST_F(CacheSummaryTest, NoTraceNoCache) { EXPECT_FALSE(summarized().cache); }

// The trace belongs to another run in the same folder.
TEST_F(CacheSummaryTest, OtherProfilesHaveNoTrace) {
  ASSERT_TRUE(writeLayerTrace(trace()));
  writeLog("heat");
  EXPECT_FALSE(summarized().cache);
}

TEST_F(CacheSummaryTest, SimulatesTheTraceBesideTheLog) {
  ASSERT_TRUE(writeLayerTrace(trace()));
  const summary::Summary S = summarized();
  ASSERT_TRUE(S.cache);
  const summary::Cache &C = *S.cache;
  EXPECT_EQ(C.gpu.architecture, "sm_90");
  EXPECT_EQ(C.gpu.sms, 132u);
  EXPECT_EQ(C.sampled, 1u);
  EXPECT_TRUE(C.complete);
  ASSERT_EQ(C.objects.size(), 3u);
  const summary::CacheObject &In = C.objects[0];
  EXPECT_EQ(In.name, "in");
  EXPECT_EQ(S.objects.at(In.object.value()).name, "in");
  EXPECT_EQ(In.traffic.requests, 8192u);
  EXPECT_EQ(In.traffic.sectors, 262144u);
  EXPECT_EQ(In.traffic.coalescing_efficiency, 0.125);
  EXPECT_EQ(In.traffic.l1_hits, 0u);
  EXPECT_EQ(In.traffic.l1_hit_rate, 0.0);
  EXPECT_FALSE(In.traffic.l1_hit_rate_error);
  EXPECT_EQ(In.traffic.l2_reads, 262144u);
  EXPECT_EQ(In.traffic.fetched_again, 229376u);
  EXPECT_EQ(In.traffic.fetched_again_by_block, In.traffic.fetched_again);
  EXPECT_EQ(In.traffic.dram_reads, 32768u);
  EXPECT_EQ(In.traffic.dram_bytes, LayerInBytes);
  EXPECT_EQ(In.traffic.l2_bytes, 8 * LayerInBytes);
  EXPECT_EQ(C.objects[1].name, "out");
  EXPECT_EQ(C.objects[1].traffic.sectors, 512u);
  // The log does not have it, for whatever reason.
  EXPECT_EQ(C.objects[2].name, "result");
  EXPECT_FALSE(C.objects[2].object);

  ASSERT_EQ(C.launches.size(), 2u);
  EXPECT_EQ(C.launches[1].launch, 2u);
  EXPECT_EQ(C.launches[1].kernel, 1u);
  EXPECT_EQ(C.launches[1].traffic.sectors, 512u);
  EXPECT_EQ(C.launches[0].block, (std::array<uint32_t, 3>{32, 32, 1}));
  ASSERT_EQ(C.kernels.size(), 2u);
  EXPECT_EQ(C.kernels[0].name, "layer(float const*, float*)");
  EXPECT_EQ(C.kernels[0].objects.size(), 2u);
  ASSERT_EQ(C.lines.size(), 4u);
  EXPECT_EQ(C.lines[0].source->line, 7u);
  EXPECT_EQ(C.lines[0].access, "load");
  EXPECT_EQ(S.coverage.launches.without_counts, 0u);
  EXPECT_TRUE(S.coverage.gaps.empty());
  EXPECT_EQ(std::count_if(S.files.begin(), S.files.end(),
                          [](const summary::File &F) {
                            return F.name == "memory_trace" && F.path == "events.gmtrace" &&
                                   F.format == "gmtrace";
                          }),
            1);
  EXPECT_TRUE(
      read(Folder / "cache_accesses.csv")
          .find("\n0,0,\"/src/layer.cu\",7,load,8192,262144,1048576,262144,0,0,262144,0,0,") !=
      std::string::npos);
}

// Equations 3 to 5: rates of the whole are weighted sums of the parts' rates, as all are quotients
// of integers that add up.
TEST_F(CacheSummaryTest, PartsAddUpToTheWhole) {
  ASSERT_TRUE(writeLayerTrace(trace()));
  const summary::Summary S = summarized();
  const summary::Cache &C = *S.cache;
  for (const Counter Of : Counters) {
    EXPECT_EQ(sumOf(C.objects, Of), C.total.*Of);
    EXPECT_EQ(sumOf(C.lines, Of), C.total.*Of);
    EXPECT_EQ(sumOf(C.kernels, Of), C.total.*Of);
    EXPECT_EQ(sumOf(C.launches, Of), C.total.*Of);
    for (const summary::CacheKernel &K : C.kernels) {
      EXPECT_EQ(sumOf(K.objects, Of), K.traffic.*Of);
      EXPECT_EQ(sumOf(K.lines, Of), K.traffic.*Of);
    }
  }
  double Rate = 0;
  for (const summary::CacheObject &O : C.objects)
    Rate += O.traffic.traffic_share * *O.traffic.l1_hit_rate;
  EXPECT_DOUBLE_EQ(Rate, *C.total.l1_hit_rate);
}

TEST_F(CacheSummaryTest, FindsLostSectors) {
  ASSERT_TRUE(writeLayerTrace(trace()));
  const summary::Summary S = summarized();
  ASSERT_EQ(S.findings.size(), 1u);
  const summary::Finding &F = S.findings[0];
  EXPECT_EQ(F.pattern, "poor_cache_locality");
  EXPECT_EQ(F.kind, "lost_in_l1");
  EXPECT_EQ(F.severity, "high");
  EXPECT_EQ(F.object->name, "in");
  EXPECT_EQ(F.kernel->name, "layer(float const*, float*)");
  EXPECT_EQ(F.source->line, 7u);
  EXPECT_EQ(F.bytes_saved, 229376u * 32);
  // With x and y swapped, each warp requests whole lines: each sector is read once.
  std::map<std::string, summary::EvidenceValue> E(F.evidence.begin(), F.evidence.end());
  EXPECT_EQ(E["swap_threads_l2_bytes_before"], summary::EvidenceValue(uint64_t(262144 + 256) * 32));
  EXPECT_EQ(E["swap_threads_l2_bytes_after"], summary::EvidenceValue(uint64_t(32768 + 2048) * 32));
  EXPECT_TRUE(F.suggestion.find("Prediction from the trace: if x and y of the "
                                "threads were swapped within each block") != std::string::npos)
      << F.suggestion;
}

TEST_F(CacheSummaryTest, CoverageNamesMissingParts) {
  ASSERT_TRUE(writeLayerTrace(trace(), {1000, 10}));
  summary::Summary S = summarized();
  EXPECT_EQ(S.cache->lost, 1000u);
  EXPECT_EQ(S.cache->launches[0].late, 10u);
  EXPECT_FALSE(S.coverage.whole);
  ASSERT_EQ(S.coverage.gaps.size(), 2u);
  EXPECT_EQ(S.coverage.gaps[0].count, 1000u);
  EXPECT_EQ(S.coverage.gaps[1].count, 10u);

  // A killed program's trace lacks the second launch.
  ASSERT_TRUE(writeLayerTrace(trace()));
  fs::resize_file(trace(), fs::file_size(trace()) - 600);
  S = summarized();
  EXPECT_FALSE(S.cache->complete);
  ASSERT_EQ(S.coverage.gaps.size(), 1u);
  EXPECT_EQ(S.coverage.gaps[0].what, "traces");

  for (const char *Text : {"", "no trace", "GMTRACE\nxxxxxxxxxxxxxxxxxxxx"}) {
    write(trace(), Text);
    S = summarized();
    EXPECT_FALSE(S.cache);
    ASSERT_EQ(S.coverage.gaps.size(), 1u);
    EXPECT_TRUE(S.coverage.gaps[0].reason.starts_with("the caches were not simulated: '"));
  }
}

// The machine code has local memory on line 20, where the trace has an access to local memory, and
// on line 30, where ptxas added three loads and two stores.
TEST_F(CacheSummaryTest, CoverageCountsLocalMemoryThatPtxasAdds) {
  DescriptorWriter Layer("_Z5layerPKfPf", "/src/layer.cu", 5);
  const gmprof_u32 Site =
      Layer.globalSite(GMPROF_NONE, GMPROF_ACCESS_STORE, GMPROF_RULE_NOT_COUNTED);
  Layer.Sites[Site].space = GMPROF_SPACE_LOCAL;
  const auto Add = [&](GmprofInstructionKind Kind, unsigned Line, unsigned Count) {
    Layer.instructions(Kind, GMPROF_NONE, Line, 4, Count, GMPROF_INDEX_UNKNOWN);
  };
  Add(GMPROF_INSTRUCTION_LOCAL_STORE, 20, 4);
  Add(GMPROF_INSTRUCTION_TEXTURE_FETCH, 30, 7);
  writeLog("cache", Layer);
  ASSERT_TRUE(writeLayerTrace(trace()));
  EXPECT_TRUE(summarized().coverage.gaps.empty());

  Add(GMPROF_INSTRUCTION_LOCAL_LOAD, 30, 3);
  Add(GMPROF_INSTRUCTION_LOCAL_STORE, 30, 2);
  writeLog("cache", Layer);
  const summary::Summary S = summarized();
  EXPECT_FALSE(S.coverage.whole);
  ASSERT_EQ(S.coverage.gaps.size(), 1u);
  EXPECT_EQ(S.coverage.gaps[0].what, "instructions");
  EXPECT_EQ(S.coverage.gaps[0].reason, "of layer load and store local memory that ptxas added: "
                                       "their requests are not in the trace");
  EXPECT_EQ(S.coverage.gaps[0].count, 5u);
}

// A block reads 4 MB, three times; L2 has 1280 KB. Reading twice more at 2^22 bytes a second takes
// two seconds. The number is estimated from a sample of the lines, 1 in 64 to 256, each of which is
// read equally often.
TEST_F(CacheSummaryTest, SecondsOfRepeatedDramReads) {
  LogBytes L;
  L.run("[\"./layer\"]", "{\"profile\":\"cache\"}");
  L.json(log::RecordKind::Device,
         R"({"id":0,"name":"Test GPU","memory_bytes_per_second":4194304})");
  L.kernel(1, "_Z5layerPKfPf", DescriptorWriter("_Z5layerPKfPf", "/src/layer.cu", 5).bytes());
  L.launch(1, 1, 0, 1, 32, log::LaunchMode::Cache);
  L.end();
  std::ofstream(Log, std::ios::binary)
      .write(reinterpret_cast<const char *>(L.Bytes.data()), std::streamsize(L.Bytes.size()));
  auto W = cache::TraceWriter::create(trace(), {"sm_90", "Test GPU", 132, 64, 1280});
  ASSERT_TRUE(W);
  (*W)->addKernel({"_Z5layerPKfPf", false});
  (*W)->addSite({0, "/src/layer.cu", 7, "", {}});
  (*W)->allocate({1, "in", LayerIn, uint64_t(1) << 22});
  cache::TraceLaunch Launch;
  Launch.Number = 1;
  (*W)->beginLaunch(Launch);
  for (unsigned Time = 0; Time < 3; ++Time)
    for (uint64_t I = 0; I < 32768; ++I)
      addLine(**W, 0, cache::AccessKind::Load, 0, 0, LayerIn + I * 128);
  (*W)->endLaunch();
  ASSERT_TRUE((*W)->finish());
  const summary::Summary S = summarized();
  ASSERT_EQ(S.findings.size(), 1u);
  EXPECT_EQ(S.findings[0].kind, "lost_in_l2");
  const auto Saved = static_cast<double>(S.findings[0].bytes_saved);
  EXPECT_NEAR(Saved, 1 << 23, (1 << 23) / 100.0);
  EXPECT_EQ(S.findings[0].seconds_saved, Saved / (1 << 22));
}
