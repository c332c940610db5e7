//===- MemoryTest.cpp - Allocations ---------------------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cpu/api/Memory.h"
#include "FakeEngine.h"
#include <cstdlib>
#include <cstring>

using namespace gmprof::test;
using gmprof::cpu::api::memory;

namespace {

std::string hex(const void *P) {
  char Text[32];
  snprintf(Text, sizeof Text, "%p", P);
  return Text;
}

uint64_t number(const void *P) { return reinterpret_cast<uint64_t>(P); }

} // namespace

TEST(Memory, ArgumentsAreCheckedAsOnAGpu) {
  void *P = &P;
  EXPECT_EQ(cudaMalloc(&P, 0), cudaSuccess);
  EXPECT_EQ(P, nullptr);
  EXPECT_EQ(cudaMalloc(static_cast<void **>(nullptr), 16), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMalloc(&P, size_t(1) << 50), cudaErrorMemoryAllocation);
  EXPECT_EQ(P, nullptr);
  ASSERT_EQ(cudaMalloc(&P, 4096), cudaSuccess);
  EXPECT_EQ(cudaFree(static_cast<char *>(P) + 256), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFreeHost(P), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFree(P), cudaSuccess);
  EXPECT_EQ(cudaFree(P), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFree(nullptr), cudaSuccess);
  int OnTheStack;
  EXPECT_EQ(cudaFree(&OnTheStack), cudaErrorInvalidValue);
  void *Pinned;
  ASSERT_EQ(cudaMallocHost(&Pinned, 64), cudaSuccess);
  EXPECT_EQ(cudaFree(Pinned), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFreeHost(Pinned), cudaSuccess);
}

TEST(Memory, NewDeviceMemoryHoldsTheFillAndHostMemoryZero) {
  uint32_t *Device, *Pinned, *Managed;
  ASSERT_EQ(cudaMalloc(reinterpret_cast<void **>(&Device), 400), cudaSuccess);
  ASSERT_EQ(cudaMallocHost(reinterpret_cast<void **>(&Pinned), 400), cudaSuccess);
  ASSERT_EQ(cudaMallocManaged(reinterpret_cast<void **>(&Managed), 400, cudaMemAttachGlobal),
            cudaSuccess);
  for (int I : {0, 99}) {
    EXPECT_EQ(Device[I], 0x7fbadbadu);
    EXPECT_EQ(Pinned[I], 0u);
    EXPECT_EQ(Managed[I], 0u);
  }
}

TEST(Memory, AllocationsAreCountedAndLimited) {
  setenv("GMPROF_CPU_MEMORY", "1M", 1);
  size_t Free = 0, Total = 0;
  ASSERT_EQ(cudaMemGetInfo(&Free, &Total), cudaSuccess);
  EXPECT_EQ(Free, 1048576u);
  EXPECT_EQ(Total, 1048576u);
  void *P, *Q;
  ASSERT_EQ(cudaMalloc(&P, 1000000), cudaSuccess);
  ASSERT_EQ(cudaMemGetInfo(&Free, &Total), cudaSuccess);
  EXPECT_EQ(Free, 48576u);
  EXPECT_EQ(cudaMalloc(&Q, 48577), cudaErrorMemoryAllocation);
  EXPECT_EQ(cudaMallocHost(&Q, 4000000), cudaSuccess); // host memory has no limit
  EXPECT_EQ(cudaFree(P), cudaSuccess);
  EXPECT_EQ(cudaMalloc(&Q, 1048576), cudaSuccess);
}

TEST(Memory, RaisedLimitsTakeMemory) {
  setenv("GMPROF_CPU_MEMORY", "32M", 1);
  constexpr size_t All = size_t(32) << 20;
  size_t Default = 0, Free = 0, Total = 0, Heap = 0;
  ASSERT_EQ(cudaDeviceGetLimit(&Default, cudaLimitPrintfFifoSize), cudaSuccess);
  ASSERT_EQ(cudaDeviceSetLimit(cudaLimitPrintfFifoSize, Default + 1000), cudaSuccess);
  ASSERT_EQ(cudaMemGetInfo(&Free, &Total), cudaSuccess);
  EXPECT_EQ(Free, All - 1000);
  EXPECT_EQ(Total, All);
  void *P = nullptr;
  EXPECT_EQ(cudaMalloc(&P, All - 999), cudaErrorMemoryAllocation);
  ASSERT_EQ(cudaMalloc(&P, All - 1000), cudaSuccess);
  ASSERT_EQ(cudaDeviceGetLimit(&Heap, cudaLimitMallocHeapSize), cudaSuccess);
  EXPECT_EQ(cudaDeviceSetLimit(cudaLimitMallocHeapSize, Heap + 1), cudaErrorMemoryAllocation);
  EXPECT_EQ(cudaDeviceSetLimit(cudaLimitMallocHeapSize, SIZE_MAX), cudaErrorMemoryAllocation);
  // A limit below its default frees nothing.
  ASSERT_EQ(cudaDeviceSetLimit(cudaLimitPrintfFifoSize, Default / 2), cudaSuccess);
  ASSERT_EQ(cudaMemGetInfo(&Free, &Total), cudaSuccess);
  EXPECT_EQ(Free, 1000u);
}

