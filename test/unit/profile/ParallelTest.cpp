//===- ParallelTest.cpp - Independent work on several cores ---------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "profile/Parallel.h"
#include <gtest/gtest.h>
#include <string>

using namespace gmprof;

TEST(Parallel, TakesResultsInOrder) {
  for (size_t Threads : {1, 2, 8})
    for (size_t Count : {0, 1, 16, 17, 100}) {
      std::string Taken, Expected;
      for (size_t I = 0; I < Count; ++I)
        Expected += std::to_string(I * I) + " ";
      inParallelInOrder<std::string>(
          Count, [](size_t I, std::string &R) { R = std::to_string(I * I) + " "; },
          [&](const std::string &R) { Taken += R; }, Threads);
      EXPECT_EQ(Taken, Expected) << Threads << " threads";
    }
}

namespace {
/// Counts its live instances.
struct Counted {
  static inline std::atomic<int> There = 0, Most = 0;
  Counted() {
    const int Now = ++There;
    for (int Before = Most; Before < Now && !Most.compare_exchange_weak(Before, Now);)
      ;
  }
  ~Counted() { --There; }
};
} // namespace

TEST(Parallel, KeepsFewResultsAtATime) {
  size_t Taken = 0;
  inParallelInOrder<Counted>(1000, [](size_t, Counted &) {}, [&](const Counted &) { ++Taken; });
  EXPECT_EQ(Taken, 1000u);
  EXPECT_EQ(Counted::There, 0);
  EXPECT_EQ(Counted::Most, 16);
}
