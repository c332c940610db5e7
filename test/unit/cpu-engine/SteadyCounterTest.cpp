//===- SteadyCounterTest.cpp - Tests of monotonic counters ----------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cpu/engine/SteadyCounter.h"
#include <gtest/gtest.h>

using namespace gmprof::cpu;

TEST(SteadyCounter, Increases) {
  SteadyCounter C;
  EXPECT_EQ(C.read(100), 100U);
  EXPECT_EQ(C.read(100), 101U);
  EXPECT_EQ(C.read(90), 102U); // of another processor, whose counter is behind
  EXPECT_EQ(C.read(200), 200U);
}
