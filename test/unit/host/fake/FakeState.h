//===- FakeState.h - State of the fake libcudart ----------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_TEST_UNIT_HOST_FAKE_FAKESTATE_H
#define GMPROF_TEST_UNIT_HOST_FAKE_FAKESTATE_H

#include "FakeCudart.h"
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#define EXPORT extern "C" FAKE_API

namespace fake {

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

struct LibraryKernel {
  Function *Is = nullptr;
  CUlibrary Of = nullptr;
};

struct State {
  std::map<const void *, Function *> Kernels;
  std::map<const void *, std::unique_ptr<LibraryKernel>> LibraryKernels; ///< by handle
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

inline std::recursive_mutex Lock;
inline State *S = new State;
inline thread_local cudaError_t LastError = cudaSuccess;
inline thread_local CUcontext Current = nullptr;
inline thread_local int CurrentDevice = 0;
inline thread_local CUstreamCaptureMode Mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
inline const auto PrimaryContext = reinterpret_cast<CUcontext>(0x1000);

using Guard = std::lock_guard<std::recursive_mutex>;

Stream &stream(CUstream Handle);

/// Counts the call. Returns the code that it is to fail with, or 0.
int entered(const char *Name, bool UnsafeInCapture = false);
cudaError_t runtimeResult(int Code);

void enqueue(CUstream Handle, std::function<void()> Work);
int check(const Launch &L);
void run(const Launch &L);
int submit(Launch L);
/// Returns the kernel of a library with this handle, or null.
LibraryKernel *libraryKernel(const void *Handle);
Launch makeLaunch(Function *F, dim3 Grid, dim3 Block, void **Args, unsigned Shared, CUstream Handle,
                  bool ByRuntime);
Launch nodeLaunch(const CUDA_KERNEL_NODE_PARAMS &P);
Launch nodeLaunch(const cudaKernelNodeParams &P);

inline Function *function(CUfunction F) { return reinterpret_cast<Function *>(F); }
inline Event *event(CUevent E) { return reinterpret_cast<Event *>(E); }
inline Graph *graph(cudaGraph_t G) { return reinterpret_cast<Graph *>(G); }
inline Node *node(cudaGraphNode_t N) { return reinterpret_cast<Node *>(N); }
inline Exec *exec(cudaGraphExec_t E) { return reinterpret_cast<Exec *>(E); }

} // namespace fake

#define DRIVER(name, ...)                                                                          \
  Guard TheGuard(Lock);                                                                            \
  if (int Code = entered(#name __VA_OPT__(, ) __VA_ARGS__))                                        \
    return static_cast<CUresult>(Code);
#define RUNTIME(name, ...)                                                                         \
  Guard TheGuard(Lock);                                                                            \
  if (int Code = entered(#name __VA_OPT__(, ) __VA_ARGS__))                                        \
    return runtimeResult(Code);

#endif // GMPROF_TEST_UNIT_HOST_FAKE_FAKESTATE_H
