//===- SimulatorTest.cpp - Tests of the whole simulator -------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cache/Simulator.h"
#include <gtest/gtest.h>

using namespace gmprof::cache;

namespace {

/// Returns a GPU of two SMs with 8 lines of L1 and 16 KB of L2.
Architecture smallGpu() {
  Architecture Gpu;
  Gpu.Name = "small";
  Gpu.Sms = 2;
  Gpu.WarpsPerSm = 4;
  Gpu.BlocksPerSm = 1;
  Gpu.UnifiedKb = 4;
  Gpu.SharedKb = {0, 2, 3};
  Gpu.L1.Policy = Replacement::Lru;
  Gpu.L2.Kb = 16;
  Gpu.L2.Ways = 4;
  Gpu.L2.CountsWriteAllocates = Gpu.L2.CountsMissingSectors = false;
  EXPECT_EQ(Gpu.impossible(), "");
  return Gpu;
}

Request words(uint64_t Base, AccessKind Kind = AccessKind::Load, uint32_t Site = 0) {
  Request R;
  R.Site = Site;
  R.Kind = Kind;
  R.Affine = true;
  R.Addresses[0] = Base;
  R.Stride = 4;
  return R;
}

const Cell *cellOf(const SimulationResults &Results, uint32_t Site, int32_t Object,
                   uint32_t Launch = 0) {
  for (const Cell &C : Results.Cells)
    if (C.Site == Site && C.Object == Object && C.Launch == Launch)
      return &C;
  return nullptr;
}

TEST(Simulator, CountsByInstructionAndObject) {
  Simulator S(smallGpu(), {});
  S.allocate({1, "a", 0x10000, 0x100});
  S.allocate({2, "b", 0x20000, 0x100});
  TraceLaunch Launch;
  Launch.SharedBytes = 2048;
  S.beginLaunch(Launch);
  S.add(0, std::vector{words(0x10000), words(0x10000), words(0x20000, AccessKind::Store, 1),
                       words(0x30000)});
  S.add(1, std::vector{words(0x10000)});
  S.endLaunch();
  const SimulationResults R = S.finish();
  ASSERT_EQ(R.Cells.size(), 3U);
  EXPECT_EQ(R.Launches[0].SharedKb, 2U);
  EXPECT_EQ(R.Launches[0].L1Kb, 2U);
  AccessCounts Loads;
  Loads.Requests = 3;
  Loads.Sectors = Loads.L1Lookups = 12;
  Loads.BytesUsed = 384;
  Loads.L1Hits = 4;
  Loads.L2Reads = 8;
  Loads.L2Hits = 4; // SM 0 has read what SM 1 reads
  Loads.DramReads = 4;
  EXPECT_EQ(cellOf(R, 0, 0)->Counts, Loads);
  AccessCounts Stores;
  Stores.Requests = 1;
  Stores.Sectors = Stores.L1Lookups = Stores.L2Writes = 4;
  Stores.BytesUsed = 128;
  EXPECT_EQ(cellOf(R, 1, 1)->Counts, Stores);
  EXPECT_EQ(cellOf(R, 0, Cell::Unknown)->Counts.DramReads, 4U);
  EXPECT_EQ(R.DirtySectors, 4U);
}

// L1 has 16 lines. Block 0 reads 20 lines twice; under LRU none of them remains by then. Block 1
// reads one of them, then 16 others, and block 0 reads that one again: both must fetch it again. L2
// holds all lines.
TEST(Simulator, CountsRepeatedFetches) {
  SimulationOptions Options;
  Options.FindsRefetches = true;
  Options.L1Kb = 2;
  Simulator S(smallGpu(), Options);
  auto Lines = [&](uint64_t Block, uint64_t First, uint64_t Count, uint32_t Site) {
    std::vector<Request> Some;
    for (uint64_t L = First; L < First + Count; ++L) {
      Some.push_back(words(0x10000 + L * 128, AccessKind::Load, Site));
      Some.back().Block = Block;
    }
    S.add(0, Some);
  };
  S.beginLaunch({});
  Lines(0, 0, 20, 0);
  Lines(0, 0, 20, 1);
  Lines(1, 0, 1, 2);
  Lines(1, 100, 16, 3);
  Lines(0, 0, 1, 4);
  Request Past = words(0x10000 + 5 * 128, AccessKind::Load, 5);
  Past.Operator = CacheOperator::Cg;
  S.add(0, {&Past, 1}); // L1 has not lost it
  S.endLaunch();
  S.beginLaunch({});
  Lines(0, 0, 20, 0); // first fetches of another launch
  S.endLaunch();
  const SimulationResults R = S.finish();
  auto Counts = [&](uint32_t Site, uint32_t Launch = 0) {
    return cellOf(R, Site, Cell::Unknown, Launch)->Counts;
  };
  EXPECT_EQ(Counts(0).FetchedAgain, 0U);
  EXPECT_EQ(Counts(1).FetchedAgain, 80U);
  EXPECT_EQ(Counts(1).FetchedAgainByBlock, 80U);
  EXPECT_EQ(Counts(2).FetchedAgain, 4U);
  EXPECT_EQ(Counts(2).FetchedAgainByBlock, 0U);
  EXPECT_EQ(Counts(3).FetchedAgain, 0U);
  EXPECT_EQ(Counts(4).FetchedAgain, 4U);
  EXPECT_EQ(Counts(4).FetchedAgainByBlock, 0U); // block 1 fetched it in between
  EXPECT_EQ(Counts(5).L2Reads, 4U);
  EXPECT_EQ(Counts(5).FetchedAgain, 0U);
  EXPECT_EQ(Counts(0, 1).L2Reads, 80U);
  EXPECT_EQ(Counts(0, 1).FetchedAgain, 0U);
  EXPECT_EQ(Counts(1).DramReadsAgain, 0U);
}

// 512 bytes that start in the middle of a sector: four pieces of 128 bytes, in five sectors each.
// Fetches of 64 bytes serve the second request of a piece and the next piece too: an H100 also hits
// 35 % of these sectors in L2 (test/bench/cache-model/bulk.cu).
TEST(Simulator, BulkCopiesMeetTheirOwnSectors) {
  Architecture Gpu = smallGpu();
  Gpu.L2.FetchBytes = 64;
  Simulator S(Gpu, {});
  S.beginLaunch({});
  Request Copy = words(0x10010, AccessKind::AsyncCopy);
  Copy.Operator = CacheOperator::Bulk;
  Copy.Size = 16;
  Copy.Stride = 16;
  S.add(0, {&Copy, 1});
  S.endLaunch();
  AccessCounts Expected;
  Expected.Requests = 1;
  Expected.Sectors = Expected.L2Reads = 20;
  Expected.BytesUsed = 512;
  Expected.L2Hits = 7;
  Expected.DramReads = 18;
  EXPECT_EQ(cellOf(S.finish(), 0, Cell::Unknown)->Counts, Expected);
}

// Each SM has its own L1 and its own fences, which do not count as requests.
TEST(Simulator, FencesEmptyTheirL1) {
  Simulator S(smallGpu(), {});
  S.beginLaunch({});
  Request Fence;
  Fence.Operator = CacheOperator::Fence;
  Fence.Affine = true;
  Fence.Addresses[0] = 0;
  const Request Read = words(0x10000);
  S.add(0, std::vector{Read, Read, Fence, Read, Fence});
  S.add(1, std::vector{Read, Read});
  S.endLaunch();
  const SimulationResults R = S.finish();
  ASSERT_EQ(R.Cells.size(), 1U);
  const AccessCounts &C = R.Cells[0].Counts;
  EXPECT_EQ(C.Requests, 5U);
  EXPECT_EQ(C.L1Lookups, 20U);
  EXPECT_EQ(C.L1Hits, 8U);
  EXPECT_EQ(C.LostToFences, 4U);
  EXPECT_EQ(C.L2Reads, 12U);
}

// Nine lines of one set, read twice, exceed both L1's eight lines and L2's four ways.
TEST(Simulator, CountsRepeatedDramReads) {
  SimulationOptions Options;
  Options.FindsRefetches = true;
  Options.L1Kb = 1;
  Architecture Gpu = smallGpu();
  Gpu.L2.Hash = SetHash::Modulo;
  Simulator S(Gpu, Options);
  S.beginLaunch({});
  for (uint32_t Site = 0; Site < 2; ++Site)
    for (uint64_t L = 0; L < 9; ++L)
      S.add(0, std::vector{words(L * 32 * 128, AccessKind::Load, Site)});
  S.endLaunch();
  const SimulationResults R = S.finish();
  EXPECT_EQ(cellOf(R, 0, Cell::Unknown)->Counts.DramReads, 36U);
  EXPECT_EQ(cellOf(R, 0, Cell::Unknown)->Counts.DramReadsAgain, 0U);
  EXPECT_EQ(cellOf(R, 1, Cell::Unknown)->Counts.DramReads, 36U);
  EXPECT_EQ(cellOf(R, 1, Cell::Unknown)->Counts.DramReadsAgain, 36U);
}

TEST(SeenSectors, RemembersTheLastFetchOfALine) {
  SeenSectors Seen;
  EXPECT_EQ(Seen.fetch(64, 0b0011, 7).Any, 0U);
  const auto Again = Seen.fetch(64, 0b0110, 7);
  EXPECT_EQ(Again.Any, 0b0010U);
  EXPECT_EQ(Again.ByBlock, 0b0010U);
  EXPECT_EQ(Seen.fetch(128, 0b0011, 7).Any, 0U);
  EXPECT_EQ(Seen.fetch(64, 0b0111, 8).Any, 0b0111U);
  EXPECT_EQ(Seen.fetch(64, 0b1001, 8).ByBlock, 0b0001U);
}

TEST(SplitSectors, AreFetchedByAnotherSmForOtherBytes) {
  SplitSectors Split(false);
  const auto Fetch = [&](unsigned Sectors, unsigned First, unsigned Bytes, uint32_t Sm) {
    ByteMask Of;
    Of.add(First, Bytes);
    return Split.fetch(5, Sectors, Of, Sm);
  };
  EXPECT_EQ(Fetch(0b0001, 0, 4, 0), 0U);
  EXPECT_EQ(Fetch(0b0001, 4, 4, 0), 0U);      // same SM
  EXPECT_EQ(Fetch(0b0001, 0, 8, 1), 0U);      // same bytes
  EXPECT_EQ(Fetch(0b0001, 4, 8, 2), 0b0001U); // four different bytes
  EXPECT_EQ(Fetch(0b0010, 28, 8, 1), 0U); // first sector: no new bytes; second sector: first fetch
  EXPECT_EQ(Fetch(0b0011, 28, 12, 0), 0b0011U);
}

// The numbers of things that are not objects are negative.
TEST(Simulator, InstructionsHaveAccessesOutsideOfObjects) {
  Simulator S(smallGpu(), {});
  TraceLaunch Launch;
  Launch.LocalBytesPerThread = 128;
  S.beginLaunch(Launch);
  for (uint32_t Site = 0; Site < 9; ++Site)
    S.add(0, std::vector{words(0x30000, AccessKind::Load, Site),
                         words(0, AccessKind::LocalStore, Site)});
  S.endLaunch();
  const SimulationResults R = S.finish();
  EXPECT_EQ(R.Cells.size(), 18U);
  for (uint32_t Site = 0; Site < 9; ++Site)
    for (const int32_t Object : {Cell::Unknown, Cell::LocalMemory}) {
      const Cell *C = cellOf(R, Site, Object);
      ASSERT_NE(C, nullptr) << Site;
      EXPECT_EQ(C->Counts.Requests, 1U);
    }
}

TEST(Simulator, ARequestCountsForTheObjectOfItsFirstLane) {
  Simulator S(smallGpu(), {});
  S.allocate({1, "a", 0x1000, 0x80});
  S.allocate({2, "b", 0x1080, 0x80});
  S.beginLaunch({});
  Request R = words(0x1000);
  R.Stride = 8;
  S.add(0, {&R, 1});
  S.endLaunch();
  const SimulationResults Results = S.finish();
  EXPECT_EQ(cellOf(Results, 0, 0)->Counts.Requests, 1U);
  EXPECT_EQ(cellOf(Results, 0, 1)->Counts.Requests, 0U);
  EXPECT_EQ(cellOf(Results, 0, 1)->Counts.Sectors, 4U);
}

TEST(Simulator, NewObjectReplacesTheOldOneAtItsAddresses) {
  Simulator S(smallGpu(), {});
  S.allocate({1, "a", 0x1000, 0x80});
  S.release(1);
  S.allocate({2, "b", 0x1000, 0x80});
  S.allocate({3, "c", 0x1040, 0x80}); // the release of b was missed
  S.beginLaunch({});
  S.add(0, std::vector{words(0x1040)});
  S.endLaunch();
  EXPECT_NE(cellOf(S.finish(), 0, 2), nullptr);
}

TEST(Simulator, L1IsEmptyAtALaunchAndL2IsNot) {
  for (bool Keeps : {true, false}) {
    SimulationOptions Options;
    Options.KeepsL2 = Keeps;
    Simulator S(smallGpu(), Options);
    for (int Launch = 0; Launch < 2; ++Launch) {
      S.beginLaunch({});
      S.add(0, std::vector{words(0x1000)});
      S.endLaunch();
    }
    const SimulationResults R = S.finish();
    EXPECT_EQ(cellOf(R, 0, Cell::Unknown, 1)->Counts.L1Hits, 0U);
    EXPECT_EQ(cellOf(R, 0, Cell::Unknown, 1)->Counts.L2Hits, Keeps ? 4U : 0U);
  }
}

// From byte 8 of a line to byte 40 of the next: L2 has the whole sectors, and parts of the others.
TEST(Simulator, CopiedBytesAreInL2) {
  for (bool Written : {true, false}) {
    Simulator S(smallGpu(), {});
    if (Written)
      S.written({0x1008, 0xa0});
    S.beginLaunch({});
    S.add(0, std::vector{words(0x1000), words(0x1080)});
    S.endLaunch();
    const SimulationResults R = S.finish();
    EXPECT_EQ(cellOf(R, 0, Cell::Unknown)->Counts.DramReads, Written ? 4U : 8U);
    EXPECT_EQ(cellOf(R, 0, Cell::Unknown)->Counts.L2Hits, Written ? 4U : 0U);
    EXPECT_EQ(R.DirtySectors, Written ? 6U : 0U);
  }
}

// The second warp of a block stores the same as the first, in the same step.
TEST(Simulator, StepsAreThoseOfEachWarp) {
  Architecture Gpu = smallGpu();
  Gpu.L2.CoalescedRequests = 8;
  Simulator S(Gpu, {});
  S.beginLaunch({});
  std::vector<Request> Stores(4, words(0x1000, AccessKind::Store));
  Stores[1].Warp = Stores[2].Warp = 1; // steps 0, 0, 1, 1
  S.add(0, Stores);
  S.endLaunch();
  const SimulationResults R = S.finish();
  EXPECT_EQ(R.Cells[0].Counts.L2Writes, 8U);
  EXPECT_EQ(R.Cells[0].Counts.Coalesced, 8U);
}

TEST(Simulator, DrainsInBetweenWithTheSameOutcome) {
  SimulationOptions Options;
  Options.MemoryBytes = 1;
  Simulator S(smallGpu(), Options);
  S.beginLaunch({});
  for (int I = 0; I < 3; ++I) {
    EXPECT_FALSE(S.full());
    S.add(0, std::vector{words(0x1000 + 0x1000 * uint64_t(I))});
    EXPECT_TRUE(S.full());
    S.drain();
  }
  S.endLaunch();
  const SimulationResults R = S.finish();
  EXPECT_EQ(R.Cells[0].Counts.DramReads, 12U);
  EXPECT_EQ(R.Cells[0].Counts.L2Reads, 12U);
}

TEST(Simulator, UsesRequestedSizes) {
  SimulationOptions Options;
  Options.SharedKb = 3;
  Simulator Shared(smallGpu(), Options);
  Shared.beginLaunch({});
  Shared.endLaunch();
  EXPECT_EQ(Shared.finish().Launches[0].L1Kb, 1U);
  Options.L1Kb = 100;
  Simulator L1(smallGpu(), Options);
  L1.beginLaunch({});
  L1.endLaunch();
  EXPECT_EQ(L1.finish().Launches[0].L1Kb, 100U);
}

/// Returns requests of every kind to three objects.
std::vector<std::vector<Request>> someRequests() {
  std::vector<std::vector<Request>> BySm(2);
  uint64_t State = 7;
  auto Next = [&](uint64_t Below) {
    State = State * 6364136223846793005 + 1442695040888963407;
    return (State >> 33) % Below;
  };
  for (int I = 0; I < 5000; ++I) {
    Request R;
    R.Kind = static_cast<AccessKind>(Next(AccessKinds));
    R.Site = static_cast<uint32_t>(R.Kind);
    R.Slot = static_cast<uint16_t>(Next(4));
    R.Mask = static_cast<uint32_t>(2 * Next(uint64_t(1) << 31) + 1);
    const uint64_t Base = isLocal(R.Kind) ? 0 : 0x10000 + 0x4000 * Next(3);
    for (uint64_t &Address : R.Addresses)
      Address = Base + 4 * Next(isLocal(R.Kind) ? 8 : 0x600);
    BySm[Next(2)].push_back(R);
  }
  return BySm;
}

SimulationResults simulate(const std::vector<std::vector<Request>> &BySm, bool WithObjects,
                           SimulationOptions Options = {}) {
  Simulator S(smallGpu(), Options);
  if (WithObjects)
    for (uint32_t I = 0; I < 3; ++I)
      S.allocate({I, "object", 0x10000 + 0x4000 * uint64_t(I), 0x4000});
  TraceLaunch Launch;
  Launch.LocalBytesPerThread = 32;
  S.beginLaunch(Launch);
  for (uint32_t Sm = 0; Sm < 2; ++Sm)
    S.add(Sm, BySm[Sm]);
  S.endLaunch();
  return S.finish();
}

AccessCounts sum(const SimulationResults &Results) {
  AccessCounts Sum;
  for (const Cell &C : Results.Cells)
    Sum += C.Counts;
  return Sum;
}

// The counts of the whole program, simulated without objects and with one source line, are the sums
// over objects: with h_i / n_i of Equation 3 and the weights n_i / n of Equation 4, sum_i h_i / n_i
// * n_i / n = h / n (Equation 5) for L1 and L2.
TEST(Simulator, Equations3To5HoldExactly) {
  std::vector<std::vector<Request>> BySm = someRequests();
  const SimulationResults Fine = simulate(BySm, true);
  for (auto &Requests : BySm)
    for (Request &R : Requests)
      R.Site = 0;
  const AccessCounts Whole = sum(simulate(BySm, false));
  std::map<int32_t, AccessCounts> ByObject;
  for (const Cell &C : Fine.Cells)
    ByObject[C.Object] += C.Counts;
  ASSERT_EQ(ByObject.size(), 4U); // with local memory
  uint64_t L1Hits = 0, L1Lookups = 0, L2Hits = 0, L2Lookups = 0;
  for (const auto &[Object, C] : ByObject) {
    EXPECT_GT(C.L1Lookups, 0U);
    EXPECT_LE(C.L1Hits, C.L1Lookups);
    EXPECT_LE(C.L2Hits, C.l2Lookups());
    L1Hits += C.L1Hits;
    L1Lookups += C.L1Lookups;
    L2Hits += C.L2Hits;
    L2Lookups += C.l2Lookups();
  }
  EXPECT_GT(Whole.L1Hits, 0U);
  EXPECT_GT(Whole.L2Hits, 0U);
  EXPECT_EQ(L1Hits, Whole.L1Hits);
  EXPECT_EQ(L1Lookups, Whole.L1Lookups);
  EXPECT_EQ(L2Hits, Whole.L2Hits);
  EXPECT_EQ(L2Lookups, Whole.l2Lookups());
  EXPECT_EQ(sum(Fine), Whole);
  // Each transaction is a lookup, and L1 reads from L2 exactly what loads miss.
  EXPECT_EQ(Whole.Sectors, Whole.L1Lookups);
  uint64_t LoadMisses = 0, Reads = 0;
  for (const Cell &C : Fine.Cells)
    if (C.Kind == AccessKind::Load || C.Kind == AccessKind::LocalLoad ||
        C.Kind == AccessKind::AsyncCopy) {
      LoadMisses += C.Counts.L1Lookups - C.Counts.L1Hits;
      Reads += C.Counts.L2Reads;
    }
  EXPECT_EQ(Reads, LoadMisses);
}

/// Simulates like `simulate`, in pieces of a few requests, with several threads for all SMs.
SimulationResults run(const std::vector<std::vector<Request>> &BySm, SimulationOptions Options) {
  Options.Threads = 2;
  Simulator S(smallGpu(), Options);
  TraceLaunch Launch;
  Launch.LocalBytesPerThread = 32;
  S.beginLaunch(Launch);
  std::vector<std::span<const Request>> Rest(BySm.begin(), BySm.end());
  S.run({BySm[0].size(), BySm[1].size()}, [&](uint32_t Sm) {
    const size_t Count = std::min<size_t>(Rest[Sm].size(), 7);
    const std::span<const Request> Next = Rest[Sm].first(Count);
    Rest[Sm] = Rest[Sm].subspan(Count);
    return Next;
  });
  S.endLaunch();
  return S.finish();
}

// SM 1 has half of SM 0's requests, so that it ends first.
TEST(Simulator, MemoryMakesNoDifference) {
  std::vector<std::vector<Request>> BySm = someRequests();
  BySm[1].resize(BySm[1].size() / 2);
  SimulationOptions Little;
  Little.MemoryBytes = 1;
  const AccessCounts Whole = sum(simulate(BySm, false));
  EXPECT_EQ(sum(run(BySm, Little)), Whole);
  EXPECT_EQ(sum(run(BySm, {})), Whole);
  EXPECT_GT(Whole.L2Hits, 0U);
}

TEST(Simulator, SampledLinesAreInGroupsThatMakeUpAllOfThem) {
  SimulationOptions Options;
  Options.Sampled = 2;
  const std::vector<std::vector<Request>> BySm = someRequests();
  const SimulationResults R = simulate(BySm, true, Options);
  const AccessCounts All = sum(simulate(BySm, true)), Some = sum(R);
  EXPECT_EQ(Some.Requests, All.Requests);
  EXPECT_EQ(Some.Sectors, All.Sectors);
  EXPECT_EQ(Some.BytesUsed, All.BytesUsed);
  EXPECT_LT(Some.L1Lookups, All.L1Lookups);
  EXPECT_GT(Some.L1Lookups, 0U);
  ASSERT_EQ(R.Groups.size(), R.Cells.size());
  for (size_t I = 0; I < R.Cells.size(); ++I) {
    uint64_t Lookups = 0, Hits = 0, L2Lookups = 0;
    for (unsigned G = 0; G < SampleGroups; ++G) {
      Lookups += R.Groups[I].L1Lookups[G];
      Hits += R.Groups[I].L1Hits[G];
      L2Lookups += R.Groups[I].L2Lookups[G];
    }
    EXPECT_EQ(Lookups, R.Cells[I].Counts.L1Lookups);
    EXPECT_EQ(Hits, R.Cells[I].Counts.L1Hits);
    EXPECT_EQ(L2Lookups, R.Cells[I].Counts.l2Lookups());
  }
}

} // namespace
