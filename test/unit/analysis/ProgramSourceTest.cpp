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

// A vector that grows constructs its elements.
TEST(ProgramSourceTest, TheLineThatCalledTheStandardLibrary) {
  const char *Vector =
      "/usr/lib/gcc/x86_64-linux-gnu/12/../../../../include/c++/12/bits/vector.tcc";
  EXPECT_EQ(fileOf({"layer.cu", Vector, "app.cu"}), "layer.cu");
  EXPECT_EQ(fileOf({"/usr/include/c++/v1/__memory/unique_ptr.h", "app.cu"}), "app.cu");
  EXPECT_EQ(fileOf({Vector}), Vector); // a destructor at the end of the program
}

// The calls of a vector's growth and of its other elements have one line of the program.
TEST(ProgramSourceTest, PathsDoNotDifferByTheStandardLibrary) {
  profile::Profile P;
  for (const unsigned Line : {117u, 462u}) {
    profile::CallPath &Path = P.CallPaths.emplace_back();
    Path.Frames.emplace_back().Source = {"layer.cu", 7, 3};
    Path.Frames.emplace_back().Source = {"/usr/include/c++/12/bits/vector.tcc", Line, 5};
    Path.Frames.emplace_back().Source = {"app.cu", 9, 3};
  }
  EXPECT_EQ(pathsBySource(P), (std::vector<uint32_t>{0, 0}));
  P.CallPaths[1].Frames[2].Source.Line = 10;
  EXPECT_EQ(pathsBySource(P), (std::vector<uint32_t>{0, 1}));
}

TEST(ProgramSourceTest, CallsOfTheProgramInnermostFirst) {
  profile::CallPath Path;
  for (const char *File : {"/usr/local/cuda/include/cuda_runtime.h", "buffer.h",
                           "/usr/local/cuda/include/cccl/thrust/detail/copy.inl", "app.cu"})
    Path.Frames.emplace_back().Source = {File, 7, 0};
  const std::vector<const profile::Frame *> Frames = programFrames(Path);
  ASSERT_EQ(Frames.size(), 2u);
  EXPECT_EQ(Frames[0]->Source.File, "buffer.h");
  EXPECT_EQ(Frames[1]->Source.File, "app.cu");
  EXPECT_TRUE(programFrames({}).empty());
}

TEST(ProgramSourceTest, CallsThatLibrariesMake) {
  const auto IsOfLibrary = [](const std::vector<const char *> &Files) {
    profile::CallPath Path;
    for (const char *File : Files)
      Path.Frames.emplace_back().Source = {File, 7, 0};
    return isCallOfLibrary(Path);
  };
  const char *Thrust = "/usr/local/cuda/include/cccl/thrust/system/cuda/detail/util.h";
  const char *Runtime = "/usr/local/cuda/include/cuda_runtime.h";
  EXPECT_TRUE(IsOfLibrary({"", Runtime, Thrust, "app.cu"}));
  EXPECT_FALSE(IsOfLibrary({Runtime, "functor.h", Thrust, "app.cu"})); // called back by Thrust
  EXPECT_FALSE(IsOfLibrary({"app.cu"}));
  EXPECT_FALSE(IsOfLibrary({}));
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

TEST(ProgramSourceTest, PythonCodeOfTheUser) {
  const std::string Train = "/home/me/train.py";
  for (const char *Library :
       {"/usr/lib/python3.11/ctypes/__init__.py", "/opt/conda/lib/python3.12/functools.py",
        "/home/me/venv/lib64/python3.9/site-packages/torch/nn/modules/module.py",
        "/usr/lib/python3/dist-packages/cupy/core.py", "/tmp/torchinductor_me/ab/cab1234.py",
        "/scratch/inductor/3g/c3g2yvruqhq4e3363dn3yof526nyzcn4ismojudjczratxqi4crr.py",
        "/tmp/torch_geometric.nn.conv.gcn_conv_GCNConv_propagate_ta1ppjj4.py", "<frozen runpy>",
        "<eval_with_key>.3", "<string>"})
    EXPECT_EQ(fileOf({Library, Train}), Train) << Library;
  for (const char *Own :
       {"/home/me/python3.12/train.py", "/home/me/lib/python3.d/train.py",
        "/home/me/lib/python3./train.py", "/home/me/torch_geometric/conv.py",
        "/home/me/ab/c3g2yvruqhq4e3363dn3yof526nyzcn4ismojudjczratxqi4crr.py",
        "/home/me/3g/c3g2yvruqhq4e3363.py", "/tmp/ipykernel_17/1234.py", "<ipython-input-3-ab>"})
    EXPECT_EQ(fileOf({Own, Train}), Own) << Own;
}

TEST(ProgramSourceTest, PythonCodeWithoutAFileOfTheUser) {
  const std::string Runpy = "<frozen runpy>", Module = "/usr/lib/python3.11/timeit.py";
  EXPECT_EQ(fileOf({Module, "<string>", Module}), "<string>");
  EXPECT_EQ(fileOf({Module, Runpy}), Module);
  EXPECT_EQ(fileOf({Runpy, Module}), Runpy);
}

TEST(ProgramSourceTest, NativeCodeOfPythonPackages) {
  profile::CallPath Path;
  Path.Frames = {
      {"call", {"callproc.c", 9, 0}, "/usr/lib/python3.11/lib-dynload/_ctypes.so", 16, false},
      {"f", {"/home/me/train.py", 3, 0}, "", 0, false}};
  EXPECT_EQ(programSource(Path).File, "/home/me/train.py");
  Path.Frames[0].Image = "/home/me/libscale.so"; // the user's
  EXPECT_EQ(programSource(Path).File, "callproc.c");
  Path.Frames[0].Image = "/venv/lib/python3.11/site-packages/scale.so";
  Path.Frames.pop_back(); // a thread without Python
  EXPECT_EQ(programSource(Path).File, "callproc.c");
}

// Copies of a call in an unrolled loop have an address each. Two calls in one line differ in their
// columns, and code without columns in its addresses. Python functions have no addresses.
TEST(ProgramSourceTest, PathsWithTheSameSource) {
  const auto PathOf = [](unsigned Line, unsigned Column, uint64_t Address) {
    profile::CallPath Path;
    Path.Frames = {{"main", {"/src/a.cu", Line, Column}, "/bin/a", Address, false}};
    return Path;
  };
  profile::Profile P;
  P.CallPaths = {PathOf(7, 5, 16), PathOf(7, 5, 32),    PathOf(7, 40, 48),  PathOf(8, 5, 64),
                 PathOf(9, 0, 80), PathOf(9, 0, 96),    PathOf(3, 0, 0),    PathOf(4, 0, 0),
                 PathOf(3, 0, 0),  profile::CallPath(), profile::CallPath()};
  EXPECT_EQ(pathsBySource(P), (std::vector<uint32_t>{0, 0, 2, 3, 4, 5, 6, 7, 6, 9, 10}));
}
