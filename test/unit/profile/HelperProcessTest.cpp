//===- HelperProcessTest.cpp - Tests of processes that GMProf starts ------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "profile/HelperProcess.h"
#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

using namespace gmprof;

namespace {

TEST(HelperProcess, AnswersLines) {
  HelperProcess Cat("/bin/cat", {}, HelperProcess::Errors::Discard);
  ASSERT_TRUE(Cat.hasSocket());
  ASSERT_TRUE(Cat.write("one\ntwo\n"));
  EXPECT_EQ(Cat.readLine(), "one");
  EXPECT_EQ(Cat.readLine(), "two");
}

TEST(HelperProcess, LeavesThePipesOfTheProgramAlone) {
  // The program reads a pipe until all have closed it, as it does with the output of a compiler
  // that it has started.
  int Pipe[2];
  ASSERT_EQ(::pipe(Pipe), 0);
  HelperProcess Cat("/bin/cat", {}, HelperProcess::Errors::Discard);
  ::close(Pipe[1]);
  pollfd End = {Pipe[0], POLLIN, 0};
  EXPECT_EQ(::poll(&End, 1, 0), 1);
  EXPECT_EQ(End.revents, POLLHUP);
  ::close(Pipe[0]);
  ASSERT_TRUE(Cat.write("alive\n"));
  EXPECT_EQ(Cat.readLine(), "alive");
}

} // namespace
