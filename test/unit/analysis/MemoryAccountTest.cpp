//===- MemoryAccountTest.cpp - Owners of a device's memory ----------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/objects/MemoryAccount.h"
#include "TestTrace.h"
#include "analysis/CallingLibrary.h"
#include "analysis/objects/ObjectAnalysis.h"
#include "analysis/objects/ObjectInefficiencies.h"
#include <gtest/gtest.h>
#include <string>
#include <tuple>

namespace gmprof::test {
namespace {

using log::MemoryMoment;
using log::ObjectKind;
constexpr uint64_t MiB = uint64_t(1) << 20;

/// A run on device 0. Each API takes effect at 10 times its index plus 10; call paths are numbered
/// in the order of path().
struct TestRun {
  Profile P;
  TestTrace T;

  uint32_t path(const std::string &Image, const std::string &File = "a.cu", unsigned Line = 1) {
    CallPath Path;
    if (!Image.empty())
      Path.Frames.push_back({"", {}, Image, 0, false});
    Path.Frames.push_back({"run", {File, Line, 0}, "/bin/app", 0, false});
    P.CallPaths.push_back(Path);
    return static_cast<uint32_t>(P.CallPaths.size() - 1);
  }
  uint32_t allocate(const char *Name, uint64_t Bytes, ObjectKind Kind = ObjectKind::Device,
                    uint32_t Path = None) {
    const uint32_t Object = T.allocate(Name, Bytes);
    T.Objects[Object].Kind = Kind;
    T.Objects[Object].Id = Object + 1;
    T.Apis.back().CallPath = Path;
    return Object;
  }
  /// Adds a tensor of PyTorch at an offset of its slab.
  uint32_t tensor(uint32_t Slab, uint64_t Offset, uint64_t Bytes) {
    const uint32_t Object = allocate("", Bytes, ObjectKind::Pool);
    T.Objects[Object].Parent = Slab;
    T.Apis.back().Name = "CUDACachingAllocator::malloc";
    address(Object, *addressOf(Slab) + Offset);
    return Object;
  }
  void address(uint32_t Object, uint64_t Address) {
    profile::Object O;
    O.Id = Object + 1;
    O.Address = Address;
    P.Objects.push_back(O);
  }
  std::optional<uint64_t> addressOf(uint32_t Object) const {
    for (const profile::Object &O : P.Objects)
      if (O.Id == Object + 1)
        return O.Address;
    return std::nullopt;
  }
  /// Reads the memory after all calls so far.
  MemoryReading &read(MemoryMoment Moment, uint64_t InUse, uint64_t Total = 1000) {
    MemoryReading &R = P.MemoryReadings.emplace_back();
    R.Record = 100 + P.MemoryReadings.size();
    R.TimeNs = 10 * T.Apis.size() + 5;
    R.TotalBytes = Total;
    R.FreeBytes = Total - InUse;
    R.OtherBytes = 0;
    R.Moment = Moment;
    return R;
  }
  MemoryAccounts accounts() {
    for (size_t I = 0; I < T.Apis.size(); ++I)
      T.Apis[I].TimeNs = 10 * (I + 1);
    return {P, T, 0};
  }
};

using Rows = std::vector<std::tuple<std::string, std::string, uint64_t, uint64_t>>;
Rows rowsOf(const MemoryAccount &A) {
  Rows All;
  for (const MemoryRow &R : A.Rows)
    All.emplace_back(ownerName(R.Owner), R.Name, R.Bytes, R.Objects);
  return All;
}

uint64_t sumOf(const MemoryAccount &A) {
  uint64_t Sum = 0;
  for (const MemoryRow &R : A.Rows)
    Sum += R.Bytes;
  return Sum;
}

TEST(MemoryAccountTest, RowsAddUpToTheMemoryInUse) {
  TestRun R;
  const uint32_t Path = R.path("/usr/lib/libcublasLt.so.13");
  R.allocate("a", 100);
  MemoryReading &First = R.read(MemoryMoment::First, 147);
  First.OtherBytes = 7; // 147 - 100 - 7: a context of 40
  First.PrintfBytes = 8;
  First.HeapBytes = 8;
  R.allocate("workspace", 50, ObjectKind::Device, Path);
  R.allocate("managed", 30, ObjectKind::Managed);
  R.allocate("async", 20, ObjectKind::AsyncPool);
  MemoryReading &Peak = R.read(MemoryMoment::Growth, 321);
  Peak.OtherBytes = 7;
  Peak.OwnBytes = 5;
  Peak.PoolBytes = 64; // 44 are not in use
  Peak.ModuleBytes = 12;
  Peak.PrintfBytes = 12; // 4 more
  Peak.HeapBytes = 8;
  const std::vector<MemoryAccount> All = R.accounts().all();
  ASSERT_EQ(All.size(), 2u);
  EXPECT_EQ(All[0].Moment, AccountMoment::Peak);
  EXPECT_TRUE(All[0].Read);
  EXPECT_EQ(All[0].InUse, 321u);
  EXPECT_EQ(All[0].Total, 1000u);
  EXPECT_EQ(All[0].ReducedBytes, 0u);
  EXPECT_EQ(sumOf(All[0]), 321u);
  EXPECT_EQ(rowsOf(All[0]), (Rows{{"program", "", 120, 2},
                                  {"library", "cuBLAS", 50, 1},
                                  {"pool_free", "", 44, 0},
                                  {"context", "", 40, 0},
                                  {"managed", "", 30, 1},
                                  {"modules", "", 12, 0},
                                  {"other_processes", "", 7, 0},
                                  {"gmprof", "", 5, 0},
                                  {"printf_fifo", "", 4, 0},
                                  {"unattributed", "", 9, 0}}));
  EXPECT_EQ(All[1].Moment, AccountMoment::End);
}

TEST(MemoryAccountTest, BetweenReadingsTheMemoryInUseIsComputed) {
  TestRun R;
  const uint32_t A = R.allocate("a", 100);
  R.read(MemoryMoment::First, 140);
  R.allocate("b", 60);
  R.T.release(A);
  const MemoryAccounts Accounts = R.accounts();
  const MemoryAccount WithBoth = Accounts.at(20), Later = Accounts.at(30);
  EXPECT_FALSE(WithBoth.Read);
  EXPECT_EQ(WithBoth.InUse, 200u);
  EXPECT_EQ(rowsOf(WithBoth), (Rows{{"program", "", 160, 2}, {"context", "", 40, 0}}));
  EXPECT_EQ(Later.InUse, 100u);
  EXPECT_EQ(rowsOf(Later), (Rows{{"program", "", 60, 1}, {"context", "", 40, 0}}));
}

// A pool keeps what it has reserved: an allocation from it takes no more memory until it is full.
TEST(MemoryAccountTest, AllocationsFromReservedMemoryTakeNoMore) {
  TestRun R;
  R.allocate("a", 10, ObjectKind::AsyncPool);
  R.read(MemoryMoment::First, 64).PoolBytes = 64;
  R.allocate("b", 30, ObjectKind::AsyncPool);
  R.allocate("c", 40, ObjectKind::AsyncPool);
  const MemoryAccounts Accounts = R.accounts();
  EXPECT_EQ(Accounts.at(20).InUse, 64u);
  EXPECT_EQ(rowsOf(Accounts.at(20)), (Rows{{"program", "", 40, 2}, {"pool_free", "", 24, 0}}));
  EXPECT_EQ(Accounts.at(30).InUse, 80u);
  EXPECT_EQ(rowsOf(Accounts.at(30)), (Rows{{"program", "", 80, 3}}));
}

TEST(MemoryAccountTest, ManagedMemoryOnTheHostIsSubtracted) {
  TestRun R;
  R.allocate("a", 100);
  R.read(MemoryMoment::First, 100);
  R.allocate("managed", 80, ObjectKind::Managed);
  R.read(MemoryMoment::End, 130);
  const MemoryAccount End = R.accounts().all().back();
  EXPECT_EQ(rowsOf(End), (Rows{{"program", "", 100, 1}, {"managed", "", 30, 1}}));
  EXPECT_EQ(End.ReducedBytes, 50u);
  EXPECT_EQ(sumOf(End), 130u);
}

TEST(MemoryAccountTest, UnknownProcessesAreInTheContextsRow) {
  TestRun R;
  R.allocate("a", 100);
  R.read(MemoryMoment::First, 140).OtherBytes.reset();
  EXPECT_EQ(rowsOf(R.accounts().at(10)),
            (Rows{{"program", "", 100, 1}, {"context", "and other processes", 40, 0}}));
}

TEST(MemoryAccountTest, SlabsOfPyTorchAreTensorsAndFreeBlocks) {
  TestRun R;
  const uint32_t Torch = R.path("/site-packages/torch/lib/libc10_cuda.so", "train.py", 7);
  const uint32_t Small = R.allocate("", 2 * MiB, ObjectKind::Device, Torch),
                 Large = R.allocate("", 20 * MiB, ObjectKind::Device, Torch),
                 Empty = R.allocate("", 20 * MiB, ObjectKind::Device, Torch);
  R.address(Small, 100 * MiB);
  R.address(Large, 200 * MiB);
  R.address(Empty, 300 * MiB);
  R.tensor(Small, 0, MiB / 2);
  R.tensor(Large, 2 * MiB, 3 * MiB);  // blocks of 2 MiB before it and of 6 MiB after it are free
  R.tensor(Large, 11 * MiB, 8 * MiB); // and of 1 MiB at the end
  R.read(MemoryMoment::First, 42 * MiB, 64 * MiB);
  const MemoryAccount Peak = R.accounts().at(60);
  EXPECT_EQ(rowsOf(Peak), (Rows{{"cached", "large blocks", 29 * MiB, 2},
                                {"tensors", "", 11 * MiB + MiB / 2, 3},
                                {"cached", "small blocks", MiB + MiB / 2, 1}}));
  EXPECT_EQ(sumOf(Peak), 42 * MiB);
  EXPECT_EQ(Peak.LargestFreeBlock, 20 * MiB);
  EXPECT_EQ(Peak.Objects.size(), 3u);
  EXPECT_EQ(R.accounts().at(50).LargestFreeBlock, 20 * MiB);
}

TEST(MemoryAccountTest, TheLargestFreeBlockLiesBetweenTensors) {
  TestRun R;
  const uint32_t Slab = R.allocate("", 20 * MiB);
  R.address(Slab, 200 * MiB);
  R.tensor(Slab, 2 * MiB, 3 * MiB);
  R.tensor(Slab, 11 * MiB, 8 * MiB);
  EXPECT_EQ(R.accounts().at(30).LargestFreeBlock, 6 * MiB);
  EXPECT_EQ(R.accounts().at(20).LargestFreeBlock, 15 * MiB);
}

TEST(MemoryAccountTest, TheLastFailureHasTheReadingThatFollowsIt) {
  TestRun R;
  R.allocate("a", 100);
  R.read(MemoryMoment::First, 110);
  R.P.FailedAllocations.push_back({101, "cudaMalloc", 15, 950, ObjectKind::Device, 0, 0, None});
  R.read(MemoryMoment::Failure, 130); // record 102
  R.P.FailedAllocations.push_back({102, "cudaMalloc", 15, 900, ObjectKind::Device, 0, 0, None});
  R.read(MemoryMoment::Failure, 170); // record 103
  const MemoryAccounts Accounts = R.accounts();
  EXPECT_EQ(Accounts.failures(), 2u);
  const std::vector<MemoryAccount> All = Accounts.all();
  ASSERT_EQ(All.size(), 3u);
  EXPECT_EQ(All[1].Moment, AccountMoment::Failure);
  EXPECT_EQ(All[1].Failure, 1u);
  EXPECT_EQ(rowsOf(All[1]),
            (Rows{{"program", "", 100, 1}, {"context", "", 10, 0}, {"unattributed", "", 60, 0}}));
}

TEST(MemoryAccountTest, WithoutReadingsTheRowsAreTheRecordedObjects) {
  TestRun R;
  R.allocate("a", 100);
  R.allocate("pinned", 70, ObjectKind::Pinned);
  const std::vector<MemoryAccount> All = R.accounts().all();
  ASSERT_EQ(All.size(), 2u);
  EXPECT_FALSE(All[0].InUse);
  EXPECT_EQ(rowsOf(All[0]), (Rows{{"program", "", 100, 1}}));
  EXPECT_TRUE(TestRun().accounts().all().empty());
}

TEST(MemoryAccountTest, SitesAreLinesAndLibraries) {
  TestRun R;
  const uint32_t Line3 = R.path("", "a.cu", 3), Again = R.path("", "a.cu", 3),
                 Library = R.path("/lib/libcudnn_ops.so.9", "a.cu", 3);
  R.allocate("a", 10, ObjectKind::Device, Line3);
  R.allocate("b", 20, ObjectKind::Device, Again);
  R.allocate("c", 40, ObjectKind::Device, Library);
  const MemoryAccount A = R.accounts().at(30);
  ASSERT_EQ(A.Sites.size(), 2u);
  EXPECT_EQ(A.Sites[0].Library, "cuDNN");
  EXPECT_EQ(A.Sites[0].Bytes, 40u);
  EXPECT_EQ(A.Sites[1].Library, "");
  EXPECT_EQ(A.Sites[1].Bytes, 30u);
  EXPECT_EQ(A.Sites[1].Objects, 2u);
  EXPECT_EQ(A.Sites[1].Source.Line, 3u);
}

TEST(CallingLibraryTest, TheInnermostKnownLibraryMakesTheCall) {
  CallPath Path;
  for (const char *Image : {"/lib/libcudart.so.13", "/lib/libcublasLt.so.13",
                            "/lib/libcublas.so.13", "/torch/lib/libtorch_cuda.so", "/bin/app"})
    Path.Frames.push_back({"", {}, Image, 0, false});
  EXPECT_EQ(callingLibrary(Path), "cuBLAS");
  EXPECT_EQ(callingLibrary({}), "");
  EXPECT_EQ(libraryOfFile("/a/libnccl.so.2"), "NCCL");
  EXPECT_EQ(libraryOfFile("/libcublas/app"), "");
}

// A library keeps its workspace until the program destroys its handle: nothing to remove.
TEST(MemoryAccountTest, MemoryOfLibrariesHasNoFindings) {
  TestTrace T;
  const uint32_t Ours = T.allocate("ours", 100), Theirs = T.allocate("theirs", 200);
  T.Objects[Theirs].Library = "cuBLAS";
  T.launch("k", {}, {});
  const ObjectMemory M = objectMemory(T);
  ASSERT_EQ(M.Found.size(), 1u);
  EXPECT_EQ(M.Found[0].Object, Ours);
  EXPECT_EQ(M.Found[0].Found.Pattern, "unused_allocation");
}

// PyTorch maps parts of its expandable segments, across which tensors lie.
TEST(MemoryAccountTest, PartsOfExpandableSegmentsHaveNoFindings) {
  Profile P;
  P.TheRun.Profiles = {"objects"};
  P.TheRun.Ended = true;
  for (const char *Image : {"/torch/lib/libc10_cuda.so", "/bin/app"}) {
    P.CallPaths.emplace_back().Frames.push_back({"", {}, Image, 0, false});
    profile::Object O;
    O.Id = P.CallPaths.size();
    O.Address = 0x1000 * O.Id;
    O.Bytes = 256;
    O.Made.Api = "cuMemMap";
    O.Made.TimeNs = O.Made.BeginNs = O.Id;
    O.Made.CallPath = static_cast<uint32_t>(O.Id - 1);
    P.Objects.push_back(O);
  }
  const ObjectAnalysis A = analyzeObjects(P);
  ASSERT_EQ(A.Memory.Found.size(), 1u);
  EXPECT_EQ(A.Trace.Objects[A.Memory.Found[0].Object].Id, 2u);
}

} // namespace
} // namespace gmprof::test
