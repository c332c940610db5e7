//===- MemoryReadingsTest.cpp - When the memory in use is read ------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostTest.h"
#include "host/core/RuntimeApi.h"
#include "host/core/Session.h"

namespace gmprof::host {
namespace {

using log::MemoryMoment;

class MemoryReadingsTest : public HostTest {
protected:
  void SetUp() override {
    HostTest::SetUp();
    addKernel(&StubA, "add");
    EXPECT_EQ(launch(&StubA, 1), cudaSuccess); // makes the context
  }
  static void *allocate(size_t Bytes) {
    void *Pointer = nullptr;
    EXPECT_EQ(cudaMalloc(&Pointer, Bytes), cudaSuccess);
    return Pointer;
  }
  static std::vector<MemoryMoment> moments(const profile::Profile &P) {
    std::vector<MemoryMoment> All;
    for (const profile::MemoryReading &R : P.MemoryReadings)
      All.push_back(R.Moment);
    return All;
  }
};

using Moments = std::vector<MemoryMoment>;

TEST_F(MemoryReadingsTest, ReadsWhenMemoryGrowsByAQuarterOrIsReleased) {
  allocate(1000);
  allocate(250);          // a quarter more, but not above
  allocate(10);           // 1260 bytes are read
  cudaFree(allocate(19)); // no more than a 64th above
  cudaFree(allocate(20)); // 1280 bytes are read
  cudaFree(allocate(20)); // not above the last reading
  void *Host = nullptr;
  cudaMallocHost(&Host, 100000); // no memory of the device
  const profile::Profile P = finish();
  EXPECT_EQ(moments(P), (Moments{MemoryMoment::First, MemoryMoment::Growth, MemoryMoment::Growth,
                                 MemoryMoment::End}));
  EXPECT_EQ(P.MemoryReadings[0].TotalBytes, uint64_t(1) << 30);
  EXPECT_FALSE(P.MemoryReadings[0].OtherBytes); // the fake driver has no NVML
}

TEST_F(MemoryReadingsTest, RecordsAllocationsThatFail) {
  allocate(1000);
  void *Pointer = nullptr;
  fake::fail("cudaMalloc", cudaErrorMemoryAllocation);
  EXPECT_EQ(cudaMalloc(&Pointer, 5000), cudaErrorMemoryAllocation);
  fake::fail("cudaMalloc", cudaErrorInvalidValue);
  EXPECT_EQ(cudaMalloc(&Pointer, 6000), cudaErrorInvalidValue);
  fake::fail("cudaMallocPitch", cudaErrorMemoryAllocation);
  size_t Pitch = 1; // stays as it is
  EXPECT_EQ(cudaMallocPitch(&Pointer, &Pitch, 70, 100), cudaErrorMemoryAllocation);
  fake::fail("cudaMallocHost", cudaErrorMemoryAllocation);
  EXPECT_EQ(cudaMallocHost(&Pointer, 8000), cudaErrorMemoryAllocation);
  const profile::Profile P = finish();
  EXPECT_EQ(moments(P), (Moments{MemoryMoment::First, MemoryMoment::Failure, MemoryMoment::Failure,
                                 MemoryMoment::End}));
  ASSERT_EQ(P.FailedAllocations.size(), 2u);
  EXPECT_EQ(P.FailedAllocations[0].Api, "cudaMalloc");
  EXPECT_EQ(P.FailedAllocations[0].Bytes, 5000u);
  EXPECT_EQ(P.FailedAllocations[1].Api, "cudaMallocPitch");
  EXPECT_EQ(P.FailedAllocations[1].Bytes, 7000u);
  EXPECT_LT(P.FailedAllocations[0].Record, P.MemoryReadings[1].Record);
}

TEST_F(MemoryReadingsTest, LoadsOnlyAddAndUnloadsOnlyTakeAway) {
  using Step = MemoryReadings::Step;
  const auto Change = [](Step Done, int64_t Bytes) {
    const MemoryReadings::Loading Growth(Session::currentReadings(), Done);
    fake::changeMemoryInUse(Bytes);
  };
  fake::changeMemoryInUse(10'000);
  allocate(1000);
  Change(Step::Load, 700);
  Change(Step::Load, -5000); // another process
  Change(Step::Unload, -200);
  Change(Step::Unload, 4000); // another process
  Change(Step::LoadOwn, 90);
  Change(Step::LoadOwn, -3000); // another process
  Change(Step::UnloadOwn, -40);
  Change(Step::UnloadOwn, 1000); // another process
  const profile::Profile P = finish();
  ASSERT_EQ(moments(P), (Moments{MemoryMoment::First, MemoryMoment::End}));
  EXPECT_EQ(P.MemoryReadings[1].ModuleBytes, P.MemoryReadings[0].ModuleBytes + 500);
  EXPECT_EQ(P.MemoryReadings[1].OwnBytes, P.MemoryReadings[0].OwnBytes + 50);
}

} // namespace
} // namespace gmprof::host
