//===- FakeCudart.h - A libcudart that tests control ------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Replaces libcudart.so.13 and implements the functions that the host runtime uses, and the driver
// functions behind them. Kernels are functions of the test. Work in a held stream executes when the
// test releases the stream; other work executes immediately. Every function can be made to fail.
// Calls that CUDA forbids while a stream is captured fail here too and are counted.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_TEST_UNIT_HOST_FAKECUDART_H
#define GMPROF_TEST_UNIT_HOST_FAKECUDART_H

#include <cstdint>
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

/// Restores the state at the start of the process.
FAKE_API void reset();
/// Makes a host stub's address the handle of a kernel.
FAKE_API void registerKernel(const void *Stub, Function &F);
/// Returns a handle of a kernel of a library (a CUkernel), which is no stub and no function.
FAKE_API CUkernel addToLibrary(CUlibrary Library, Function &F);

/// Holds the stream: its work waits until release(); null: all of the program's streams.
FAKE_API void hold(CUstream Stream);
FAKE_API void release(CUstream Stream);

/// Makes the function fail with this code the next Times times, after After more calls.
FAKE_API void fail(const std::string &Function, int Code, int Times = 1, int After = 0);
/// Removes a function from the driver.
FAKE_API void remove(const std::string &DriverFunction);

FAKE_API const std::vector<Launch> &launches(); ///< done or enqueued, in order of the calls
FAKE_API int calls(const std::string &Function);
/// Returns the number of calls made during a capture that CUDA forbids.
FAKE_API int captureViolations();
FAKE_API size_t bytesAllocated();
/// Changes the memory in use, as other processes do.
FAKE_API void changeMemoryInUse(int64_t Bytes);
/// Sets the device's total memory, 1 GiB by default. Allocations of the program do not reduce it.
FAKE_API void setMemory(size_t Total);
/// Sets the address of the program's next allocation.
FAKE_API void allocateAt(uint64_t Address);
/// Nodes of the graph that are not kernels.
FAKE_API size_t foreignNodes(cudaGraph_t Graph);
/// Calls dlsym from this library.
FAKE_API void *lookUp(void *Library, const char *Symbol);
/// Returns whether this thread has a context.
FAKE_API bool hasContext();

/// Time between any two events.
constexpr float ElapsedMilliseconds = 2.5F;
constexpr int Sms = 4, BlocksPerSm = 2, SharedOptin = 100 << 10;

} // namespace fake

#endif // GMPROF_TEST_UNIT_HOST_FAKECUDART_H
