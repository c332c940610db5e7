//===- SharedMemoryCandidateTest.cpp --------------------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/shared/SharedMemoryCandidate.h"
#include "HandMadeGlobal.h"
#include <gtest/gtest.h>

using namespace gmprof;
using namespace gmprof::analysis;
using namespace gmprof::test;

namespace {

std::vector<Finding> findings(const profile::Profile &P,
                              const std::vector<KernelSharedUse> &Shared = {}) {
  return sharedMemoryCandidates(P, globalMemoryUse(P), Shared);
}

const Finding *find(const std::vector<Finding> &All, const std::string &Object) {
  for (const Finding &F : All)
    if (F.Object == Object)
      return &F;
  return nullptr;
}

uint64_t evidence(const Finding &F, const std::string &Name) {
  for (const auto &[Key, Value] : F.Evidence)
    if (Key == Name)
      return std::get<uint64_t>(Value);
  ADD_FAILURE() << "no evidence " << Name;
  return 0;
}

/// Every thread reads elements 0 to Elements - 1.
ClosedForm table(int64_t Elements) {
  ClosedForm F;
  F.Loops = 1;
  F.Address = {{4, {loop(0)}}};
  F.Constraints = {{0, {{Elements - 1, {}}, {-1, {loop(0)}}}}};
  return F;
}

/// One element per thread.
ClosedForm stream() {
  ClosedForm F;
  F.Address = scaled(globalIndex(), 4);
  return F;
}

/// Returns an array with this many accesses per word and block.
SharedArray sharedArray(const std::string &Name, uint64_t Words, double Accesses) {
  SharedArray A;
  A.Names = {Name};
  A.Bytes = Words * 4;
  A.Blocks = 1;
  A.Total = {Accesses * static_cast<double>(Words), false};
  A.Mean = {Accesses, false};
  A.Source = {"/src/k.cu", 9, 0};
  return A;
}

} // namespace

TEST(SharedMemoryCandidate, TableThatAllThreadsRead) {
  // 128 threads of 10 blocks each read 64 elements; x and y are streamed.
  HandMadeGlobal H;
  uint32_t Table = H.variable("mean"), X = H.variable("x"), Y = H.variable("y");
  H.form(Table, GMPROF_ACCESS_LOAD, 20, table(64));
  H.form(X, GMPROF_ACCESS_LOAD, 21, stream());
  H.form(Y, GMPROF_ACCESS_STORE, 22, stream());
  uint64_t O1 = H.object("", 8192), O2 = H.object("", 5120), O3 = H.object("", 5120);
  H.launches(3, 10, 128, {O1, O2, O3});
  H.P.Kernels[0].StaticSharedBytes = 10240;
  std::vector<Finding> All = findings(H.P);
  ASSERT_EQ(All.size(), 1u);
  const Finding &F = All[0];
  EXPECT_EQ(F.Pattern, "shared_memory_candidate");
  EXPECT_EQ(F.Kind, "move_in");
  EXPECT_EQ(F.Object, "mean");
  EXPECT_EQ(F.ObjectId, O1);
  EXPECT_EQ(F.Source.Line, 20u);
  EXPECT_EQ(F.Level, Severity::Medium);
  EXPECT_EQ(evidence(F, "accesses_per_block"), 64u * 128);
  EXPECT_EQ(evidence(F, "bytes_per_block"), 256u);
  EXPECT_EQ(evidence(F, "accesses_saved_per_block"), 64u * 128 - 64);
  EXPECT_EQ(evidence(F, "shared_bytes_available"), 49152u);
  EXPECT_EQ(F.BytesSaved, (64u * 128 - 64) * 4 * 10 * 3);
  EXPECT_EQ(
      F.Message,
      "Each block loads every element of `mean` 128 times from global memory. It uses 256 bytes "
      "of it, with 97 % of the kernel's global memory accesses.");
  EXPECT_EQ(
      F.Suggestion,
      "Copy it to shared memory once per block, and read it there: a block can use 48 KiB "
      "without a loss of occupancy, and uses 10 KiB. Compare the times of both versions: L1 may "
      "serve these loads as fast.");
}

