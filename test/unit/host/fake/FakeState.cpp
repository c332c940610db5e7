//===- FakeState.cpp - Launches, streams and control of the fakes ---------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FakeState.h"
#include <cstdlib>
#include <dlfcn.h>
#include <utility>

namespace fake {

Stream &stream(CUstream Handle) {
  std::unique_ptr<Stream> &Found = S->Streams[Handle];
  if (!Found)
    Found = std::make_unique<Stream>();
  return *Found;
}

static bool anyCapture() {
  for (auto &[Handle, Each] : S->Streams)
    if (Each->Capture)
      return true;
  return false;
}

int entered(const char *Name, bool UnsafeInCapture) {
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

void enqueue(CUstream Handle, std::function<void()> Work) {
  Stream &To = stream(Handle);
  if (To.Held || (S->HoldAll && To.OfProgram))
    To.Work.push_back(std::move(Work));
  else
    Work();
}

static bool cooperative(const Launch &L) {
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

Launch nodeLaunch(const CUDA_KERNEL_NODE_PARAMS &P) {
  return makeLaunch(reinterpret_cast<Function *>(P.func), dim3(P.gridDimX, P.gridDimY, P.gridDimZ),
                    dim3(P.blockDimX, P.blockDimY, P.blockDimZ), P.kernelParams, P.sharedMemBytes,
                    nullptr, false);
}

Launch nodeLaunch(const cudaKernelNodeParams &P) {
  return makeLaunch(S->Kernels.at(P.func), P.gridDim, P.blockDim, P.kernelParams, P.sharedMemBytes,
                    nullptr, true);
}

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

CUkernel addToLibrary(CUlibrary Library, Function &F) {
  auto Added = std::make_unique<LibraryKernel>(LibraryKernel{&F, Library});
  auto *Handle = reinterpret_cast<CUkernel>(Added.get());
  S->LibraryKernels[Handle] = std::move(Added);
  return Handle;
}

LibraryKernel *libraryKernel(const void *Handle) {
  const auto It = S->LibraryKernels.find(Handle);
  return It == S->LibraryKernels.end() ? nullptr : It->second.get();
}

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

void remove(const std::string &Name) {
  Guard TheGuard(Lock);
  S->Removed.insert(Name);
}

const std::vector<Launch> &launches() { return S->Launches; }

int calls(const std::string &Name) {
  Guard TheGuard(Lock);
  return S->Calls[Name];
}

int captureViolations() { return S->Violations; }
void changeMemoryInUse(int64_t Bytes) { S->Bytes += static_cast<size_t>(Bytes); }
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
