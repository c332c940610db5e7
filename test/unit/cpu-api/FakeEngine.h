//===- FakeEngine.h - Kernels that tests control ----------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_TEST_CPU_API_FAKEENGINE_H
#define GMPROF_TEST_CPU_API_FAKEENGINE_H

#include "cpu/Engine.h"
#include <cuda_runtime_api.h>
#include <functional>
#include <gtest/gtest.h>
#include <latch>
#include <thread>

namespace gmprof::test {

using Outcome = std::variant<std::monostate, cpu::Fault, cpu::LoadError>;
using KernelBody = std::function<Outcome(const cpu::LaunchConfig &, const void *const *)>;

/// Defines a kernel of all fake modules, each of which has the bitcode "fake bitcode", or is a text
/// with ".version" in it.
void defineKernel(const std::string &Name, const std::vector<size_t> &ParameterBytes,
                  KernelBody Body, size_t StaticShared = 0, unsigned MaxThreads = 1024,
                  std::optional<cpu::Dim3> Cluster = std::nullopt);
/// Return how often modules were loaded, and the code that the last one was loaded from.
int modulesLoaded();
const std::vector<std::string> &filesOfLastModule();

/// Returns whether kernels must not access the padding that begins at End.
bool isGuarded(const void *End);

/// Size of the variable `counter` of every fake module: four ints, 1 2 3 4 when loaded.
constexpr size_t CounterBytes = 16;

/// Fixture with a program of one fat binary, whose stubs are `Block`, `Store` etc. below.
class Program : public testing::Test {
protected:
  Program();
  ~Program() override;

  /// Addresses that represent the host stubs and the variable's shadow.
  static inline char Block, Store, Nothing, Fail, Bounded, Shared, Unknown, Counter;

  /// Starts a kernel in the stream that runs until `open` is called.
  void makeBusy(cudaStream_t Stream);
  void open();
  /// Returns whether the kernel of `makeBusy` has ended.
  bool ended() const { return Ended; }

  cudaError_t store(int *To, int Value, cudaStream_t Stream = nullptr);

  /// Returns whether `Call` waits for the busy kernel. Calls `open`.
  bool waits(const std::function<void()> &Call);

  void **Binary;

private:
  std::latch Gate{1};
  std::atomic<bool> Ended{false}, Opened{false};
};

} // namespace gmprof::test

#endif // GMPROF_TEST_CPU_API_FAKEENGINE_H
