//===- OutputComparisonTest.cpp - Whether a program did the same ----------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tool/gmprof/OutputComparison.h"
#include <gtest/gtest.h>

namespace gmprof::host {
namespace {

using Texts = std::vector<std::string>;

OutputComparison compare(const std::vector<RunOutput> &As, const RunOutput &Changed,
                         const std::string &Ignore = "", const Texts &Names = {}) {
  return compareOutputs(As, {Changed}, Ignore, Names);
}

TEST(OutputComparison, TheSame) {
  const OutputComparison C = compare({{3, "a\nb\n", "", {}}}, {3, "a\nb\n", "", {}});
  EXPECT_TRUE(C.same());
  EXPECT_EQ(C.Vary, Texts());
}

TEST(OutputComparison, EachDifferenceIsNamedOnce) {
  const OutputComparison C =
      compare({{0, "a\nb\n", "x\n", {"f"}}}, {1, "a\nc\n", "x\ny\n", {"g"}}, "", {"out.txt"});
  EXPECT_EQ(C.Differences, (Texts{"the exit status is 1, not 0", "line 2 of stdout is 'c', not 'b'",
                                  "stderr has 2 lines, not 1", "out.txt has other contents"}));
}

TEST(OutputComparison, LinesThatVaryByThemselvesAreLeftOut) {
  const OutputComparison C = compare({{0, "sum 1\n3 ms\n", "", {}}, {0, "sum 1\n4 ms\n", "", {}}},
                                     {0, "sum 2\n1 ms\n", "", {}});
  EXPECT_EQ(C.Vary, Texts{"1 of 2 lines of stdout"});
  EXPECT_EQ(C.Differences, Texts{"line 1 of stdout is 'sum 2', not 'sum 1'"});
}

TEST(OutputComparison, VaryingOutputIsNotCompared) {
  const OutputComparison C = compare({{0, "1\n", "", {"a"}}, {0, "1\n2\n", "", {"b"}}},
                                     {0, "7\n", "", {"c"}}, "", {"out"});
  EXPECT_TRUE(C.same());
  EXPECT_EQ(C.Vary, (Texts{"stdout has another number of lines in each run",
                           "out is another one in each run"}));
}

TEST(OutputComparison, IgnoredLinesDoNotCount) {
  EXPECT_TRUE(
      compare({{0, "sum 1\ntime 3\n", "", {}}}, {0, "time 4\nsum 1\n", "", {}}, "^time").same());
}

} // namespace
} // namespace gmprof::host
