//===- LaunchTest.cpp - Launches, kernel attributes and occupancy ---------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FakeEngine.h"

extern "C" {
unsigned __cudaPushCallConfiguration(dim3, dim3, size_t, cudaStream_t);
cudaError_t __cudaPopCallConfiguration(dim3 *, dim3 *, size_t *, void *);
}

using namespace gmprof::test;
using namespace gmprof::cpu;

namespace {

class Launches : public Program {
protected:
  cudaError_t launch(const void *Stub, dim3 Grid, dim3 Block, size_t SharedBytes = 0) {
    return cudaLaunchKernel(Stub, Grid, Block, nullptr, SharedBytes, nullptr);
  }
};

} // namespace

// Expected results were measured on an H200.
TEST_F(Launches, AreCheckedAsOnAGpu) {
  EXPECT_EQ(launch(&Nothing, 0, 1), cudaErrorInvalidValue);
  EXPECT_EQ(launch(&Nothing, 1, 0), cudaErrorInvalidValue);
  EXPECT_EQ(launch(&Nothing, 1, 1025), cudaErrorInvalidValue);
  EXPECT_EQ(launch(&Nothing, 1, dim3(1, 1, 65)), cudaErrorInvalidValue);
  EXPECT_EQ(launch(&Nothing, 1, dim3(33, 33)), cudaErrorInvalidValue);
  EXPECT_EQ(launch(&Nothing, dim3(1, 65536), 1), cudaErrorInvalidValue);
  EXPECT_EQ(launch(&Nothing, dim3(2147483648u), 1), cudaErrorInvalidValue);
  EXPECT_EQ(launch(&Bounded, 1, 64), cudaSuccess);
  EXPECT_EQ(launch(&Bounded, 1, 65), cudaErrorInvalidValue);
  EXPECT_EQ(launch(&Nothing, 1, 1, 49152), cudaSuccess);
  EXPECT_EQ(launch(&Nothing, 1, 1, 49153), cudaErrorInvalidValue);
  EXPECT_EQ(launch(nullptr, 1, 1), cudaErrorInvalidDeviceFunction);
  int NotAKernel = 0;
  EXPECT_EQ(launch(&NotAKernel, 1, 1), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(launch(&Unknown, 1, 1), cudaErrorInvalidDeviceFunction);
  EXPECT_EQ(launch(&Store, 1, 1), cudaErrorInvalidValue); // its arguments are missing
}

TEST_F(Launches, PassTheirConfigurationAndArguments) {
  LaunchConfig Got;
  struct Arguments {
    char C;
    double D;
  } Values{};
  defineKernel("nothing", {1, 8}, [&](const LaunchConfig &C, const void *const *Args) -> Outcome {
    Got = C;
    Values = {*static_cast<const char *>(Args[0]), *static_cast<const double *>(Args[1])};
    return {};
  });
  char C = 'x';
  double D = 2.5;
  void *Args[] = {&C, &D};
  ASSERT_EQ(cudaLaunchKernel(&Nothing, dim3(2, 3, 4), dim3(5, 6, 7), Args, 100, nullptr),
            cudaSuccess);
  C = 'y'; // arguments are copied at the launch
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(Values.C, 'x');
  EXPECT_EQ(Values.D, 2.5);
  EXPECT_EQ(Got.Grid.X * 100 + Got.Grid.Y * 10 + Got.Grid.Z, 234u);
  EXPECT_EQ(Got.Block.X * 100 + Got.Block.Y * 10 + Got.Block.Z, 567u);
  EXPECT_EQ(Got.DynamicShared, 100u);
  EXPECT_FALSE(Got.Cooperative);
}

TEST_F(Launches, LargeSharedMemoryNeedsAnAttribute) {
  auto Set = [](const void *Stub, int Bytes) {
    return cudaFuncSetAttribute(Stub, cudaFuncAttributeMaxDynamicSharedMemorySize, Bytes);
  };
  EXPECT_EQ(Set(&Nothing, 100000), cudaSuccess);
  EXPECT_EQ(launch(&Nothing, 1, 1, 100000), cudaSuccess);
  EXPECT_EQ(Set(&Nothing, 232448), cudaSuccess);
  EXPECT_EQ(Set(&Nothing, 232449), cudaErrorInvalidValue);
  EXPECT_EQ(Set(&Nothing, -1), cudaErrorInvalidValue);
  EXPECT_EQ(Set(&Shared, 232448), cudaErrorInvalidValue); // with its 4096 static bytes
  EXPECT_EQ(Set(&Shared, 228352), cudaSuccess);
  EXPECT_EQ(cudaFuncSetAttribute(&Nothing, static_cast<cudaFuncAttribute>(99), 1),
            cudaErrorInvalidValue);
}

TEST_F(Launches, KernelsKnowTheirAttributes) {
  cudaFuncAttributes A;
  ASSERT_EQ(cudaFuncGetAttributes(&A, &Shared), cudaSuccess);
  EXPECT_EQ(A.sharedSizeBytes, 4096u);
  EXPECT_EQ(A.maxDynamicSharedSizeBytes, 45056);
  EXPECT_EQ(A.maxThreadsPerBlock, 1024);
  EXPECT_EQ(A.binaryVersion, 90);
  EXPECT_EQ(A.preferredShmemCarveout, -1);
  ASSERT_EQ(cudaFuncGetAttributes(&A, &Bounded), cudaSuccess);
  EXPECT_EQ(A.maxThreadsPerBlock, 64);
  size_t Offset = 0, Bytes = 0;
  EXPECT_EQ(cudaFuncGetParamInfo(&Store, 1, &Offset, &Bytes), cudaSuccess);
  EXPECT_EQ(Offset, 8u);
  EXPECT_EQ(Bytes, 4u);
  EXPECT_EQ(cudaFuncGetParamInfo(&Store, 2, &Offset, &Bytes), cudaErrorInvalidValue);
  const char *Name = nullptr;
  EXPECT_EQ(cudaFuncGetName(&Name, &Store), cudaSuccess);
  EXPECT_STREQ(Name, "store");
}

// Expected values were measured on an H200 with a kernel of 4096 bytes of static shared memory.
TEST_F(Launches, OccupancyIsAsOnAGpu) {
  auto Blocks = [&](int Threads, size_t Dynamic) {
    int Count = -1;
    EXPECT_EQ(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&Count, &Shared, Threads, Dynamic),
              cudaSuccess);
    return Count;
  };
  EXPECT_EQ(Blocks(1, 0), 32);
  EXPECT_EQ(Blocks(64, 1000), 32);
  EXPECT_EQ(Blocks(100, 0), 16);
  EXPECT_EQ(Blocks(64, 20000), 9);
  EXPECT_EQ(Blocks(256, 20000), 8);
  EXPECT_EQ(Blocks(768, 0), 2);
  EXPECT_EQ(Blocks(1024, 0), 2);
  EXPECT_EQ(Blocks(1025, 0), 0);
  EXPECT_EQ(Blocks(32, 49152), 0);
  int Count = -1;
  EXPECT_EQ(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&Count, &Shared, 0, 0),
            cudaErrorInvalidValue);
  size_t Bytes = 0;
  EXPECT_EQ(cudaOccupancyAvailableDynamicSMemPerBlock(&Bytes, &Shared, 2, 128), cudaSuccess);
  EXPECT_EQ(Bytes, 45056u);
  EXPECT_EQ(cudaOccupancyAvailableDynamicSMemPerBlock(&Bytes, &Shared, 8, 128), cudaSuccess);
  EXPECT_EQ(Bytes, 25088u);
  EXPECT_EQ(cudaOccupancyAvailableDynamicSMemPerBlock(&Bytes, &Shared, 32, 128),
            cudaErrorInvalidValue);
}

