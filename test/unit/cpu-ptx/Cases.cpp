//===- Cases.cpp - Executes PTX instructions ------------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Cases.h"

#include "gtest/gtest.h"

namespace gmprof::cpu::test {

void check(std::initializer_list<Case> Cases) {
  for (const Case &C : Cases) {
    Compiled F = ptx(C.Text, C.Constraints);
    EXPECT_EQ(F.Error, "") << C.Text;
    if (F.Error.empty()) {
      EXPECT_EQ(F(C.Args), C.Expected) << C.Text;
    }
    // The CPU device does not flush denormals of LLVM's instructions.
    if (std::string_view(C.Text).find(".ftz") != std::string_view::npos)
      continue;
    Compiled Lifted = lifted(C.Text, C.Constraints);
    EXPECT_EQ(Lifted.Error, "") << C.Text;
    if (Lifted.Error.empty()) {
      EXPECT_EQ(Lifted(C.Args), C.Expected) << "through the PTX reader: " << C.Text;
    }
  }
}

} // namespace gmprof::cpu::test
