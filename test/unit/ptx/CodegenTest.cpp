//===- CodegenTest.cpp - From LLVM IR to PTX -----------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ptx/Codegen.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SourceMgr.h"

#include <gtest/gtest.h>

using namespace gmprof;
using namespace llvm;

namespace {

/// Copies an array.
constexpr char Copy[] = R"(
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"
define ptx_kernel void @copy(ptr addrspace(1) %out, ptr addrspace(1) %in, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %at = zext i32 %i to i64
  %from = getelementptr inbounds float, ptr addrspace(1) %in, i64 %at
  %v = load float, ptr addrspace(1) %from
  %to = getelementptr inbounds float, ptr addrspace(1) %out, i64 %at
  store float %v, ptr addrspace(1) %to
  %next = add nuw nsw i32 %i, 1
  %done = icmp eq i32 %next, %n
  br i1 %done, label %end, label %loop
end:
  ret void
})";

/// Loads a value before a branch and uses it behind.
constexpr char Guarded[] = R"(
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"
define ptx_kernel void @guarded(ptr addrspace(1) %out, ptr addrspace(1) %in, i32 %n) {
entry:
  %v = load float, ptr addrspace(1) %in
  %positive = icmp sgt i32 %n, 0
  br i1 %positive, label %use, label %end
use:
  store float %v, ptr addrspace(1) %out
  br label %end
end:
  ret void
})";

/// Returns the PTX of a module.
std::string generate(const char *Module, bool MovesCode) {
  LLVMContext Context;
  SMDiagnostic Problem;
  const std::unique_ptr<llvm::Module> M = parseAssemblyString(Module, Problem, Context);
  ptx::CodegenTarget Target;
  Target.Architecture = "sm_90";
  Target.Version = 85;
  Target.MovesCode = MovesCode;
  Expected<std::string> Text = ptx::generate(*M, Target);
  return Text ? *Text : toString(Text.takeError());
}

TEST(Codegen, ReducesLoopsOfLlvmIrAndLeavesThoseOfPtx) {
  // With reduction, the loop adds 4 to both addresses. The option must hold for one call
  // only.
  for (const bool Moves : {true, false, true}) {
    const std::string Ptx = generate(Copy, Moves);
    const std::string Loop = Ptx.substr(Ptx.find("$L__BB0_1:"));
    EXPECT_NE(Loop.find("st.global"), std::string::npos) << Ptx;
    EXPECT_EQ(Loop.find("mul") == std::string::npos, Moves) << Ptx;
  }
}

TEST(Codegen, SinksLoadsOfLlvmIrAndLeavesThoseOfPtx) {
  for (const bool Moves : {true, false, true}) {
    const std::string Ptx = generate(Guarded, Moves);
    EXPECT_EQ(Ptx.find("ld.global") > Ptx.find("bra"), Moves) << Ptx;
  }
}

} // namespace
