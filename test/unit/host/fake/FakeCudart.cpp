//===- FakeCudart.cpp - A libcudart whose every step a test decides -------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FakeCudart.h"
#include "host/core/RuntimeApi.h"
#include <cstdlib>
#include <cstring>
#include <deque>
#include <dlfcn.h>
#include <mutex>
#include <set>

// Driver functions are looked up by name, as cudaGetDriverEntryPoint does.
#define EXPORT extern "C" FAKE_API

namespace fake {
namespace {

struct Graph {
  std::vector<std::unique_ptr<struct Node>> Nodes;
};

struct Node {
  Launch Kernel;
  std::vector<void *> Pointers; ///< to Kernel.Args
  bool IsKernel = true;
  Graph *Child = nullptr;

  void set(Launch L) {
    Kernel = std::move(L);
    Pointers.clear();
    for (std::vector<char> &Arg : Kernel.Args)
      Pointers.push_back(Arg.data());
  }
};

struct Exec {
  std::vector<std::pair<Node *, Launch>> Kernels;
};

struct Stream {
  bool Held = false, OfProgram = true;
  Graph *Capture = nullptr;
  std::deque<std::function<void()>> Work;
};

struct Event {
  uint64_t Recorded = 0, Passed = 0;
};

struct Failure {
  int Code, Times, After;
};

struct State {
  std::map<const void *, Function *> Kernels;
  std::map<CUstream, std::unique_ptr<Stream>> Streams;
  std::vector<Launch> Launches;
  std::map<std::string, int> Calls;
  std::map<std::string, Failure> Failures;
  std::set<std::string> Removed;
  std::map<void *, size_t> Memory; ///< bytes of the device's; 0 for the host's
  size_t Bytes = 0, Total = size_t(1) << 30;
  std::set<uint64_t> OfProgram; ///< allocations; there is no memory behind them
  uint64_t NextAllocation = 0x7000'0000;
  int Violations = 0;
  bool HoldAll = false;
};

std::recursive_mutex Lock;
State *S = new State;
thread_local cudaError_t LastError = cudaSuccess;
thread_local CUcontext Current = nullptr;
thread_local int CurrentDevice = 0;
thread_local CUstreamCaptureMode Mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
const auto PrimaryContext = reinterpret_cast<CUcontext>(0x1000);

using Guard = std::lock_guard<std::recursive_mutex>;

Stream &stream(CUstream Handle) {
  std::unique_ptr<Stream> &Found = S->Streams[Handle];
  if (!Found)
    Found = std::make_unique<Stream>();
  return *Found;
}

bool anyCapture() {
  for (auto &[Handle, Each] : S->Streams)
    if (Each->Capture)
      return true;
  return false;
}

/// Counts the call. The code that it is to fail with, or 0.
int entered(const char *Name, bool UnsafeInCapture = false) {
  ++S->Calls[Name];
  if (UnsafeInCapture && Mode != CU_STREAM_CAPTURE_MODE_RELAXED && anyCapture()) {
    ++S->Violations;
    return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  }
  auto It = S->Failures.find(Name);
  if (It == S->Failures.end() || It->second.Times == 0 || It->second.After-- > 0)
    return 0;
  --It->second.Times;
  It->second.After = 0;
  return It->second.Code;
}

cudaError_t runtimeResult(int Code) {
  if (Code != 0)
    LastError = static_cast<cudaError_t>(Code);
  return static_cast<cudaError_t>(Code);
}

#define DRIVER(name, ...)                                                                          \
  Guard TheGuard(Lock);                                                                            \
  if (int Code = entered(#name __VA_OPT__(, ) __VA_ARGS__))                                        \
    return static_cast<CUresult>(Code);
#define RUNTIME(name, ...)                                                                         \
  Guard TheGuard(Lock);                                                                            \
  if (int Code = entered(#name __VA_OPT__(, ) __VA_ARGS__))                                        \
    return runtimeResult(Code);

void enqueue(CUstream Handle, std::function<void()> Work) {
  Stream &To = stream(Handle);
  if (To.Held || (S->HoldAll && To.OfProgram))
    To.Work.push_back(std::move(Work));
  else
    Work();
}

bool cooperative(const Launch &L) {
  for (const CUlaunchAttribute &A : L.Attributes)
    if (A.id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE)
      return A.value.cooperative != 0;
  return false;
}

int check(const Launch &L) {
  uint64_t Blocks = uint64_t(L.Grid.x) * L.Grid.y * L.Grid.z;
  uint64_t Threads = uint64_t(L.Block.x) * L.Block.y * L.Block.z;
  std::map<int, int> &A = L.What->Attributes;
  if (Blocks == 0 || Threads == 0 || Threads > 1024)
    return L.ByRuntime ? int(cudaErrorInvalidConfiguration) : int(CUDA_ERROR_INVALID_VALUE);
  if (Threads > uint64_t(A[CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK]))
    return cudaErrorLaunchOutOfResources;
  if (L.DynamicShared > unsigned(A[CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES]))
    return cudaErrorInvalidValue;
  if (cooperative(L) && Blocks > uint64_t(Sms) * BlocksPerSm)
    return cudaErrorCooperativeLaunchTooLarge;
  return 0;
}

void run(const Launch &L) {
  if (L.What->Body)
    L.What->Body(L);
}

int submit(Launch L) {
  if (int Code = check(L))
    return Code;
  S->Launches.push_back(L);
  if (Graph *Capture = stream(L.Stream).Capture) {
    Capture->Nodes.push_back(std::make_unique<Node>());
    Capture->Nodes.back()->set(std::move(L));
  } else {
    enqueue(L.Stream, [L] { run(L); });
  }
  return 0;
}

Launch makeLaunch(Function *F, dim3 Grid, dim3 Block, void **Args, unsigned Shared, CUstream Handle,
                  bool ByRuntime) {
  Launch L{F, Grid, Block, Shared, {}, {}, Handle, ByRuntime};
  for (size_t I = 0; I < F->Params.size(); ++I) {
    const char *Value = static_cast<const char *>(Args[I]);
    L.Args.emplace_back(Value, Value + F->Params[I]);
  }
  return L;
}

int launchByRuntime(const void *Stub, dim3 Grid, dim3 Block, void **Args, size_t Shared,
                    CUstream Handle, const cudaLaunchAttribute *Attributes, unsigned Count) {
  auto It = S->Kernels.find(Stub);
  if (It == S->Kernels.end())
    return cudaErrorInvalidDeviceFunction;
  Current = Current ? Current : PrimaryContext;
  Launch L = makeLaunch(It->second, Grid, Block, Args, static_cast<unsigned>(Shared), Handle, true);
  for (unsigned I = 0; I < Count; ++I)
    L.Attributes.push_back(reinterpret_cast<const CUlaunchAttribute &>(Attributes[I]));
  return submit(std::move(L));
}

Launch nodeLaunch(const CUDA_KERNEL_NODE_PARAMS &P) {
  return makeLaunch(reinterpret_cast<Function *>(P.func), dim3(P.gridDimX, P.gridDimY, P.gridDimZ),
                    dim3(P.blockDimX, P.blockDimY, P.blockDimZ), P.kernelParams, P.sharedMemBytes,
                    nullptr, false);
}

Launch nodeLaunch(const cudaKernelNodeParams &P) {
  return makeLaunch(S->Kernels.at(P.func), P.gridDim, P.blockDim, P.kernelParams, P.sharedMemBytes,
                    nullptr, true);
}

Function *function(CUfunction F) { return reinterpret_cast<Function *>(F); }
Event *event(CUevent E) { return reinterpret_cast<Event *>(E); }
Graph *graph(cudaGraph_t G) { return reinterpret_cast<Graph *>(G); }
Node *node(cudaGraphNode_t N) { return reinterpret_cast<Node *>(N); }
Exec *exec(cudaGraphExec_t E) { return reinterpret_cast<Exec *>(E); }

void fill(Exec &To, Graph &From) {
  for (auto &N : From.Nodes) {
    if (N->Child)
      fill(To, *N->Child);
    else if (N->IsKernel)
      To.Kernels.emplace_back(N.get(), N->Kernel);
  }
}

} // namespace

void reset() {
  Guard TheGuard(Lock);
  for (auto [Memory, Bytes] : S->Memory)
    std::free(Memory);
  *S = State();
  LastError = cudaSuccess;
  Current = nullptr;
  CurrentDevice = 0;
}

void registerKernel(const void *Stub, Function &F) { S->Kernels[Stub] = &F; }

void hold(CUstream Handle) {
  Guard TheGuard(Lock);
  (Handle ? stream(Handle).Held : S->HoldAll) = true;
}

void release(CUstream Handle) {
  Guard TheGuard(Lock);
  (Handle ? stream(Handle).Held : S->HoldAll) = false;
  for (auto &[Each, Queue] : S->Streams)
    while (!Queue->Held && !(S->HoldAll && Queue->OfProgram) && !Queue->Work.empty()) {
      auto Work = std::move(Queue->Work.front());
      Queue->Work.pop_front();
      Work();
    }
}

void fail(const std::string &Name, int Code, int Times, int After) {
  Guard TheGuard(Lock);
  S->Failures[Name] = {Code, Times, After};
}

void remove(const std::string &Name) { S->Removed.insert(Name); }
const std::vector<Launch> &launches() { return S->Launches; }
int calls(const std::string &Name) { return S->Calls[Name]; }
int captureViolations() { return S->Violations; }
void setMemory(size_t Total) { S->Total = Total; }
size_t bytesAllocated() { return S->Bytes; }
void allocateAt(uint64_t Address) { S->NextAllocation = Address; }
bool hasContext() { return Current != nullptr; }

void *lookUp(void *Library, const char *Symbol) {
  // Prevents a tail call, after which the program would be the caller.
  void *volatile Found = dlsym(Library, Symbol);
  return Found;
}

size_t foreignNodes(cudaGraph_t G) {
  size_t Count = 0;
  for (auto &N : graph(G)->Nodes)
    Count += !N->IsKernel;
  return Count;
}

} // namespace fake

using namespace fake;

//===----------------------------------------------------------------------===//
// The driver
//===----------------------------------------------------------------------===//

static CUresult fakeCtxGetCurrent(CUcontext *To) {
  DRIVER(cuCtxGetCurrent)
  *To = Current;
  return CUDA_SUCCESS;
}

static CUresult fakeCtxPushCurrent(CUcontext Context) {
  DRIVER(cuCtxPushCurrent)
  Current = Context;
  return CUDA_SUCCESS;
}

static CUresult fakeCtxPopCurrent(CUcontext *To) {
  DRIVER(cuCtxPopCurrent)
  *To = Current;
  Current = nullptr;
  return CUDA_SUCCESS;
}

static CUresult fakeCtxGetDevice(CUdevice *To) {
  DRIVER(cuCtxGetDevice)
  *To = CurrentDevice;
  return CUDA_SUCCESS;
}

static CUresult fakeDeviceGetName(char *To, int Bytes, CUdevice) {
  DRIVER(cuDeviceGetName)
  std::strncpy(To, "Fake", Bytes);
  return CUDA_SUCCESS;
}

static CUresult fakeDeviceGetAttribute(int *To, CUdevice_attribute A, CUdevice) {
  DRIVER(cuDeviceGetAttribute)
  *To = A == CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN         ? SharedOptin
        : A == CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT                    ? Sms
        : A == CU_DEVICE_ATTRIBUTE_CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM ? 1
                                                                           : 0;
  return CUDA_SUCCESS;
}

/// Kernels access registered memory at another address; pools belong to device 3.
static CUresult fakePointerGetAttribute(void *To, CUpointer_attribute A, CUdeviceptr Pointer) {
  DRIVER(cuPointerGetAttribute)
  if (A == CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL)
    *static_cast<int *>(To) = 3;
  else
    *static_cast<CUdeviceptr *>(To) = Pointer + 0x1000'0000;
  return CUDA_SUCCESS;
}

/// A handle of a kernel is its function.
static CUresult fakeKernelGetFunction(CUfunction *To, CUkernel Handle) {
  DRIVER(cuKernelGetFunction)
  *To = reinterpret_cast<CUfunction>(Handle);
  return *To ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

static CUresult fakeFuncGetName(const char **Name, CUfunction F) {
  DRIVER(cuFuncGetName)
  *Name = function(F)->Name.c_str();
  return CUDA_SUCCESS;
}

static CUresult fakeFuncGetModule(CUmodule *To, CUfunction F) {
  DRIVER(cuFuncGetModule)
  *To = reinterpret_cast<CUmodule>(function(F)->In);
  return CUDA_SUCCESS;
}

static CUresult fakeFuncGetAttribute(int *To, CUfunction_attribute A, CUfunction F) {
  DRIVER(cuFuncGetAttribute)
  *To = function(F)->Attributes[A];
  return CUDA_SUCCESS;
}

static CUresult fakeFuncSetAttribute(CUfunction F, CUfunction_attribute A, int Value) {
  DRIVER(cuFuncSetAttribute)
  function(F)->Attributes[A] = Value;
  return CUDA_SUCCESS;
}

static CUresult fakeFuncSetCacheConfig(CUfunction F, CUfunc_cache Config) {
  DRIVER(cuFuncSetCacheConfig)
  function(F)->CacheConfig = Config;
  return CUDA_SUCCESS;
}

static CUresult fakeFuncGetParamInfo(CUfunction F, size_t Index, size_t *Offset, size_t *Bytes) {
  DRIVER(cuFuncGetParamInfo)
  if (Index >= function(F)->Params.size())
    return CUDA_ERROR_INVALID_VALUE;
  constexpr size_t Alignment = 8; // of all
  *Offset = 0;
  for (size_t I = 0; I < Index; ++I)
    *Offset += (function(F)->Params[I] + Alignment - 1) / Alignment * Alignment;
  *Bytes = function(F)->Params[Index];
  return CUDA_SUCCESS;
}

static CUresult fakeModuleGetFunction(CUfunction *To, CUmodule M, const char *Name) {
  DRIVER(cuModuleGetFunction)
  for (auto &F : reinterpret_cast<Module *>(M)->Functions)
    if (F->Name == Name) {
      *To = reinterpret_cast<CUfunction>(F.get());
      return CUDA_SUCCESS;
    }
  return CUDA_ERROR_NOT_FOUND;
}

static CUresult fakeModuleGetGlobal(CUdeviceptr *To, size_t *Bytes, CUmodule M, const char *Name) {
  DRIVER(cuModuleGetGlobal)
  auto &Globals = reinterpret_cast<Module *>(M)->Globals;
  auto It = Globals.find(Name);
  if (It == Globals.end())
    return CUDA_ERROR_NOT_FOUND;
  *To = reinterpret_cast<CUdeviceptr>(It->second.data());
  *Bytes = It->second.size();
  return CUDA_SUCCESS;
}

static CUresult fakeLaunchKernelEx(const CUlaunchConfig *C, CUfunction F, void **Args, void **) {
  DRIVER(cuLaunchKernelEx)
  if (!Current)
    return CUDA_ERROR_INVALID_CONTEXT;
  Launch L = makeLaunch(function(F), dim3(C->gridDimX, C->gridDimY, C->gridDimZ),
                        dim3(C->blockDimX, C->blockDimY, C->blockDimZ), Args, C->sharedMemBytes,
                        C->hStream, false);
  L.Attributes.assign(C->attrs, C->attrs + C->numAttrs);
  return static_cast<CUresult>(submit(std::move(L)));
}

static CUresult fakeOccupancy(int *Blocks, CUfunction, int, size_t) {
  DRIVER(cuOccupancyMaxActiveBlocksPerMultiprocessor)
  *Blocks = BlocksPerSm;
  return CUDA_SUCCESS;
}

static CUresult fakeMemAlloc(CUdeviceptr *To, size_t Bytes) {
  DRIVER(cuMemAlloc, true)
  void *Memory = std::aligned_alloc(512, (Bytes + 511) / 512 * 512);
  std::memset(Memory, 0xa5, Bytes); // as device memory is: not zero
  S->Memory[Memory] = Bytes;
  S->Bytes += Bytes;
  *To = reinterpret_cast<CUdeviceptr>(Memory);
  return CUDA_SUCCESS;
}

static CUresult fakeMemAllocHost(void **To, size_t Bytes) {
  DRIVER(cuMemAllocHost, true)
  *To = std::malloc(Bytes);
  S->Memory[*To] = 0;
  return CUDA_SUCCESS;
}

static CUresult fakeMemHostRegister(void *, size_t, unsigned) {
  DRIVER(cuMemHostRegister, true)
  return CUDA_SUCCESS;
}

static CUresult fakeMemFree(CUdeviceptr Address) {
  DRIVER(cuMemFree, true)
  auto *Memory = reinterpret_cast<void *>(Address);
  auto It = S->Memory.find(Memory);
  if (It == S->Memory.end())
    return CUDA_ERROR_INVALID_VALUE;
  S->Bytes -= It->second;
  std::free(Memory);
  S->Memory.erase(It);
  return CUDA_SUCCESS;
}

static CUresult fakeMemGetInfo(size_t *Free, size_t *Total) {
  DRIVER(cuMemGetInfo)
  *Free = S->Total - std::min(S->Total, S->Bytes);
  *Total = S->Total;
  return CUDA_SUCCESS;
}

static CUresult fakeMemcpyHtoDAsync(CUdeviceptr To, const void *From, size_t Bytes,
                                    CUstream Handle) {
  DRIVER(cuMemcpyHtoDAsync)
  enqueue(Handle, [=] { std::memcpy(reinterpret_cast<void *>(To), From, Bytes); });
  return CUDA_SUCCESS;
}

static CUresult fakeMemcpyDtoHAsync(void *To, CUdeviceptr From, size_t Bytes, CUstream Handle) {
  DRIVER(cuMemcpyDtoHAsync)
  enqueue(Handle, [=] { std::memcpy(To, reinterpret_cast<void *>(From), Bytes); });
  return CUDA_SUCCESS;
}

static CUresult fakeMemsetD8Async(CUdeviceptr To, unsigned char Value, size_t Bytes,
                                  CUstream Handle) {
  DRIVER(cuMemsetD8Async)
  enqueue(Handle, [=] { std::memset(reinterpret_cast<void *>(To), Value, Bytes); });
  return CUDA_SUCCESS;
}

static CUresult fakeExchangeMode(CUstreamCaptureMode *To) {
  DRIVER(cuThreadExchangeStreamCaptureMode)
  std::swap(*To, Mode);
  return CUDA_SUCCESS;
}

static CUresult fakeStreamCreate(CUstream *To, unsigned) {
  DRIVER(cuStreamCreate, true)
  static uintptr_t Next = 0x10000;
  *To = reinterpret_cast<CUstream>(Next += 16);
  stream(*To).OfProgram = false;
  return CUDA_SUCCESS;
}

static CUresult fakeStreamSynchronize(CUstream Handle) {
  DRIVER(cuStreamSynchronize, true)
  Stream &Waited = stream(Handle);
  Waited.Held = false;
  release(Handle);
  return CUDA_SUCCESS;
}

static CUresult fakeStreamIsCapturing(CUstream Handle, CUstreamCaptureStatus *To) {
  DRIVER(cuStreamIsCapturing)
  *To = stream(Handle).Capture ? CU_STREAM_CAPTURE_STATUS_ACTIVE : CU_STREAM_CAPTURE_STATUS_NONE;
  return CUDA_SUCCESS;
}

static CUresult fakeStreamWaitEvent(CUstream Handle, CUevent, unsigned) {
  DRIVER(cuStreamWaitEvent)
  if (stream(Handle).Capture)
    stream(Handle).Capture->Nodes.push_back(std::make_unique<Node>(Node{{}, {}, false, nullptr}));
  return CUDA_SUCCESS;
}

static CUresult fakeEventCreate(CUevent *To, unsigned) {
  DRIVER(cuEventCreate)
  *To = reinterpret_cast<CUevent>(new Event);
  return CUDA_SUCCESS;
}

static CUresult fakeEventRecord(CUevent E, CUstream Handle) {
  DRIVER(cuEventRecord)
  if (stream(Handle).Capture) {
    ++S->Violations;
    return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  }
  uint64_t Number = ++event(E)->Recorded;
  enqueue(Handle, [=] { event(E)->Passed = Number; });
  return CUDA_SUCCESS;
}

static CUresult fakeEventQuery(CUevent E) {
  DRIVER(cuEventQuery, true)
  return event(E)->Passed == event(E)->Recorded ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
}

static CUresult fakeEventElapsedTime(float *Milliseconds, CUevent From, CUevent To) {
  DRIVER(cuEventElapsedTime)
  *Milliseconds = fake::ElapsedMilliseconds;
  return CUDA_SUCCESS;
}

static CUresult fakeGraphKernelNodeGetParams(CUgraphNode N, CUDA_KERNEL_NODE_PARAMS *To) {
  DRIVER(cuGraphKernelNodeGetParams)
  Node &From = *node(N);
  *To = {};
  To->func = reinterpret_cast<CUfunction>(From.Kernel.What);
  To->gridDimX = From.Kernel.Grid.x;
  To->gridDimY = From.Kernel.Grid.y;
  To->gridDimZ = From.Kernel.Grid.z;
  To->blockDimX = From.Kernel.Block.x;
  To->blockDimY = From.Kernel.Block.y;
  To->blockDimZ = From.Kernel.Block.z;
  To->sharedMemBytes = From.Kernel.DynamicShared;
  To->kernelParams = From.Pointers.data();
  return CUDA_SUCCESS;
}

static CUresult fakeGraphKernelNodeSetParams(CUgraphNode N, const CUDA_KERNEL_NODE_PARAMS *P) {
  DRIVER(cuGraphKernelNodeSetParams)
  node(N)->set(nodeLaunch(*P));
  return CUDA_SUCCESS;
}

static CUresult fakeGraphExecKernelNodeSetParams(CUgraphExec E, CUgraphNode N,
                                                 const CUDA_KERNEL_NODE_PARAMS *P) {
  DRIVER(cuGraphExecKernelNodeSetParams)
  for (auto &[Of, Kernel] : exec(E)->Kernels)
    if (Of == node(N))
      Kernel = nodeLaunch(*P);
  return CUDA_SUCCESS;
}

template <typename F> static void *address(F *Function) {
  return reinterpret_cast<void *>(Function);
}

EXPORT cudaError_t cudaGetDriverEntryPointByVersion(const char *Name, void **To, unsigned,
                                                    unsigned long long,
                                                    cudaDriverEntryPointQueryResult *Status) {
  RUNTIME(cudaGetDriverEntryPointByVersion)
  static const std::map<std::string, void *> Functions = {
      {"cuCtxGetCurrent", address(fakeCtxGetCurrent)},
      {"cuCtxPushCurrent", address(fakeCtxPushCurrent)},
      {"cuCtxPopCurrent", address(fakeCtxPopCurrent)},
      {"cuCtxGetDevice", address(fakeCtxGetDevice)},
      {"cuDeviceGetName", address(fakeDeviceGetName)},
      {"cuDeviceGetAttribute", address(fakeDeviceGetAttribute)},
      {"cuPointerGetAttribute", address(fakePointerGetAttribute)},
      {"cuKernelGetFunction", address(fakeKernelGetFunction)},
      {"cuFuncGetName", address(fakeFuncGetName)},
      {"cuFuncGetModule", address(fakeFuncGetModule)},
      {"cuFuncGetAttribute", address(fakeFuncGetAttribute)},
      {"cuFuncSetAttribute", address(fakeFuncSetAttribute)},
      {"cuFuncSetCacheConfig", address(fakeFuncSetCacheConfig)},
      {"cuFuncGetParamInfo", address(fakeFuncGetParamInfo)},
      {"cuModuleGetFunction", address(fakeModuleGetFunction)},
      {"cuModuleGetGlobal", address(fakeModuleGetGlobal)},
      {"cuLaunchKernelEx", address(fakeLaunchKernelEx)},
      {"cuOccupancyMaxActiveBlocksPerMultiprocessor", address(fakeOccupancy)},
      {"cuMemAlloc", address(fakeMemAlloc)},
      {"cuMemAllocHost", address(fakeMemAllocHost)},
      {"cuMemHostRegister", address(fakeMemHostRegister)},
      {"cuMemFree", address(fakeMemFree)},
      {"cuMemGetInfo", address(fakeMemGetInfo)},
      {"cuMemcpyHtoDAsync", address(fakeMemcpyHtoDAsync)},
      {"cuMemcpyDtoHAsync", address(fakeMemcpyDtoHAsync)},
      {"cuMemsetD8Async", address(fakeMemsetD8Async)},
      {"cuThreadExchangeStreamCaptureMode", address(fakeExchangeMode)},
      {"cuStreamCreate", address(fakeStreamCreate)},
      {"cuStreamSynchronize", address(fakeStreamSynchronize)},
      {"cuStreamIsCapturing", address(fakeStreamIsCapturing)},
      {"cuStreamWaitEvent", address(fakeStreamWaitEvent)},
      {"cuEventCreate", address(fakeEventCreate)},
      {"cuEventRecord", address(fakeEventRecord)},
      {"cuEventQuery", address(fakeEventQuery)},
      {"cuEventElapsedTime", address(fakeEventElapsedTime)},
      // The driver's are the same.
      {"cuStreamGetCaptureInfo", address(cudaStreamGetCaptureInfo)},
      {"cuGraphGetNodes", address(cudaGraphGetNodes)},
      {"cuGraphGetEdges", address(cudaGraphGetEdges)},
      {"cuGraphNodeGetType", address(cudaGraphNodeGetType)},
      {"cuGraphChildGraphNodeGetGraph", address(cudaGraphChildGraphNodeGetGraph)},
      {"cuGraphKernelNodeGetParams", address(fakeGraphKernelNodeGetParams)},
      {"cuGraphKernelNodeSetParams", address(fakeGraphKernelNodeSetParams)},
      {"cuGraphExecKernelNodeSetParams", address(fakeGraphExecKernelNodeSetParams)},
  };
  auto It = Functions.find(Name);
  bool Found = It != Functions.end() && !S->Removed.count(Name);
  // Like CUDA: success and a null pointer if the function does not exist.
  *To = Found ? It->second : nullptr;
  *Status = Found ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
  return cudaSuccess;
}

//===----------------------------------------------------------------------===//
// The runtime
//===----------------------------------------------------------------------===//

EXPORT cudaError_t cudaGetLastError() {
  cudaError_t Error = LastError;
  LastError = cudaSuccess;
  return Error;
}

EXPORT cudaError_t cudaPeekAtLastError() { return LastError; }

EXPORT cudaError_t cudaSetDevice(int Device) {
  RUNTIME(cudaSetDevice)
  CurrentDevice = Device;
  return cudaSuccess;
}

EXPORT cudaError_t cudaGetFuncBySymbol(cudaFunction_t *To, const void *Stub) {
  RUNTIME(cudaGetFuncBySymbol)
  auto It = S->Kernels.find(Stub);
  if (It == S->Kernels.end())
    return runtimeResult(cudaErrorInvalidDeviceFunction);
  Current = Current ? Current : PrimaryContext;
  *To = reinterpret_cast<cudaFunction_t>(It->second);
  return cudaSuccess;
}

/// Handles follow from the addresses of the resources.
EXPORT cudaError_t cudaCreateTextureObject(cudaTextureObject_t *To,
                                           const cudaResourceDesc *Resource,
                                           const cudaTextureDesc *, const cudaResourceViewDesc *) {
  RUNTIME(cudaCreateTextureObject)
  *To = reinterpret_cast<uint64_t>(Resource->res.array.array) + 1;
  return cudaSuccess;
}

EXPORT cudaError_t cudaDestroyTextureObject(cudaTextureObject_t) {
  RUNTIME(cudaDestroyTextureObject)
  return cudaSuccess;
}

EXPORT cudaError_t __cudaLaunchKernel(cudaKernel_t Handle, dim3 Grid, dim3 Block, void **Args,
                                      size_t Shared, cudaStream_t Stream) {
  RUNTIME(__cudaLaunchKernel)
  if (!Handle)
    return runtimeResult(cudaErrorInvalidResourceHandle);
  return runtimeResult(submit(makeLaunch(function(reinterpret_cast<CUfunction>(Handle)), Grid,
                                         Block, Args, Shared, Stream, true)));
}

EXPORT cudaError_t cudaLaunchKernel(const void *Stub, dim3 Grid, dim3 Block, void **Args,
                                    size_t Shared, cudaStream_t Handle) {
  RUNTIME(cudaLaunchKernel)
  return runtimeResult(launchByRuntime(Stub, Grid, Block, Args, Shared, Handle, nullptr, 0));
}

EXPORT cudaError_t cudaLaunchKernel_ptsz(const void *Stub, dim3 Grid, dim3 Block, void **Args,
                                         size_t Shared, cudaStream_t Handle) {
  RUNTIME(cudaLaunchKernel_ptsz)
  return runtimeResult(launchByRuntime(Stub, Grid, Block, Args, Shared,
                                       Handle ? Handle : CU_STREAM_PER_THREAD, nullptr, 0));
}

EXPORT cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *C, const void *Stub, void **Args) {
  RUNTIME(cudaLaunchKernelExC)
  return runtimeResult(launchByRuntime(Stub, C->gridDim, C->blockDim, Args, C->dynamicSmemBytes,
                                       C->stream, C->attrs, C->numAttrs));
}

EXPORT cudaError_t cudaLaunchCooperativeKernel(const void *Stub, dim3 Grid, dim3 Block, void **Args,
                                               size_t Shared, cudaStream_t Handle) {
  RUNTIME(cudaLaunchCooperativeKernel)
  cudaLaunchAttribute A = {};
  A.id = cudaLaunchAttributeCooperative;
  A.val.cooperative = 1;
  return runtimeResult(launchByRuntime(Stub, Grid, Block, Args, Shared, Handle, &A, 1));
}

EXPORT cudaError_t cudaFuncSetAttribute(const void *Stub, cudaFuncAttribute A, int Value) {
  RUNTIME(cudaFuncSetAttribute)
  S->Kernels.at(Stub)->Attributes[A] = Value;
  return cudaSuccess;
}

EXPORT cudaError_t cudaFuncSetCacheConfig(const void *Stub, cudaFuncCache Config) {
  RUNTIME(cudaFuncSetCacheConfig)
  S->Kernels.at(Stub)->CacheConfig = Config;
  return cudaSuccess;
}

EXPORT cudaError_t cudaDeviceSynchronize() {
  RUNTIME(cudaDeviceSynchronize)
  for (auto &[Handle, Each] : S->Streams)
    Each->Held = false;
  release(nullptr);
  return cudaSuccess;
}

EXPORT cudaError_t cudaStreamSynchronize(cudaStream_t Handle) {
  RUNTIME(cudaStreamSynchronize)
  release(Handle);
  return cudaSuccess;
}

EXPORT cudaError_t cudaStreamDestroy(cudaStream_t) {
  RUNTIME(cudaStreamDestroy)
  return cudaSuccess;
}

EXPORT cudaError_t cudaDeviceReset() {
  RUNTIME(cudaDeviceReset)
  return cudaSuccess;
}

EXPORT cudaError_t cudaStreamBeginCapture(cudaStream_t Handle, cudaStreamCaptureMode) {
  RUNTIME(cudaStreamBeginCapture)
  stream(Handle).Capture = new Graph;
  return cudaSuccess;
}

EXPORT cudaError_t cudaStreamGetCaptureInfo(cudaStream_t Handle, cudaStreamCaptureStatus *,
                                            unsigned long long *, cudaGraph_t *,
                                            const cudaGraphNode_t **Last,
                                            const cudaGraphEdgeData **, size_t *Count) {
  RUNTIME(cudaStreamGetCaptureInfo)
  static cudaGraphNode_t Node;
  Graph *G = stream(Handle).Capture;
  *Count = G && !G->Nodes.empty() ? 1 : 0;
  if (*Count != 0)
    Node = reinterpret_cast<cudaGraphNode_t>(G->Nodes.back().get());
  *Last = &Node;
  return cudaSuccess;
}

EXPORT cudaError_t cudaStreamEndCapture(cudaStream_t Handle, cudaGraph_t *To) {
  RUNTIME(cudaStreamEndCapture)
  *To = reinterpret_cast<cudaGraph_t>(stream(Handle).Capture);
  stream(Handle).Capture = nullptr;
  return cudaSuccess;
}

EXPORT cudaError_t cudaGraphCreate(cudaGraph_t *To, unsigned) {
  RUNTIME(cudaGraphCreate)
  *To = reinterpret_cast<cudaGraph_t>(new Graph);
  return cudaSuccess;
}

EXPORT cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t *To, cudaGraph_t G,
                                          const cudaGraphNode_t *, size_t,
                                          const cudaKernelNodeParams *P) {
  RUNTIME(cudaGraphAddKernelNode)
  Launch L = nodeLaunch(*P);
  if (int Code = check(L))
    return runtimeResult(Code);
  graph(G)->Nodes.push_back(std::make_unique<Node>());
  graph(G)->Nodes.back()->set(std::move(L));
  *To = reinterpret_cast<cudaGraphNode_t>(graph(G)->Nodes.back().get());
  return cudaSuccess;
}

EXPORT cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t *To, cudaGraph_t G,
                                              const cudaGraphNode_t *, size_t, cudaGraph_t Child) {
  RUNTIME(cudaGraphAddChildGraphNode)
  graph(G)->Nodes.push_back(std::make_unique<Node>(Node{{}, {}, false, graph(Child)}));
  *To = reinterpret_cast<cudaGraphNode_t>(graph(G)->Nodes.back().get());
  return cudaSuccess;
}

EXPORT cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t N, cudaKernelNodeParams *To) {
  RUNTIME(cudaGraphKernelNodeGetParams)
  for (auto &[Stub, F] : S->Kernels)
    if (F == node(N)->Kernel.What) {
      Launch &L = node(N)->Kernel;
      *To = {const_cast<void *>(Stub), L.Grid, L.Block, L.DynamicShared,
             node(N)->Pointers.data(), nullptr};
      return cudaSuccess;
    }
  return runtimeResult(cudaErrorInvalidDeviceFunction);
}

EXPORT cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t N, const cudaKernelNodeParams *P) {
  RUNTIME(cudaGraphKernelNodeSetParams)
  node(N)->set(nodeLaunch(*P));
  return cudaSuccess;
}

