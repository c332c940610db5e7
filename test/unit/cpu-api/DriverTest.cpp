//===- DriverTest.cpp - Driver functions ----------------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DriverEntry.h"
#include "FakeEngine.h"

using namespace gmprof::test;

namespace {

using Driver = Program;

} // namespace

TEST_F(Driver, UnknownFunctionsAreNoError) {
  void *Function = &Function;
  cudaDriverEntryPointQueryResult Status = cudaDriverEntryPointSuccess;
  EXPECT_EQ(cudaGetDriverEntryPoint("cuNoSuchThing", &Function, cudaEnableDefault, &Status),
            cudaSuccess);
  EXPECT_EQ(Function, nullptr);
  EXPECT_EQ(Status, cudaDriverEntryPointSymbolNotFound);
  EXPECT_EQ(cudaGetDriverEntryPoint(nullptr, &Function, cudaEnableDefault, &Status),
            cudaErrorInvalidValue);
}

// All driver functions that the host runtime uses.
TEST_F(Driver, HasFunctionsThatProfilingNeeds) {
#define GMPROF_DRIVER_REQUIRED(Name, Version) EXPECT_NE(entry<void()>(#Name), nullptr);
#include "host/core/DriverFunctions.def"
}

TEST_F(Driver, VersionsOfAFunctionAreTheSame) {
  EXPECT_EQ(entry<void()>("cuMemAlloc"), entry<void()>("cuMemAlloc_v2"));
}

TEST_F(Driver, FindsOtherKernelsOfTheModule) {
  defineKernel("store__gm_shared", {8, 4, 8},
               [](const gmprof::cpu::LaunchConfig &, const void *const *Args) -> Outcome {
                 **static_cast<int *const *>(Args[2]) = *static_cast<const int *>(Args[1]) + 1;
                 return {};
               });
  cudaFunction_t Function;
  ASSERT_EQ(cudaGetFuncBySymbol(&Function, &Store), cudaSuccess);
  const char *Name = nullptr;
  ASSERT_EQ(DRIVER(cuFuncGetName)(&Name, Function), CUDA_SUCCESS);
  EXPECT_STREQ(Name, "store");
  CUmodule Module;
  ASSERT_EQ(DRIVER(cuFuncGetModule)(&Module, Function), CUDA_SUCCESS);
  CUfunction Clone;
  ASSERT_EQ(DRIVER(cuModuleGetFunction)(&Clone, Module, "store__gm_shared"), CUDA_SUCCESS);
  EXPECT_EQ(DRIVER(cuModuleGetFunction)(&Clone, Module, "store__gm_none"), CUDA_ERROR_NOT_FOUND);
  size_t Offset, Bytes;
  EXPECT_EQ(DRIVER(cuFuncGetParamInfo)(Clone, 2, &Offset, &Bytes), CUDA_SUCCESS);
  EXPECT_EQ(Offset, 16u);

  int *Cell;
  ASSERT_EQ(cudaMallocManaged(reinterpret_cast<void **>(&Cell), 8, cudaMemAttachGlobal),
            cudaSuccess);
  int *Unused = nullptr, Value = 41;
  void *Arguments[] = {&Unused, &Value, &Cell};
  ASSERT_EQ(DRIVER(cuLaunchKernel)(Clone, 1, 1, 1, 1, 1, 1, 0, nullptr, Arguments, nullptr),
            CUDA_SUCCESS);
  ASSERT_EQ(DRIVER(cuCtxSynchronize)(), CUDA_SUCCESS);
  EXPECT_EQ(*Cell, 42);

  // The same launch with the arguments in a buffer.
  struct {
    int *Unused;
    int Value;
    int *Cell;
  } Buffer{nullptr, 50, Cell};
  size_t BufferBytes = sizeof Buffer;
  void *Extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &Buffer, CU_LAUNCH_PARAM_BUFFER_SIZE,
                   &BufferBytes, CU_LAUNCH_PARAM_END};
  CUlaunchConfig Config = {};
  Config.gridDimX = Config.gridDimY = Config.gridDimZ = 1;
  Config.blockDimX = Config.blockDimY = Config.blockDimZ = 1;
  ASSERT_EQ(DRIVER(cuLaunchKernelEx)(&Config, Clone, nullptr, Extra), CUDA_SUCCESS);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(*Cell, 51);
}

