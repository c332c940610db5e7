//===- LineSamplingTest.cpp - How many lines are simulated ----------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/builder/LineSampling.h"
#include <algorithm>
#include <gtest/gtest.h>
#include <vector>

namespace gmprof {
namespace {

/// One of how many lines is simulated of launches with so many requests of so many bytes each.
uint32_t linesSampledOf(const std::vector<uint64_t> &Launches, uint64_t Bytes = 2) {
  constexpr uint64_t OfChunk = 1024;
  LineSampling Sampling;
  for (const uint64_t Requests : Launches) {
    for (uint64_t Left = Requests; Left != 0;) {
      const uint64_t Count = std::min(Left, OfChunk);
      Sampling.add(cache::RequestChunk{0, static_cast<uint32_t>(Count),
                                       static_cast<uint32_t>(Count * Bytes), 0, 0, 0});
      Left -= Count;
    }
    Sampling.add(cache::TraceLaunchEnd{});
  }
  return Sampling.lines();
}

constexpr uint64_t Enough = uint64_t(1) << 21;

TEST(LineSampling, LongTracesAreSampled) {
  EXPECT_EQ(linesSampledOf({}), 1u);
  EXPECT_EQ(linesSampledOf({Enough}), 1u);
  EXPECT_EQ(linesSampledOf({Enough + 1}), 2u);
  EXPECT_EQ(linesSampledOf({16 * Enough}), 16u);
  EXPECT_EQ(linesSampledOf({16 * Enough + 1}), 32u);
  EXPECT_EQ(linesSampledOf({200 * Enough}), 64u);
}

// Twice as much is simulated then, before a simulation would begin anew.
TEST(LineSampling, FurtherLaunchesAreSampledLater) {
  EXPECT_EQ(linesSampledOf({Enough, Enough}), 1u);
  EXPECT_EQ(linesSampledOf({Enough, Enough + 1}), 4u);
  EXPECT_EQ(linesSampledOf({Enough + 1, 3 * Enough - 1}), 2u);
  EXPECT_EQ(linesSampledOf({Enough + 1, 3 * Enough + 1}), 8u);
}

// A gathered request of 104 bytes counts as 13.
TEST(LineSampling, GathersAreSampledSooner) {
  EXPECT_EQ(linesSampledOf({Enough / 13}, 104), 1u);
  EXPECT_EQ(linesSampledOf({Enough / 13 + 1}, 104), 2u);
  EXPECT_EQ(linesSampledOf({uint64_t(1) << 20}, 104), 8u);
}

} // namespace
} // namespace gmprof