EXPORT cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t E, cudaGraphNode_t N,
                                                    const cudaKernelNodeParams *P) {
  RUNTIME(cudaGraphExecKernelNodeSetParams)
  for (auto &[Of, Kernel] : exec(E)->Kernels)
    if (Of == node(N))
      Kernel = nodeLaunch(*P);
  return cudaSuccess;
}

EXPORT cudaError_t cudaGraphGetNodes(cudaGraph_t G, cudaGraphNode_t *To, size_t *Count) {
  RUNTIME(cudaGraphGetNodes)
  for (size_t I = 0; To && I < graph(G)->Nodes.size(); ++I)
    To[I] = reinterpret_cast<cudaGraphNode_t>(graph(G)->Nodes[I].get());
  *Count = graph(G)->Nodes.size();
  return cudaSuccess;
}

EXPORT cudaError_t cudaGraphNodeGetType(cudaGraphNode_t N, cudaGraphNodeType *To) {
  RUNTIME(cudaGraphNodeGetType)
  *To = node(N)->Child      ? cudaGraphNodeTypeGraph
        : node(N)->IsKernel ? cudaGraphNodeTypeKernel
                            : cudaGraphNodeTypeEmpty;
  return cudaSuccess;
}

EXPORT cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t N, cudaGraph_t *To) {
  RUNTIME(cudaGraphChildGraphNodeGetGraph)
  *To = reinterpret_cast<cudaGraph_t>(node(N)->Child);
  return cudaSuccess;
}