TEST(SharedMemoryCandidate, FewLoadsOfAnElementAreOfLowSeverity) {
  // L1 serves the loads of a stencil as well (examples/jacobi): medium begins at 16.
  for (const uint32_t Threads : {15u, 16u}) {
    HandMadeGlobal H;
    H.form(H.variable("mean"), GMPROF_ACCESS_LOAD, 20, table(64));
    uint64_t O = H.object("", 8192);
    H.launches(1, 100, Threads, {O});
    const std::vector<Finding> All = findings(H.P);
    ASSERT_EQ(All.size(), 1u);
    EXPECT_EQ(All[0].Level, Threads < 16 ? Severity::Low : Severity::Medium);
  }
}

TEST(SharedMemoryCandidate, SmallReadOnlyTableIsConstant) {
  HandMadeGlobal H;
  H.form(H.variable("mean"), GMPROF_ACCESS_LOAD, 20, table(64));
  uint64_t O = H.object("", 4096);
  H.launches(1, 10, 128, {O});
  std::vector<Finding> All = findings(H.P);
  ASSERT_EQ(All.size(), 1u);
  EXPECT_EQ(All[0].Kind, "constant");
  EXPECT_EQ(All[0].Level, Severity::Low);
  EXPECT_EQ(evidence(All[0], "bytes_that_fit"), 0u);
  EXPECT_EQ(All[0].BytesSaved, (64u * 128 - 64) * 4 * 10);
  EXPECT_EQ(All[0].Suggestion,
            "Move it to __constant__ memory, or pass it to the kernel by value: all threads of a "
            "block read the same element at a time, and no kernel writes it.");
  // A graph's node would keep the values.
  H.P.Launches.back().Graph = true;
  EXPECT_EQ(findings(H.P).at(0).Suggestion,
            "Move it to __constant__ memory: all threads of a block read the same element at a "
            "time, and no kernel writes it.");
  H.P.Launches.back().Graph = false;
  // Another pointer writes the object: the host cannot prepare constant memory then.
  H.form(H.variable("out"), GMPROF_ACCESS_STORE, 21, stream());
  profile::GlobalContext &C = H.launches(1, 1, 1, {0, O});
  EXPECT_EQ(C.Objects[1], O);
  for (profile::GlobalContext &Each : H.P.GlobalContexts)
    Each.Objects.resize(2);
  for (profile::GlobalContext &Each : H.P.GlobalContexts)
    Each.Offsets.resize(2);
  All = findings(H.P);
  ASSERT_EQ(All.size(), 1u);
  EXPECT_EQ(All[0].Kind, "move_in");
}

TEST(SharedMemoryCandidate, SmallTableOfWhichThreadsReadDifferentElementsIsNotConstant) {
  HandMadeGlobal H;
  ClosedForm F = table(64);
  F.Address.push_back({4, {TidX}});
  H.form(H.variable("mean"), GMPROF_ACCESS_LOAD, 20, F);
  H.launches(1, 10, 128, {H.object("", 4096)});
  std::vector<Finding> All = findings(H.P);
  ASSERT_EQ(All.size(), 1u);
  EXPECT_EQ(All[0].Kind, "move_in");
}

/// The element of the thread's warp, tid / 32.
static ClosedForm elementOfWarp() {
  ClosedForm F;
  F.Loops = 1;
  F.Address = {{4, {loop(0)}}};
  F.Constraints = {{std::nullopt, {{1, {TidX}}, {-32, {loop(0)}}}},
                   {std::nullopt, {{31, {}}, {32, {loop(0)}}, {-1, {TidX}}}}};
  return F;
}

// The element of the thread's warp is another one for each warp; a loop to the thread's index
// begins with the same element in all threads.
TEST(SharedMemoryCandidate, ElementsOfWarpsAreNotConstant) {
  for (bool OfWarp : {true, false}) {
    HandMadeGlobal H;
    ClosedForm F = elementOfWarp();
    if (!OfWarp)
      F.Constraints = {{std::nullopt, {{1, {TidX}}, {-1, {loop(0)}}}}};
    const uint32_t Id = H.variable("id");
    for (unsigned Line = 20; Line < 23; ++Line)
      H.form(Id, GMPROF_ACCESS_LOAD, Line, F);
    H.launches(1, 10, 128, {H.object("", 4096)});
    const std::vector<Finding> All = findings(H.P);
    ASSERT_EQ(All.size(), 1u);
    EXPECT_EQ(All[0].Kind, OfWarp ? "move_in" : "constant");
    EXPECT_EQ(evidence(All[0], "accesses_per_block"), OfWarp ? 3u * 128 : 3u * 64 * 129);
  }
}