TEST(Memory, PitchIsAMultipleOf512) {
  void *P;
  size_t Pitch = 0;
  ASSERT_EQ(cudaMallocPitch(&P, &Pitch, 1000, 3), cudaSuccess);
  EXPECT_EQ(Pitch, 1024u);
  EXPECT_EQ(memory().findStart(P)->Bytes, 3072u);
  cudaPitchedPtr Box;
  ASSERT_EQ(cudaMalloc3D(&Box, {100, 4, 5}), cudaSuccess);
  EXPECT_EQ(Box.pitch, 512u);
  EXPECT_EQ(Box.xsize, 100u);
  EXPECT_EQ(Box.ysize, 4u);
  EXPECT_EQ(memory().findStart(Box.ptr)->Bytes, 512u * 4 * 5);
}

TEST(Memory, PointersTellTheirKind) {
  auto Attributes = [](const void *P) {
    cudaPointerAttributes A;
    EXPECT_EQ(cudaPointerGetAttributes(&A, P), cudaSuccess);
    return A;
  };
  char *Device, *Pinned, *Managed;
  ASSERT_EQ(cudaMalloc(reinterpret_cast<void **>(&Device), 64), cudaSuccess);
  ASSERT_EQ(cudaMallocHost(reinterpret_cast<void **>(&Pinned), 64), cudaSuccess);
  ASSERT_EQ(cudaMallocManaged(reinterpret_cast<void **>(&Managed), 64, cudaMemAttachGlobal),
            cudaSuccess);
  cudaPointerAttributes A = Attributes(Device + 5);
  EXPECT_EQ(A.type, cudaMemoryTypeDevice);
  EXPECT_EQ(A.device, 0);
  EXPECT_EQ(A.devicePointer, Device + 5);
  EXPECT_EQ(A.hostPointer, nullptr);
  A = Attributes(Pinned + 3);
  EXPECT_EQ(A.type, cudaMemoryTypeHost);
  EXPECT_EQ(A.devicePointer, Pinned + 3);
  EXPECT_EQ(A.hostPointer, Pinned + 3);
  EXPECT_EQ(Attributes(Managed).type, cudaMemoryTypeManaged);
  A = Attributes(&A);
  EXPECT_EQ(A.type, cudaMemoryTypeUnregistered);
  EXPECT_EQ(A.device, -2);
  EXPECT_EQ(A.hostPointer, &A);
  ASSERT_EQ(cudaFree(Device), cudaSuccess);
  EXPECT_EQ(Attributes(Device).type, cudaMemoryTypeUnregistered);
}

TEST(Memory, HostMemoryIsRegisteredOnce) {
  std::vector<char> Host(8192);
  void *P = nullptr;
  unsigned Flags = 0;
  EXPECT_EQ(cudaHostGetDevicePointer(&P, Host.data(), 0), cudaErrorInvalidValue);
  EXPECT_EQ(cudaHostRegister(Host.data(), 4096, 0), cudaSuccess);
  EXPECT_EQ(cudaHostRegister(Host.data(), 4096, 0), cudaErrorHostMemoryAlreadyRegistered);
  EXPECT_EQ(cudaHostGetDevicePointer(&P, Host.data() + 8, 0), cudaSuccess);
  EXPECT_EQ(P, Host.data() + 8);
  EXPECT_EQ(cudaHostGetFlags(&Flags, Host.data()), cudaSuccess);
  EXPECT_EQ(Flags, unsigned(cudaHostRegisterMapped));
  EXPECT_EQ(cudaHostUnregister(Host.data()), cudaSuccess);
  EXPECT_EQ(cudaHostUnregister(Host.data()), cudaErrorHostMemoryNotRegistered);
  EXPECT_EQ(cudaHostRegister(nullptr, 4096, 0), cudaErrorInvalidValue);
  void *Device;
  ASSERT_EQ(cudaMalloc(&Device, 4096), cudaSuccess);
  EXPECT_EQ(cudaHostRegister(Device, 4096, 0), cudaErrorInvalidValue);
}

TEST(Memory, DescribesAddressesForMessages) {
  char *P;
  ASSERT_EQ(cudaMalloc(reinterpret_cast<void **>(&P), 1024), cudaSuccess);
  std::string Name = "the 1024-byte allocation at " + hex(P) + " (cudaMalloc)";
  EXPECT_EQ(memory().describe(number(P + 1), 0), "1 byte into " + Name);
  EXPECT_EQ(memory().describe(number(P), 0), "at the start of " + Name);
  EXPECT_EQ(memory().describe(number(P + 1024), 0), "just beyond " + Name);
  EXPECT_EQ(memory().describe(number(P + 1040), 0), "16 bytes beyond " + Name);
  EXPECT_EQ(memory().describe(number(P - 8), 0), "8 bytes before " + Name);
  ASSERT_EQ(cudaFree(P), cudaSuccess);
  EXPECT_EQ(memory().describe(number(P + 4), 0), "4 bytes into " + Name + ", which has been freed");
  EXPECT_EQ(memory().describe(16, 0), "");
}

