//===- HostTest.h - A program that launches kernels on the fake device -*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The kernel add(int *Out, int Value) adds Value to *Out per block. Its clones do
// the same and count Value accesses of word 0 of the array tile per block, and one of
// word 3.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_TEST_UNIT_HOST_HOSTTEST_H
#define GMPROF_TEST_UNIT_HOST_HOSTTEST_H

#include "../TemporaryFolder.h"
#include "fake/FakeCudart.h"
#include "gmprof/abi.h"
#include "host/core/Session.h"
#include "profile/Profile.h"
#include <gtest/gtest.h>

namespace gmprof::host {

/// A kernel descriptor with one shared variable, as the pass makes it.
struct DescriptorImage {
  GmprofKernelDesc Header = {};
  GmprofVariableDesc Variable = {};
  std::string Strings;

  explicit DescriptorImage(const std::string &Name, unsigned ParamCount = 2);
  std::vector<char> bytes() const;
};

class HostTest : public testing::Test {
protected:
  void SetUp() override;
  void TearDown() override;

  /// Adds a kernel with a descriptor and the clones of Modes.
  fake::Function &addKernel(const void *Stub, const std::string &Name,
                            unsigned Modes = GMPROF_MODE_SHARED, unsigned StaticShared = 64);
  void setDescriptor(const std::string &Kernel, const DescriptorImage &D);
  fake::Function &function(const std::string &Name);

  /// Launches add(&Out, Value).
  cudaError_t launch(const void *Stub, int Value, cudaStream_t Stream = nullptr, dim3 Grid = 2,
                     dim3 Block = 32, size_t Shared = 0);
  /// Ends the session as the exit of the program does, and reads its log.
  profile::Profile finish();
  static profile::Profile read(const std::string &Log);

  test::TemporaryFolder Own;
  const std::string Folder = Own.path(); ///< empty at first
  fake::Module TheModule;
  int Out = 0;
};

/// Handles of kernels: only the addresses matter.
extern const char StubA, StubB;
/// Streams of the program.
extern const cudaStream_t Stream1, Stream2;

/// Counts of the words of a context.
using Words = std::vector<uint64_t>;

} // namespace gmprof::host

#endif // GMPROF_TEST_UNIT_HOST_HOSTTEST_H