// The bounds of a warp's row, or a word of flags: one or two requests, which a copy cannot reduce.
TEST(SharedMemoryCandidate, OneOrTwoElementsPerWarpAreNone) {
  for (unsigned Requests : {1u, 2u, 3u}) {
    HandMadeGlobal H;
    const uint32_t Flags = H.variable("flags");
    for (unsigned I = 0; I < Requests; ++I) {
      ClosedForm F = elementOfWarp();
      F.Address.push_back({4 * int64_t(I), {}});
      H.form(Flags, GMPROF_ACCESS_LOAD, 20 + I, F);
    }
    H.launches(1, 10, 128, {H.object("", 4096)});
    EXPECT_EQ(findings(H.P).size(), Requests == 3 ? 1u : 0u);
  }
}

// Each thread reads its own element 150 times, as in a loop that stores through another pointer.
TEST(SharedMemoryCandidate, ElementsOfOneThreadEachBelongInRegisters) {
  HandMadeGlobal H;
  ClosedForm F = table(150);
  F.Address = scaled(globalIndex(), 4);
  H.form(H.variable("in"), GMPROF_ACCESS_LOAD, 20, F);
  H.launches(1, 10, 128, {H.object("", 128 * 10 * 4)});
  EXPECT_EQ(findings(H.P).size(), 0u);
}

// Its own row of 128 elements, three times.
TEST(SharedMemoryCandidate, RowsOfOneThreadEachDoNotBelongInSharedMemory) {
  HandMadeGlobal H;
  ClosedForm F = table(128);
  F.Address = scaled(globalIndex(), 128 * 4);
  F.Address.push_back({4, {loop(0)}});
  const uint32_t X = H.variable("X");
  for (unsigned Line = 20; Line < 23; ++Line)
    H.form(X, GMPROF_ACCESS_LOAD, Line, F);
  H.launches(1, 4, 128, {H.object("", 4 * 128 * 128 * 4)});
  EXPECT_EQ(findings(H.P).size(), 0u);
}

// Three neighbours: all but the first and the last thread share each element with two others.
TEST(SharedMemoryCandidate, NeighboursThatThreadsShareAreCandidates) {
  HandMadeGlobal H;
  ClosedForm F = table(3);
  F.Address = scaled(globalIndex(), 4);
  F.Address.push_back({4, {loop(0)}});
  H.form(H.variable("in"), GMPROF_ACCESS_LOAD, 20, F);
  H.form(H.variable("in"), GMPROF_ACCESS_LOAD, 21, F);
  const uint64_t O = H.object("", (128 * 10 + 2) * 4);
  H.launches(1, 10, 128, {O, O});
  const std::vector<Finding> All = findings(H.P);
  ASSERT_EQ(All.size(), 1u);
  EXPECT_EQ(All[0].Kind, "move_in");
  EXPECT_EQ(evidence(All[0], "accesses_per_block"), 2u * 3 * 128);
  EXPECT_EQ(evidence(All[0], "bytes_per_block"), 130u * 4);
}

/// Bytes are counted in words: four accesses of a word are one per byte.
TEST(SharedMemoryCandidate, BytesThatAreReadOnceAreNone) {
  HandMadeGlobal H;
  uint32_t X = H.variable("x");
  ClosedForm Bytes;
  Bytes.Address = globalIndex();
  H.form(X, GMPROF_ACCESS_LOAD, 20, Bytes, 1);
  H.launches(1, 10, 128, {H.object("", 1280)});
  EXPECT_TRUE(findings(H.P).empty());
  // Three accesses per byte justify a copy: of a block's 3 * 128 accesses, 128 remain. Two of them
  // are by the thread at the other end of the block.
  Bytes.Address = {{1, {NTidX, CtaidX}}, {-1, {TidX}}, {127, {}}};
  H.form(X, GMPROF_ACCESS_LOAD, 21, Bytes, 1);
  H.form(X, GMPROF_ACCESS_LOAD, 22, Bytes, 1);
  std::vector<Finding> All = findings(H.P);
  ASSERT_EQ(All.size(), 1u);
  EXPECT_EQ(evidence(All[0], "accesses_per_block"), 384u);
  EXPECT_EQ(evidence(All[0], "accesses_saved_per_block"), 256u);
  EXPECT_EQ(All[0].BytesSaved, 2560u);
}

