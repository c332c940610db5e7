//===- DriverTest.cpp - What is reached by the driver's functions ---------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostTest.h"
#include "host/RuntimeApi.h"
#include <dlfcn.h>

namespace gmprof::host {
namespace {

using log::LaunchMode;

/// The file that a function is in.
std::string fileOf(void *Function) {
  Dl_info Info = {};
  return Function && dladdr(Function, &Info) ? Info.dli_fname : "";
}

/// A library that has a libcudart of its own would begin like this.
class DriverTest : public HostTest {
protected:
  void SetUp() override {
    HostTest::SetUp();
    Library = dlopen(GMPROF_FAKE_CUDA, RTLD_LAZY);
    ASSERT_TRUE(Library) << dlerror();
  }

  template <typename Function> Function symbol(const char *Name) {
    return reinterpret_cast<Function>(dlsym(Library, Name));
  }
  template <typename Function> Function named(const char *Name, int Version) {
    void *Found = nullptr;
    CUdriverProcAddressQueryResult Status;
    auto Get = symbol<decltype(&cuGetProcAddress_v2)>("cuGetProcAddress_v2");
    EXPECT_EQ(Get("cuGetProcAddress", &Found, 12000, 0, &Status), CUDA_SUCCESS);
    Get = reinterpret_cast<decltype(Get)>(Found);
    EXPECT_EQ(Get(Name, &Found, Version, CU_GET_PROC_ADDRESS_LEGACY_STREAM, &Status), CUDA_SUCCESS)
        << Name;
    return reinterpret_cast<Function>(Found);
  }

  /// The kernel add, in a context of the program's.
  CUfunction addFunction() {
    addKernel(&StubA, "add");
    cudaFunction_t Function = nullptr;
    EXPECT_EQ(cudaGetFuncBySymbol(&Function, &StubA), cudaSuccess);
    return Function;
  }

  void *Library = nullptr;
};

TEST_F(DriverTest, SymbolsAndNamesLeadToTheSame) {
  auto Alloc = symbol<decltype(&cuMemAlloc_v2)>("cuMemAlloc_v2");
  EXPECT_EQ(named<decltype(Alloc)>("cuMemAlloc", 3020), Alloc);
  // The driver has two of this.
  auto Free = symbol<decltype(&cuMemFree_v2)>("cuMemFree_v2");
  EXPECT_EQ(named<decltype(Free)>("cuMemFree", 3020), Free);
  CUdeviceptr Address = 0;
  ASSERT_EQ(Alloc(&Address, 64), CUDA_SUCCESS);
  ASSERT_EQ(Free(Address), CUDA_SUCCESS);
  profile::Profile P = finish();
  ASSERT_EQ(P.Objects.size(), 1u);
  const profile::Object O = P.Objects[0];
  EXPECT_EQ(O.Bytes, 64u);
  EXPECT_EQ(O.Address, Address);
  EXPECT_EQ(O.Made.Api, "cuMemAlloc");
  ASSERT_TRUE(O.Released);
  EXPECT_EQ(O.Released->Api, "cuMemFree");
  EXPECT_EQ(fake::calls("cuMemAlloc"), 1);
}

TEST_F(DriverTest, WhatIsNotFollowedIsTheDriversOwn) {
  EXPECT_EQ(fileOf(named<void *>("cuStreamIsCapturing", 12000)),
            fileOf(reinterpret_cast<void *>(fake::launches)));
  EXPECT_EQ(dlsym(Library, "cuNoSuchFunction"), nullptr);
}

/// What it calls is seen when the program calls it.
TEST_F(DriverTest, TheSharedRuntimeGetsTheDriverItself) {
  void *Own = fake::lookUp(Library, "cuMemAlloc_v2");
  EXPECT_EQ(fileOf(Own), fileOf(fake::lookUp(Library, "cuIpcOpenMemHandle_v2")));
  EXPECT_NE(Own, dlsym(Library, "cuMemAlloc_v2"));
}

TEST_F(DriverTest, LookingUpAnythingElseIsAsBefore) {
  EXPECT_EQ(dlsym(RTLD_DEFAULT, "cudaFuncSetAttribute"),
            reinterpret_cast<void *>(&cudaFuncSetAttribute));
  // The next one after the caller.
  void *Next = dlsym(RTLD_NEXT, "cudaMalloc");
  EXPECT_EQ(fileOf(Next), fileOf(reinterpret_cast<void *>(fake::launches)));
}

TEST_F(DriverTest, ClonesRunInThePlaceOfFunctions) {
  CUfunction Function = addFunction();
  auto Launch = symbol<decltype(&cuLaunchKernel)>("cuLaunchKernel");
  int *To = &Out, Value = 7;
  void *Args[] = {&To, &Value};
  ASSERT_EQ(Launch(Function, 2, 1, 1, 32, 1, 1, 0, Stream1, Args, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(fake::launches().back().What->Name, "add__gm_shared");
  EXPECT_EQ(Out, 14);
  // The arguments in one piece, each where the function has it.
  struct {
    int *To;
    int Value;
  } Packed = {&Out, 5};
  size_t Bytes = sizeof(Packed);
  void *Extra[] = {CU_LAUNCH_PARAM_BUFFER_SIZE, &Bytes, CU_LAUNCH_PARAM_BUFFER_POINTER, &Packed,
                   CU_LAUNCH_PARAM_END};
  ASSERT_EQ(Launch(Function, 1, 1, 1, 32, 1, 1, 0, Stream1, nullptr, Extra), CUDA_SUCCESS);
  EXPECT_EQ(fake::launches().back().What->Name, "add__gm_shared");
  EXPECT_EQ(Out, 19);
  profile::Profile P = finish();
  ASSERT_EQ(P.Kernels.size(), 1u);
  ASSERT_EQ(P.Launches.size(), 2u);
  EXPECT_EQ(profile::Launch(P.Launches[1]).Mode, LaunchMode::Shared);
}

TEST_F(DriverTest, KernelsOfAModuleGoWithIt) {
  CUfunction Function = addFunction();
  auto Launch = symbol<decltype(&cuLaunchKernel)>("cuLaunchKernel");
  int *To = &Out, Value = 7;
  void *Args[] = {&To, &Value};
  ASSERT_EQ(Launch(Function, 2, 1, 1, 32, 1, 1, 0, Stream1, Args, nullptr), CUDA_SUCCESS);
  Kernel *K = nullptr;
  EXPECT_TRUE(Session::current()->findOriginal(Function, K));
  Session::current()->moduleUnloading(reinterpret_cast<CUmodule>(&TheModule));
  EXPECT_FALSE(Session::current()->findOriginal(Function, K));
}

TEST_F(DriverTest, WhatIsNotRecordedIsCounted) {
  auto Open = symbol<decltype(&cuIpcOpenMemHandle_v2)>("cuIpcOpenMemHandle_v2");
  CUdeviceptr Address = 0;
  ASSERT_EQ(Open(&Address, {}, 0), CUDA_SUCCESS);
  ASSERT_EQ(Open(&Address, {}, 0), CUDA_SUCCESS);
  profile::Profile P = finish();
  ASSERT_EQ(P.Gaps.size(), 1u);
  EXPECT_EQ(P.Gaps[0].What, "objects");
  EXPECT_EQ(P.Gaps[0].Reason, "memory that cuIpcOpenMemHandle gives is not recorded");
  EXPECT_EQ(P.Gaps[0].Count, 2u);
}

} // namespace
} // namespace gmprof::host
