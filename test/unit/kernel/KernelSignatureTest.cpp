//===- KernelSignatureTest.cpp - Kernels of a file ------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tool/kernel/KernelSignature.h"
#include <gtest/gtest.h>

using namespace gmprof::kernel;

namespace {

constexpr char Header[] = ".version 8.0\n.target sm_90\n.address_size 64\n";

/// A kernel of Triton has two pointers to scratch memory at its end. What it does not read is not
/// known to be a pointer.
constexpr char Kernels[] = R"(
.visible .entry first(.param .u64 .ptr .global .align 1 x, .param .f32 scale, .param .u32 unused,
                      .param .u64 .ptr .global .align 1 scratch0,
                      .param .u64 .ptr .global .align 1 scratch1)
.reqntid 64, 2
{
  .reg .b64 %rd<2>;
  .reg .f32 %f<2>;
  ld.param.u64 %rd1, [x];
  ld.param.f32 %f1, [scale];
  st.global.f32 [%rd1], %f1;
  ret;
}
.visible .entry second(.param .align 4 .b8 pair[12], .param .u16 count, .param .f64 weight)
{
  .reg .b16 %rs<2>;
  .reg .f64 %d<2>;
  .reg .b32 %r<2>;
  ld.param.u32 %r1, [pair+8];
  ld.param.u16 %rs1, [count];
  ld.param.f64 %d1, [weight];
  st.global.u32 [0], %r1;
  st.global.u16 [8], %rs1;
  st.global.f64 [16], %d1;
  ret;
}
.visible .entry third() { ret; }
)";

} // namespace

TEST(KernelSignature, DescribesParametersAndBlocks) {
  const auto Found = kernelsOf(std::string(Header) + Kernels, "file.ptx");
  ASSERT_TRUE(Found) << Found.error();
  ASSERT_EQ(Found->size(), 3u);
  const KernelSignature &First = (*Found)[0], &Second = (*Found)[1], &Third = (*Found)[2];
  EXPECT_EQ(First.text(), "first(pointer, f32[, i32, i64, i64])");
  EXPECT_EQ(First.leastArguments(), 2u);
  EXPECT_EQ(First.Block, (std::array<unsigned, 3>{64, 2, 1}));
  EXPECT_EQ(Second.text(), "second(struct of 12 bytes, i16, f64)");
  EXPECT_EQ(Second.leastArguments(), 3u);
  EXPECT_FALSE(Second.Block);
  EXPECT_EQ(Third.text(), "third()");
}

TEST(KernelSignature, ErrorsNameTheFile) {
  const auto Found = kernelsOf(std::string(Header) + ".entry k() { ret }", "file.ptx");
  ASSERT_FALSE(Found);
  EXPECT_EQ(Found.error(), "'file.ptx': PTX:4:18: expected an operand, found '}'");
}
