//===- GlobalMemoryTest.cpp - Memory of counters, and large sums ----------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GlobalTest.h"
#include "host/global/GlobalContexts.h"
#include "host/global/ObjectCounts.h"
#include "profile/EventLogReader.h"
#include "profile/ProfileBuilder.h"
#include <cstring>
#include <thread>

namespace gmprof::host {
namespace {

TEST_F(GlobalTest, ReleaseWritesTheCounts) {
  addMove(countingEach());
  uint64_t Out = allocate(1000), In = allocate(400);
  move(Out, In, 3);
  cudaDeviceSynchronize();
  release(Out);
  std::string Path = Session::current()->log().path();
  Result<EventLogReader> Log = EventLogReader::open(Path);
  ASSERT_TRUE(bool(Log));
  Result<profile::Profile> Early = buildProfile(*Log, Path);
  ASSERT_TRUE(bool(Early)) << Early.error();
  EXPECT_EQ(counts(*Early, 1, GMPROF_COUNTER_WRITES), (Words{1, 1, 1}));
  EXPECT_EQ(counts(*Early, 2, GMPROF_COUNTER_READS), Words());
  // The same memory, but another object.
  uint64_t Again = allocate(1000);
  move(Again, In, 1);
  profile::Profile P = finish();
  EXPECT_EQ(counts(P, 1, GMPROF_COUNTER_WRITES), (Words{1, 1, 1}));
  EXPECT_EQ(counts(P, 2, GMPROF_COUNTER_READS), (Words{2, 1, 1}));
  EXPECT_EQ(counts(P, 3, GMPROF_COUNTER_WRITES), (Words{1}));
}

TEST_F(GlobalTest, ReleasedWhileTheKernelRuns) {
  addMove(countingEach());
  uint64_t Out = allocate(1000), In = allocate(400);
  fake::hold(Stream1);
  move(Out, In, 3, Stream1);
  EXPECT_EQ(cudaFreeAsync(reinterpret_cast<void *>(Out), Stream1), cudaSuccess);
  fake::release(Stream1);
  profile::Profile P = finish();
  EXPECT_EQ(counts(P, 1, GMPROF_COUNTER_WRITES), (Words{1, 1, 1}));
}

TEST_F(GlobalTest, LittleMemoryMeansPasses) {
  addMove(countingEach());
  // 4096 counters of each object: with the totals, one fits, two do not.
  settings().TheOptions.Memory = {8192, 0};
  uint64_t A = allocate(16384), B = allocate(16384);
  for (int I = 0; I < 4; ++I) {
    move(A, B, 1);
    cudaDeviceSynchronize();
    EXPECT_EQ(parameter().roots[0].counters[GMPROF_COUNTER_WRITES] != 0, I % 2 == 0);
    EXPECT_EQ(parameter().roots[1].counters[GMPROF_COUNTER_READS] != 0, I % 2 == 1);
  }
  EXPECT_LE(fake::bytesAllocated(), 8192u);
  profile::Profile P = finish();
  EXPECT_EQ(counts(P, 1, GMPROF_COUNTER_WRITES), (Words{2}));
  EXPECT_EQ(counts(P, 2, GMPROF_COUNTER_READS), (Words{2}));
  EXPECT_EQ(launchesOf(P, 1, GMPROF_COUNTER_WRITES), 2u);
  ASSERT_EQ(P.Gaps.size(), 1u);
  EXPECT_EQ(P.Gaps[0].What, "objects of launches");
  EXPECT_EQ(P.Gaps[0].Count, 4u);
}

TEST_F(GlobalTest, MemoryThatTheProgramTookSince) {
  addMove(countingEach());
  fake::setMemory(size_t(256) << 20); // 64 MiB must stay free
  uint64_t A = allocate(size_t(1) << 20), B = allocate(size_t(1) << 20);
  fake::hold(Stream1);
  move(A, B, 1, Stream1);
  size_t Before = fake::bytesAllocated();
  fake::setMemory((size_t(64) << 20) + Before); // all but the reserve
  move(B, A, 1, Stream1);
  EXPECT_EQ(last().What->Name, "move"); // not even for totals
  move(A, B, 1, Stream1);
  EXPECT_EQ(last().What->Name, "move__gm_global"); // with the first one's counters
  EXPECT_EQ(fake::bytesAllocated(), Before);
  fake::release(Stream1);
  profile::Profile P = finish();
  ASSERT_EQ(P.Launches.size(), 3u);
  EXPECT_EQ(P.Launches[1].Mode, LaunchMode::Refused);
  EXPECT_EQ(P.Launches[1].Reason, "there was no device memory for its counters");
  EXPECT_EQ(counts(P, 1, GMPROF_COUNTER_WRITES), (Words{2}));
}

TEST_F(GlobalTest, MemoryIsGivenBackToTheProgram) {
  addMove(countingEach());
  uint64_t A = allocate(size_t(1) << 20), B = allocate(size_t(1) << 20);
  move(A, B, 1);
  EXPECT_GT(fake::bytesAllocated(), size_t(512) << 10);
  fake::fail("cudaMalloc", cudaErrorMemoryAllocation);
  allocate(100);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  EXPECT_EQ(fake::bytesAllocated(), 0u);
  fake::fail("cudaMalloc", cudaErrorMemoryAllocation); // no memory can be released
  void *Pointer = nullptr;
  EXPECT_EQ(cudaMalloc(&Pointer, 100), cudaErrorMemoryAllocation);
  EXPECT_EQ(cudaGetLastError(), cudaErrorMemoryAllocation);
  EXPECT_EQ(counts(finish(), 1, GMPROF_COUNTER_WRITES), (Words{1}));
}

TEST_F(GlobalTest, KernelsWithoutGlobalProfile) {
  addKernel(&StubB, "add");
  launch(&StubB, 5);
  EXPECT_EQ(last().What->Name, "add");
  profile::Profile P = finish();
  ASSERT_EQ(P.Kernels.size(), 1u);
  EXPECT_EQ(P.Kernels[0].Reason, "it has no clone for this profile");
}

TEST_F(GlobalTest, DriverThatDoesNotDescribeParameters) {
  fake::remove("cuFuncGetParamInfo");
  addMove(countingEach());
  move(allocate(8), 0, 0);
  profile::Profile P = finish();
  ASSERT_EQ(P.Kernels.size(), 1u);
  EXPECT_EQ(P.Kernels[0].Reason, "the CUDA driver does not say what its parameters are: GMProf "
                                 "needs one of CUDA 12.4 or later");
}

TEST_F(GlobalTest, ConcurrentLaunchesDoNotMix) {
  addMove(countingEach());
  uint64_t A = allocate(400), B = allocate(400);
  move(A, B, 1);
  fake::hold(Stream1);
  fake::hold(Stream2);
  move(A, B, 2, Stream1);
  GmprofGlobalLaunch First = parameter();
  move(A, B, 3, Stream2);
  EXPECT_NE(parameter().totals, First.totals);
  fake::release(Stream2);
  cudaStreamSynchronize(Stream2);
  fake::release(Stream1);
  EXPECT_EQ(counts(finish(), 1, GMPROF_COUNTER_WRITES), (Words{3, 2, 1}));
}

TEST_F(GlobalTest, ManyThreads) {
  addMove(countingEach());
  constexpr int Threads = 4, Each = 100;
  uint64_t In = allocate(400);
  move(allocate(4), In, 0);
  std::vector<std::thread> Running;
  for (int T = 0; T < Threads; ++T)
    Running.emplace_back([&, T] {
      for (int I = 0; I < Each; ++I) {
        uint64_t Own = allocate(40);
        move(Own, In, 1 + T, T % 2 ? Stream1 : Stream2);
        release(Own);
      }
    });
  for (std::thread &T : Running)
    T.join();
  profile::Profile P = finish();
  EXPECT_EQ(counts(P, 1, GMPROF_COUNTER_READS), (Words{4 * Each, 3 * Each, 2 * Each, 1 * Each}));
  Words Written;
  for (uint64_t Object = 3; Object < 3 + Threads * Each; ++Object) {
    Words Of = counts(P, Object, GMPROF_COUNTER_WRITES);
    Written.resize(std::max(Written.size(), Of.size()));
    for (size_t I = 0; I < Of.size(); ++I)
      Written[I] += Of[I];
  }
  EXPECT_EQ(Written, (Words{4 * Each, 3 * Each, 2 * Each, 1 * Each}));
}

TEST_F(GlobalTest, LargeContextsAreReadInParts) {
  addMove(countingEach());
  constexpr size_t Bytes = size_t(80) << 20; // 20 MiB of counters each
  uint64_t A = allocate(Bytes), B = allocate(Bytes);
  move(A, B + Bytes - 8, 2);
  int Before = fake::calls("cuMemcpyDtoHAsync");
  profile::Profile P = finish();
  EXPECT_EQ(fake::calls("cuMemcpyDtoHAsync") - Before, 3); // 16 MiB at a time
  EXPECT_EQ(counts(P, 1, GMPROF_COUNTER_WRITES), (Words{1, 1}));
  Words Reads = counts(P, 2, GMPROF_COUNTER_READS);
  ASSERT_EQ(Reads.size(), Bytes / 4);
  EXPECT_EQ(Reads[Bytes / 4 - 3], 0u);
  EXPECT_EQ(Reads[Bytes / 4 - 2], 1u);
  EXPECT_EQ(Reads[Bytes / 4 - 1], 1u);
}

TEST_F(GlobalTest, SumsOfHugeObjectsTakeLittleMemory) {
  const uint32_t Kernel = kernelOfSession();
  ObjectCounts Counts(Session::current()->log());
  const uint8_t Counters[] = {0, 3, 0, 0, 255, 0};
  CountsKey Key = {77, Kernel, GMPROF_COUNTER_ATOMICS, 2, 255};
  constexpr uint64_t Far = uint64_t(1) << 40;
  Counts.add(Key, Far - 4, std::as_bytes(std::span(Counters)), 8, 1);
  Counts.add(Key, 10, std::as_bytes(std::span(Counters)), 8, 1);
  Counts.add(Key, 10, std::as_bytes(std::span(Counters)), 8, 1);
  Counts.launches(Key, 3);
  EXPECT_EQ(Counts.mostPerLaunch(Kernel), std::optional<uint64_t>(255));
  Counts.flush(77);
  Counts.flush(77); // nothing is left
  profile::Profile P = finish();
  std::vector<profile::GlobalCounts> Of;
  for (const profile::GlobalCounts &C : P.Global)
    if (C.Object == 77)
      Of.push_back(C);
  ASSERT_EQ(Of.size(), 2u);
  EXPECT_EQ(Of[0].FirstElement, 11u);
  EXPECT_EQ(Of[0].Elements, 4u);
  EXPECT_EQ(Of[0].Launches, 3u);
  EXPECT_TRUE(Of[0].ThresholdReached);
  EXPECT_EQ(Of[1].FirstElement, Far - 3);
  EXPECT_EQ(Of[1].Elements, 4u);
  EXPECT_EQ(Of[1].Launches, 0u);
  ElementSums Sums;
  ASSERT_TRUE(decompressCounts(Of[0].Compressed, 4, true, Sums));
  EXPECT_EQ(Sums.Sums.values(), (Words{6, 0, 0, 510}));
  EXPECT_EQ(Sums.Capped, (std::vector<uint32_t>{0, 0, 0, 2}));
}

TEST_F(GlobalTest, ThreadsAddManyCounters) {
  const uint32_t Kernel = kernelOfSession();
  ObjectCounts Counts(Session::current()->log());
  constexpr uint64_t First = 100, Number = 3'000'000; // 733 chunks, some of them zeros
  std::vector<uint16_t> Counters(Number);
  for (uint64_t I = 0; I < Number; ++I)
    Counters[I] = I / 200'000 % 2 == 0 ? static_cast<uint16_t>(I % 251 * 4) : 0;
  const CountsKey Key = {77, Kernel, GMPROF_COUNTER_READS, 2, 999};
  for (int Launch = 0; Launch < 2; ++Launch)
    Counts.add(Key, First, std::as_bytes(std::span(Counters)), 16, 1);
  Counts.launches(Key, 2);
  EXPECT_EQ(Counts.mostPerLaunch(Kernel), std::optional<uint64_t>(1000));
  Counts.flush(77);
  profile::Profile P = finish();
  Words Sums(First + Number), Capped(First + Number);
  uint64_t Launches = 0;
  for (const profile::GlobalCounts &C : P.Global)
    if (C.Object == 77) {
      ElementSums Of;
      ASSERT_TRUE(decompressCounts(C.Compressed, C.Elements, C.ThresholdReached, Of));
      ASSERT_LE(C.FirstElement + C.Elements, Sums.size());
      for (uint64_t I = 0; I < C.Elements; ++I)
        Sums[C.FirstElement + I] += Of.Sums[I];
      for (uint64_t I = 0; I < Of.Capped.size(); ++I)
        Capped[C.FirstElement + I] += Of.Capped[I];
      Launches += C.Launches;
    }
  EXPECT_EQ(Launches, 2u);
  uint64_t Wrong = 0;
  for (uint64_t I = 0; I < Number; ++I) {
    Wrong += Sums[First + I] != 2 * std::min<uint64_t>(Counters[I], 999) ? 1 : 0;
    Wrong += Capped[First + I] != (Counters[I] == 1000 ? 2 : 0) ? 1 : 0;
  }
  EXPECT_EQ(Wrong, 0u);
}

TEST_F(GlobalTest, SumsWithFewZerosInBetweenAreOneRecord) {
  const uint32_t Kernel = kernelOfSession();
  ObjectCounts Counts(Session::current()->log());
  const uint8_t Counters[] = {7};
  for (uint64_t Element : {3, 4096 * 10, 4096 * 40})
    Counts.add({77, Kernel, GMPROF_COUNTER_READS, 2, 0}, Element,
               std::as_bytes(std::span(Counters)), 8, 1);
  Counts.flush(77);
  profile::Profile P = finish();
  std::vector<std::pair<uint64_t, uint64_t>> Of;
  for (const profile::GlobalCounts &C : P.Global)
    if (C.Object == 77)
      Of.emplace_back(C.FirstElement, C.Elements);
  EXPECT_EQ(Of, (std::vector<std::pair<uint64_t, uint64_t>>{{3, 40958}, {163840, 1}}));
}

} // namespace
} // namespace gmprof::host
