//===- CacheProfileTest.cpp - Simulating the trace of a run ---------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/CacheProfile.h"
#include "../TemporaryFolder.h"
#include "../cache/LayerTrace.h"
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>

using namespace gmprof;
using namespace gmprof::cache;
using namespace gmprof::test;

namespace {

class CacheProfileTest : public ::testing::Test {
protected:
  static std::string contents(const std::string &Path) {
    std::ostringstream Text;
    Text << std::ifstream(Path, std::ios::binary).rdbuf();
    return Text.str();
  }
  static void append(const std::string &Path, std::string_view Bytes) {
    std::ofstream(Path, std::ios::binary | std::ios::app)
        .write(Bytes.data(), static_cast<std::streamsize>(Bytes.size()));
  }
  /// Of writeLayerTrace().
  static void expectLayer(const std::optional<CacheProfile> &Made) {
    ASSERT_TRUE(Made);
    EXPECT_EQ(Made->Problem, "");
    EXPECT_TRUE(Made->Results.Complete);
    ASSERT_EQ(Made->Results.Launches.size(), 2U);
    AccessCounts Sums[2];
    for (const Cell &C : Made->Results.Cells)
      Sums[C.Launch] += C.Counts;
    EXPECT_EQ(Sums[0].Sectors, 262144U + 256U);
    EXPECT_EQ(Sums[0].FetchedAgain, 229376U);
    EXPECT_EQ(Sums[1].Sectors, 2 * 256U);
    EXPECT_EQ(Sums[1].FetchedAgain, 0U);
  }

  const TemporaryFolder Folder;
  const std::string Path = Folder.file("t.gmtrace"), Growing = Folder.file("g.gmtrace");
  const std::atomic<bool> Ended = true, Runs = false;
};

TEST_F(CacheProfileTest, OneOfHowManyLines) {
  EXPECT_EQ(linesSampledFor(0), 1u);
  EXPECT_EQ(linesSampledFor(uint64_t(1) << 21), 1u);
  EXPECT_EQ(linesSampledFor((uint64_t(1) << 21) + 1), 2u);
  EXPECT_EQ(linesSampledFor(uint64_t(1) << 25), 16u);
  EXPECT_EQ(linesSampledFor(~uint64_t(0)), 64u);
}

// Wherever what has been written ends.
TEST_F(CacheProfileTest, WhileItIsWritten) {
  ASSERT_TRUE(writeLayerTrace(Path));
  expectLayer(CacheSimulation(Path).finish());
  const std::string All = contents(Path);
  CacheSimulation Simulation(Growing);
  Simulation.follow(Runs);
  for (size_t At = 0; At < All.size(); At += 97) {
    append(Growing, std::string_view(All).substr(At, 97));
    Simulation.follow(Runs);
  }
  expectLayer(Simulation.finish());
}

// What has been simulated is not read again: it could not be.
TEST_F(CacheProfileTest, LaunchesThatHaveEnded) {
  ASSERT_TRUE(writeLayerTrace(Path));
  CacheSimulation Simulation(Path);
  Simulation.follow(Ended);
  Simulation.follow(Runs);
  const auto Size = static_cast<std::streamoff>(std::filesystem::file_size(Path));
  std::fstream(Path, std::ios::binary | std::ios::in | std::ios::out) << std::string(Size, 'x');
  expectLayer(Simulation.finish());
  EXPECT_NE(CacheSimulation(Path).finish()->Problem, "");
}

TEST_F(CacheProfileTest, OfAProgramThatWasKilled) {
  ASSERT_TRUE(writeLayerTrace(Path));
  const std::string All = contents(Path);
  CacheSimulation Simulation(Growing);
  append(Growing, std::string_view(All).substr(0, All.size() - 1));
  Simulation.follow(Runs);
  const std::optional<CacheProfile> Made = Simulation.finish();
  ASSERT_TRUE(Made);
  EXPECT_EQ(Made->Problem, "");
  EXPECT_FALSE(Made->Results.Complete);
  EXPECT_EQ(Made->Results.Launches.size(), 2U);
}

TEST_F(CacheProfileTest, Nothing) {
  CacheSimulation Simulation(Growing);
  Simulation.follow(Runs);
  EXPECT_FALSE(Simulation.finish());
  append(Growing, "GMTR");
  Simulation.follow(Runs);
  EXPECT_EQ(Simulation.finish()->Problem, "'" + Growing + "' is no trace of memory accesses");
}

TEST_F(CacheProfileTest, DamagedOnTheWay) {
  ASSERT_TRUE(writeLayerTrace(Path));
  std::string All = contents(Path);
  All[All.size() / 2] = static_cast<char>(All[All.size() / 2] ^ 1);
  append(Growing, All);
  CacheSimulation Simulation(Growing);
  Simulation.follow(Runs);
  Simulation.follow(Runs);
  EXPECT_EQ(Simulation.finish()->Problem, "'" + Growing + "' is damaged: make it again");
}

// Where it has more requests than all lines are simulated of, half of them are, of the first launch
// as well.
TEST_F(CacheProfileTest, GrowsBeyondWhatIsSimulatedWhole) {
  constexpr uint64_t Whole = uint64_t(1) << 21;
  auto W = TraceWriter::create(Path, {"sm_90", "", 0, 0, 0});
  ASSERT_TRUE(W);
  (*W)->addKernel({"k", false});
  (*W)->addSite({0, "k.cu", 1, "", {}});
  Request R;
  R.Affine = true;
  R.Addresses[0] = 0x100000;
  const std::vector<Request> Many(Whole / 1024, R);
  CacheSimulation Simulation(Path);
  (*W)->beginLaunch({});
  for (unsigned I = 0; I < 1024; ++I)
    (*W)->add(0, Many);
  (*W)->endLaunch();
  Simulation.follow(Runs);
  (*W)->beginLaunch({});
  (*W)->add(0, {&R, 1});
  (*W)->endLaunch();
  Simulation.follow(Runs);
  ASSERT_TRUE((*W)->finish());
  const std::optional<CacheProfile> Made = Simulation.finish();
  ASSERT_TRUE(Made);
  EXPECT_EQ(Made->Results.Options.Sampled, 2U);
  ASSERT_EQ(Made->Results.Cells.size(), 2U);
  EXPECT_EQ(Made->Results.Cells[0].Counts.Requests, Whole);
  EXPECT_EQ(Made->Results.Cells[1].Counts.Requests, 1U);
}

} // namespace