EXPORT cudaError_t cudaGraphInstantiate(cudaGraphExec_t *To, cudaGraph_t G, unsigned long long) {
  RUNTIME(cudaGraphInstantiate)
  auto *New = new Exec;
  fill(*New, *graph(G));
  *To = reinterpret_cast<cudaGraphExec_t>(New);
  return cudaSuccess;
}

/// Each node waits for the previous one.
EXPORT cudaError_t cudaGraphGetEdges(cudaGraph_t G, cudaGraphNode_t *From, cudaGraphNode_t *To,
                                     cudaGraphEdgeData *, size_t *Count) {
  RUNTIME(cudaGraphGetEdges)
  auto &Nodes = graph(G)->Nodes;
  *Count = Nodes.empty() ? 0 : Nodes.size() - 1;
  for (size_t I = 0; From && I < *Count; ++I) {
    From[I] = reinterpret_cast<cudaGraphNode_t>(Nodes[I].get());
    To[I] = reinterpret_cast<cudaGraphNode_t>(Nodes[I + 1].get());
  }
  return cudaSuccess;
}

EXPORT cudaError_t cudaGraphLaunch(cudaGraphExec_t E, cudaStream_t Handle) {
  RUNTIME(cudaGraphLaunch)
  for (auto &[Of, Kernel] : exec(E)->Kernels)
    enqueue(Handle, [L = Kernel] { run(L); });
  return cudaSuccess;
}

