//===- FakeCudart.h - A libcudart whose every step a test decides -*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The shared library stands in libcudart.so.13's place and implements what the
// host runtime uses, and the driver functions behind it. Kernels are functions of
// the test. Work in a stream that is held is done when the test releases it;
// otherwise at once. Every function can be told to fail. Calls that CUDA forbids
// while a stream is captured fail here too and are counted.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_TEST_UNIT_HOST_FAKECUDART_H
#define GMPROF_TEST_UNIT_HOST_FAKECUDART_H

#include <cuda.h>
#include <cuda_runtime_api.h>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#define FAKE_API __attribute__((visibility("default")))

namespace fake {

struct Launch;
struct Module;

struct Function {
  std::string Name;
  std::vector<size_t> Params; ///< sizes
  std::function<void(const Launch &)> Body;
  std::map<int, int> Attributes = {{CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 1024},
                                   {CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 48 << 10}};
  Module *In = nullptr;
  int CacheConfig = -1;
};

struct Module {
  std::vector<std::unique_ptr<Function>> Functions;
  std::map<std::string, std::vector<char>> Globals;

  Function &add(Function F) {
    Functions.push_back(std::make_unique<Function>(std::move(F)));
    Functions.back()->In = this;
    return *Functions.back();
  }
};

struct Launch {
  Function *What;
  dim3 Grid, Block;
  unsigned DynamicShared;
  std::vector<std::vector<char>> Args;
  std::vector<CUlaunchAttribute> Attributes;
  CUstream Stream;
  bool ByRuntime; ///< through libcudart, not the driver

  template <typename T> T arg(size_t Index) const {
    return *reinterpret_cast<const T *>(Args.at(Index).data());
  }
};

/// Everything as at the start of the process.
FAKE_API void reset();
/// Makes a host stub's address the handle of a kernel.
FAKE_API void registerKernel(const void *Stub, Function &F);

/// Work in the stream waits until release(); null: all of the program's streams.
FAKE_API void hold(CUstream Stream);
FAKE_API void release(CUstream Stream);

/// The function fails with this code the next Times times, after After more
/// calls.
FAKE_API void fail(const std::string &Function, int Code, int Times = 1, int After = 0);
/// The driver has no such function.
FAKE_API void remove(const std::string &DriverFunction);

FAKE_API const std::vector<Launch> &launches(); ///< done or enqueued, in order of the calls
FAKE_API int calls(const std::string &Function);
/// Calls that CUDA forbids during a capture, made all the same.
FAKE_API int captureViolations();
FAKE_API size_t bytesAllocated();
/// Of the device, 1 GiB at first. What the program allocates takes nothing of it.
FAKE_API void setMemory(size_t Total);
/// The next allocation of the program is there.
FAKE_API void allocateAt(uint64_t Address);
/// Nodes of the graph that are not kernels.
FAKE_API size_t foreignNodes(cudaGraph_t Graph);
/// A call of dlsym by this library.
FAKE_API void *lookUp(void *Library, const char *Symbol);
/// On this thread.
FAKE_API bool hasContext();

/// Time between any two events.
constexpr float ElapsedMilliseconds = 2.5F;
constexpr int Sms = 4, BlocksPerSm = 2, SharedOptin = 100 << 10;

} // namespace fake

#endif // GMPROF_TEST_UNIT_HOST_FAKECUDART_H
