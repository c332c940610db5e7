//===- RegistrationTest.cpp - The program's device code -------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FakeEngine.h"
#include "gmprof/abi.h"
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>

extern "C" {
void **__cudaRegisterFatBinary(void *);
void __cudaUnregisterFatBinary(void **);
void __cudaRegisterFunction(void **, const char *, char *, const char *, int, uint3 *, uint3 *,
                            dim3 *, dim3 *, int *);
void __cudaRegisterVar(void **, char *, char *, const char *, int, size_t, int, int);
void __cudaRegisterManagedVar(void **, void **, char *, const char *, int, size_t, int, int);
void __cudaRegisterFatBinaryEnd(void **);
}

using namespace gmprof::test;

namespace {

/// Bitcode section of an object built with -fgpu-rdc, with records of two translation units.
struct alignas(8) Record {
  uint64_t Magic = GMPROF_BITCODE_MAGIC, Bytes = 16, Architecture = 90;
  char Contents[16] = {'B', 'C', '\xc0', '\xde', 'f', 'a', 'k', 'e',
                       ' ', 'b', 'i',    't',    'c', 'o', 'd', 'e'};
};
[[gnu::section(GMPROF_BITCODE_SECTION), gnu::used,
  clang::no_sanitize("address")]] Record Sections[2];

struct alignas(8) Empty {
  uint32_t Magic = 0xba55ed50;
  uint16_t Version = 1, HeaderBytes = 16;
  uint64_t Bytes = 0, NoRecord[2] = {};
} LinkedBinary, OtherLinkedBinary;

struct Wrapper {
  uint32_t Magic = 0x466243b1, Version = 1;
  const void *Data;
  void *Unused = nullptr;
} Linked{.Data = &LinkedBinary}, OtherLinked{.Data = &OtherLinkedBinary};

void add(void **Binary, char *Stub, const char *Name) {
  __cudaRegisterFunction(Binary, Stub, Stub, Name, -1, nullptr, nullptr, nullptr, nullptr, nullptr);
}

cudaError_t launch(const void *Stub) { return cudaLaunchKernel(Stub, 1, 1, nullptr, 0, nullptr); }

} // namespace

using Registration = Program;

TEST_F(Registration, ModulesAreLoadedAtFirstUse) {
  int Before = modulesLoaded();
  int *Cell;
  ASSERT_EQ(cudaMallocManaged(reinterpret_cast<void **>(&Cell), 4, cudaMemAttachGlobal),
            cudaSuccess);
  EXPECT_EQ(modulesLoaded(), Before);
  ASSERT_EQ(store(Cell, 3), cudaSuccess);
  ASSERT_EQ(store(Cell, 4), cudaSuccess);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(modulesLoaded(), Before + 1);
  EXPECT_EQ(filesOfLastModule().size(), 1u);
  EXPECT_EQ(*Cell, 4);
}