EXPORT cudaError_t cudaGraphExecDestroy(cudaGraphExec_t E) {
  RUNTIME(cudaGraphExecDestroy)
  delete exec(E);
  return cudaSuccess;
}

//===----------------------------------------------------------------------===//
// Memory of the program
//===----------------------------------------------------------------------===//

static cudaError_t allocate(void *To, size_t Bytes) {
  uint64_t Address = Bytes == 0 ? 0 : S->NextAllocation;
  std::memcpy(To, &Address, sizeof(Address));
  if (Address != 0)
    S->OfProgram.insert(Address);
  S->NextAllocation += (Bytes + 255) / 256 * 256;
  return cudaSuccess;
}

static cudaError_t release(const void *Pointer) {
  if (!Pointer || S->OfProgram.erase(reinterpret_cast<uint64_t>(Pointer)) != 0)
    return cudaSuccess;
  return runtimeResult(cudaErrorInvalidValue);
}

#define FAKE_ALLOCATION(name, bytes, ...)                                                          \
  EXPORT cudaError_t name(__VA_ARGS__) {                                                           \
    RUNTIME(name)                                                                                  \
    return allocate(To, bytes);                                                                    \
  }
#define FAKE_RELEASE(name, ...)                                                                    \
  EXPORT cudaError_t name(__VA_ARGS__) {                                                           \
    RUNTIME(name)                                                                                  \
    return release(Pointer);                                                                       \
  }