TEST(SharedMemoryCandidate, DataReadOnceOrTwiceIsNone) {
  HandMadeGlobal H;
  uint32_t X = H.variable("x"), Y = H.variable("y");
  H.form(X, GMPROF_ACCESS_LOAD, 21, stream());
  H.form(X, GMPROF_ACCESS_LOAD, 22, stream());
  // Read and written many times by the same thread: other blocks may see it.
  for (int I = 0; I < 9; ++I) {
    H.form(Y, GMPROF_ACCESS_LOAD, 23, stream());
    H.form(Y, GMPROF_ACCESS_STORE, 23, stream());
  }
  uint64_t O1 = H.object("", 5120), O2 = H.object("", 5120);
  H.launches(1, 10, 128, {O1, O2});
  EXPECT_TRUE(findings(H.P).empty());
}

TEST(SharedMemoryCandidate, MatrixMultiplicationTiles) {
  // A block of 16 x 16 threads reads 16 rows of A, each element 16 times.
  HandMadeGlobal H;
  uint32_t A = H.variable("A");
  constexpr int64_t N = 2048;
  ClosedForm F;
  F.Loops = 1;
  F.Address = {{4 * N, {TidY}}, {4 * N, {NTidY, CtaidY}}, {4, {loop(0)}}};
  F.Constraints = {{0, {{N - 1, {}}, {-1, {loop(0)}}}}};
  H.form(A, GMPROF_ACCESS_LOAD, 30, F);
  uint64_t O = H.object("", N * N * 4);
  profile::GlobalContext &C = H.launches(1, N / 16, 16, {O});
  C.Grid = H.P.Launches[0].Grid = {N / 16, N / 16, 1};
  C.Block = H.P.Launches[0].Block = {16, 16, 1};
  std::vector<Finding> All = findings(H.P);
  ASSERT_EQ(All.size(), 1u);
  EXPECT_EQ(evidence(All[0], "bytes_per_block"), 16u * N * 4);
  EXPECT_EQ(evidence(All[0], "bytes_that_fit"), 49152u);
  EXPECT_EQ(evidence(All[0], "accesses_per_block"), 256u * N);
  EXPECT_EQ(
      All[0].Suggestion,
      "Copy it to shared memory once per block, and read it there, in tiles that all threads "
      "of the block use at the same time: 48 KiB of shared memory are free. Compare the times "
      "of both versions: L1 may serve these loads as fast.");
}

TEST(SharedMemoryCandidate, RoomWithoutFewerBlocks) {
  // 16 blocks of 128 threads are resident, each with 14592 - 1024 bytes.
  HandMadeGlobal H;
  H.form(H.variable("mean"), GMPROF_ACCESS_LOAD, 20, table(64));
  uint64_t O = H.object("", 8192);
  H.launches(1, 100, 128, {O});
  profile::Device D;
  D.SharedBytesPerSm = 233472;
  D.SharedBytesReservedPerBlock = 1024;
  D.ThreadsPerSm = 2048;
  H.P.Devices.push_back(D);
  H.P.Kernels[0].StaticSharedBytes = 10240;
  std::vector<Finding> All = findings(H.P);
  ASSERT_EQ(All.size(), 1u);
  EXPECT_EQ(evidence(All[0], "shared_bytes_available"), 13568u);
  // Eleven blocks of 20,200 bytes are resident, and use all shared memory.
  H.P.Kernels[0].StaticSharedBytes = 20200;
  All = findings(H.P);
  ASSERT_EQ(All.size(), 1u);
  EXPECT_EQ(evidence(All[0], "shared_bytes_available"), 20200u);
  EXPECT_EQ(evidence(All[0], "bytes_that_fit"), 0u);
  EXPECT_EQ(All[0].Level, Severity::Info);
}