TEST_F(Registration, ResetLoadsModulesAgain) {
  int Value = 50;
  ASSERT_EQ(cudaMemcpyToSymbol(&Counter, &Value, 4, 0, cudaMemcpyHostToDevice), cudaSuccess);
  ASSERT_EQ(cudaDeviceReset(), cudaSuccess);
  ASSERT_EQ(cudaMemcpyFromSymbol(&Value, &Counter, 4, 0, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(Value, 1);
}

TEST(RegistrationOfObjects, RelocatableCodeIsOneModule) {
  static char StubA, StubB;
  defineKernel("a", {}, [](auto &, auto *) -> Outcome { return {}; });
  void **A = __cudaRegisterFatBinary(&Linked), **B = __cudaRegisterFatBinary(&OtherLinked);
  add(A, &StubA, "a");
  add(B, &StubB, "a");
  EXPECT_EQ(launch(&StubA), cudaSuccess);
  EXPECT_EQ(launch(&StubB), cudaSuccess);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(modulesLoaded(), 1);
  EXPECT_EQ(filesOfLastModule().size(), 2u);
  __cudaUnregisterFatBinary(A);
  EXPECT_EQ(launch(&StubA), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(launch(&StubB), cudaSuccess);
  __cudaUnregisterFatBinary(B);
}

// The linker may place the section right behind the last fat binary.
TEST(RegistrationOfObjects, RecordsOfASectionBelongToNoBinary) {
  static Empty InFront;
  static Wrapper OfIt{.Data = &InFront};
  const auto At = reinterpret_cast<uintptr_t>(&InFront);
  ASSERT_LT(At, reinterpret_cast<uintptr_t>(Sections));
  InFront.Bytes = reinterpret_cast<uintptr_t>(Sections) - At - InFront.HeaderBytes;
  static char Stub;
  defineKernel("a", {}, [](auto &, auto *) -> Outcome { return {}; });
  void **Binary = __cudaRegisterFatBinary(&OfIt);
  add(Binary, &Stub, "a");
  EXPECT_EQ(launch(&Stub), cudaSuccess);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(filesOfLastModule().size(), 2u);
  __cudaUnregisterFatBinary(Binary);
}

TEST(RegistrationOfObjects, MissingBitcodeIsAnErrorWithAdvice) {
  void *Library = dlopen(PLAIN_LIBRARY, RTLD_NOW);
  ASSERT_NE(Library, nullptr) << dlerror();
  static char Stub;
  void **Binary = __cudaRegisterFatBinary(dlsym(Library, "PlainWrapper"));
  add(Binary, &Stub, "k");
  testing::internal::CaptureStderr();
  EXPECT_EQ(launch(&Stub), cudaErrorNoKernelImageForDevice);
  EXPECT_EQ(launch(&Stub), cudaErrorNoKernelImageForDevice);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "gmprof: " PLAIN_LIBRARY " has no PTX (needed for kernel k); build it with "
            "gmprof-clang++, or embed PTX with nvcc -gencode "
            "arch=compute_90,code=compute_90\n");
  __cudaUnregisterFatBinary(Binary);
}

TEST(RegistrationOfObjects, RelocatablePtxIsOneModule) {
  void *Library = dlopen(RELOCATABLE_LIBRARY, RTLD_NOW);
  ASSERT_NE(Library, nullptr) << dlerror();
  static char Stub;
  void **Binary = __cudaRegisterFatBinary(dlsym(Library, "RelocatableWrapper"));
  add(Binary, &Stub, "a");
  defineKernel("a", {}, [](auto &, auto *) -> Outcome { return {}; });
  EXPECT_EQ(launch(&Stub), cudaSuccess);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(filesOfLastModule(),
            (std::vector<std::string>{".version 8.0 // first", ".version 8.0 // other"}));
  cudaFuncAttributes Attributes;
  ASSERT_EQ(cudaFuncGetAttributes(&Attributes, &Stub), cudaSuccess);
  EXPECT_EQ(Attributes.ptxVersion, 80);
  __cudaUnregisterFatBinary(Binary);
}

TEST(RegistrationOfObjects, ManagedVariablesExistBeforeMain) {
  static void *Pointer = nullptr;
  void **Binary = __cudaRegisterFatBinary(&Linked);
  __cudaRegisterManagedVar(Binary, &Pointer, nullptr, "counter", 0, CounterBytes, 0, 0);
  EXPECT_EQ(Pointer, nullptr);
  __cudaRegisterFatBinaryEnd(Binary);
  ASSERT_NE(Pointer, nullptr);
  EXPECT_EQ(static_cast<int *>(Pointer)[2], 3);
  __cudaUnregisterFatBinary(Binary);
}

TEST(RegistrationOfObjects, EachDeviceHasItsOwnModule) {
  setenv("GMPROF_CPU_DEVICES", "2", 1);
  static char Shadow;
  void **Binary = __cudaRegisterFatBinary(&Linked);
  __cudaRegisterVar(Binary, &Shadow, &Shadow, "counter", 0, CounterBytes, 0, 0);
  int Value = 50;
  ASSERT_EQ(cudaSetDevice(1), cudaSuccess);
  ASSERT_EQ(cudaMemcpyToSymbol(&Shadow, &Value, 4, 0, cudaMemcpyHostToDevice), cudaSuccess);
  ASSERT_EQ(cudaSetDevice(0), cudaSuccess);
  ASSERT_EQ(cudaMemcpyFromSymbol(&Value, &Shadow, 4, 0, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(Value, 1);
  ASSERT_EQ(cudaSetDevice(1), cudaSuccess);
  ASSERT_EQ(cudaMemcpyFromSymbol(&Value, &Shadow, 4, 0, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(Value, 50);
  void *Memory;
  cudaPointerAttributes Attributes;
  ASSERT_EQ(cudaMalloc(&Memory, 64), cudaSuccess);
  ASSERT_EQ(cudaPointerGetAttributes(&Attributes, Memory), cudaSuccess);
  EXPECT_EQ(Attributes.device, 1);
  __cudaUnregisterFatBinary(Binary);
}