FAKE_ALLOCATION(cudaMalloc, Bytes, void **To, size_t Bytes)
FAKE_ALLOCATION(cudaMallocManaged, Bytes, void **To, size_t Bytes, unsigned)
FAKE_ALLOCATION(cudaMallocHost, Bytes, void **To, size_t Bytes)
FAKE_ALLOCATION(cudaHostAlloc, Bytes, void **To, size_t Bytes, unsigned)
FAKE_ALLOCATION(cudaMallocAsync, Bytes, void **To, size_t Bytes, cudaStream_t)
FAKE_ALLOCATION(cudaMallocAsync_ptsz, Bytes, void **To, size_t Bytes, cudaStream_t)
FAKE_ALLOCATION(cudaMallocFromPoolAsync, Bytes, void **To, size_t Bytes, cudaMemPool_t,
                cudaStream_t)
FAKE_ALLOCATION(cudaMallocFromPoolAsync_ptsz, Bytes, void **To, size_t Bytes, cudaMemPool_t,
                cudaStream_t)
FAKE_ALLOCATION(cudaMallocArray, 1, cudaArray_t *To, const cudaChannelFormatDesc *, size_t, size_t,
                unsigned)
FAKE_ALLOCATION(cudaMalloc3DArray, 1, cudaArray_t *To, const cudaChannelFormatDesc *, cudaExtent,
                unsigned)
