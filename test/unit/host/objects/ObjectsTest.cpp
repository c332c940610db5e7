//===- ObjectsTest.cpp - Allocation and release through libcudart ---------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostTest.h"
#include "host/core/RuntimeApi.h"
#include <thread>

namespace gmprof::host {
namespace {

using log::ObjectKind;

constexpr uint64_t First = 0x7000'0000;

void *pointer(uint64_t Address) { return reinterpret_cast<void *>(Address); }
uint64_t number(const void *Pointer) { return reinterpret_cast<uint64_t>(Pointer); }

class ObjectsTest : public HostTest {
protected:
  static Objects &objects() { return Session::current()->objects(); }
  static void *allocate(size_t Bytes) {
    void *Pointer = nullptr;
    EXPECT_EQ(cudaMalloc(&Pointer, Bytes), cudaSuccess);
    return Pointer;
  }
  static std::vector<uint64_t> ids(const std::vector<LiveObject> &All) {
    std::vector<uint64_t> Ids;
    for (const LiveObject &O : All)
      Ids.push_back(O.Id);
    return Ids;
  }
};

using Ids = std::vector<uint64_t>;

TEST_F(ObjectsTest, FindsTheObjectOfAnAddress) {
  EXPECT_EQ(allocate(1000), pointer(First));
  EXPECT_EQ(allocate(8), pointer(First + 1024));
  EXPECT_FALSE(objects().find(First - 1));
  EXPECT_EQ(objects().find(First)->Id, 1u);
  EXPECT_EQ(objects().find(First + 999)->Id, 1u);
  EXPECT_FALSE(objects().find(First + 1000));
  EXPECT_EQ(objects().find(First + 1024)->Id, 2u);
  EXPECT_EQ(objects().find(First + 1031)->Bytes, 8u);
  EXPECT_FALSE(objects().find(First + 1032));
}

TEST_F(ObjectsTest, EveryFormOfAllocation) {
  void *P = nullptr;
  size_t Pitch = 0;
  cudaPitchedPtr Pitched = {};
  char Host[64];
  cudaArray_t Array = nullptr;
  cudaMipmappedArray_t Mipmapped = nullptr;
  const cudaChannelFormatDesc Float2 = {32, 32, 0, 0, cudaChannelFormatKindFloat};
  cudaMemAllocNodeParams Node = {};
  Node.bytesize = 40;
  Node.poolProps.location.id = 2;
  const auto Pool = static_cast<cudaMemPool_t>(pointer(1));
  cudaSetDevice(1);
  cudaMalloc(&P, 1);
  cudaMallocPitch(&P, &Pitch, 100, 3);
  cudaMalloc3D(&Pitched, {600, 2, 5});
  cudaMallocManaged(&P, 4, cudaMemAttachGlobal);
  cudaMallocHost(&P, 5);
  cudaHostAlloc(&P, 6, 0);
  cudaHostRegister(Host, 64, 0);
  cudaMallocAsync(&P, 8, Stream1);
  cudaMallocAsync_ptsz(&P, 9, nullptr);
  cudaMallocFromPoolAsync(&P, 10, Pool, Stream2);
  cudaMallocFromPoolAsync_ptsz(&P, 11, Pool, Stream1);
  cudaMallocArray(&Array, &Float2, 10, 0, 0);
  cudaMalloc3DArray(&Array, &Float2, {4, 3, 2}, 0);
  cudaMallocMipmappedArray(&Mipmapped, &Float2, {4, 4, 0}, 3, 0);
  cudaGraphNode_t GraphNode = nullptr;
  cudaGraphAddMemAllocNode(&GraphNode, nullptr, nullptr, 0, &Node);

  struct Expected {
    const char *Api;
    ObjectKind Kind;
    uint64_t Bytes;
    uint32_t Device;
    const void *Stream;
    bool HasAddress;
    std::array<uint32_t, 3> Extent = {};
  };
  const Expected All[] = {
      {"cudaMalloc", ObjectKind::Device, 1, 1, nullptr, true},
      {"cudaMallocPitch", ObjectKind::Device, 512 * 3, 1, nullptr, true},
      {"cudaMalloc3D", ObjectKind::Device, 1024 * 2 * 5, 1, nullptr, true},
      {"cudaMallocManaged", ObjectKind::Managed, 4, 1, nullptr, true},
      {"cudaMallocHost", ObjectKind::Pinned, 5, 1, nullptr, true},
      {"cudaHostAlloc", ObjectKind::Pinned, 6, 1, nullptr, true},
      {"cudaHostRegister", ObjectKind::Pinned, 64, 1, nullptr, true},
      {"cudaMallocAsync", ObjectKind::AsyncPool, 8, 1, Stream1, true},
      {"cudaMallocAsync", ObjectKind::AsyncPool, 9, 1, cudaStreamPerThread, true},
      {"cudaMallocFromPoolAsync", ObjectKind::AsyncPool, 10, 3, Stream2, true},
      {"cudaMallocFromPoolAsync", ObjectKind::AsyncPool, 11, 3, Stream1, true},
      {"cudaMallocArray", ObjectKind::Array, 80, 1, nullptr, false, {10}},
      {"cudaMalloc3DArray", ObjectKind::Array, 8 * 4 * 3 * 2, 1, nullptr, false, {4, 3, 2}},
      {"cudaMallocMipmappedArray", ObjectKind::Array, 8 * (16 + 4 + 1), 1, nullptr, false, {4, 4}},
      {"cudaGraphAddMemAllocNode", ObjectKind::Graph, 40, 2, nullptr, true},
  };
  // Registered memory is where kernels see it.
  EXPECT_EQ(objects().find(number(Host) + 0x1000'0000)->Id, 7u);
  EXPECT_FALSE(objects().find(number(Host)));
  profile::Profile Found = finish();
  ASSERT_EQ(Found.Objects.size(), std::size(All));
  for (size_t I = 0; I < std::size(All); ++I) {
    const profile::Object &O = Found.Objects[I];
    SCOPED_TRACE(I);
    EXPECT_EQ(O.Id, I + 1);
    EXPECT_EQ(O.Made.Api, All[I].Api);
    EXPECT_EQ(O.Kind, All[I].Kind);
    EXPECT_EQ(O.Bytes, All[I].Bytes);
    EXPECT_EQ(O.Device, All[I].Device);
    EXPECT_EQ(O.Made.Stream, number(All[I].Stream));
    EXPECT_EQ(O.Address != 0, All[I].HasAddress);
    EXPECT_EQ(O.Extent, All[I].Extent);
    EXPECT_EQ(O.ElementBytes, O.Kind == ObjectKind::Array ? 8u : 0u);
    EXPECT_FALSE(O.Released);
    EXPECT_NE(O.Made.TimeNs, 0u);
    EXPECT_NE(O.Made.Thread, 0u);
  }
  EXPECT_EQ(Found.Gaps.size(), 0u);
}

TEST_F(ObjectsTest, EveryFormOfRelease) {
  void *P[8] = {};
  char Host[64];
  cudaArray_t Array = nullptr;
  cudaMipmappedArray_t Mipmapped = nullptr;
  const cudaChannelFormatDesc Char = {8, 0, 0, 0, cudaChannelFormatKindUnsigned};
  for (void *&Each : P)
    Each = allocate(16);
  cudaHostRegister(Host, 64, 0);
  cudaMallocArray(&Array, &Char, 10, 1, 0);
  cudaMallocMipmappedArray(&Mipmapped, &Char, {1, 1, 1}, 1, 0);

  EXPECT_EQ(cudaFree(P[0]), cudaSuccess);
  EXPECT_EQ(cudaFreeHost(P[1]), cudaSuccess);
  EXPECT_EQ(cudaFreeAsync(P[2], Stream1), cudaSuccess);
  EXPECT_EQ(cudaFreeAsync_ptsz(P[3], nullptr), cudaSuccess);
  EXPECT_EQ(cudaGraphAddMemFreeNode(nullptr, nullptr, nullptr, 0, P[4]), cudaSuccess);
  EXPECT_EQ(cudaHostUnregister(Host), cudaSuccess);
  EXPECT_EQ(cudaFreeArray(Array), cudaSuccess);
  EXPECT_EQ(cudaFreeMipmappedArray(Mipmapped), cudaSuccess);
  EXPECT_EQ(ids(objects().live(0)), (Ids{6, 7, 8}));

  profile::Profile Found = finish();
  ASSERT_EQ(Found.Objects.size(), 11u);
  const std::pair<size_t, const char *> Released[] = {{0, "cudaFree"},
                                                      {1, "cudaFreeHost"},
                                                      {2, "cudaFreeAsync"},
                                                      {3, "cudaFreeAsync"},
                                                      {4, "cudaGraphAddMemFreeNode"},
                                                      {8, "cudaHostUnregister"},
                                                      {9, "cudaFreeArray"},
                                                      {10, "cudaFreeMipmappedArray"}};
  for (auto [I, Api] : Released) {
    ASSERT_TRUE(Found.Objects[I].Released) << I;
    EXPECT_EQ(Found.Objects[I].Released->Api, Api) << I;
    EXPECT_GE(Found.Objects[I].Released->TimeNs, Found.Objects[I].Made.TimeNs) << I;
  }
  EXPECT_EQ(Found.Objects[2].Released->Stream, number(Stream1));
  EXPECT_EQ(Found.Objects[3].Released->Stream, number(cudaStreamPerThread));
  for (size_t I : {5, 6, 7})
    EXPECT_FALSE(Found.Objects[I].Released) << I;
}

TEST_F(ObjectsTest, FailuresChangeNothing) {
  fake::fail("cudaMalloc", cudaErrorInvalidValue);
  void *P = nullptr;
  EXPECT_EQ(cudaMalloc(&P, 16), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
  EXPECT_EQ(Session::current(), nullptr);
  // Lack of memory is recorded, but is no object.
  fake::fail("cudaMalloc", cudaErrorMemoryAllocation);
  EXPECT_EQ(cudaMalloc(&P, 16), cudaErrorMemoryAllocation);
  EXPECT_EQ(cudaGetLastError(), cudaErrorMemoryAllocation);
  P = allocate(16);
  fake::fail("cudaFree", cudaErrorIllegalAddress);
  EXPECT_EQ(cudaFree(P), cudaErrorIllegalAddress);
  EXPECT_EQ(objects().find(First)->Id, 1u);
  EXPECT_EQ(cudaFree(pointer(0x42)), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFree(P), cudaSuccess);
  EXPECT_EQ(cudaFree(P), cudaErrorInvalidValue);
  profile::Profile Found = finish();
  ASSERT_EQ(Found.Objects.size(), 1u);
  EXPECT_TRUE(Found.Objects[0].Released);
  EXPECT_EQ(Found.FailedAllocations.size(), 1u);
}

TEST_F(ObjectsTest, NothingIsNoObject) {
  EXPECT_EQ(cudaFree(nullptr), cudaSuccess);
  EXPECT_EQ(Session::current(), nullptr);
  EXPECT_EQ(allocate(0), nullptr);
  EXPECT_EQ(finish().Objects.size(), 0u);
}

TEST_F(ObjectsTest, OffMeansOff) {
  settings().Enabled = false;
  EXPECT_EQ(cudaFree(allocate(16)), cudaSuccess);
  EXPECT_EQ(Session::current(), nullptr);
  EXPECT_EQ(fake::calls("cuCtxGetDevice"), 0);
}

TEST_F(ObjectsTest, OwnMemoryIsNotTheProgrammes) {
  allocate(16);
  {
    Inside Guard;
    cudaFree(allocate(16));
  }
  EXPECT_EQ(finish().Objects.size(), 1u);
}

TEST_F(ObjectsTest, LiveObjectsOfADevice) {
  void *P = nullptr;
  allocate(16);
  cudaSetDevice(1);
  allocate(16);
  cudaMallocManaged(&P, 16, cudaMemAttachGlobal);
  cudaMallocHost(&P, 16);
  EXPECT_EQ(ids(objects().live(0)), (Ids{1, 3, 4}));
  EXPECT_EQ(ids(objects().live(1)), (Ids{2, 3, 4}));
}

TEST_F(ObjectsTest, ResetTakesAllOfADeviceButPools) {
  void *P = nullptr;
  allocate(16);
  cudaSetDevice(1);
  allocate(16);
  cudaMallocHost(&P, 16);
  cudaMallocAsync(&P, 16, nullptr);
  EXPECT_EQ(cudaDeviceReset(), cudaSuccess);
  EXPECT_EQ(ids(objects().live(0)), (Ids{1}));
  EXPECT_EQ(ids(objects().live(1)), (Ids{4}));
  profile::Profile Found = finish();
  for (size_t I : {0, 1, 2, 3})
    EXPECT_EQ(Found.Objects[I].Released.has_value(), I == 1 || I == 2) << I;
  EXPECT_EQ(Found.Objects[2].Released->Api, "cudaDeviceReset");
}

TEST_F(ObjectsTest, NewObjectRemovesOverlappedOnes) {
  allocate(256);
  allocate(256);
  allocate(256);
  fake::allocateAt(First + 200);
  allocate(256); // reaches into the second
  EXPECT_EQ(ids(objects().live(0)), (Ids{4, 3}));
  fake::allocateAt(First);
  allocate(2048);
  EXPECT_EQ(ids(objects().live(0)), (Ids{5}));
  profile::Profile Found = finish();
  for (size_t I : {0, 1, 2, 3}) {
    ASSERT_TRUE(Found.Objects[I].Released) << I;
    EXPECT_EQ(Found.Objects[I].Released->Api, "") << I;
  }
}

TEST_F(ObjectsTest, VersionChangesWithTheObjects) {
  void *P = allocate(16);
  uint64_t Before = objects().version();
  objects().find(First);
  EXPECT_EQ(objects().version(), Before);
  void *Q = allocate(16);
  EXPECT_NE(objects().version(), Before);
  Before = objects().version();
  cudaFree(P);
  EXPECT_NE(objects().version(), Before);
  cudaFree(Q);
}

TEST_F(ObjectsTest, ListenersHearOfAReleaseBefore) {
  void *P = allocate(16);
  std::vector<std::pair<uint64_t, int>> Heard;
  objects().beforeRelease([&](const LiveObject &O) {
    EXPECT_TRUE(objects().find(O.Address));
    Heard.emplace_back(O.Id, fake::calls("cudaFree"));
  });
  allocate(16);
  cudaFree(pointer(0x42)); // unknown
  cudaFree(P);
  EXPECT_EQ(Heard, (std::vector<std::pair<uint64_t, int>>{{1, 1}}));
  cudaDeviceReset();
  EXPECT_EQ(Heard.back().first, 2u);
}

TEST_F(ObjectsTest, VariablesAreRecordedOnce) {
  allocate(16);
  uint64_t Id = objects().noteVariable(0, ObjectKind::GlobalVariable, "table", 0x5000'0000, 400);
  EXPECT_EQ(Id, 2u);
  EXPECT_EQ(objects().noteVariable(0, ObjectKind::GlobalVariable, "table", 0x5000'0000, 400), Id);
  EXPECT_EQ(objects().noteVariable(0, ObjectKind::Constant, "weights", 0x5000'1000, 8), 3u);
  EXPECT_EQ(objects().find(0x5000'018f)->Id, Id);
  // Another module is where the first one was.
  EXPECT_EQ(objects().noteVariable(0, ObjectKind::GlobalVariable, "other", 0x5000'0000, 40), 4u);
  profile::Profile Found = finish();
  ASSERT_EQ(Found.Objects.size(), 4u);
  EXPECT_EQ(Found.Objects[1].Name, "table");
  EXPECT_EQ(Found.Objects[1].Made.Api, "");
  EXPECT_TRUE(Found.Objects[1].Released);
  EXPECT_EQ(Found.Objects[2].Kind, ObjectKind::Constant);
  EXPECT_FALSE(Found.Objects[2].Released);
}

TEST_F(ObjectsTest, AllocationOfACaptureBelongsToItsGraph) {
  void *P = nullptr;
  cudaGraph_t Graph = nullptr;
  allocate(16);
  cudaStreamBeginCapture(Stream1, cudaStreamCaptureModeGlobal);
  cudaMallocAsync(&P, 16, Stream1);
  cudaMallocAsync(&P, 16, Stream2);
  cudaStreamEndCapture(Stream1, &Graph);
  profile::Profile Found = finish();
  EXPECT_EQ(Found.Objects[1].Kind, ObjectKind::Graph);
  EXPECT_EQ(Found.Objects[2].Kind, ObjectKind::AsyncPool);
  EXPECT_EQ(fake::captureViolations(), 0);
}

TEST_F(ObjectsTest, RepeatedGraphAllocationIsTheSameObject) {
  void *P = nullptr;
  cudaGraph_t Graph = nullptr;
  cudaStreamBeginCapture(Stream1, cudaStreamCaptureModeGlobal);
  cudaMallocAsync(&P, 16, Stream1);
  cudaStreamEndCapture(Stream1, &Graph);
  const LiveObject O = *objects().find(number(P));
  const uint64_t Version = objects().version();
  objects().allocatedByGraph(O); // already allocated
  EXPECT_EQ(objects().version(), Version);
  const auto Release = [&](const char *Api) {
    objects().released(*objects().remove(number(P), nullptr), Api, 0);
  };
  Release("cudaFreeAsync");
  EXPECT_FALSE(objects().find(number(P)));
  objects().allocatedByGraph(O);
  EXPECT_EQ(objects().find(number(P) + 8)->Id, O.Id);
  Release("cudaFree");
  objects().allocatedByGraph(O);
  objects().releasedByGraph(O);
  EXPECT_FALSE(objects().find(number(P)));
  objects().releasedByGraph(O); // already released
  fake::allocateAt(number(P));
  EXPECT_EQ(allocate(8), P); // another object
  objects().releasedByGraph(O);
  EXPECT_TRUE(objects().find(number(P)));
  objects().allocatedByGraph(O);
  EXPECT_EQ(objects().find(number(P))->Id, O.Id);
  profile::Profile Found = finish();
  ASSERT_EQ(Found.Objects.size(), 2u);
  EXPECT_EQ(Found.Objects[0].Released->Api, "cudaFree");
  ASSERT_EQ(Found.GraphMemoryReleases.size(), 1u);
  EXPECT_EQ(Found.GraphMemoryReleases[0].Event.Api, "cudaFreeAsync");
  EXPECT_EQ(Found.Objects[1].Released->Api, "");
}

TEST_F(ObjectsTest, ReleaseAfterTheEndIsRecorded) {
  settings().TheOptions.LogOnly = false;
  settings().TheOptions.Quiet = true;
  void *P = allocate(16);
  std::string Log = Session::current()->log().path();
  Session::finishCurrent(0);
  EXPECT_EQ(allocate(16), pointer(First + 256)); // no part of the results any more
  EXPECT_EQ(cudaFree(P), cudaSuccess);
  profile::Profile Found = read(Log);
  ASSERT_EQ(Found.Objects.size(), 1u);
  EXPECT_TRUE(Found.Objects[0].Released);
}

TEST_F(ObjectsTest, ThreadsLoseNothing) {
  constexpr int Threads = 4, Rounds = 500;
  std::vector<std::thread> All;
  for (int T = 0; T < Threads; ++T)
    All.emplace_back([] {
      for (int I = 0; I < Rounds; ++I) {
        void *Kept = allocate(16), *P = allocate(32);
        EXPECT_EQ(objects().find(number(Kept))->Bytes, 16u);
        cudaFree(P);
      }
    });
  for (std::thread &T : All)
    T.join();
  EXPECT_EQ(objects().live(0).size(), size_t(Threads * Rounds));
  profile::Profile Found = finish();
  ASSERT_EQ(Found.Objects.size(), size_t(2 * Threads * Rounds));
  for (const profile::Object &O : Found.Objects)
    EXPECT_EQ(O.Released.has_value(), O.Bytes == 32) << O.Id;
  EXPECT_EQ(Found.Gaps.size(), 0u);
}

} // namespace
} // namespace gmprof::host