TEST_F(Launches, CooperativeOnesHaveToFit) {
  EXPECT_EQ(cudaLaunchCooperativeKernel(&Nothing, 4, 32, nullptr, 0, nullptr), cudaSuccess);
  // 132 multiprocessors hold two blocks of 1024 threads each.
  EXPECT_EQ(cudaLaunchCooperativeKernel(&Nothing, 264, 1024, nullptr, 0, nullptr), cudaSuccess);
  EXPECT_EQ(cudaLaunchCooperativeKernel(&Nothing, 265, 1024, nullptr, 0, nullptr),
            cudaErrorCooperativeLaunchTooLarge);
}

TEST_F(Launches, TakeAttributes) {
  bool Cooperative = false;
  defineKernel("nothing", {}, [&](const LaunchConfig &C, const void *const *) -> Outcome {
    Cooperative = C.Cooperative;
    return {};
  });
  cudaLaunchAttribute A = {};
  A.id = cudaLaunchAttributeCooperative;
  A.val.cooperative = 1;
  cudaLaunchConfig_t C = {};
  C.gridDim = C.blockDim = dim3(1);
  C.attrs = &A;
  C.numAttrs = 1;
  EXPECT_EQ(cudaLaunchKernelExC(&C, &Nothing, nullptr), cudaSuccess);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_TRUE(Cooperative);
  testing::internal::CaptureStderr();
  A.id = cudaLaunchAttributeProgrammaticEvent;
  EXPECT_EQ(cudaLaunchKernelExC(&C, &Nothing, nullptr), cudaErrorNotSupported);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "gmprof: the CPU device does not support launch attribute 7 yet; run the program on a "
            "GPU\n");
}

