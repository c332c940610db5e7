//===- StretchesTest.cpp - Splits large objects among threads -------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/global/Stretches.h"
#include <gtest/gtest.h>
#include <mutex>

using namespace gmprof;
using namespace gmprof::analysis;

namespace {

constexpr uint64_t Window = WindowElements;
using Runs = std::vector<ElementRun>;

TEST(Stretches, AreOfTheWindowsThatAreTouched) {
  EXPECT_EQ(stretchesOf({}, 10 * Window), Runs());
  EXPECT_EQ(stretchesOf({{0, 1}}, 100), (Runs{{0, 100}}));
  // Parts of windows 1 to 3, window 3 again, and the last window, which has five elements.
  EXPECT_EQ(
      stretchesOf({{9 * Window + 2, 1}, {3 * Window, 7}, {Window + 5, 2 * Window}}, 9 * Window + 5),
      (Runs{{Window, 3 * Window}, {9 * Window, 5}}));
  EXPECT_EQ(stretchesOf({{2 * Window + 1, 0}, {5 * Window, 9 * Window}}, 6 * Window),
            (Runs{{5 * Window, Window}})); // an empty run, and elements beyond the object
}

TEST(Stretches, EndWhereTheyWouldWithoutGaps) {
  EXPECT_EQ(stretchesOf({{0, 20 * Window}}, 20 * Window),
            (Runs{{0, 8 * Window}, {8 * Window, 8 * Window}, {16 * Window, 4 * Window}}));
  EXPECT_EQ(stretchesOf({{5 * Window, 6 * Window}}, 20 * Window),
            (Runs{{5 * Window, 3 * Window}, {8 * Window, 3 * Window}}));
}

TEST(Stretches, HaveTheirWindowsInOrder) {
  Runs Seen;
  forEachWindow({3 * Window, 2 * Window + 7},
                [&](uint64_t First, uint64_t Count) { Seen.push_back({First, Count}); });
  EXPECT_EQ(Seen, (Runs{{3 * Window, Window}, {4 * Window, Window}, {5 * Window, 7}}));
}

TEST(Stretches, OnlyLargeObjectsAreForSeveralThreads) {
  const std::vector<uint64_t> Bytes = {1, LargeObject, LargeObject - 1, 2 * LargeObject, 0};
  std::mutex Lock;
  std::vector<size_t> Large, Threads(Bytes.size());
  forEachObject(
      Bytes.size(), 5, [&](size_t I) { return Bytes[I]; },
      [&](size_t I, size_t Of) {
        std::lock_guard<std::mutex> Guard(Lock);
        Threads[I] = Of;
        if (Of != 1)
          Large.push_back(I);
      });
  EXPECT_EQ(Threads, (std::vector<size_t>{1, 5, 1, 5, 1}));
  EXPECT_EQ(Large, (std::vector<size_t>{1, 3}));
}

} // namespace