TEST_F(Driver, ReadsVariablesAndAttributes) {
  cudaFunction_t Function;
  ASSERT_EQ(cudaGetFuncBySymbol(&Function, &Shared), cudaSuccess);
  CUmodule Module;
  ASSERT_EQ(DRIVER(cuFuncGetModule)(&Module, Function), CUDA_SUCCESS);
  CUdeviceptr Address;
  size_t Bytes;
  ASSERT_EQ(DRIVER(cuModuleGetGlobal)(&Address, &Bytes, Module, "counter"), CUDA_SUCCESS);
  EXPECT_EQ(Bytes, 16u);
  int *Host;
  ASSERT_EQ(DRIVER(cuMemAllocHost)(reinterpret_cast<void **>(&Host), 16), CUDA_SUCCESS);
  ASSERT_EQ(DRIVER(cuMemsetD32Async)(Address + 4, 77, 1, nullptr), CUDA_SUCCESS);
  ASSERT_EQ(DRIVER(cuMemcpyDtoHAsync)(Host, Address, 16, nullptr), CUDA_SUCCESS);
  ASSERT_EQ(DRIVER(cuStreamSynchronize)(nullptr), CUDA_SUCCESS);
  EXPECT_EQ(Host[0], 1);
  EXPECT_EQ(Host[1], 77);
  EXPECT_EQ(Host[2], 3);
  int Value;
  ASSERT_EQ(DRIVER(cuFuncGetAttribute)(&Value, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, Function),
            CUDA_SUCCESS);
  EXPECT_EQ(Value, 4096);
  ASSERT_EQ(
      DRIVER(cuFuncSetAttribute)(Function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 100000),
      CUDA_SUCCESS);
  cudaFuncAttributes A;
  ASSERT_EQ(cudaFuncGetAttributes(&A, &Shared), cudaSuccess);
  EXPECT_EQ(A.maxDynamicSharedSizeBytes, 100000);
}

