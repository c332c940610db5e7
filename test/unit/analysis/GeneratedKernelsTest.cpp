//===- GeneratedKernelsTest.cpp -------------------------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/GeneratedKernels.h"
#include <gtest/gtest.h>

using namespace gmprof;
using namespace gmprof::analysis;

namespace {

constexpr char Generated[] =
    "/tmp/torchinductor_me/ei/ceixcizzdnz5phaj46zq2iwk6t4bn265lojen7csgnssbdjpoejl.py";
constexpr char Torch[] = "/opt/lib/python3.12/site-packages/torch/_inductor/output_code.py";

struct GeneratedKernelsTest : testing::Test {
  profile::Profile P;

  /// Adds a kernel with this source file.
  void kernel(const std::string &File) {
    profile::Kernel &K = P.Kernels.emplace_back();
    K.Desc.emplace().Source = {File, 18, 0};
  }
  /// Adds launches of a kernel by calls in these lines, innermost first.
  void launch(uint32_t Kernel, uint64_t Times,
              const std::vector<std::pair<std::string, unsigned>> &Calls) {
    profile::CallPath &Path = P.CallPaths.emplace_back();
    for (const auto &[File, Line] : Calls)
      Path.Frames.emplace_back().Source = {File, Line, 0};
    profile::Launch L;
    L.Kernel = Kernel;
    L.Times = Times;
    L.CallPath = static_cast<uint32_t>(P.CallPaths.size() - 1);
    P.Launches.push_back(L);
  }
  /// Returns a finding in line 24 of the kernel's file.
  Finding finding(uint32_t Kernel) const {
    Finding F;
    F.Kernel = Kernel;
    F.Source = {P.Kernels[Kernel].Desc->Source.File, 24, 0};
    F.Message = "Lanes are far apart.";
    std::vector<Finding> All = {F};
    nameCallsOfGenerated(All, P);
    return All[0];
  }
};

TEST_F(GeneratedKernelsTest, GetTheCallThatLaunchesThemMostOften) {
  kernel(Generated);
  launch(0, 3, {{Generated, 505}, {Torch, 656}, {"/home/me/check.py", 9}});
  launch(0, 5,
         {{Generated, 505}, {Torch, 656}, {"/home/me/train.py", 31}, {"/home/me/train.py", 40}});
  launch(0, 9, {{Generated, 505}, {Torch, 656}}); // a backward pass
  const Finding F = finding(0);
  EXPECT_EQ(F.Source.File, "/home/me/train.py");
  EXPECT_EQ(F.Source.Line, 31u);
  ASSERT_EQ(F.CallPath.size(), 2u);
  EXPECT_EQ(F.CallPath[1].Line, 40u);
  EXPECT_EQ(F.Message,
            "Lanes are far apart. torch.compile generated the kernel for the call at train.py:31; "
            "its line is ceixcizzdnz5phaj46zq2iwk6t4bn265lojen7csgnssbdjpoejl.py:24.");
}

TEST_F(GeneratedKernelsTest, OthersKeepTheirLines) {
  kernel("/home/me/kernels.py"); // written by the user
  launch(0, 1, {{"/home/me/train.py", 31}});
  kernel(Generated); // of a backward pass
  launch(1, 1, {{Generated, 505}, {Torch, 656}});
  for (const uint32_t Kernel : {0, 1}) {
    const Finding F = finding(Kernel);
    EXPECT_EQ(F.Source.File, P.Kernels[Kernel].Desc->Source.File);
    EXPECT_EQ(F.Source.Line, 24u);
    EXPECT_EQ(F.Message, "Lanes are far apart.");
  }
}

} // namespace
