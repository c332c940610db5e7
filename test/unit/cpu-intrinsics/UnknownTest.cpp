//===- UnknownTest.cpp - Intrinsics that are not supported ----------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Harness.h"

#include "gtest/gtest.h"

using namespace gmprof::cpu::test;

namespace {

TEST(Unknown, InstructionIsNamed) {
  EXPECT_EQ(intrinsic("txq.width").Error, "intrinsic llvm.nvvm.txq.width");
  EXPECT_EQ(intrinsic("ff2f16x2.rs").Error, "intrinsic llvm.nvvm.ff2f16x2.rs");
}

} // namespace
