//===- ParameterNamesTest.cpp - Tests of names of parameters --------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/instrument/ParameterNames.h"
#include <gtest/gtest.h>

using namespace gmprof;

namespace {

using Strings = std::vector<std::string>;

/// Returns the names that a source gives to the parameters of the entry k, with Count parameters.
Strings namesIn(const std::string &Source, unsigned Count, const std::string &Entry = "k") {
  std::string Ptx = ".visible .entry " + Entry + "(";
  for (unsigned I = 0; I < Count; ++I)
    Ptx += (I ? ", " : "") + (".param .u64 " + Entry + "_param_") + std::to_string(I);
  const ParameterNames Names = parameterNamesOfSource(Ptx + ")", Source);
  return Names.empty() ? Strings() : Names.at(Entry);
}

TEST(ParameterNames, AreTheSources) {
  EXPECT_EQ(
      namesIn("extern \"C\" __global__ void k(const float *x, float* __restrict__ y, int n) {}", 3),
      (Strings{"x", "y", "n"}));
  EXPECT_EQ(
      namesIn("__global__ void __launch_bounds__(256) k(\n  A<int, 2> a,\n  unsigned long b = 1)",
              2),
      (Strings{"a", "b"}));
  EXPECT_EQ(namesIn("__global__ void k(float x[4], int (*f)(int), const float *, unsigned int)", 4),
            (Strings{"x", "", "", ""}));
}

TEST(ParameterNames, AreOfTheKernelWithThatName) {
  const std::string Source = "// void k(float *no)\n"
                             "/* __global__ void k(float *no); */\n"
                             "__device__ int k(int no) { return no; }\n"
                             "__global__ void kk(float *no);\n"
                             "__global__ void k(float *x) { k(1); }\n";
  EXPECT_EQ(namesIn(Source, 1), Strings{"x"});
  EXPECT_EQ(namesIn(Source, 2), Strings()); // of another function
  EXPECT_EQ(namesIn("__global__ void k(float *x);\n__global__ void k(float *y) {}", 1), Strings());
  EXPECT_EQ(namesIn("__global__ void k(float *x);\n__global__ void k(float *x) {}", 1),
            Strings{"x"});
  EXPECT_EQ(namesIn("__global__ void k(float *x", 1), Strings());
  EXPECT_EQ(namesIn("__global__ void k()", 0), Strings());
}

TEST(ParameterNames, OfMangledKernels) {
  // void ns::scale<float, 4>(float const*, int)
  EXPECT_EQ(namesIn("namespace ns { template <typename T, int N>\n"
                    "__global__ void scale(const T *x, int n) {} }",
                    2, "_ZN2ns5scaleIfLi4EEEvPKfi"),
            (Strings{"x", "n"}));
}

TEST(ParameterNames, ReplaceNumbersInPtx) {
  const ParameterNames Names = {{"k", {"x", "", "table", "v1"}}};
  EXPECT_EQ(
      withParameterNames("// x, k_param_0\n.visible .entry k(.param .u64 k_param_0, .param .u64 "
                         "k_param_1, .param .u64 k_param_2, .param .u32 k_param_3)\n"
                         "mov.u32 %r1, %tid.x; ld.param [k_param_0+8]; ld.global [table]; "
                         "kk_param_0 k_param_4 k_param_ k_param_0x k_param_3",
                         Names),
      "// x, x\n.visible .entry k(.param .u64 x, .param .u64 "
      "k_param_1, .param .u64 k_param_2, .param .u32 v1)\n"
      "mov.u32 %r1, %tid.x; ld.param [x+8]; ld.global [table]; "
      "kk_param_0 k_param_4 k_param_ k_param_0x v1");
}

} // namespace
