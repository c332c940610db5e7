//===- RacesTest.cpp - Tests of race detection ----------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Harness.h"

#include <cstdlib>
#include <gmock/gmock.h>
#include <regex>

namespace gmprof::cpu {
namespace {

class RacesTest : public EngineTest {
protected:
  RacesTest() {
    setenv("GMPROF_CPU_RACES", "1", 1);
    // Each pair of places is reported once per process, so every test loads its own module.
    Watched = load("races");
  }
  ~RacesTest() override { unsetenv("GMPROF_CPU_RACES"); }

  /// Returns the output of a launch without addresses, which differ from run to run.
  template <class... Args>
  std::string races(const char *Kernel, const LaunchConfig &Config, Args... Values) {
    testing::internal::CaptureStderr();
    run(*Watched, Kernel, Config, Values...);
    const std::string Text = testing::internal::GetCapturedStderr();
    return std::regex_replace(std::regex_replace(Text, std::regex("0x[0-9a-f]+"), "0x…"),
                              std::regex("[^ ]*/races"), "races");
  }

  std::unique_ptr<Module> Watched;
};

GMPROF_ENGINE_TESTS(RacesTest, "O0", "O2");

TEST_P(RacesTest, ThreadsThatUpdateTheSameElement) {
  std::vector<int> Sums(32);
  const std::string By = " by thread (0,0,0), races.cu:6: nothing orders them\n";
  const std::string Now = "gmprof: race in kernel sameElement, block (0,0,0), thread (0,1,0), "
                          "races.cu:6: ";
  EXPECT_EQ(races("sameElement", config({1}, {32, 2}), Sums.data()),
            Now + "a load of global memory at 0x…, and a store" + By);
  EXPECT_EQ(Sums, std::vector<int>(32, 2));
  EXPECT_EQ(races("sameElement", config({1}, {32, 2}), Sums.data()), ""); // already reported
}

TEST_P(RacesTest, ARaceFailsTheLaunch) {
  setenv("GMPROF_CPU_RACES", "fail", 1);
  std::vector<int> Sums(32);
  testing::internal::CaptureStderr();
  const Fault F =
      fault(*Watched, "sameElement", config({1}, {32, 2}), OneAllocation(), Sums.data());
  EXPECT_EQ(testing::internal::GetCapturedStderr().rfind("gmprof: race in kernel sameElement", 0),
            0u);
  EXPECT_EQ(F.Kind, FaultKind::Trap);
  EXPECT_EQ(F.Message, "kernel sameElement failed because of its races (GMPROF_CPU_RACES=fail)");
}

TEST_P(RacesTest, ABarrierOrdersThreads) {
  std::vector<int> Out(64);
  EXPECT_EQ(races("reverse", config({1}, {64}), Out.data(), 1), "");
  EXPECT_EQ(races("rounds", config({1}, {64}), Out.data(), 1), "");
}

// Warp 1 runs after warp 0, whose last thread has read warp 1's first element.
TEST_P(RacesTest, ThreadsThatReadWithoutABarrier) {
  std::vector<int> Out(64);
  EXPECT_EQ(
      races("reverse", config({1}, {64}), Out.data(), 0),
      "gmprof: race in kernel reverse, block (0,0,0), thread (32,0,0), races.cu:10: a store "
      "to shared memory, byte 128, and a load by thread (31,0,0), races.cu:13: nothing orders "
      "them\n");
}

// Warp 0 has written its elements of the second round when warp 1 reads those of the first.
TEST_P(RacesTest, ThreadsThatOverwriteWithoutABarrier) {
  std::vector<int> Out(64);
  EXPECT_EQ(races("rounds", config({1}, {64}), Out.data(), 0),
            "gmprof: race in kernel rounds, block (0,0,0), thread (32,0,0), races.cu:22: a load of "
            "shared memory, byte 124, and a store by thread (31,0,0), races.cu:20: nothing orders "
            "them\n");
}

TEST_P(RacesTest, AnOperationOfTheWarpOrdersItsLanes) {
  std::vector<int> Out(32);
  EXPECT_EQ(races("withinWarp", config({1}, {32}), Out.data(), 1), "");
  EXPECT_EQ(races("withinWarp", config({1}, {32}), Out.data(), 0),
            "gmprof: race in kernel withinWarp, block (0,0,0), thread (16,0,0), races.cu:30: a "
            "store to shared memory, byte 64, and a load by thread (15,0,0), races.cu:33: nothing "
            "orders them\n");
}

TEST_P(RacesTest, BytesOfAWordAreIndependent) {
  std::vector<char> Out(64);
  EXPECT_EQ(races("bytes", config({1}, {64}), Out.data()), "");
}

TEST_P(RacesTest, AtomicAccessesAreNone) {
  int Sum = 0;
  EXPECT_EQ(races("total", config({4}, {64}), &Sum), "");
  EXPECT_EQ(Sum, 256);
  // An atomic store races with a plain one.
  EXPECT_THAT(races("mixed", config({1}, {64}), &Sum),
              testing::EndsWith(" an atomic or volatile store to global memory at 0x…, and a store "
                                "by thread (0,0,0), races.cu:42: nothing orders them\n"));
}

TEST_P(RacesTest, BlocksAreInNoOrder) {
  std::vector<int> Out(5);
  EXPECT_EQ(
      races("otherBlock", config({4}, {64}), Out.data()),
      "gmprof: race in kernel otherBlock, block (1,0,0), thread (0,0,0), races.cu:49: a store "
      "to global memory at 0x…, and a load by thread (0,0,0) of block (0,0,0), races.cu:49: "
      "nothing orders them\n");
}

TEST_P(RacesTest, ABlockMayWaitForOthersByAtomicAccesses) {
  std::vector<int> Parts(8);
  unsigned Ticket = 0;
  int Sum = 0;
  EXPECT_EQ(races("lastBlock", config({8}, {64}), Parts.data(), &Ticket, &Sum), "");
  EXPECT_EQ(Sum, 28);
}

TEST_P(RacesTest, DetectionIsOptional) {
  unsetenv("GMPROF_CPU_RACES");
  Watched = load("races");
  std::vector<int> Sums(32);
  EXPECT_EQ(races("sameElement", config({1}, {32, 2}), Sums.data()), "");
}

} // namespace
} // namespace gmprof::cpu
