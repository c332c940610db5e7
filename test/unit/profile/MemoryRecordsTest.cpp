//===- MemoryRecordsTest.cpp - Decoding of readings of memory -------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestLog.h"
#include "profile/ProfileBuilder.h"
#include <cstring>
#include <gtest/gtest.h>

namespace gmprof::test {
namespace {

template <typename T>
std::vector<std::byte> payload(const T &Record, const std::string &Text = "") {
  std::vector<std::byte> To(sizeof(Record) + Text.size());
  std::memcpy(To.data(), &Record, sizeof(Record));
  std::memcpy(To.data() + sizeof(Record), Text.data(), Text.size());
  return To;
}

log::MemoryReadingRecord reading() {
  log::MemoryReadingRecord R = {};
  R.timeNs = 1200000000;
  R.freeBytes = 400;
  R.totalBytes = 1000;
  R.ownBytes = 1;
  R.poolBytes = 2;
  R.graphBytes = 3;
  R.moduleBytes = 4;
  R.printfBytes = 5;
  R.heapBytes = 6;
  R.stackBytes = 7;
  R.otherBytes = 8;
  R.device = 1;
  R.moment = log::MemoryMoment::Failure;
  return R;
}

log::FailedAllocationRecord failure(const std::string &Api) {
  log::FailedAllocationRecord R = {};
  R.timeNs = 1300000000;
  R.bytes = 9000;
  R.kind = log::ObjectKind::AsyncPool;
  R.device = 1;
  R.callPath = 7;
  R.thread = 12;
  R.apiBytes = static_cast<uint32_t>(Api.size());
  return R;
}

profile::Profile profileOf(const LogBytes &Log) {
  auto Reader = EventLogReader::create(Log.Bytes, "log");
  EXPECT_TRUE(Reader);
  auto P = buildProfile(*Reader, "log");
  EXPECT_TRUE(P) << P.error();
  return P ? *P : profile::Profile();
}

TEST(MemoryRecordsTest, TellWhatIsInUseAndWhatFailed) {
  LogBytes Log;
  Log.run();
  Log.callPath(7, {0x1100});
  Log.record(log::RecordKind::FailedAllocation,
             payload(failure("cudaMallocAsync"), "cudaMallocAsync"));
  Log.record(log::RecordKind::MemoryReading, payload(reading()));
  const profile::Profile P = profileOf(Log);
  EXPECT_TRUE(P.Gaps.empty());
  ASSERT_EQ(P.MemoryReadings.size(), 1u);
  const profile::MemoryReading &R = P.MemoryReadings[0];
  EXPECT_EQ(R.Record, 4u);
  EXPECT_EQ(R.TimeNs, 1200000000u);
  EXPECT_EQ(R.inUse(), 600u);
  EXPECT_EQ(R.TotalBytes, 1000u);
  EXPECT_EQ(R.OwnBytes, 1u);
  EXPECT_EQ(R.PoolBytes, 2u);
  EXPECT_EQ(R.GraphBytes, 3u);
  EXPECT_EQ(R.ModuleBytes, 4u);
  EXPECT_EQ(R.PrintfBytes, 5u);
  EXPECT_EQ(R.HeapBytes, 6u);
  EXPECT_EQ(R.StackBytes, 7u);
  EXPECT_EQ(R.OtherBytes, 8u);
  EXPECT_EQ(R.Device, 1u);
  EXPECT_EQ(R.Moment, log::MemoryMoment::Failure);
  ASSERT_EQ(P.FailedAllocations.size(), 1u);
  const profile::FailedAllocation &F = P.FailedAllocations[0];
  EXPECT_EQ(F.Record, 3u);
  EXPECT_EQ(F.Api, "cudaMallocAsync");
  EXPECT_EQ(F.TimeNs, 1300000000u);
  EXPECT_EQ(F.Bytes, 9000u);
  EXPECT_EQ(F.Kind, log::ObjectKind::AsyncPool);
  EXPECT_EQ(F.Device, 1u);
  EXPECT_EQ(F.Thread, 12u);
  EXPECT_EQ(F.CallPath, 0u);
}

TEST(MemoryRecordsTest, UnknownProcessesAreUnknown) {
  log::MemoryReadingRecord R = reading();
  R.otherBytes = UINT64_MAX;
  LogBytes Log;
  Log.run();
  Log.record(log::RecordKind::MemoryReading, payload(R));
  EXPECT_FALSE(profileOf(Log).MemoryReadings.at(0).OtherBytes);
}

TEST(MemoryRecordsTest, DamagedRecordsAreGaps) {
  log::MemoryReadingRecord MoreFree = reading(), NoMoment = reading();
  MoreFree.freeBytes = 1001;
  NoMoment.moment = static_cast<log::MemoryMoment>(4);
  LogBytes Log;
  Log.run();
  Log.record(log::RecordKind::MemoryReading, payload(MoreFree));
  Log.record(log::RecordKind::MemoryReading, payload(NoMoment));
  Log.record(log::RecordKind::MemoryReading, payload(reading(), "x"));
  Log.record(log::RecordKind::FailedAllocation, payload(failure("cudaMalloc"), "cuda"));
  const profile::Profile P = profileOf(Log);
  EXPECT_TRUE(P.MemoryReadings.empty());
  EXPECT_TRUE(P.FailedAllocations.empty());
  ASSERT_EQ(P.Gaps.size(), 1u);
  EXPECT_EQ(P.Gaps[0].Count, 4u);
}

} // namespace
} // namespace gmprof::test
