//===- DriverTest.cpp - Tests of driver functions -------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostTest.h"
#include "host/core/RuntimeApi.h"
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

TEST_F(DriverTest, OtherFunctionsAreTheDriversOwn) {
  EXPECT_EQ(fileOf(named<void *>("cuStreamIsCapturing", 12000)),
            fileOf(reinterpret_cast<void *>(fake::launches)));
  EXPECT_EQ(dlsym(Library, "cuNoSuchFunction"), nullptr);
}

/// Calls of the shared runtime into the driver are part of the program's call.
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

/// A CUkernel may be given for a CUfunction; the two have the same attributes.
TEST_F(DriverTest, KernelsOfLibrariesInThePlaceOfFunctions) {
  CUfunction Function = addFunction();
  auto Handle = reinterpret_cast<CUfunction>(
      fake::addToLibrary(reinterpret_cast<CUlibrary>(0x500), function("add")));
  auto Launch = symbol<decltype(&cuLaunchKernel)>("cuLaunchKernel");
  int *To = &Out, Value = 7;
  void *Args[] = {&To, &Value};
  ASSERT_EQ(Launch(Handle, 2, 1, 1, 32, 1, 1, 0, Stream1, Args, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(fake::launches().back().What->Name, "add__gm_shared");
  function("add").Attributes[CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT] = 30;
  Session::current()->openDevice()->TheKernels.attributesChanged(Function);
  ASSERT_EQ(Launch(Handle, 2, 1, 1, 32, 1, 1, 0, Stream1, Args, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(
      function("add__gm_shared").Attributes[CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT],
      30);
  EXPECT_EQ(Out, 28);
  EXPECT_EQ(finish().Launches.size(), 2u);
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

TEST_F(DriverTest, StreamsWriteWordsAsSets) {
  auto Alloc = symbol<decltype(&cuMemAlloc_v2)>("cuMemAlloc_v2");
  auto Write = symbol<decltype(&cuStreamWriteValue64_v2)>("cuStreamWriteValue64_v2");
  auto Batch = symbol<decltype(&cuStreamBatchMemOp_v2)>("cuStreamBatchMemOp_v2");
  CUdeviceptr Address = 0;
  ASSERT_EQ(Alloc(&Address, 64), CUDA_SUCCESS);
  ASSERT_EQ(Write(Stream1, Address + 8, 1, 0), CUDA_SUCCESS);
  std::array<CUstreamBatchMemOpParams, 3> Operations = {};
  Operations[0].operation = CU_STREAM_MEM_OP_WAIT_VALUE_32;
  Operations[0].waitValue.address = Address;
  Operations[1].operation = CU_STREAM_MEM_OP_WRITE_VALUE_32;
  Operations[1].writeValue.address = Address + 16;
  Operations[2].operation = CU_STREAM_MEM_OP_BARRIER;
  ASSERT_EQ(Batch(Stream1, 3, Operations.data(), 0), CUDA_SUCCESS);
  profile::Profile P = finish();
  ASSERT_EQ(P.Copies.size(), 2u);
  const profile::Copy First = P.Copies[0], Second = P.Copies[1];
  EXPECT_EQ(First.Api, "cuStreamWriteValue64");
  EXPECT_TRUE(First.Set);
  EXPECT_EQ(First.To.object, 1u);
  EXPECT_EQ(First.To.offset, 8u);
  EXPECT_EQ(First.RowBytes, 8u);
  EXPECT_EQ(Second.Api, "cuStreamBatchMemOp");
  EXPECT_TRUE(Second.Set);
  EXPECT_EQ(Second.To.offset, 16u);
  EXPECT_EQ(Second.RowBytes, 4u);
  ASSERT_EQ(P.Gaps.size(), 1u);
  EXPECT_EQ(P.Gaps[0].What, "orders of streams");
  EXPECT_EQ(P.Gaps[0].Count, 1u);
}

TEST_F(DriverTest, BatchesAreTheirCopies) {
  auto Alloc = symbol<decltype(&cuMemAlloc_v2)>("cuMemAlloc_v2");
  auto Batch =
      reinterpret_cast<CUresult (*)(size_t, CUDA_MEMCPY3D_BATCH_OP *, size_t *, unsigned long long,
                                    CUstream)>(dlsym(Library, "cuMemcpy3DBatchAsync"));
  CUdeviceptr To = 0, From = 0;
  ASSERT_EQ(Alloc(&To, 64), CUDA_SUCCESS);
  ASSERT_EQ(Alloc(&From, 64), CUDA_SUCCESS);
  CUDA_MEMCPY3D_BATCH_OP Copy = {};
  Copy.src.type = Copy.dst.type = CU_MEMCPY_OPERAND_TYPE_POINTER;
  Copy.src.op.ptr.ptr = From;
  Copy.dst.op.ptr.ptr = To + 16;
  Copy.extent = {4, 3, 1};
  size_t Failed = 0;
  ASSERT_EQ(Batch(1, &Copy, &Failed, 0, Stream1), CUDA_SUCCESS);
  profile::Profile P = finish();
  ASSERT_EQ(P.Copies.size(), 1u);
  const profile::Copy C = P.Copies[0];
  EXPECT_EQ(C.Api, "cuMemcpy3DBatchAsync");
  EXPECT_EQ(C.To.object, 1u);
  EXPECT_EQ(C.To.offset, 16u);
  EXPECT_EQ(C.From.object, 2u);
  EXPECT_EQ(C.RowBytes * C.Rows * C.Slices, 12u);
}

/// Their arguments are in the function.
TEST_F(DriverTest, LaunchesOfTheFirstKindMayAccessAnything) {
  CUfunction Function = addFunction();
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wdeprecated-declarations"
  auto SetBlock = symbol<decltype(&cuFuncSetBlockShape)>("cuFuncSetBlockShape");
  auto Launch = symbol<decltype(&cuLaunchGrid)>("cuLaunchGrid");
#pragma clang diagnostic pop
  ASSERT_EQ(SetBlock(Function, 32, 2, 1), CUDA_SUCCESS);
  ASSERT_EQ(Launch(Function, 5, 3), CUDA_SUCCESS);
  profile::Profile P = finish();
  ASSERT_EQ(P.Launches.size(), 1u);
  const profile::Launch L = P.Launches[0];
  EXPECT_EQ(L.Mode, LaunchMode::Plain);
  EXPECT_EQ(L.AccessSet, profile::None);
  EXPECT_EQ(L.Grid, (std::array<uint32_t, 3>{5, 3, 1}));
  EXPECT_EQ(L.Block, (std::array<uint32_t, 3>{32, 2, 1}));
  EXPECT_EQ(L.Reason, "its arguments were set by cuParamSet and are not known");
}

TEST_F(DriverTest, UnrecordedCallsAreCounted) {
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
