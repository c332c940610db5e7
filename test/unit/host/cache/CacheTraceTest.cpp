//===- CacheTraceTest.cpp - Tests of the trace of a run's requests --------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/cache/CacheTrace.h"
#include "../../TemporaryFolder.h"
#include "TestTraceChunk.h"
#include "cache/TraceReader.h"
#include "cache/TraceSimulation.h"
#include "host/core/Options.h"
#include "profile/EventLogWriter.h"
#include <algorithm>
#include <array>
#include <gmock/gmock.h>
#include <latch>
#include <thread>

namespace gmprof::host {
namespace {

using test::TraceChunk;
using testing::ElementsAre;
using testing::IsSupersetOf;

struct CacheTraceTest : testing::Test {
  test::TemporaryFolder Own;
  const std::string Log = Own.file("events.gmlog");
  Recorder Gaps{std::move(*EventLogWriter::create(Log))};

  static DeviceFacts device(bool OnCpu = false) {
    DeviceFacts Facts;
    Facts.Name = "Test";
    Facts.OnCpu = OnCpu;
    Facts.Major = 9;
    Facts.Sms = 4;
    Facts.ThreadsPerSm = 2048;
    return Facts;
  }

  static std::shared_ptr<const TracedKernel> kernel(const std::string &Name, size_t Sites) {
    auto K = std::make_shared<TracedKernel>();
    K->Facts.Name = Name;
    for (size_t I = 0; I < Sites; ++I)
      K->Sites.push_back({0, Name + ".cu", static_cast<uint32_t>(I + 1), "", {}});
    K->Numbers.SiteCount = static_cast<uint32_t>(Sites);
    return K;
  }

  static std::shared_ptr<const MemoryRanges>
  memory(const std::vector<std::tuple<uint64_t, uint64_t, uint64_t>> &All) {
    auto M = std::make_shared<MemoryRanges>();
    for (const auto &[Id, Address, Bytes] : All) {
      M->Ranges.push_back({Address, Bytes});
      M->Objects.push_back(Id);
    }
    return M;
  }

  static TracedLaunch launch(uint64_t Number, std::shared_ptr<const TracedKernel> K,
                             std::shared_ptr<const MemoryRanges> M = memory({})) {
    TracedLaunch L = {std::move(K), std::move(M), {}, {}, nullptr};
    L.Facts.Number = Number;
    L.Facts.BlocksPerSm = 1;
    return L;
  }

