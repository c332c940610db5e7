//===- ProgramSourceTest.cpp ----------------------------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/ProgramSource.h"
#include <gtest/gtest.h>

using namespace gmprof;
using namespace gmprof::analysis;

namespace {

/// Returns the file reported for frames in these files, innermost first.
std::string fileOf(const std::vector<std::string> &Files) {
  profile::CallPath Path;
  for (const std::string &File : Files)
    Path.Frames.emplace_back().Source = {File, File.empty() ? 0u : 7u, 0};
  return programSource(Path).File;
}

} // namespace

TEST(ProgramSourceTest, TheLineThatCalledHeadersOfCuda) {
  EXPECT_EQ(fileOf({"", "/usr/local/cuda/include/cuda_runtime.h", "/home/me/app.cu"}),
            "/home/me/app.cu");
  EXPECT_EQ(fileOf({"/opt/gmprof/include/gmprof/gmprof.h", "/home/me/app.cu"}), "/home/me/app.cu");
  EXPECT_EQ(fileOf({"/usr/local/cuda/include/cccl/thrust/detail/copy.inl", "app.cu"}), "app.cu");
  EXPECT_EQ(fileOf({"/usr/local/cuda-12.4/include/cub/util_device.cuh", "app.cu"}), "app.cu");
  EXPECT_EQ(fileOf({"/usr/lib/python3/dist-packages/torch/include/ATen/ops/empty.h", "app.cu"}),
            "app.cu");
}

TEST(ProgramSourceTest, KernelsAreLaunchedWhereTheirStubIsCalled) {
  profile::CallPath Path;
  Path.Frames = {{"__device_stub__scale(float*, int)", {"app.cu", 3, 0}, "", 0, true},
                 {"main", {"app.cu", 20, 0}, "", 0, false}};
  EXPECT_EQ(programSource(Path).Line, 20u);
}

TEST(ProgramSourceTest, TensorsComeFromTheAllocatorOfPyTorch) {
  profile::Frame F;
  F.Function = "c10::cuda::CUDACachingAllocator::Native::NativeCachingAllocator::allocate(unsigned "
               "long)";
  EXPECT_TRUE(isWrapper(F));
  F.Function = "at::detail::empty_cuda(c10::ArrayRef<long>, c10::TensorOptions const&)";
  EXPECT_FALSE(isWrapper(F));
}

TEST(ProgramSourceTest, AProgramMayBeInAFolderOfThatName) {
  EXPECT_EQ(fileOf({"/home/me/XSBench/cuda/Simulation.cu", "/home/me/XSBench/cuda/Main.cu"}),
            "/home/me/XSBench/cuda/Simulation.cu");
  EXPECT_EQ(fileOf({"/home/me/cuda-app/include/buffers.h"}), "/home/me/cuda-app/include/buffers.h");
}

TEST(ProgramSourceTest, NoLineIsKnown) {
  EXPECT_EQ(fileOf({}), "");
  EXPECT_EQ(fileOf({"", "/usr/local/cuda/include/cuda_runtime.h"}), "");
}
