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

/// Of every fake module. The bitcode of one is the text "fake bitcode".
void defineKernel(const std::string &Name, const std::vector<size_t> &ParameterBytes,
                  KernelBody Body, size_t StaticShared = 0, unsigned MaxThreads = 1024,
                  std::optional<cpu::Dim3> Cluster = std::nullopt);
/// How often a module was loaded, and of how many bitcode files the last one was made.
int modulesLoaded();
size_t bitcodeFilesOfLastModule();

/// The variable `counter` of every fake module: four ints, 1 2 3 4 when loaded.
constexpr size_t CounterBytes = 16;

/// A program with one fat binary, whose stubs are `Block`, `Store` … below.
class Program : public testing::Test {
protected:
  Program();
  ~Program() override;

  /// Addresses that stand for the host stubs and for the variable's shadow.
  static inline char Block, Store, Nothing, Fail, Bounded, Shared, Unknown, Counter;

  /// Runs a kernel in the stream that does not end before `open`.
  void makeBusy(cudaStream_t Stream);
  void open();
  /// Whether the kernel of `makeBusy` has ended.
  bool ended() const { return Ended; }

  cudaError_t store(int *To, int Value, cudaStream_t Stream = nullptr);

  /// Whether a call waits for the busy kernel. Opens the kernel's gate.
  bool waits(const std::function<void()> &Call);

  void **Binary;

private:
  std::latch Gate{1};
  std::atomic<bool> Ended{false}, Opened{false};
};

} // namespace gmprof::test

#endif // GMPROF_TEST_CPU_API_FAKEENGINE_H
