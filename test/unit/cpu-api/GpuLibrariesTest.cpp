//===- GpuLibrariesTest.cpp - Libraries that need a GPU -------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cpu/api/GpuLibraries.h"
#include <array>
#include <gtest/gtest.h>

using gmprof::cpu::api::gpuLibraries;

TEST(GpuLibraries, AreToldByTheirFileNames) {
  const std::array<std::string, 6> Paths = {
      "",
      "/usr/local/cuda/lib64/libcublas.so.13",
      "/usr/local/cuda/lib64/libcublasLt.so.13",
      "libcufft.so.12",
      "/opt/libcublas.so.13/libother.so",
      "/usr/local/cuda/lib64/libcudart.so.13",
  };
  EXPECT_EQ(gpuLibraries(Paths), "libcublas.so.13, libcufft.so.12");
}

TEST(GpuLibraries, AreNotInMostPrograms) {
  const std::array<std::string, 2> Paths = {"", "/lib/x86_64-linux-gnu/libc.so.6"};
  EXPECT_EQ(gpuLibraries(Paths), "");
}
