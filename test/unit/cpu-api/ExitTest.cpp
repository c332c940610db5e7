//===- ExitTest.cpp - Exit with unfinished work ---------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FakeEngine.h"
#include <cstdlib>
#include <cuda.h>

using namespace gmprof::test;

namespace {

class Exit : public Program {
protected:
  Exit() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }

  static inline Exit *Current;

  /// Exits with pending work that can start only in an exit handler.
  [[noreturn]] void leaveWork() {
    makeBusy(nullptr);
    cudaLaunchHostFunc(nullptr, [](void *) { fputs("finished\n", stderr); }, nullptr);
    Current = this;
    atexit([] { Current->open(); });
    exit(3);
  }
};

} // namespace

TEST_F(Exit, FinishesRemainingWork) {
  EXPECT_EXIT(leaveWork(), testing::ExitedWithCode(3), "^finished\n$");
}

extern "C" {
unsigned __cudaPushCallConfiguration(dim3, dim3, size_t, cudaStream_t);
cudaError_t __cudaPopCallConfiguration(dim3 *, dim3 *, size_t *, void *);
}

namespace {

template <typename Signature> Signature *driver(const char *Name) {
  void *Function = nullptr;
  cudaGetDriverEntryPoint(Name, &Function, cudaEnableDefault);
  return reinterpret_cast<Signature *>(Function);
}

/// Uses the thread's context stack, launch configurations and stream.
void useWhatThreadsHave() {
  const auto Push = driver<decltype(cuCtxPushCurrent)>("cuCtxPushCurrent");
  const auto Pop = driver<decltype(cuCtxPopCurrent)>("cuCtxPopCurrent");
  CUcontext Context = nullptr;
  driver<decltype(cuCtxGetCurrent)>("cuCtxGetCurrent")(&Context);
  for (int I = 0; I < 100; ++I)
    Push(Context);
  int Contexts = 0;
  while (Pop(&Context) == CUDA_SUCCESS)
    ++Contexts;

  dim3 Grid, Block;
  size_t Shared = 0;
  cudaStream_t Stream = nullptr;
  for (unsigned I = 0; I < 100; ++I)
    __cudaPushCallConfiguration(1, I, 0, nullptr);
  unsigned Threads = 0;
  while (__cudaPopCallConfiguration(&Grid, &Block, &Shared, &Stream) == cudaSuccess)
    Threads += Block.x;

  const auto Say = [](void *) { fputs("its stream\n", stderr); };
  cudaLaunchHostFunc(cudaStreamPerThread, Say, nullptr);
  cudaStreamSynchronize(cudaStreamPerThread);
  fprintf(stderr, "%d contexts, %u threads\n", Contexts, Threads);
}

} // namespace

// Handlers run after the main thread's thread_local objects are destroyed.
TEST_F(Exit, HandlersCanUseThreadState) {
  const auto Leave = [] {
    useWhatThreadsHave();
    atexit(useWhatThreadsHave);
    exit(4);
  };
  EXPECT_EXIT(Leave(), testing::ExitedWithCode(4),
              "^its stream\n100 contexts, 4950 threads\nits stream\n100 contexts, 4950 threads\n$");
}