FAKE_ALLOCATION(cudaMallocMipmappedArray, 1, cudaMipmappedArray_t *To,
                const cudaChannelFormatDesc *, cudaExtent, unsigned, unsigned)
FAKE_RELEASE(cudaFree, void *Pointer)
FAKE_RELEASE(cudaFreeHost, void *Pointer)
FAKE_RELEASE(cudaHostUnregister, void *Pointer)
FAKE_RELEASE(cudaFreeAsync, void *Pointer, cudaStream_t)
FAKE_RELEASE(cudaFreeAsync_ptsz, void *Pointer, cudaStream_t)
FAKE_RELEASE(cudaFreeArray, cudaArray_t Pointer)
FAKE_RELEASE(cudaFreeMipmappedArray, cudaMipmappedArray_t Pointer)

EXPORT cudaError_t cudaMallocPitch(void **To, size_t *Pitch, size_t Width, size_t Height) {
  RUNTIME(cudaMallocPitch)
  *Pitch = (Width + 511) / 512 * 512;
  return allocate(To, *Pitch * Height);
}

EXPORT cudaError_t cudaMalloc3D(cudaPitchedPtr *To, cudaExtent Extent) {
  RUNTIME(cudaMalloc3D)
  To->pitch = (Extent.width + 511) / 512 * 512;
  return allocate(&To->ptr, To->pitch * Extent.height * Extent.depth);
}

