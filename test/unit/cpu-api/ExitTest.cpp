//===- ExitTest.cpp - The end of a program --------------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FakeEngine.h"
#include <cstdlib>

using namespace gmprof::test;

namespace {

class Exit : public Program {
protected:
  Exit() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }

  static inline Exit *Current;

  /// Leaves work behind that only begins to run when the program exits.
  [[noreturn]] void leaveWork() {
    makeBusy(nullptr);
    cudaLaunchHostFunc(nullptr, [](void *) { fputs("finished\n", stderr); }, nullptr);
    Current = this;
    atexit([] { Current->open(); });
    exit(3);
  }
};

} // namespace

TEST_F(Exit, FinishesTheWorkThatIsLeft) {
  EXPECT_EXIT(leaveWork(), testing::ExitedWithCode(3), "^finished\n$");
}