/// Expected results were measured on an H100.
TEST_F(Launches, InClusters) {
  LaunchConfig Got;
  defineKernel("nothing", {}, [&](const LaunchConfig &C, const void *const *) -> Outcome {
    Got = C;
    return {};
  });
  auto Launch = [](dim3 Grid, dim3 Cluster, size_t Attributes = 1) {
    cudaLaunchAttribute A = {};
    A.id = cudaLaunchAttributeClusterDimension;
    A.val.clusterDim = {Cluster.x, Cluster.y, Cluster.z};
    cudaLaunchConfig_t C = {};
    C.gridDim = Grid;
    C.blockDim = 32;
    C.attrs = &A;
    C.numAttrs = Attributes;
    return cudaLaunchKernelExC(&C, &Nothing, nullptr);
  };
  EXPECT_EQ(Launch(dim3(4, 2, 2), dim3(2, 1, 2)), cudaSuccess);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  ASSERT_TRUE(Got.Cluster);
  EXPECT_EQ(Got.Cluster->X, 2u);
  EXPECT_EQ(Got.Cluster->Y, 1u);
  EXPECT_EQ(Got.Cluster->Z, 2u);
  EXPECT_EQ(Launch(4, 0, 0), cudaSuccess);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_FALSE(Got.Cluster);
  EXPECT_EQ(Launch(3, 3), cudaSuccess);
  EXPECT_EQ(Launch(3, 2), cudaErrorInvalidClusterSize);
  EXPECT_EQ(Launch(8, dim3(2, 0, 1)), cudaErrorInvalidClusterSize);
  EXPECT_EQ(Launch(9, 9), cudaErrorInvalidClusterSize);
  ASSERT_EQ(cudaFuncSetAttribute(&Nothing, cudaFuncAttributeNonPortableClusterSizeAllowed, 1),
            cudaSuccess);
  EXPECT_EQ(Launch(16, 16), cudaSuccess);
  EXPECT_EQ(Launch(9, 9), cudaSuccess);
  EXPECT_EQ(Launch(32, 32), cudaErrorInvalidClusterSize);
  // Cluster size that the kernel requires.
  for (auto [Attribute, Value] : {std::pair(cudaFuncAttributeRequiredClusterWidth, 2),
                                  {cudaFuncAttributeRequiredClusterHeight, 1},
                                  {cudaFuncAttributeRequiredClusterDepth, 1}})
    EXPECT_EQ(cudaFuncSetAttribute(&Nothing, Attribute, Value), cudaSuccess);
  EXPECT_EQ(cudaFuncSetAttribute(&Nothing, cudaFuncAttributeClusterDimMustBeSet, 1),
            cudaErrorInvalidValue);
  EXPECT_EQ(Launch(4, 4), cudaErrorInvalidClusterSize);
  EXPECT_EQ(Launch(4, 2), cudaSuccess);
  EXPECT_EQ(Launch(4, 0, 0), cudaSuccess);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  ASSERT_TRUE(Got.Cluster);
  EXPECT_EQ(Got.Cluster->X, 2u);
  cudaFuncAttributes Attributes;
  ASSERT_EQ(cudaFuncGetAttributes(&Attributes, &Nothing), cudaSuccess);
  EXPECT_EQ(Attributes.clusterDimMustBeSet, 0);
  EXPECT_EQ(Attributes.requiredClusterWidth, 2);
}