EXPORT cudaError_t cudaHostRegister(void *Pointer, size_t, unsigned) {
  RUNTIME(cudaHostRegister)
  S->OfProgram.insert(reinterpret_cast<uint64_t>(Pointer));
  return cudaSuccess;
}

EXPORT cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t *, cudaGraph_t, const cudaGraphNode_t *,
                                            size_t, cudaMemAllocNodeParams *Params) {
  RUNTIME(cudaGraphAddMemAllocNode)
  return allocate(&Params->dptr, Params->bytesize);
}

EXPORT cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t *, cudaGraph_t, const cudaGraphNode_t *,
                                           size_t, void *Pointer) {
  RUNTIME(cudaGraphAddMemFreeNode)
  return release(Pointer);
}

//===----------------------------------------------------------------------===//
// Copies, streams and events: there is nothing behind them
//===----------------------------------------------------------------------===//

/// Whatever its arguments are.
#define FAKE_SUCCESS(name)                                                                         \
  EXPORT cudaError_t fake_##name() __asm__(#name);                                                 \
  cudaError_t fake_##name() {                                                                      \
    RUNTIME(name)                                                                                  \
    return cudaSuccess;                                                                            \
  }
#define FAKE_PTDS(name) FAKE_SUCCESS(name##_ptds)
#define FAKE_PTSZ(name) FAKE_SUCCESS(name##_ptsz)

