//===- TraceSimulationTest.cpp - Simulation of trace files ----------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cache/TraceSimulation.h"
#include "TraceFileTest.h"
#include "TraceLaunches.h"

using namespace gmprof;
using namespace gmprof::cache;

namespace {

// Compares the simulated trace with a simulator given the same requests, for several thread counts.
TEST_F(TraceFile, SimulatesItsRequests) {
  write();
  const Result<Architecture> Gpu = readArchitecture("sm_90");
  ASSERT_TRUE(Gpu);
  Simulator Direct(*Gpu, {});
  Direct.allocate({7, "a", 0x7f0000000000, 0x10000});
  TraceLaunch Launch;
  Launch.SharedBytes = 100;
  Launch.BlocksPerSm = 4;
  Launch.LocalBytesPerThread = 16;
  Direct.beginLaunch(Launch);
  Direct.add(1, everything());
  Direct.add(0, std::vector{everything()[0]});
  Direct.endLaunch();
  const SimulationResults Expected = Direct.finish();
  for (unsigned Threads : {1U, 3U}) {
    SimulationOptions Options;
    Options.Threads = Threads;
    const Result<SimulationResults> R = simulateTrace(Path, *Gpu, Options);
    ASSERT_TRUE(R) << R.error();
    ASSERT_EQ(R->Cells.size(), Expected.Cells.size());
    for (size_t I = 0; I < Expected.Cells.size(); ++I) {
      EXPECT_EQ(R->Cells[I].Site, Expected.Cells[I].Site);
      EXPECT_EQ(R->Cells[I].Object, Expected.Cells[I].Object);
      EXPECT_EQ(R->Cells[I].Counts, Expected.Cells[I].Counts);
    }
    EXPECT_EQ(R->Launches.size(), 2U);
    EXPECT_EQ(R->Launches[0].SharedKb, 8U);
    EXPECT_EQ(R->DirtySectors, Expected.DirtySectors);
  }
  overwrite(contents().substr(0, 300));
  EXPECT_FALSE(simulateTrace(Path, *Gpu, {}));
}

TEST(TraceSimulation, FewRequestsTakeFewThreads) {
  const auto Threads = [](uint64_t Requests, unsigned Most) {
    return simulatingThreads({Requests, 2 * Requests}, Most);
  };
  EXPECT_EQ(Threads(0, 16), 1u);
  EXPECT_EQ(Threads(uint64_t(1) << 18, 16), 4u);
  EXPECT_EQ(Threads(uint64_t(1) << 20, 2), 2u);
  EXPECT_EQ(Threads(uint64_t(1) << 30, 16), 16u);
  EXPECT_EQ(Threads(uint64_t(1) << 30, 0), 1u);
  EXPECT_EQ(simulatingThreads({uint64_t(1) << 18, uint64_t(1) << 24}, 64), 32u);
}

// A pool that was limited to fewer threads, and one with fewer threads than the options ask for.
TEST_F(TraceFile, SimulationUsesGivenThreads) {
  const auto Gpu = readArchitecture("sm_90");
  ASSERT_TRUE(Gpu);
  const std::unique_ptr<TraceWriter> W = writerOfOneSite();
  ASSERT_TRUE(W);
  for (unsigned Launch = 0; Launch < 2; ++Launch) {
    W->beginLaunch({});
    for (uint32_t Sm = 0; Sm < 4; ++Sm) {
      Request R; // to one line, repeatedly
      R.Affine = true;
      R.Stride = 4;
      R.Addresses[0] = uint64_t(0x1000) * Sm;
      W->add(Sm, std::vector<Request>(50000, R));
    }
    W->endLaunch();
  }
  ASSERT_TRUE(W->finish());
  const auto Pool = std::make_shared<gmprof::Workers>(3);
  Pool->allow(1);
  for (const unsigned Threads : {2U, 3U, 8U}) {
    SimulationOptions Options;
    Options.Threads = Threads;
    const auto S = TraceSimulation::open(Path, *Gpu, Options, /*Grows=*/false, Pool);
    ASSERT_TRUE(S);
    const Result<SimulationResults> R = (*S)->all();
    ASSERT_TRUE(R) << R.error();
    ASSERT_EQ(R->Cells.size(), 2U);
    for (const Cell &Each : R->Cells) {
      EXPECT_EQ(Each.Counts.Requests, 200000U);
      EXPECT_EQ(Each.Counts.L1Lookups, 800000U); // sectors
      EXPECT_EQ(Each.Counts.L1Hits, 800000U - 4 * 4);
    }
    EXPECT_EQ(Pool->most(), std::min(Threads, 3U));
  }
}

TEST_F(TraceFile, SimulationFollowsAGrowingFile) {
  using Place = TraceSimulation::Place;
  const auto Gpu = readArchitecture("sm_90");
  ASSERT_TRUE(Gpu);
  const std::unique_ptr<TraceWriter> W = writerOfOneSite();
  ASSERT_TRUE(W);
  test::addLaunch(*W, 10000); // more than a chunk
  SimulationOptions Options;
  Options.AcceptsIncomplete = true;
  const auto S = TraceSimulation::open(Path, *Gpu, Options, /*Grows=*/true);
  ASSERT_TRUE(S);
  const auto Advance = [&] {
    const Result<Place> At = (*S)->advance();
    EXPECT_TRUE(At) << At.error();
    return At ? *At : Place::End;
  };
  EXPECT_EQ(Advance(), Place::LaunchEnd);
  EXPECT_EQ(Advance(), Place::Pause);
  EXPECT_EQ(Advance(), Place::Pause);
  test::addLaunch(*W, 5);
  test::addLaunch(*W, 7);
  EXPECT_EQ(Advance(), Place::LaunchEnd);
  EXPECT_EQ(Advance(), Place::LaunchEnd);
  EXPECT_EQ(Advance(), Place::Pause);
  ASSERT_TRUE(W->finish());
  EXPECT_EQ(Advance(), Place::End);
  EXPECT_EQ(Advance(), Place::End);
  const SimulationResults Grown = (*S)->finish();
  EXPECT_TRUE(Grown.Complete);
  const Result<SimulationResults> Whole = simulateTrace(Path, *Gpu, Options);
  ASSERT_TRUE(Whole);
  ASSERT_EQ(Grown.Cells.size(), 3U);
  ASSERT_EQ(Whole->Cells.size(), 3U);
  const std::array<uint64_t, 3> Requests = {10000, 5, 7};
  for (size_t I = 0; I < 3; ++I) {
    EXPECT_EQ(Grown.Cells[I].Counts.Requests, Requests[I]);
    EXPECT_EQ(Grown.Cells[I].Counts, Whole->Cells[I].Counts);
  }
}

// An H100 has 80 of an H200's 96 slices.
TEST_F(TraceFile, TheGpuItWasMadeOn) {
  const Result<Architecture> H100 = architectureOf({"sm_90", "NVIDIA H100", 114, 64, 51200});
  ASSERT_TRUE(H100);
  EXPECT_EQ(H100->Sms, 114U);
  EXPECT_EQ(H100->L2.Kb, 51200U);
  EXPECT_EQ(H100->L2.Slices, 40U);
  EXPECT_FALSE(architectureOf({"sm_35", "", 0, 0, 0}));
}

} // namespace
