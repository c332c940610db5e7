//===- LineSamplingTest.cpp - Tests of line sampling ----------------------===//
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

/// Returns the sampling rate (1 line of this many) for launches with these numbers of requests of
/// Bytes bytes each.
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

// A simulation restarts only when it has simulated twice as much.
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
