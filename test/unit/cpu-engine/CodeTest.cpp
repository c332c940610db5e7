//===- CodeTest.cpp - Kinds of device code --------------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Harness.h"

namespace gmprof::cpu {
namespace {

using Loaded = std::variant<std::unique_ptr<Module>, LoadError>;

Loaded load(const std::vector<std::string> &Texts) {
  std::vector<std::span<const char>> Code(Texts.begin(), Texts.end());
  return Module::load(Code, "prog");
}

std::string errorOf(const std::vector<std::string> &Texts) {
  Loaded L = load(Texts);
  auto *Error = std::get_if<LoadError>(&L);
  return Error ? Error->Message : "no error";
}

constexpr char Header[] = "// A comment comes first.\n"
                          ".version 8.0\n"
                          ".target sm_90\n"
                          ".address_size 64\n";

/// out[i] = 3 * i + bias for the thread i, with `bias` a variable of the module.
constexpr char Scale[] = R"(
.visible .global .align 4 .u32 bias = 100;
.visible .entry scale(.param .u64 .ptr .global .align 4 out, .param .u32 n)
{
  .reg .pred %p<2>;
  .reg .b32 %r<8>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [out];
  ld.param.u32 %r1, [n];
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mov.u32 %r4, %tid.x;
  mad.lo.s32 %r5, %r2, %r3, %r4;
  setp.ge.s32 %p1, %r5, %r1;
  @%p1 bra DONE;
  ld.global.u32 %r6, [bias];
  mad.lo.s32 %r7, %r5, 3, %r6;
  cvta.to.global.u64 %rd2, %rd1;
  mad.wide.s32 %rd3, %r5, 4, %rd2;
  st.global.u32 [%rd3], %r7;
DONE:
  ret;
}
)";

constexpr char Ir[] = R"(; LLVM IR, as Triton writes it: without target
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
define ptx_kernel void @index(ptr addrspace(1) %out) {
  %i = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr i32, ptr addrspace(1) %out, i32 %i
  store i32 %i, ptr addrspace(1) %p
  ret void
}
)";

} // namespace

TEST(Code, PtxIsLifted) {
  Loaded L = load({std::string(Header) + Scale});
  ASSERT_EQ(L.index(), 0u) << std::get<LoadError>(L).Message;
  Module &M = *std::get<0>(L);
  EXPECT_EQ(M.kernels(), std::vector<std::string>{"scale"});
  const KernelInfo *Info = M.kernel("scale");
  ASSERT_NE(Info, nullptr);
  ASSERT_EQ(Info->Params.size(), 2u);
  EXPECT_EQ(Info->Params[0].Bytes, 8u);
  EXPECT_EQ(Info->Params[1].Offset, 8u);
  EXPECT_EQ(Info->Params[1].Bytes, 4u);
  const GlobalInfo *Bias = M.global("bias");
  ASSERT_NE(Bias, nullptr);
  EXPECT_EQ(*static_cast<int *>(Bias->Address), 100);
  *static_cast<int *>(Bias->Address) = 1000;

  std::vector<int> Out(6, -1);
  auto Result = launch(M, "scale", config({3}, {2}), OneAllocation(), Out.data(), 5);
  EXPECT_EQ(Result.index(), 0u);
  EXPECT_EQ(Out, (std::vector<int>{1000, 1003, 1006, 1009, 1012, -1}));
}

TEST(Code, LlvmIrIsParsed) {
  Loaded L = load({Ir});
  ASSERT_EQ(L.index(), 0u) << std::get<LoadError>(L).Message;
  std::vector<int> Out(3, -1);
  auto Result = launch(*std::get<0>(L), "index", config({1}, {3}), OneAllocation(), Out.data());
  EXPECT_EQ(Result.index(), 0u);
  EXPECT_EQ(Out, (std::vector<int>{0, 1, 2}));
}

// Translation units of relocatable device code.
TEST(Code, FilesOfPtxAreLinked) {
  const std::string Callee = std::string(Header) + R"(
.visible .func (.param .b32 result) twice(.param .b32 x)
{
  .reg .b32 %r<3>;
  ld.param.u32 %r1, [x];
  add.s32 %r2, %r1, %r1;
  st.param.b32 [result], %r2;
  ret;
}
)";
  const std::string Caller = std::string(Header) + R"(
.extern .func (.param .b32 result) twice(.param .b32 x);
.visible .entry call(.param .u64 out, .param .u32 value)
{
  .reg .b32 %r<3>;
  .reg .b64 %rd<3>;
  ld.param.u64 %rd1, [out];
  cvta.to.global.u64 %rd2, %rd1;
  ld.param.u32 %r1, [value];
  {
  .param .b32 param0;
  st.param.b32 [param0], %r1;
  .param .b32 retval0;
  call.uni (retval0), twice, (param0);
  ld.param.b32 %r2, [retval0];
  }
  st.global.u32 [%rd2], %r2;
  ret;
}
)";
  Loaded L = load({Caller, Callee});
  ASSERT_EQ(L.index(), 0u) << std::get<LoadError>(L).Message;
  int Out = 0;
  auto Result = launch(*std::get<0>(L), "call", config({1}, {1}), OneAllocation(), &Out, 21);
  EXPECT_EQ(Result.index(), 0u);
  EXPECT_EQ(Out, 42);
}

TEST(Code, InvalidCodeIsAnError) {
  EXPECT_EQ(errorOf({std::string(Header) + ".entry k() { ret }"}),
            "prog: PTX:5:18: expected an operand, found '}'");
  EXPECT_EQ(errorOf({"no code"}), "prog: device code is neither bitcode, PTX nor LLVM IR (line 1: "
                                  "expected top-level entity)");
  EXPECT_EQ(errorOf({"target triple = \"x86_64-linux-gnu\""}),
            "prog: device code is for 'x86_64-linux-gnu', not nvptx64; rebuild the program with "
            "gmprof-clang++");
  EXPECT_EQ(errorOf({}), "prog: there is no device code");
}

} // namespace gmprof::cpu
