//===- ContextsTest.cpp - Counts of concurrent launches stay apart --------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostTest.h"
#include "host/shared/SharedContexts.h"
#include "profile/EventLogReader.h"
#include "profile/ProfileBuilder.h"
#include <set>

namespace gmprof::host {
namespace {

class ContextsTest : public HostTest {
protected:
  void SetUp() override {
    HostTest::SetUp();
    addKernel(&StubA, "add");
  }
  /// Returns the counters of a launch.
  static gmprof_u64 sums(size_t Launch) {
    return fake::launches().at(Launch).arg<GmprofSharedLaunch>(2).sums;
  }
};

TEST_F(ContextsTest, ConcurrentLaunchesDoNotMix) {
  launch(&StubA, 1); // the device's memory is made here
  fake::hold(Stream1);
  fake::hold(Stream2);
  launch(&StubA, 10, Stream1);
  launch(&StubA, 100, Stream2);
  launch(&StubA, 1000, Stream1);
  EXPECT_NE(sums(1), sums(2));
  EXPECT_NE(sums(1), sums(3));
  EXPECT_NE(sums(2), sums(3));
  fake::release(Stream2);
  fake::release(Stream1);
  profile::Profile P = finish();
  ASSERT_EQ(P.Launches.size(), 4u);
  std::map<uint64_t, uint64_t> ByContext;
  for (const profile::SharedCounts &C : P.Shared)
    ByContext[C.Context] = C.Sums[0];
  std::vector<uint64_t> ByLaunch;
  for (const profile::Launch &L : P.Launches)
    ByLaunch.push_back(ByContext.at(L.Context));
  EXPECT_EQ(ByLaunch, (std::vector<uint64_t>{2, 20, 200, 2000}));
}

TEST_F(ContextsTest, MemoryIsReusedOnlyAfterItsLaunchHasEnded) {
  fake::hold(Stream1);
  launch(&StubA, 1, Stream1);
  for (int I = 0; I < 20; ++I)
    launch(&StubA, 2);
  for (size_t I = 1; I <= 20; ++I)
    EXPECT_NE(sums(I), sums(0));
  // Launches in other streams ended immediately and reused memory.
  EXPECT_LE(fake::bytesAllocated(), size_t(4) << 20);
  fake::release(Stream1);
  cudaStreamSynchronize(Stream1); // reads
  cudaStreamSynchronize(Stream1); // releases
  bool Reused = false;
  for (int I = 0; I < 20; ++I) {
    launch(&StubA, 3);
    Reused |= sums(fake::launches().size() - 1) == sums(0);
  }
  EXPECT_TRUE(Reused);
  profile::Profile P = finish();
  EXPECT_EQ(P.Shared.size(), 41u);
  for (const profile::SharedCounts &C : P.Shared)
    EXPECT_EQ(C.Blocks, 2u) << C.Context;
}

TEST_F(ContextsTest, NothingWaitsForTheProgram) {
  fake::hold(nullptr);
  for (int I = 0; I < 50; ++I)
    launch(&StubA, 1);
  EXPECT_EQ(fake::calls("cudaDeviceSynchronize"), 0);
  EXPECT_EQ(fake::calls("cudaStreamSynchronize"), 0);
  EXPECT_EQ(Out, 0); // not one has run
  fake::release(nullptr);
  EXPECT_EQ(Out, 100);
}

TEST_F(ContextsTest, SynchronisingTheDeviceCompletesTheLog) {
  for (int I = 0; I < 3; ++I)
    launch(&StubA, 1);
  cudaDeviceSynchronize();
  std::string Path = Session::current()->log().path();
  Result<EventLogReader> Log = EventLogReader::open(Path);
  ASSERT_TRUE(bool(Log));
  Result<profile::Profile> P = buildProfile(*Log, Path);
  ASSERT_TRUE(bool(P)) << P.error();
  EXPECT_EQ(P->Shared.size(), 3u);
  EXPECT_FALSE(P->TheRun.Ended);
}

/// A stream of its own for each number.
cudaStream_t streamNumber(size_t Number) {
  return reinterpret_cast<cudaStream_t>(0x100000 + 16 * Number);
}

TEST_F(ContextsTest, ExhaustedContextsAreSharedAndCountsStayExact) {
  fake::hold(nullptr);
  constexpr int Launches = 300;
  for (int I = 0; I < Launches; ++I)
    launch(&StubA, 1, streamNumber(I));
  fake::release(nullptr);
  profile::Profile P = finish();
  EXPECT_EQ(P.Launches.size(), size_t(Launches));
  EXPECT_EQ(P.Shared.size(), 256u);
  std::map<uint64_t, uint64_t> LaunchesOf;
  for (const profile::Launch &L : P.Launches)
    ++LaunchesOf[L.Context];
  for (const profile::SharedCounts &C : P.Shared) {
    EXPECT_EQ(C.Sums[0], 2 * LaunchesOf[C.Context]);
    EXPECT_EQ(C.Blocks, 2 * LaunchesOf[C.Context]);
  }
}

TEST_F(ContextsTest, LaunchesOfOtherShapesAreNotShared) {
  fake::hold(nullptr);
  for (int I = 0; I < 256; ++I)
    launch(&StubA, 1, streamNumber(I));
  launch(&StubA, 1, nullptr, 2, 32, 512);
  EXPECT_EQ(fake::launches().back().arg<GmprofSharedLaunch>(2).dynamicBytes, 512u);
  for (size_t I = 0; I < 256; ++I)
    EXPECT_NE(sums(I), sums(256));
  fake::release(nullptr);
  profile::Profile P = finish();
  EXPECT_EQ(P.Shared.size(), 257u);
}

/// Number of contexts that the launches used.
size_t contexts(const profile::Profile &P) {
  std::set<uint64_t> Ids;
  for (const profile::Launch &L : P.Launches)
    Ids.insert(L.Context);
  return Ids.size();
}

TEST_F(ContextsTest, ManyLaunchesInOneStreamShareContexts) {
  fake::hold(nullptr);
  for (int I = 0; I < 64 + 1024 + 10; ++I)
    launch(&StubA, 1, Stream1);
  for (int I = 0; I < 5; ++I)
    launch(&StubA, 100, Stream2);
  fake::release(nullptr);
  profile::Profile P = finish();
  // 64 single ones, a full batch, one of 10, and one of the other stream.
  EXPECT_EQ(contexts(P), 67u);
  std::vector<uint64_t> Sums;
  for (const profile::SharedCounts &C : P.Shared)
    Sums.push_back(C.Sums[0]);
  std::sort(Sums.begin(), Sums.end());
  ASSERT_EQ(Sums.size(), 67u);
  EXPECT_EQ(Sums[63], 2u);
  EXPECT_EQ(Sums[64], 20u);
  EXPECT_EQ(Sums[65], 1000u);
  EXPECT_EQ(Sums[66], 2048u);
}

TEST_F(ContextsTest, StreamsWithTheSameHandleDoNotShare) {
  for (int I = 0; I < 64; ++I)
    launch(&StubA, 1, Stream2);
  fake::hold(nullptr);
  launch(&StubA, 1, Stream1);
  cudaStreamDestroy(Stream1);
  launch(&StubA, 1, Stream1);
  fake::release(nullptr);
  EXPECT_EQ(contexts(finish()), 66u);
}

TEST_F(ContextsTest, PerThreadStreamsDoNotShare) {
  fake::hold(nullptr);
  for (int I = 0; I < 80; ++I)
    launch(&StubA, 1, cudaStreamPerThread);
  fake::release(nullptr);
  EXPECT_EQ(contexts(finish()), 80u);
}

TEST_F(ContextsTest, CountsThatCannotBeReadAreReported) {
  launch(&StubA, 1);
  launch(&StubA, 1);
  // One is being read already; the other's copy fails as after a fault.
  fake::fail("cuMemcpyDtoHAsync", CUDA_ERROR_ILLEGAL_ADDRESS, 100);
  profile::Profile P = finish();
  uint64_t Lost = 0;
  for (const profile::Gap &G : P.Gaps) {
    EXPECT_EQ(G.What, "launch counts");
    EXPECT_EQ(G.Reason, "they could not be read from the device: CUDA driver error 700");
    Lost += G.Count;
  }
  EXPECT_EQ(P.Shared.size() + Lost, 2u);
  EXPECT_GE(Lost, 1u);
}

TEST_F(ContextsTest, KernelThatNeverEnds) {
  ContextLimits Limits;
  Limits.DrainPatienceNs = 1;
  fake::hold(nullptr);
  launch(&StubA, 1);
  Session *S = Session::current();
  std::string Why;
  DeviceState *D = S->device(&StubA, Why);
  SharedContexts Own(*D->TheDevice, S->log(), Limits);
  LaunchShape Shape = {{1}, 16, 1, 0, 0, 32, false, {}};
  LaunchContext *C = Own.acquire(Shape, 1, nullptr, false, Why);
  ASSERT_NE(C, nullptr);
  Own.launched(C, nullptr);
  Own.drain();
  fake::release(nullptr);
  profile::Profile P = finish();
  ASSERT_EQ(P.Gaps.size(), 1u);
  EXPECT_EQ(P.Gaps[0].Reason, "its kernel was still running when the program ended");
  EXPECT_EQ(P.Gaps[0].Count, 1u);
}

TEST_F(ContextsTest, CountersAreZeroBeforeTheFirstUse) {
  // The zeroing itself is late: the program's stream must wait for it.
  launch(&StubA, 1);
  std::string Why;
  DeviceState *D = Session::current()->device(&StubA, Why);
  fake::hold(D->TheDevice->stream());
  fake::hold(D->TheDevice->readStream()); // or memory would come back
  int Before = fake::calls("cuStreamWaitEvent");
  launch(&StubA, 1, nullptr, 2, 32, 40 << 10); // another size: new memory
  for (int I = 0; I < 40; ++I)
    launch(&StubA, 1, nullptr, 64, 32, 40 << 10);
  EXPECT_GT(fake::calls("cuStreamWaitEvent"), Before);
  EXPECT_EQ(fake::calls("cuStreamSynchronize"), 1); // for the descriptor
}

TEST_F(ContextsTest, DeviceReset) {
  fake::hold(nullptr);
  launch(&StubA, 1);
  fake::release(nullptr);
  ASSERT_EQ(cudaDeviceReset(), cudaSuccess);
  launch(&StubA, 2);
  profile::Profile P = finish();
  ASSERT_EQ(P.Shared.size(), 2u);
  EXPECT_EQ(P.Shared[0].Sums[0], 2u);
  EXPECT_EQ(P.Shared[1].Sums[0], 4u);
}

TEST_F(ContextsTest, ReplicasAreAddedUp) {
  launch(&StubA, 3, nullptr, 50);
  EXPECT_EQ(fake::launches()[0].arg<GmprofSharedLaunch>(2).replicas, 32u);
  profile::Profile P = finish();
  ASSERT_EQ(P.Shared.size(), 1u);
  EXPECT_EQ(P.Shared[0].Sums[0], 150u);
  EXPECT_EQ(P.Shared[0].Capped[3], 50u);
}

TEST_F(ContextsTest, BlockSample) {
  Session::forget();
  settings().TheOptions.BlockSample = 4;
  launch(&StubA, 3, nullptr, 10);
  profile::Profile P = finish();
  ASSERT_EQ(P.Shared.size(), 1u);
  EXPECT_EQ(P.Shared[0].Blocks, 3u); // 0, 4, 8
  EXPECT_EQ(P.Shared[0].BlockSample, 4u);
}

} // namespace
} // namespace gmprof::host