/// Findings about a table of 256 bytes in a kernel with an array of Bytes in shared memory.
static std::vector<Finding> besideAnArrayOf(uint64_t Bytes) {
  HandMadeGlobal H;
  H.form(H.variable("mean"), GMPROF_ACCESS_LOAD, 20, table(64));
  profile::Variable &V = H.desc().Variables.emplace_back();
  V.Name = "responsibility";
  V.Kind = GMPROF_VARIABLE_SHARED;
  V.Bytes = Bytes;
  H.P.Kernels[0].StaticSharedBytes = static_cast<uint32_t>(Bytes);
  uint64_t O = H.object("", 8192);
  H.launches(1, 100, 128, {O});
  return findings(H.P);
}

TEST(SharedMemoryCandidate, NamesExistingArraysWithUnknownCountsIfThereIsNoRoom) {
  const std::vector<Finding> All = besideAnArrayOf((48 << 10) - 128);
  ASSERT_EQ(All.size(), 1u);
  EXPECT_NE(
      All[0].Suggestion.find(
          "Shared memory holds `responsibility` (48 KiB): replace an array whose elements have "
          "fewer than 128 accesses per block (gmprof run --profile shared)."),
      std::string::npos)
      << All[0].Suggestion;
}

TEST(SharedMemoryCandidate, ReplacesNoArrayIfThereIsRoomForBoth) {
  const std::vector<Finding> All = besideAnArrayOf((48 << 10) - 256);
  ASSERT_EQ(All.size(), 1u);
  EXPECT_EQ(All[0].Suggestion.find("replace"), std::string::npos) << All[0].Suggestion;
}

TEST(SharedMemoryCandidate, PaperTableIII) {
  // EM v1, with the paper's mean counts: a1 to a4 fill the 16 KB of shared memory, a5 to a11 are in
  // device memory. The authors move a5 and a6 in and a4 out (Section VI.D). The paper gives no
  // sizes: here a4 is as large as a5 and a6 together.
  HandMadeGlobal H;
  const double Means[] = {30720, 19200, 513, 513, 3, 2, 1};
  const uint64_t Elements[] = {512, 512, 4096, 4096, 16384, 16384, 16384};
  std::vector<uint64_t> Objects;
  for (int I = 0; I < 7; ++I) {
    H.site(H.variable("a" + std::to_string(I + 5)), GMPROF_ACCESS_LOAD, 40 + I);
    Objects.push_back(H.object("", Elements[I] * 4));
    H.counts(Objects.back(), GMPROF_COUNTER_READS,
             std::vector<uint64_t>(Elements[I], static_cast<uint64_t>(Means[I])));
  }
  H.launches(1, 1, 256, Objects);
  H.P.Kernels[0].StaticSharedBytes = 16384;
  KernelSharedUse Shared;
  Shared.Arrays = {sharedArray("a1", 1024, 983040), sharedArray("a2", 1024, 65536),
                   sharedArray("a3", 1024, 65536), sharedArray("a4", 1024, 1289)};
  SharedMemoryCandidateOptions Options;
  Options.BlockBytes = 16384;
  Options.MinShare = 0.01;
  std::vector<Finding> All = sharedMemoryCandidates(H.P, globalMemoryUse(H.P), {Shared}, Options);
  const Finding *A4 = find(All, "a4"), *A5 = find(All, "a5"), *A6 = find(All, "a6");
  ASSERT_TRUE(A4 && A5 && A6);
  EXPECT_EQ(A4->Kind, "move_out");
  EXPECT_EQ(
      A4->Suggestion,
      "Move `a4` to global memory, and give its 4 KiB of shared memory to `a5` (30,720), `a6` "
      "(19,200).");
  for (const Finding *F : {A5, A6}) {
    EXPECT_EQ(F->Kind, "move_in");
    EXPECT_EQ(evidence(*F, "bytes_that_fit"), 2048u);
  }
  // a7 and a8 would be next, but there is no room.
  for (const Finding &F : All)
    if (&F != A4 && &F != A5 && &F != A6)
      EXPECT_EQ(evidence(F, "bytes_that_fit"), 0u) << F.Object;
  EXPECT_FALSE(find(All, "a1") || find(All, "a2") || find(All, "a3"));
  EXPECT_FALSE(find(All, "a9") || find(All, "a10") || find(All, "a11"));
}

