//===- MigrationWaitsTest.cpp - Waits for managed memory to move ----------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestCallsOfSync.h"
#include <gtest/gtest.h>

namespace gmprof::test {
namespace {

void managed(Profile &P, uint64_t Id, uint64_t Address, uint64_t Bytes, uint64_t BeginNs,
             uint64_t EndNs) {
  Object O;
  O.Id = Id;
  O.Kind = log::ObjectKind::Managed;
  O.Address = Address;
  O.Bytes = Bytes;
  O.Made.BeginNs = BeginNs;
  if (EndNs != 0) {
    O.Released.emplace();
    O.Released->EndNs = EndNs;
  }
  P.Objects.push_back(O);
}

// A kernel runs from 1010 to 2010, and the host waits for it from 1010 on.
TEST(MigrationWaits, CountsMigrationsWithinTheWait) {
  TestSyncCalls C;
  C.give(CallKind::Launch, "cudaLaunchKernel", 10, 1010, 2010);
  C.wait(CallKind::DeviceSynchronized, "cudaDeviceSynchronize", 1000);
  C.Migrations = {
      {1900, 2100, 0x30, 64, 0, false},  // 110 within the wait
      {900, 1110, 0x00, 16, 0, false},   // begins earlier: 100 ns, no bytes
      {1200, 1300, 0x10, 32, 0, false},  // 150 together with the next one
      {1250, 1350, 0x20, 32, 0, true},   //
      {2010, 2400, 0x40, 128, 0, false}, // after the wait
  };
  const std::vector<MigrationWait> W = migrationWaits(C, buildSyncTrace(C));
  ASSERT_EQ(W.size(), 2u);
  EXPECT_EQ(W[0].Ns, 0u);
  EXPECT_EQ(W[1].Ns, 100u + 150u + 110u);
  EXPECT_EQ(W[1].Bytes, 64u + 32u + 32u);
  const SyncProblems S = syncProblems({&C, &C, nullptr, 10'000});
  ASSERT_EQ(S.Sites[0].Api, "cudaDeviceSynchronize");
  EXPECT_EQ(S.Sites[0].Migration.WaitNs, 1000u);
  EXPECT_EQ(S.Sites[0].Migration.Ns, 360u);
  EXPECT_EQ(S.Sites[0].Migration.Bytes, 128u);
}

TEST(MigrationWaits, ObjectsByAddressAndTime) {
  Profile P;
  managed(P, 7, 0x1000, 0x1000, 100, 500);
  managed(P, 9, 0x1000, 0x1000, 600, 0); // at the same address as the previous object
  P.Migrations = {{200, 210, 0x1fff, 1, 0, false},
                  {300, 330, 0x1000, 2, 0, true},
                  {700, 705, 0x1800, 4, 0, false},
                  {800, 801, 0x2000, 8, 0, false}};
  const auto Moved = migratedObjects(P);
  ASSERT_TRUE(Moved);
  ASSERT_EQ(Moved->size(), 3u);
  EXPECT_EQ((*Moved)[0].Object, 0u);
  EXPECT_EQ((*Moved)[0].ToDeviceBytes, 8u);
  EXPECT_EQ((*Moved)[1].Object, 9u);
  EXPECT_EQ((*Moved)[1].ToDeviceNs, 5u);
  EXPECT_EQ((*Moved)[2].Object, 7u);
  EXPECT_EQ((*Moved)[2].ToDeviceBytes, 1u);
  EXPECT_EQ((*Moved)[2].ToHostBytes, 2u);
  EXPECT_EQ((*Moved)[2].ToHostNs, 30u);
}

TEST(MigrationWaits, NothingMovedIsNotTheSameAsNotKnown) {
  Profile P;
  EXPECT_FALSE(migratedObjects(P)); // no managed memory
  managed(P, 1, 0x1000, 0x1000, 100, 0);
  ASSERT_TRUE(migratedObjects(P));
  EXPECT_TRUE(migratedObjects(P)->empty());
  P.Gaps.push_back({"migrations", "no CUPTI", 1});
  EXPECT_FALSE(migratedObjects(P));
}

} // namespace
} // namespace gmprof::test
