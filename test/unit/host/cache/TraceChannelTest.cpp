//===- TraceChannelTest.cpp - Tests of the way of records to the host -----===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/cache/TraceChannel.h"
#include "HostTest.h"
#include <algorithm>
#include <atomic>
#include <future>
#include <memory>
#include <vector>

namespace gmprof::host {
namespace {

constexpr uint32_t ChunkCount = 8;

class TraceChannelTest : public HostTest, TraceReceiver {
protected:
  void SetUp() override {
    HostTest::SetUp();
    addKernel(&StubA, "a");
    launch(&StubA, 1); // the session begins
    Device &D = *Session::current()->openDevice()->TheDevice;
    std::string Why;
    Channel = TraceChannel::open(D, size_t(ChunkCount) * GMPROF_TRACE_CHUNK_BYTES, *this, Why);
    ASSERT_TRUE(Channel) << Why;
  }
  void TearDown() override {
    MostGiven = 0; // the rest is received now
    Channel.reset();
    HostTest::TearDown();
  }

  // Returns the channel's control block, which kernels would update.
  GmprofTraceChannel &control() const {
    return *reinterpret_cast<GmprofTraceChannel *>(Channel->address());
  }
  GmprofTraceHost &host() const { return *reinterpret_cast<GmprofTraceHost *>(control().host); }
  GmprofTraceChunk &chunk(uint32_t Number) const {
    return *reinterpret_cast<GmprofTraceChunk *>(control().chunks +
                                                 uint64_t(Number) * GMPROF_TRACE_CHUNK_BYTES);
  }
  void give(uint32_t Number) {
    const std::atomic_ref Full(reinterpret_cast<uint32_t *>(control().full)[Given++ % ChunkCount]);
    Full.store(Number + 1, std::memory_order_release);
  }
  void giveWithRecords(uint32_t Number) {
    chunk(Number).launch = Launch;
    give(Number);
  }

  void received(std::span<const std::span<std::byte>> Chunks) override {
    if (Received == 0 && EndsWithFirst)
      Channel->end(Launch, {});
    Received += Chunks.size();
    for (const std::span<std::byte> Chunk : Chunks) {
      WithRecords += reinterpret_cast<const GmprofTraceChunk *>(Chunk.data())->launch != 0;
      std::ranges::fill(Chunk, std::byte(0));
      if (Given < MostGiven)
        giveWithRecords(static_cast<uint32_t>(
            (reinterpret_cast<uint64_t>(Chunk.data()) - control().chunks) / Chunk.size()));
    }
  }
  void ended(uint64_t Number, const TraceCounts &Counts) override {
    EXPECT_EQ(Number, Launch);
    Blocks = Counts.Progress.blocks;
    ReceivedBeforeEnd.set_value(Received);
  }

  static constexpr uint64_t Launch = 5;
  std::unique_ptr<TraceChannel> Channel;
  bool EndsWithFirst = false; ///< the launch, when the first chunk is received
  uint64_t Given = 0;         ///< chunks
  uint64_t MostGiven = 0;     ///< received chunks are passed again up to this number
  size_t Received = 0;        ///< chunks
  size_t WithRecords = 0;     ///< of these
  uint64_t Blocks = 0;        ///< of the launch, when it has ended
  std::promise<size_t> ReceivedBeforeEnd;
};

TEST_F(TraceChannelTest, AnEndIsSeenWhileKernelsGiveChunksAsFastAsTheyAreReceived) {
  EndsWithFirst = true;
  MostGiven = size_t(20) * ChunkCount;
  for (uint32_t Number = 0; Number < ChunkCount; ++Number)
    giveWithRecords(Number);
  Channel->begin(Launch, nullptr);
  // Chunks passed before the end, and chunks that may have been passed by then.
  EXPECT_EQ(ReceivedBeforeEnd.get_future().get(), 2 * ChunkCount);
}

TEST_F(TraceChannelTest, UnpublishedChunksAreReceivedAndReused) {
  Channel->begin(Launch, nullptr);
  chunk(2).launch = chunk(6).launch = Launch;
  giveWithRecords(3);
  TraceCounts Counts = {};
  Counts.Totals.taken = 3;
  Counts.Totals.given = 1;
  Channel->end(Launch, Counts);
  EXPECT_EQ(ReceivedBeforeEnd.get_future().get(), 3U);
  EXPECT_EQ(host().abandoned, 2U);
  const auto *Abandoned = reinterpret_cast<const uint32_t *>(control().abandoned);
  EXPECT_EQ((std::vector(Abandoned, Abandoned + 2)), (std::vector<uint32_t>{2, 6}));
  EXPECT_EQ(host().freed, ChunkCount + 1);
  for (uint32_t I = 0; I < host().abandoned; ++I)
    give(Abandoned[I]);
  ReceivedBeforeEnd = {};
  Channel->begin(Launch, nullptr);
  Channel->end(Launch, {});
  EXPECT_EQ(ReceivedBeforeEnd.get_future().get(), 3U + 2);
  EXPECT_EQ(WithRecords, 3U); // and nothing in those two
  EXPECT_EQ(host().freed, ChunkCount + 3);
}

TEST_F(TraceChannelTest, AnnouncedEndIsKnownEarly) {
  AnnouncedEnd End = {};
  End.Counted.progress.blocks = 7;
  Channel->begin(Launch, &End);
  giveWithRecords(0);
  std::atomic_ref(End.Launch).store(Launch, std::memory_order_release);
  EXPECT_EQ(ReceivedBeforeEnd.get_future().get(), 1U);
  EXPECT_EQ(Blocks, 7U);
  Channel->end(Launch, {}); // is no second end: the promise could not be kept twice
}

TEST_F(TraceChannelTest, CancelledLaunchIsNotAnnounced) {
  AnnouncedEnd End = {};
  End.Counted.progress.blocks = 7;
  Channel->begin(Launch, &End);
  Channel->cancel(Launch);
  End.Launch = Launch;
  Channel->begin(Launch + 1, nullptr);
  giveWithRecords(0);
  Channel.reset(); // when all has been received
  EXPECT_EQ(Received, 1U);
  EXPECT_EQ(Blocks, 0U);
}

} // namespace
} // namespace gmprof::host
