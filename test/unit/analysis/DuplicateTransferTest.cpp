//===- DuplicateTransferTest.cpp - Copies of what is there already --------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestCallsOfSync.h"
#include <gtest/gtest.h>

namespace gmprof::test {
namespace {

TEST(DuplicateTransfer, KeyHasSizeDirectionAndDestination) {
  TestSyncCalls C;
  auto Copy = [&](uint64_t Hash, uint64_t To, uint64_t Bytes, log::CopyDirection D) {
    const uint32_t Call = C.give(CallKind::Copy, "cudaMemcpy", 1, 0, 0);
    C.content(Call, Hash, To, Bytes, D);
  };
  using enum log::CopyDirection;
  Copy(5, 0x1000, 64, HostToDevice);
  Copy(5, 0x2000, 64, HostToDevice);
  Copy(5, 0x1000, 32, HostToDevice);
  Copy(5, 0x1000, 64, DeviceToDevice);
  Copy(6, 0x1000, 64, HostToDevice);
  Copy(5, 0x1000, 64, HostToDevice);
  C.Contents.back().Identical = true;
  const std::vector<CopyVerdict> V = duplicateTransfers(C, buildSyncTrace(C));
  for (size_t I = 0; I < 5; ++I)
    EXPECT_FALSE(V[I].Duplicate) << I;
  EXPECT_TRUE(V[5].Duplicate);
  EXPECT_TRUE(V[5].Identical);
  EXPECT_EQ(V[5].First, 0u);
}

/// Copies the same to the host as before, where it still is.
uint32_t copyBackAgain(TestSyncCalls &C) {
  const uint32_t Copy = C.give(CallKind::Copy, "cudaMemcpy", 1, 0, 0);
  C.content(Copy, 5, 0x1000, 64, log::CopyDirection::DeviceToHost);
  C.Contents.back().Identical = true;
  return Copy;
}

bool lastIsDuplicate(const TestSyncCalls &C) {
  return duplicateTransfers(C, buildSyncTrace(C)).back().Duplicate;
}

// The host may have read the copy in between, as a loop does that polls a flag.
TEST(DuplicateTransfer, CopiesToTheHostThatAreReadAreNone) {
  TestSyncCalls C;
  const uint32_t First = copyBackAgain(C);
  copyBackAgain(C);
  EXPECT_TRUE(lastIsDuplicate(C));
  C.use(First, log::UseKind::OnlyByCode); // no access
  EXPECT_TRUE(lastIsDuplicate(C));
  C.use(First, log::UseKind::Assumed);
  EXPECT_FALSE(lastIsDuplicate(C));
}

TEST(DuplicateTransfer, LastCopyToTheHostMayBeRead) {
  TestSyncCalls C;
  copyBackAgain(C);
  C.use(copyBackAgain(C));
  EXPECT_TRUE(lastIsDuplicate(C));
}

TEST(DuplicateTransfer, FunctionOfTheHostMayReadACopy) {
  TestSyncCalls C;
  copyBackAgain(C);
  C.hostFunction();
  copyBackAgain(C);
  EXPECT_FALSE(lastIsDuplicate(C));
  copyBackAgain(C);
  EXPECT_TRUE(lastIsDuplicate(C));
}

// The copy before brought other bytes: they are lost, but they are not the same.
TEST(DuplicateTransfer, CopiesToTheHostInTurnAreNone) {
  TestSyncCalls C;
  copyBackAgain(C);
  copyBackAgain(C);
  C.Contents.back().Hash = {6, 1};
  copyBackAgain(C);
  EXPECT_FALSE(lastIsDuplicate(C));
}

TEST(DuplicateTransfer, UsesThatWereNotSeenMayBeOfACopy) {
  TestSyncCalls C;
  copyBackAgain(C);
  copyBackAgain(C);
  C.Gaps = {{"uses by the host", "too many", 1}};
  EXPECT_FALSE(lastIsDuplicate(C));
}

/// The finding about two copies of the same bytes. Identical: whether the destination held them.
Finding duplicateFinding(log::CopyDirection Direction, std::optional<bool> Identical) {
  TestSyncCalls C;
  for (int I = 0; I < 2; ++I) {
    C.content(C.give(CallKind::Copy, "cudaMemcpy", 1, 0, 0), 5, 0x1000, 64, Direction);
    C.Contents.back().Identical = Identical;
  }
  const SyncRuns Runs = {&C, &C, nullptr, 10'000};
  const std::vector<Finding> All = duplicateTransferFindings(Runs, syncProblems(Runs));
  EXPECT_EQ(All.size(), 1u);
  return All.empty() ? Finding() : All.front();
}

TEST(DuplicateTransfer, SuggestionHasTheConditionOfItsDirection) {
  using enum log::CopyDirection;
  Finding F = duplicateFinding(DeviceToHost, true);
  EXPECT_EQ(F.Kind, "still_there");
  EXPECT_EQ(F.Message, "1 of 2 cudaMemcpy calls bring back what the host has "
                       "already and has not read (64 bytes).");
  EXPECT_EQ(F.Suggestion, "Copy once, after the loop or right before the host reads the data, "
                          "provided that nothing reads the host buffer in between.");
  F = duplicateFinding(HostToDevice, true);
  EXPECT_EQ(F.Kind, "still_there");
  EXPECT_EQ(F.Message, "1 of 2 cudaMemcpy calls write what the destination "
                       "holds already (64 bytes).");
  const std::string Once =
      "Copy once, before the loop or the first use, provided that neither the host writes the "
      "source nor a kernel the destination in between; declare the source const, so that the "
      "compiler rejects writes to it.";
  EXPECT_EQ(F.Suggestion, Once);
  F = duplicateFinding(HostToDevice, std::nullopt);
  EXPECT_EQ(F.Kind, "copied_again");
  EXPECT_EQ(F.Message, "1 of 2 cudaMemcpy calls write what was copied to the "
                       "same place before (64 bytes).");
  EXPECT_EQ(F.Suggestion, Once);
  F = duplicateFinding(HostToDevice, false);
  EXPECT_EQ(F.Message, "1 of 2 cudaMemcpy calls write what was copied to the "
                       "same place before and overwritten (64 bytes).");
  EXPECT_EQ(F.Suggestion,
            "The destination was written in between, so the data has to be restored: if the host "
            "never changes the source, keep an unchanged copy on the device, and copy from there.");
  EXPECT_EQ(duplicateFinding(DeviceToDevice, true).Suggestion,
            "Copy once, before the loop or the first use, provided that nothing writes the source "
            "or the destination in between.");
}

/// The findings about copies of one call to the device, with these hashes. The destination holds
/// the bytes if the copy before had them; else that is not known.
std::vector<Finding> copiesOfOneCall(std::initializer_list<uint64_t> Hashes) {
  TestSyncCalls C;
  std::optional<uint64_t> Last;
  for (const uint64_t Hash : Hashes) {
    C.content(C.give(CallKind::Copy, "cudaMemcpy", 1, 0, 0), Hash, 0x1000, 64,
              log::CopyDirection::HostToDevice);
    C.Contents.back().Identical = Last == Hash ? std::optional(true) : std::nullopt;
    Last = Hash;
  }
  const SyncRuns Runs = {&C, &C, nullptr, 10'000};
  return duplicateTransferFindings(Runs, syncProblems(Runs));
}

TEST(DuplicateTransfer, ASourceThatChangesHasToBeCopiedAfterEachChange) {
  const std::vector<Finding> All = copiesOfOneCall({5, 5, 5, 6, 6, 7});
  ASSERT_EQ(All.size(), 1u);
  EXPECT_EQ(All[0].Kind, "still_there");
  EXPECT_EQ(All[0].Message, "3 of 6 cudaMemcpy calls write what the destination holds already (192 "
                            "bytes).");
  EXPECT_EQ(
      All[0].Suggestion,
      "Copy only after the host has changed the source, or a kernel the destination: 2 of the 6 "
      "copies bring other data than the one before.");
}

TEST(DuplicateTransfer, DataThatComesAgainAfterOtherDataIsCopiedForAReason) {
  const std::vector<Finding> All = copiesOfOneCall({5, 6, 5});
  ASSERT_EQ(All.size(), 1u);
  EXPECT_EQ(All[0].Kind, "copied_again");
  EXPECT_LE(All[0].Level, Severity::Low);
  EXPECT_EQ(
      All[0].Suggestion,
      "Keep the copy: 2 of the 3 copies bring other data than the one before. Data that comes "
      "again can stay on the device in a buffer of its own, if the program knows which data "
      "it is.");
}

/// Copies that bring an array to the host and back, with this hash of what comes back; Identical as
/// in duplicateFinding.
std::vector<Finding> roundTrip(uint64_t HashBack, std::optional<bool> Identical) {
  TestSyncCalls C;
  using enum log::CopyDirection;
  C.content(C.give(CallKind::Copy, "cudaMemcpy", 1, 0, 0), 5, 0x7000, 64, DeviceToHost);
  C.content(C.give(CallKind::Copy, "cudaMemcpyAsync", 1, 0, 0), HashBack, 0x1000, 64, HostToDevice);
  C.Contents.back().Identical = Identical;
  const SyncRuns Runs = {&C, &C, nullptr, 10'000};
  return duplicateTransferFindings(Runs, syncProblems(Runs));
}

TEST(DuplicateTransfer, DataThatComesBackUnchangedIsRedundant) {
  const std::vector<Finding> All = roundTrip(5, true);
  ASSERT_EQ(All.size(), 1u);
  EXPECT_EQ(All[0].Object, "cudaMemcpyAsync");
  EXPECT_EQ(All[0].Kind, "round_trip");
  EXPECT_EQ(All[0].Message, "The cudaMemcpyAsync call writes what the destination holds already "
                            "and a copy has brought to the host (64 bytes).");
  EXPECT_EQ(All[0].Suggestion,
            "Keep the data on the device, and copy it there only if the host has "
            "changed it since it was copied back.");
}

TEST(DuplicateTransfer, DataThatEitherSideHasChangedComesBackForAReason) {
  EXPECT_EQ(roundTrip(6, true).size(), 0u);  // the host has changed it; that it is there is chance
  EXPECT_EQ(roundTrip(5, false).size(), 0u); // the device has changed it
  EXPECT_EQ(roundTrip(5, std::nullopt).size(), 0u);
}

} // namespace
} // namespace gmprof::test