TEST(Memory, DescribesTheIndexOfAnElementBeyondAnArray) {
  char *P;
  ASSERT_EQ(cudaMalloc(reinterpret_cast<void **>(&P), 4000), cudaSuccess);
  const std::string Name = "the 4000-byte allocation at " + hex(P) + " (cudaMalloc)";
  EXPECT_EQ(memory().describe(number(P + 4000), 4),
            "just beyond " + Name + ", index 1000 of 1000 elements of its size");
  EXPECT_EQ(memory().describe(number(P + 4008), 8),
            "8 bytes beyond " + Name + ", index 501 of 500 elements of its size");
  // 4000 is no multiple of 12, and a float4 at byte 3992 begins inside.
  EXPECT_EQ(memory().describe(number(P + 4008), 12), "8 bytes beyond " + Name);
  EXPECT_EQ(memory().describe(number(P + 3992), 16), "3992 bytes into " + Name);
  ASSERT_EQ(cudaFree(P), cudaSuccess);
}

TEST(Memory, GuardsThePaddingOfEachKindUntilItIsFreed) {
  char *Device, *Managed, *Mapped, *Pooled;
  ASSERT_EQ(cudaMalloc(reinterpret_cast<void **>(&Device), 4000), cudaSuccess);
  ASSERT_EQ(cudaMallocManaged(reinterpret_cast<void **>(&Managed), 1, cudaMemAttachGlobal),
            cudaSuccess);
  ASSERT_EQ(cudaHostAlloc(reinterpret_cast<void **>(&Mapped), 257, cudaHostAllocMapped),
            cudaSuccess);
  ASSERT_EQ(cudaMallocAsync(reinterpret_cast<void **>(&Pooled), 12, nullptr), cudaSuccess);
  EXPECT_TRUE(isGuarded(Device + 4000));
  EXPECT_FALSE(isGuarded(Device + 3999));
  EXPECT_TRUE(isGuarded(Managed + 1));
  EXPECT_TRUE(isGuarded(Mapped + 257));
  EXPECT_TRUE(isGuarded(Pooled + 12));
  ASSERT_EQ(cudaFree(Device), cudaSuccess);
  ASSERT_EQ(cudaFree(Managed), cudaSuccess);
  ASSERT_EQ(cudaFreeHost(Mapped), cudaSuccess);
  ASSERT_EQ(cudaFreeAsync(Pooled, nullptr), cudaSuccess);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_FALSE(isGuarded(Device + 4000));
  EXPECT_FALSE(isGuarded(Managed + 1));
  EXPECT_FALSE(isGuarded(Mapped + 257));
  EXPECT_FALSE(isGuarded(Pooled + 12));
}

using StreamOrdered = Program;

TEST_F(StreamOrdered, MemoryIsFreedInItsTurn) {
  cudaStream_t S;
  ASSERT_EQ(cudaStreamCreateWithFlags(&S, cudaStreamNonBlocking), cudaSuccess);
  void *P = nullptr;
  ASSERT_EQ(cudaMallocAsync(&P, 100, S), cudaSuccess);
  cudaMemPool_t Pool;
  ASSERT_EQ(cudaDeviceGetDefaultMemPool(&Pool, 0), cudaSuccess);
  auto Used = [&] {
    uint64_t Bytes = 0;
    EXPECT_EQ(cudaMemPoolGetAttribute(Pool, cudaMemPoolAttrUsedMemCurrent, &Bytes), cudaSuccess);
    return Bytes;
  };
  EXPECT_EQ(Used(), 100u);
  makeBusy(S);
  ASSERT_EQ(cudaFreeAsync(P, S), cudaSuccess);
  EXPECT_EQ(Used(), 100u);
  open();
  ASSERT_EQ(cudaStreamSynchronize(S), cudaSuccess);
  EXPECT_EQ(Used(), 0u);
  EXPECT_FALSE(memory().find(P));
}

TEST_F(StreamOrdered, PoolsAreObjects) {
  cudaMemPoolProps Properties = {};
  Properties.allocType = cudaMemAllocationTypePinned;
  Properties.location = {cudaMemLocationTypeDevice, 0};
  cudaMemPool_t Pool, Current;
  ASSERT_EQ(cudaMemPoolCreate(&Pool, &Properties), cudaSuccess);
  ASSERT_EQ(cudaDeviceSetMemPool(0, Pool), cudaSuccess);
  ASSERT_EQ(cudaDeviceGetMemPool(&Current, 0), cudaSuccess);
  EXPECT_EQ(Current, Pool);
  void *P;
  ASSERT_EQ(cudaMallocFromPoolAsync(&P, 64, Pool, nullptr), cudaSuccess);
  uint64_t High = 0;
  EXPECT_EQ(cudaMemPoolGetAttribute(Pool, cudaMemPoolAttrUsedMemHigh, &High), cudaSuccess);
  EXPECT_EQ(High, 64u);
  EXPECT_EQ(cudaMemPoolDestroy(Pool), cudaSuccess);
  EXPECT_EQ(cudaMemPoolDestroy(Pool), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFree(P), cudaSuccess); // outlives its pool's handle
}