  /// Returns the content of the file, a line for each item.
  std::vector<std::string> written() {
    std::vector<std::string> Lines;
    auto Reader = cache::TraceReader::open(cache::tracePathOf(Log));
    if (!Reader)
      return {Reader.error()};
    for (;;) {
      Result<cache::TraceItem> Item = (*Reader)->next();
      if (!Item)
        return {Item.error()};
      if (auto *K = std::get_if<cache::TraceKernel>(&*Item))
        Lines.push_back("kernel " + K->Name);
      else if (auto *S = std::get_if<cache::TraceSite>(&*Item))
        Lines.push_back("site " + S->File + ":" + std::to_string(S->Line));
      else if (auto *O = std::get_if<cache::TraceObject>(&*Item))
        Lines.push_back("object " + std::to_string(O->Id) + " at " + std::to_string(O->Address));
      else if (auto *R = std::get_if<cache::TraceRelease>(&*Item))
        Lines.push_back("release " + std::to_string(R->Id));
      else if (auto *W = std::get_if<cache::TraceWritten>(&*Item))
        Lines.push_back("written " + std::to_string(W->Address) + "+" + std::to_string(W->Bytes));
      else if (auto *L = std::get_if<cache::TraceLaunch>(&*Item))
        Lines.push_back("launch " + std::to_string(L->Number) + " of " + std::to_string(L->Kernel));
      else if (auto *End = std::get_if<cache::TraceLaunchEnd>(&*Item))
        Lines.push_back("end, lost " + std::to_string(End->Lost) + ", late " +
                        std::to_string(End->Late));
      else if (auto *C = std::get_if<cache::RequestChunk>(&*Item))
        Lines.push_back(requests(**Reader, *C));
      else
        return Lines;
    }
  }
  static std::string requests(const cache::TraceReader &Reader, const cache::RequestChunk &Packed) {
    std::vector<cache::Request> All;
    EXPECT_TRUE(Reader.unpack(Packed, All));
    std::string Line = "sm " + std::to_string(Packed.Sm) + ":";
    for (const cache::Request &R : All)
      Line += " " + std::to_string(R.Site) + "@" + std::to_string(R.address(0));
    return Line;
  }
};

TraceCounts totals(uint64_t Lost = 0) {
  TraceCounts Counts = {};
  Counts.Totals.lost = Lost;
  return Counts;
}

void receive(CacheTrace &T, TraceChunk Chunk) {
  const std::span<std::byte> Bytes(Chunk.Bytes);
  T.received({&Bytes, 1});
}

TEST_F(CacheTraceTest, LaunchesFollowEachOtherAsTheyEnd) {
  CacheTrace T(Log, Gaps, 1 << 20);
  ASSERT_EQ(T.open(device(), 100), "");
  const auto A = kernel("a", 2), B = kernel("b", 1);
  const auto Before = memory({{7, 1000, 100}, {8, 2000, 50}, {7, 3000, 10}});
  T.begin(1, launch(11, A, Before));
  T.begin(2, launch(12, B, memory({{7, 1000, 100}, {9, 2000, 50}, {7, 3000, 10}})));
  T.begin(3, launch(13, A, Before));
  T.begin(4, launch(14, A));
  T.cancel(4);
  receive(T, TraceChunk({2, 0, 5, 1, 0, 0}).affine(0, 5, 64));
  receive(T, TraceChunk({1, 0, 20, 2, 0, 0}).affine(1, 20, 96).affine(0xffff, 40, 128));
  receive(T, TraceChunk({1, 0, 10, 2, 1, 1}).affine(0, 30, 32));
  T.ended(2, totals(3));
  T.ended(1, totals());
  receive(T, TraceChunk({3, 0, 5, 0, 0, 0}).affine(1, 5, 256));
  T.ended(3, totals());
  T.finish();
  EXPECT_THAT(written(),
              ElementsAre("kernel b", "site b.cu:1", "site :0", "object 7 at 1000",
                          "object 7 at 3000", "object 9 at 2000", "launch 12 of 0", "sm 1: 0@64",
                          "end, lost 3, late 0", "kernel a", "site a.cu:1", "site a.cu:2",
                          "site :0", "release 9", "object 8 at 2000", "launch 11 of 1",
                          "sm 2: 3@96 2@32 4@128", "end, lost 0, late 0", "launch 13 of 1",
                          "sm 0: 3@256", "end, lost 0, late 0"));
}

TEST_F(CacheTraceTest, CopiedBytesPrecedeTheNextLaunch) {
  CacheTrace T(Log, Gaps, 1 << 20);
  T.written(0, {1000, 64});
  T.written(1, {5000, 64}); // of another device
  T.written(0, {1000, 64});
  ASSERT_EQ(T.open(device(), 100), "");
  T.written(0, {2000, 32});
  T.begin(1, launch(11, kernel("k", 1)));
  T.written(0, {3000, 32});
  T.begin(2, launch(12, kernel("k", 1)));
  for (uint32_t Number : {1, 2}) {
    receive(T, TraceChunk({Number, 0, 5, 0, 0, 0}).affine(0, 5, 64));
    T.ended(Number, totals());
  }
  T.finish();
  const std::vector<std::string> Lines = written();
  std::vector<std::string> Found;
  for (const std::string &Line : Lines)
    if (Line.starts_with("written") || Line.starts_with("launch"))
      Found.push_back(Line);
  EXPECT_THAT(Found, ElementsAre("written 1000+64", "written 2000+32", "launch 11 of 0",
                                 "written 3000+32", "launch 12 of 1"));
}

// Writes before launches 1 and 2 precede launch 3 in the trace, and writes before 4 precede 5.
TEST_F(CacheTraceTest, CopiedBytesBeforeACancelledLaunchPrecedeTheNextOne) {
  CacheTrace T(Log, Gaps, 1 << 20);
  ASSERT_EQ(T.open(device(), 100), "");
  const auto K = kernel("k", 1);
  const auto Begin = [&](uint64_t Number, uint64_t Written) {
    T.written(0, {Written, 64});
    T.begin(Number, launch(Number, K));
  };
  Begin(1, 1000);
  Begin(2, 2000);
  Begin(3, 3000);
  T.cancel(1);
  T.cancel(2);
  Begin(4, 4000);
  T.cancel(4);
  T.ended(3, totals()); // takes all of that
  Begin(5, 5000);
  T.ended(5, totals());
  T.finish();
  std::vector<std::string> Found;
  for (const std::string &Line : written())
    if (Line.starts_with("written") || Line.starts_with("launch"))
      Found.push_back(Line);
  // 2000 came after 1000, and stays behind it.
  EXPECT_THAT(Found,
              ElementsAre("written 1000+64", "written 2000+64", "written 3000+64", "launch 3 of 0",
                          "written 4000+64", "written 5000+64", "launch 5 of 0"));
}

TEST_F(CacheTraceTest, CancelledLaunchInTheFileEnds) {
  CacheTrace T(Log, Gaps, 1); // each chunk is written when it comes
  ASSERT_EQ(T.open(device(), 100), "");
  T.begin(1, launch(1, kernel("k", 1)));
  receive(T, TraceChunk({1, 0, 5, 0, 0, 0}).affine(0, 5, 64));
  T.cancel(1);
  T.begin(2, launch(2, kernel("l", 1)));
  T.ended(2, totals());
  T.finish();
  EXPECT_THAT(written(), ElementsAre("kernel k", "site k.cu:1", "site :0", "launch 1 of 0",
                                     "sm 0: 0@64", "end, lost 0, late 0", "kernel l", "site l.cu:1",
                                     "site :0", "launch 2 of 1", "end, lost 0, late 0"));
}

TEST_F(CacheTraceTest, LaunchesBehindARunningOneAreRecorded) {
  CacheTrace T(Log, Gaps, 300); // two chunks
  ASSERT_EQ(T.open(device(), 100), "");
  for (uint64_t Number = 1; Number <= 3; ++Number)
    T.begin(Number, launch(10 + Number, kernel("k", 1)));
  for (uint32_t Clock = 1; Clock <= 3; ++Clock) // the third one has launch 1 written
    receive(T, TraceChunk({1, 0, Clock, 0, 0, 0}).affine(0, Clock, 32));
  receive(T, TraceChunk({2, 0, 1, 0, 0, 0}).affine(0, 1, 64));
  T.ended(2, totals());
  T.finish();
  EXPECT_THAT(written(),
              ElementsAre("kernel k", "site k.cu:1", "site :0", "launch 11 of 0",
                          "sm 0: 0@32 0@32 0@32", "end, lost 0, late 0", "kernel k", "site k.cu:1",
                          "site :0", "launch 12 of 1", "sm 0: 2@64", "end, lost 0, late 0"));
}

/// Two blocks read the four sectors of one line. The trace has them on one SM, where the second
/// block hits; untraced, each has an SM of its own, and the second one hits in L2 only.
TEST_F(CacheTraceTest, HitsAreThoseOfTheUntracedPlaces) {
  const auto Hits = [&](std::shared_ptr<const PlacedBlocks> Blocks) {
    std::filesystem::remove(cache::tracePathOf(Log));
    CacheTrace T(Log, Gaps, 1 << 20);
    EXPECT_EQ(T.open(device(), 1024), "");
    TracedLaunch L = launch(1, kernel("k", 1));
    L.Facts.Grid = {2, 1, 1};
    L.Facts.Block = {32, 1, 1};
    L.Blocks = std::move(Blocks);
    T.begin(1, std::move(L));
    receive(T, TraceChunk({1, 0, 0, 0, 0, 0}).affine(0, 10, 4096));
    receive(T, TraceChunk({1, 1, 0, 0, 0, 1}).affine(0, 20, 4096));
    T.ended(1, totals());
    T.finish();
    const auto Reader = cache::TraceReader::open(cache::tracePathOf(Log));
    const auto R = cache::simulateTrace(cache::tracePathOf(Log),
                                        *cache::architectureOf((*Reader)->device()), {});
    EXPECT_TRUE(R);
    cache::AccessCounts Sum;
    for (const auto &Cell : R->Cells)
      Sum += Cell.Counts;
    return std::pair(Sum.L1Lookups, Sum.L1Hits);
  };
  using Pair = std::pair<uint64_t, uint64_t>;
  EXPECT_EQ(Hits(nullptr), Pair(8, 4));
  const auto Apart = PlacedBlocks{{100, 110, 2}, {100, 110, 3}};
  EXPECT_EQ(Hits(std::make_shared<const PlacedBlocks>(Apart)), Pair(8, 0));
  const auto Together = PlacedBlocks{{100, 110, 3}, {105, 110, 3}};
  EXPECT_EQ(Hits(std::make_shared<const PlacedBlocks>(Together)), Pair(8, 4));
}

/// Clocks of the CPU device carry no information.
TEST_F(CacheTraceTest, WarpsOfTheCpuDeviceTakeTurns) {
  CacheTrace T(Log, Gaps, 1 << 20);
  ASSERT_EQ(T.open(device(/*OnCpu=*/true), 100), "");
  T.begin(1, launch(1, kernel("k", 4)));
  receive(T, TraceChunk({1, 0, 0, 0, 0, 0}).affine(0, 1, 0).affine(1, 2, 0));
  receive(T, TraceChunk({1, 0, 0, 0, 1, 1}).affine(2, 3, 0).affine(3, 4, 0));
  T.ended(1, totals());
  T.finish();
  EXPECT_EQ(written()[7], "sm 0: 0@0 2@0 1@0 3@0");
}

/// Each chunk has 56 bytes.
TEST_F(CacheTraceTest, FullMemoryIsWrittenWhileTheKernelRuns) {
  CacheTrace T(Log, Gaps, 400);
  ASSERT_EQ(T.open(device(), 100), "");
  T.begin(1, launch(1, kernel("k", 1)));
  T.begin(2, launch(2, kernel("l", 1)));
  auto One = [&](uint64_t Launch, uint32_t Clock, uint64_t Address) {
    receive(T, TraceChunk({Launch, 0, 0, 0, 0, 0}).affine(0, Clock, Address));
  };
  One(1, 30, 1);
  One(2, 10, 2);
  One(1, 10, 3);
  One(1, 40, 4); // 224 bytes, more than half: writes chunks of launch 1
  One(1, 35, 5); // late
  T.ended(2, totals());
  One(1, 50, 6);
  T.ended(1, totals());
  T.finish();
  EXPECT_THAT(written(), ElementsAre("kernel k", "site k.cu:1", "site :0", "launch 1 of 0",
                                     "sm 0: 0@3 0@1 0@4 0@5 0@6", "end, lost 0, late 1", "kernel l",
                                     "site l.cu:1", "site :0", "launch 2 of 1", "sm 0: 2@2",
                                     "end, lost 0, late 0"));
}

/// A launch that runs alone is written in parts of an eighth of the memory: 16 records here. The
/// last two of each wait, for records of other warps that came before them.
TEST_F(CacheTraceTest, PartsOfALaunchAreInOrder) {
  CacheTrace T(Log, Gaps, 8 * (sizeof(GmprofTraceChunk) + 15 * sizeof(GmprofTraceRecord)));
  ASSERT_EQ(T.open(device(), 100), "");
  T.begin(1, launch(1, kernel("k", 1)));
  TraceChunk First({1, 0, 0, 0, 0, 0}), Second({1, 0, 0, 0, 1, 1});
  std::string Expected = "sm 0:";
  for (uint32_t I = 0; I < 16; ++I) {
    First.affine(0, 10 * I, I);
    Expected += " 0@" + std::to_string(I);
    if (I == 14) {
      Second.affine(0, 10 * I + 5, 100);
      Expected += " 0@100";
    }
  }
  receive(T, First); // a part
  receive(T, Second);
  T.ended(1, totals());
  T.finish();
  const std::vector<std::string> Lines = written();
  ASSERT_EQ(Lines.size(), 6U);
  EXPECT_EQ(Lines[4], Expected);
  EXPECT_EQ(Lines[5], "end, lost 0, late 0");
}

/// Enough chunks for several threads to copy, from two launches and one that was cancelled.
TEST_F(CacheTraceTest, ChunksAreReceivedTogether) {
  CacheTrace T(Log, Gaps, 64 << 20);
  ASSERT_EQ(T.open(device(), 100), "");
  for (uint64_t Number = 1; Number <= 3; ++Number)
    T.begin(Number, launch(Number, kernel("k", 1)));
  T.cancel(2);
  constexpr uint32_t Count = 900; // of each launch
  std::vector<TraceChunk> Chunks;
  std::array<std::string, 4> Expected = {"", "sm 0:", "", "sm 0:"};
  for (uint32_t I = 0; I < Count; ++I)
    for (uint64_t Number = 1; Number <= 3; ++Number) {
      const uint64_t Address = 1000 * I + Number;
      Chunks.push_back(TraceChunk({Number, 0, I, 0, 0, 0}).affine(0, I, Address));
      Chunks.back().Bytes.resize(GMPROF_TRACE_CHUNK_BYTES);
      Expected[Number] += (Number == 1 ? " 0@" : " 2@") + std::to_string(Address);
    }
  std::vector<std::span<std::byte>> Spans;
  for (TraceChunk &Each : Chunks)
    Spans.emplace_back(Each.Bytes);
  T.received(Spans);
  for (const TraceChunk &Each : Chunks)
    EXPECT_EQ(std::ranges::count(Each.Bytes, std::byte(0)), GMPROF_TRACE_CHUNK_BYTES);
  T.ended(1, totals());
  T.ended(3, totals());
  T.finish();
  EXPECT_THAT(written(), IsSupersetOf({Expected[1], Expected[3]}));
}

// Devices are opened by threads of their own.
TEST_F(CacheTraceTest, RecordsTheFirstDeviceOnly) {
  constexpr int Devices = 4;
  for (unsigned Time = 0; Time < 20; ++Time) {
    CacheTrace Trace(Own.file(std::to_string(Time) + ".gmlog"), Gaps, Options().TraceMemory);
    std::array<std::string, Devices> Answers;
    std::latch Together(Devices);
    const auto Open = [&](int Id) {
      DeviceFacts Facts = device();
      Facts.Id = Id;
      Together.arrive_and_wait();
      Answers[static_cast<size_t>(Id)] = Trace.open(Facts, 1024);
    };
    {
      std::vector<std::jthread> Threads;
      for (int Id = 0; Id < Devices; ++Id)
        Threads.emplace_back(Open, Id);
    }
    EXPECT_EQ(std::ranges::count(Answers, ""), 1);
    EXPECT_EQ(std::ranges::count(Answers, "a trace is of one device, and this is another one"),
              Devices - 1);
  }
}

TEST_F(CacheTraceTest, UnwritableChunksAreLost) {
  CacheTrace T(Log, Gaps, 400);
  ASSERT_EQ(T.open(device(), 100), "");
  T.begin(1, launch(1, kernel("k", 1)));
  T.begin(2, launch(2, kernel("k", 1)));
  for (unsigned I = 0; I < 4; ++I)
    receive(T, TraceChunk({1, 0, 0, 0, 0, 0}).affine(0, I, I));
  // The file is at the first launch now, which makes no more.
  for (unsigned I = 0; I < 5; ++I)
    receive(T, TraceChunk({2, 0, 0, 0, 0, 0}).affine(0, I, 100 + I));
  T.ended(2, totals(10));
  T.ended(1, totals());
  T.finish();
  const std::vector<std::string> Lines = written();
  EXPECT_EQ(Lines[4], "sm 0: 0@0 0@1 0@2 0@3");
  EXPECT_EQ(Lines[5], "end, lost 0, late 0");
  EXPECT_EQ(Lines[10], "sm 0: 2@104");
  EXPECT_EQ(Lines[11], "end, lost 14, late 0");
}

TEST_F(CacheTraceTest, OneDevice) {
  CacheTrace T(Log, Gaps, 400);
  ASSERT_EQ(T.open(device(), 100), "");
  EXPECT_EQ(T.open(device(), 100), ""); // after cudaDeviceReset
  DeviceFacts Other = device();
  Other.Id = 1;
  EXPECT_EQ(T.open(Other, 100), "a trace is of one device, and this is another one");
}

TEST_F(CacheTraceTest, FileThatCannotBeMade) {
  CacheTrace T(Own.file("none/events.gmlog"), Gaps, 200);
  EXPECT_EQ(T.open(device(), 100),
            "cannot write '" + Own.file("none/events.gmtrace") + "': No such file or directory");
}

} // namespace
} // namespace gmprof::host