// Sums of integers do not depend on the order.
TEST(SharedMemoryCandidate, SumsOfFloatsRoundOtherwise) {
  for (const bool IsFloat : {false, true}) {
    HandMadeGlobal H;
    H.P.Kernels[0].Demangled = IsFloat ? "k(float*)" : "k(unsigned int*)";
    H.desc().Sites[H.site(H.variable("bins"), GMPROF_ACCESS_ATOMIC, 11)].Reduction = true;
    const uint64_t O = H.object("", 64 * 4);
    H.launches(1, 4, 256, {O});
    H.counts(O, GMPROF_COUNTER_ATOMICS, std::vector<uint64_t>(64, 16));
    const std::vector<Finding> All = findings(H.P);
    ASSERT_EQ(All.size(), 1u);
    EXPECT_EQ(All[0].Suggestion.ends_with("Floating-point additions then come in another order, "
                                          "and round otherwise."),
              IsFloat);
  }
}

TEST(SharedMemoryCandidate, HistogramOfEachBlock) {
  HandMadeGlobal H;
  const uint32_t Site = H.site(H.variable("bins"), GMPROF_ACCESS_ATOMIC, 11);
  H.desc().Sites[Site].Reduction = true;
  uint64_t O = H.object("", 64 * 4);
  H.launches(1, 4, 256, {O});
  H.counts(O, GMPROF_COUNTER_ATOMICS, std::vector<uint64_t>(64, 16));
  std::vector<Finding> All = findings(H.P);
  ASSERT_EQ(All.size(), 1u);
  EXPECT_EQ(evidence(All[0], "accesses_saved_per_block"), 256u - 128);
  EXPECT_EQ(All[0].Message,
            "Each block updates every element of `bins` 4 times in global memory. It "
            "uses at most 256 bytes of it, with 100 % of the kernel's global "
            "memory accesses.");
}

// Copies per block would return other values.
TEST(SharedMemoryCandidate, AtomicsWhoseResultsAreUsedAreNone) {
  for (const bool OneOnly : {false, true}) {
    HandMadeGlobal H;
    const uint32_t Bins = H.variable("bins");
    H.desc().Sites[H.site(Bins, GMPROF_ACCESS_ATOMIC, 11)].Reduction = OneOnly;
    H.site(Bins, GMPROF_ACCESS_ATOMIC, 12);
    uint64_t O = H.object("", 64 * 4);
    H.launches(1, 4, 256, {O});
    H.counts(O, GMPROF_COUNTER_ATOMICS, std::vector<uint64_t>(64, 16));
    EXPECT_TRUE(findings(H.P).empty());
  }
}

TEST(SharedMemoryCandidate, StencilOfBuffersThatAreSwapped) {
  // out[i] = in[i - 2] + ... + in[i + 2], with in and out swapped each time: each launch only reads
  // one of them. 64 threads read 68 elements.
  HandMadeGlobal H;
  uint32_t In = H.variable("in"), Out = H.variable("out");
  for (int64_t Shift = 0; Shift < 5; ++Shift) {
    ClosedForm F = stream();
    F.Address.push_back({4 * Shift, {}});
    H.form(In, GMPROF_ACCESS_LOAD, 30, F);
  }
  H.form(Out, GMPROF_ACCESS_STORE, 31, stream());
  uint64_t A = H.object("", 644 * 4), B = H.object("", 644 * 4);
  H.launches(5, 10, 64, {A, B});
  H.launches(5, 10, 64, {B, A});
  std::vector<Finding> All = findings(H.P);
  ASSERT_EQ(All.size(), 1u);
  EXPECT_EQ(All[0].Object, "in");
  EXPECT_EQ(evidence(All[0], "accesses_per_block"), 5u * 64);
  EXPECT_EQ(evidence(All[0], "bytes_per_block"), 68u * 4);
  EXPECT_EQ(evidence(All[0], "accesses_saved_per_block"), 5u * 64 - 68);
}