GMPROF_HOST_TRANSFERS(FAKE_SUCCESS)
GMPROF_HOST_TRANSFERS(FAKE_PTDS)
GMPROF_STREAM_TRANSFERS(FAKE_SUCCESS)
GMPROF_STREAM_TRANSFERS(FAKE_PTSZ)
FAKE_SUCCESS(cudaMemcpyPeer)
FAKE_SUCCESS(cudaMemcpyPeerAsync)
FAKE_SUCCESS(cudaMemcpy3DBatchAsync)
FAKE_SUCCESS(cudaStreamSynchronize_ptsz)
FAKE_SUCCESS(cudaStreamWaitEvent)
FAKE_SUCCESS(cudaStreamWaitEvent_ptsz)
FAKE_SUCCESS(cudaEventRecord)
FAKE_SUCCESS(cudaEventRecord_ptsz)
FAKE_SUCCESS(cudaEventRecordWithFlags)
FAKE_SUCCESS(cudaEventRecordWithFlags_ptsz)
FAKE_SUCCESS(cudaEventDestroy)
FAKE_SUCCESS(cudaEventSynchronize)
FAKE_SUCCESS(cudaGraphDestroy)

static cudaError_t createStream(cudaStream_t *To) {
  static uint64_t Last = 0xf000;
  *To = reinterpret_cast<cudaStream_t>(Last += 16);
  return cudaSuccess;
}

EXPORT cudaError_t cudaStreamCreate(cudaStream_t *To) {
  RUNTIME(cudaStreamCreate)
  return createStream(To);
}

EXPORT cudaError_t cudaStreamCreateWithFlags(cudaStream_t *To, unsigned) {
  RUNTIME(cudaStreamCreateWithFlags)
  return createStream(To);
}

EXPORT cudaError_t cudaStreamCreateWithPriority(cudaStream_t *To, unsigned, int) {
  RUNTIME(cudaStreamCreateWithPriority)
  return createStream(To);
}

/// Variables have 64 bytes.
EXPORT cudaError_t cudaGetSymbolAddress(void **To, const void *Symbol) {
  RUNTIME(cudaGetSymbolAddress)
  *To = const_cast<char *>(static_cast<const char *>(Symbol)) + 0x2000'0000;
  return cudaSuccess;
}

EXPORT cudaError_t cudaGetSymbolSize(size_t *To, const void *) {
  RUNTIME(cudaGetSymbolSize)
  *To = 64;
  return cudaSuccess;
}

/// Arrays contain floats.
EXPORT cudaError_t cudaArrayGetInfo(cudaChannelFormatDesc *To, cudaExtent *, unsigned *,
                                    cudaArray_t) {
  RUNTIME(cudaArrayGetInfo)
  *To = {32, 0, 0, 0, cudaChannelFormatKindFloat};
  return cudaSuccess;
}