TEST_F(Driver, LocksMemoryOfTheHost) {
  alignas(4096) static char Host[8192];
  ASSERT_EQ(DRIVER(cuMemHostRegister)(Host, 4096, CU_MEMHOSTREGISTER_PORTABLE), CUDA_SUCCESS);
  EXPECT_EQ(DRIVER(cuMemHostRegister)(Host, 4096, 0), CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
  unsigned Flags = 0;
  EXPECT_EQ(DRIVER(cuMemHostGetFlags)(&Flags, Host), CUDA_SUCCESS);
  EXPECT_EQ(Flags, unsigned(CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP));
  CUdeviceptr OnDevice = 0;
  EXPECT_EQ(DRIVER(cuMemHostGetDevicePointer)(&OnDevice, Host + 100, 0), CUDA_SUCCESS);
  EXPECT_EQ(OnDevice, reinterpret_cast<CUdeviceptr>(Host + 100));
  EXPECT_EQ(DRIVER(cuMemHostUnregister)(Host), CUDA_SUCCESS);
  EXPECT_EQ(DRIVER(cuMemHostUnregister)(Host), CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
  EXPECT_EQ(DRIVER(cuMemHostRegister)(nullptr, 4096, 0), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Driver, KeepsTheLastError) {
  EXPECT_EQ(DRIVER(cuMemFree)(12345), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess);
  EXPECT_EQ(cudaSetDevice(9), cudaErrorInvalidDevice);
  CUdeviceptr P;
  EXPECT_EQ(DRIVER(cuMemAlloc)(&P, 64), CUDA_SUCCESS);
  EXPECT_EQ(cudaPeekAtLastError(), cudaErrorInvalidDevice);
}

TEST_F(Driver, ContextsStandForDevices) {
  CUcontext Context, Popped;
  ASSERT_EQ(DRIVER(cuCtxGetCurrent)(&Context), CUDA_SUCCESS);
  ASSERT_EQ(DRIVER(cuCtxPushCurrent)(Context), CUDA_SUCCESS);
  ASSERT_EQ(DRIVER(cuCtxPopCurrent)(&Popped), CUDA_SUCCESS);
  EXPECT_EQ(Popped, Context);
  EXPECT_EQ(DRIVER(cuCtxPopCurrent)(&Popped), CUDA_ERROR_INVALID_CONTEXT);
}

TEST_F(Driver, CopiesOfGraphsAreTheRuntimes) {
  CUdeviceptr Memory = 0;
  ASSERT_EQ(DRIVER(cuMemAlloc)(&Memory, 256), CUDA_SUCCESS);
  float Host[16] = {};
  cudaMemcpy3DParms Params = {};
  Params.srcPtr = {Host, 16, 16, 4};
  Params.srcPos = {4, 1, 0};
  Params.dstPtr = {reinterpret_cast<void *>(Memory), 32, 32, 8};
  Params.dstPos = {8, 0, 0};
  Params.extent = {12, 2, 1};
  Params.kind = cudaMemcpyHostToDevice;
  cudaGraph_t Graph = nullptr;
  cudaGraphNode_t Node = nullptr;
  ASSERT_EQ(cudaGraphCreate(&Graph, 0), cudaSuccess);
  ASSERT_EQ(cudaGraphAddMemcpyNode(&Node, Graph, nullptr, 0, &Params), cudaSuccess);
  CUDA_MEMCPY3D Copy = {};
  ASSERT_EQ(DRIVER(cuGraphMemcpyNodeGetParams)(Node, &Copy), CUDA_SUCCESS);
  EXPECT_EQ(Copy.srcMemoryType, CU_MEMORYTYPE_HOST);
  EXPECT_EQ(Copy.srcHost, Host);
  EXPECT_EQ(Copy.srcPitch, 16u);
  EXPECT_EQ(Copy.srcXInBytes, 4u);
  EXPECT_EQ(Copy.srcY, 1u);
  EXPECT_EQ(Copy.dstMemoryType, CU_MEMORYTYPE_DEVICE);
  EXPECT_EQ(Copy.dstDevice, Memory);
  EXPECT_EQ(Copy.dstPitch, 32u);
  EXPECT_EQ(Copy.dstXInBytes, 8u);
  EXPECT_EQ(Copy.WidthInBytes, 12u);
  EXPECT_EQ(Copy.Height, 2u);
  EXPECT_EQ(Copy.Depth, 1u);
  EXPECT_EQ(DRIVER(cuGraphMemcpyNodeGetParams)(Node, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cudaGraphDestroy(Graph), cudaSuccess);
  EXPECT_EQ(DRIVER(cuMemFree)(Memory), CUDA_SUCCESS);
}

// The runtime counts array positions in texels, the driver in bytes.
TEST_F(Driver, CopiesOfGraphsMayBeToArrays) {
  const cudaChannelFormatDesc Pairs = {16, 16, 0, 0, cudaChannelFormatKindSigned};
  cudaArray_t Array = nullptr;
  ASSERT_EQ(cudaMallocArray(&Array, &Pairs, 4, 4, 0), cudaSuccess);
  short Host[16] = {};
  cudaMemcpy3DParms Params = {};
  Params.srcPtr = {Host, 8, 8, 4};
  Params.srcPos = {0, 2, 0};
  Params.dstArray = Array;
  Params.dstPos = {1, 3, 0};
  Params.extent = {2, 1, 1};
  Params.kind = cudaMemcpyHostToDevice;
  cudaGraph_t Graph = nullptr;
  cudaGraphNode_t Node = nullptr;
  ASSERT_EQ(cudaGraphCreate(&Graph, 0), cudaSuccess);
  ASSERT_EQ(cudaGraphAddMemcpyNode(&Node, Graph, nullptr, 0, &Params), cudaSuccess);
  CUDA_MEMCPY3D Copy = {};
  ASSERT_EQ(DRIVER(cuGraphMemcpyNodeGetParams)(Node, &Copy), CUDA_SUCCESS);
  EXPECT_EQ(Copy.srcMemoryType, CU_MEMORYTYPE_HOST);
  EXPECT_EQ(Copy.srcXInBytes, 0u);
  EXPECT_EQ(Copy.srcY, 2u);
  EXPECT_EQ(Copy.dstMemoryType, CU_MEMORYTYPE_ARRAY);
  EXPECT_EQ(Copy.dstArray, reinterpret_cast<CUarray>(Array));
  EXPECT_EQ(Copy.dstXInBytes, 4u);
  EXPECT_EQ(Copy.dstY, 3u);
  EXPECT_EQ(Copy.WidthInBytes, 8u);

  // The copy reads memory at the launch.
  Host[10] = 7;
  cudaGraphExec_t Exec = nullptr;
  ASSERT_EQ(cudaGraphInstantiate(&Exec, Graph, 0), cudaSuccess);
  ASSERT_EQ(cudaGraphLaunch(Exec, nullptr), cudaSuccess);
  short Back[4] = {};
  ASSERT_EQ(cudaMemcpy2DFromArray(Back, 8, Array, 4, 3, 8, 1, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(Back[2], 7);
  EXPECT_EQ(cudaGraphExecDestroy(Exec), cudaSuccess);
  EXPECT_EQ(cudaGraphDestroy(Graph), cudaSuccess);
}

TEST_F(Driver, StreamsHaveTheirDevicesContext) {
  CUcontext Current = nullptr, OfStream = nullptr;
  cudaStream_t Stream = nullptr;
  ASSERT_EQ(cudaStreamCreate(&Stream), cudaSuccess);
  ASSERT_EQ(DRIVER(cuCtxGetCurrent)(&Current), CUDA_SUCCESS);
  ASSERT_EQ(DRIVER(cuStreamGetCtx)(Stream, &OfStream), CUDA_SUCCESS);
  EXPECT_EQ(OfStream, Current);
  EXPECT_EQ(DRIVER(cuStreamGetCtx)(Stream, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cudaStreamDestroy(Stream), cudaSuccess);
}