/// Each line as an H200 answers it, for .reqnctapercluster 2, 2, 1.
TEST_F(Launches, InClustersOfTheKernel) {
  LaunchConfig Got;
  defineKernel(
      "nothing", {},
      [&](const LaunchConfig &C, const void *const *) -> Outcome {
        Got = C;
        return {};
      },
      0, 1024, Dim3{2, 2, 1});
  EXPECT_EQ(cudaLaunchKernel(&Nothing, dim3(4, 2), 32, nullptr, 0, nullptr), cudaSuccess);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  ASSERT_TRUE(Got.Cluster);
  EXPECT_EQ(Got.Cluster->X, 2u);
  EXPECT_EQ(Got.Cluster->Y, 2u);
  EXPECT_EQ(Got.Cluster->Z, 1u);
  EXPECT_EQ(cudaLaunchKernel(&Nothing, dim3(3, 2), 32, nullptr, 0, nullptr),
            cudaErrorInvalidClusterSize);
  EXPECT_EQ(cudaLaunchKernel(&Nothing, dim3(4), 32, nullptr, 0, nullptr),
            cudaErrorInvalidClusterSize);
  for (auto [Size, Answer] : {std::pair(dim3(2, 2), cudaSuccess),
                              {dim3(4), cudaErrorInvalidClusterSize},
                              {dim3(1), cudaErrorInvalidClusterSize}}) {
    cudaLaunchAttribute A = {};
    A.id = cudaLaunchAttributeClusterDimension;
    A.val.clusterDim = {Size.x, Size.y, Size.z};
    cudaLaunchConfig_t C = {};
    C.gridDim = dim3(4, 2);
    C.blockDim = 32;
    C.attrs = &A;
    C.numAttrs = 1;
    EXPECT_EQ(cudaLaunchKernelExC(&C, &Nothing, nullptr), Answer) << Size.x;
  }
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess); // the kernel writes Got
  cudaFuncAttributes Attributes;
  ASSERT_EQ(cudaFuncGetAttributes(&Attributes, &Nothing), cudaSuccess);
  EXPECT_EQ(Attributes.clusterDimMustBeSet, 1);
  EXPECT_EQ(Attributes.requiredClusterWidth, 2);
  EXPECT_EQ(Attributes.requiredClusterHeight, 2);
  EXPECT_EQ(Attributes.requiredClusterDepth, 1);
  for (auto [Width, Answer] :
       {std::pair(2, cudaSuccess), {4, cudaErrorInvalidValue}, {0, cudaErrorInvalidValue}})
    EXPECT_EQ(cudaFuncSetAttribute(&Nothing, cudaFuncAttributeRequiredClusterWidth, Width), Answer)
        << Width;
}

TEST_F(Launches, RoomForClusters) {
  cudaLaunchAttribute A = {};
  A.id = cudaLaunchAttributeClusterDimension;
  A.val.clusterDim = {2, 1, 1};
  cudaLaunchConfig_t C = {};
  C.gridDim = 1024;
  C.blockDim = 1024;
  C.attrs = &A;
  C.numAttrs = 1;
  int Count = 0;
  EXPECT_EQ(cudaOccupancyMaxActiveClusters(&Count, &Nothing, &C), cudaSuccess);
  EXPECT_EQ(Count, 132); // two blocks on each of 132 multiprocessors
  EXPECT_EQ(cudaOccupancyMaxPotentialClusterSize(&Count, &Nothing, &C), cudaSuccess);
  EXPECT_EQ(Count, 8);
  ASSERT_EQ(cudaFuncSetAttribute(&Nothing, cudaFuncAttributeNonPortableClusterSizeAllowed, 1),
            cudaSuccess);
  EXPECT_EQ(cudaOccupancyMaxPotentialClusterSize(&Count, &Nothing, &C), cudaSuccess);
  EXPECT_EQ(Count, 16);
}

TEST_F(Launches, ConfigurationsNest) {
  ASSERT_EQ(__cudaPushCallConfiguration(1, 2, 3, nullptr), 0u);
  ASSERT_EQ(__cudaPushCallConfiguration(4, 5, 6, cudaStreamPerThread), 0u);
  dim3 Grid, Block;
  size_t SharedBytes;
  cudaStream_t Stream;
  ASSERT_EQ(__cudaPopCallConfiguration(&Grid, &Block, &SharedBytes, &Stream), cudaSuccess);
  EXPECT_EQ(Grid.x, 4u);
  EXPECT_EQ(SharedBytes, 6u);
  EXPECT_EQ(Stream, cudaStreamPerThread);
  ASSERT_EQ(__cudaPopCallConfiguration(&Grid, &Block, &SharedBytes, &Stream), cudaSuccess);
  EXPECT_EQ(Block.x, 2u);
  EXPECT_EQ(__cudaPopCallConfiguration(&Grid, &Block, &SharedBytes, &Stream),
            cudaErrorMissingConfiguration);
}
