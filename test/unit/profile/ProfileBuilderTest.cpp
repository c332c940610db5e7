//===- ProfileBuilderTest.cpp - Builds profiles from event logs -----------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "profile/ProfileBuilder.h"
#include "TestLog.h"
#include "profile/Demangle.h"
#include "profile/LaunchModes.h"
#include <cmath>
#include <gtest/gtest.h>
#include <tuple>

using namespace gmprof;
using namespace gmprof::test;

namespace {

Result<profile::Profile> build(const std::vector<std::byte> &Bytes) {
  auto Reader = EventLogReader::create(Bytes, "log");
  if (!Reader)
    return Error{Reader.error()};
  return buildProfile(*Reader, "log");
}

std::vector<std::byte> descriptor() {
  DescriptorWriter D("_Z1kPf");
  D.variable("tile", "float[2]", 4, 8);
  return D.bytes();
}

LogBytes::Counts counts() {
  LogBytes::Counts C;
  C.Sums = {5, 6};
  C.Capped = {0, 1};
  C.Addresses = {1024};
  return C;
}

/// A log with one record of every kind.
LogBytes example() {
  LogBytes Log;
  Log.run();
  Log.device();
  Log.kernel(1, "_Z1kPf", descriptor(), 8);
  Log.launch(1, 1, 1, 1, 32);
  Log.launchForms(1, log::LaunchMode::Heat, 2);
  Log.launchTime(1, 500);
  Log.counts(counts());
  Log.json(log::RecordKind::Gap, R"({"id": 3, "what": "launches", "reason": "why", "count": 0})");
  Log.launch(2, 1, 0, 1, 32, log::LaunchMode::Refused, 0, 3);
  Log.json(log::RecordKind::Gap, R"({"what": "records", "reason": "disk full", "count": 2})");
  Log.graph(1, {1});
  Log.graphLaunch(1);
  Log.end(3);
  return Log;
}

} // namespace

TEST(ProfileBuilderTest, BuildsTheWholeRun) {
  auto P = build(example().Bytes);
  ASSERT_TRUE(P) << P.error();
  EXPECT_EQ(P->TheRun.Command, (std::vector<std::string>{"./app", "64"}));
  EXPECT_EQ(P->TheRun.Host, "node1");
  EXPECT_EQ(P->TheRun.Pid, 42);
  EXPECT_EQ(P->TheRun.DeviceKind, "cpu");
  EXPECT_EQ(P->TheRun.SteadyEndNs - P->TheRun.SteadyStartNs, 500000000u);
  EXPECT_EQ(P->TheRun.ExitStatus, 3);
  EXPECT_TRUE(P->TheRun.Ended);
  EXPECT_FALSE(P->TheRun.Truncated);
  ASSERT_EQ(P->Devices.size(), 1u);
  EXPECT_EQ(P->Devices[0].SharedBytesPerSm, 233472u);
  ASSERT_EQ(P->Kernels.size(), 1u);
  EXPECT_EQ(P->Kernels[0].Demangled, "k(float*)");
  EXPECT_EQ(P->Kernels[0].StaticSharedBytes, 8u);
  EXPECT_EQ(P->Kernels[0].Reason, "");
  ASSERT_TRUE(P->Kernels[0].Desc);
  ASSERT_EQ(P->Launches.size(), 2u);
  EXPECT_EQ(P->Launches[0].Mode, log::LaunchMode::Shared);
  EXPECT_EQ(P->Launches[1].Reason, "why");
  ASSERT_EQ(P->Shared.size(), 1u);
  EXPECT_EQ(P->Shared[0].Sums, (std::vector<uint64_t>{5, 6}));
  EXPECT_EQ(P->Shared[0].Capped, (std::vector<uint32_t>{0, 1}));
  EXPECT_EQ(P->Shared[0].Addresses, (std::vector<uint32_t>{1024}));
  ASSERT_EQ(P->Gaps.size(), 1u);
  EXPECT_EQ(P->Gaps[0].What, "records");
  EXPECT_EQ(P->Gaps[0].Count, 2u);
}

TEST(ProfileBuilderTest, RecordsOfOneContextAddUp) {
  LogBytes Log;
  Log.run();
  Log.kernel(1, "_Z1kPf", descriptor());
  Log.counts(counts());
  Log.counts(counts());
  auto P = build(Log.Bytes);
  ASSERT_TRUE(P);
  ASSERT_EQ(P->Shared.size(), 1u);
  EXPECT_EQ(P->Shared[0].Sums, (std::vector<uint64_t>{10, 12}));
  EXPECT_EQ(P->Shared[0].Capped, (std::vector<uint32_t>{0, 2}));
  EXPECT_EQ(P->Shared[0].Blocks, 2u);
  EXPECT_EQ(P->Shared[0].Threads, 64u);
}

TEST(ProfileBuilderTest, DemangledNamesAreThoseOfTheSource) {
  EXPECT_EQ(demangle("_Z1kPf"), "k(float*)");
  EXPECT_EQ(demangle("k"), "k");
  // Static kernels with relocatable device code.
  EXPECT_EQ(demangle("_ZL1kIiEvPT___intern__9b34def5fe960a22"), "void k<int>(int*)");
  EXPECT_EQ(demangle("_ZL4samePi__static__52b9f56ec9413ea"), "same(int*)");
  EXPECT_EQ(demangle("_Z10__intern__v"), "__intern__()");
  EXPECT_EQ(demangle("__static__12"), "__static__12");
  // Numba adds its version and options as tags; others' tags are part of the name.
  EXPECT_EQ(demangle("_ZN8__main__9histogramB2v1B90cw51cXTLSUwv1sDUYKthoaNgpqmjAE8StqAkBQxStNhFEo"
                     "YkJCQB1MQBk0ByrG21OiwI1a0UoFGhDpQE8gxqNQE_3dE5ArrayIfLi1E1C7mutable7aligned"
                     "Eff5ArrayIiLi1E1C7mutable7alignedE"),
            "__main__::histogram(Array<float, 1, C, mutable, aligned>, float, float, Array<int, 1, "
            "C, mutable, aligned>)");
  EXPECT_EQ(demangle("_Z1kB5cxx11i"), "k[abi:cxx11](int)");
  EXPECT_EQ(demangle("_Z1kB4vastB2v1i"), "k[abi:vast][abi:v1](int)");
  // A name without C++ linkage is no encoded type.
  EXPECT_EQ(demangle("i"), "i");
}

TEST(ProfileBuilderTest, NamesOfAnyLengthAreDemangled) {
  for (size_t Depth : {300u, 10'000u}) {
    std::string Mangled = "_ZN", Source;
    for (size_t I = 0; I != Depth; ++I) {
      Mangled += "4abcd";
      Source += "abcd::";
    }
    EXPECT_EQ(demangle(Mangled + "1kEPf"), Source + "k(float*)") << Depth;
  }
  // A<A<…A<int>…>>: each A but the first is the substitution S_.
  std::string Mangled = "_Z1k1AI", Source = "A<";
  for (size_t I = 1; I != 500; ++I) {
    Mangled += "S_I";
    Source += "A<";
  }
  EXPECT_EQ(demangle(Mangled + "i" + std::string(500, 'E')),
            "k(" + Source + "int" + std::string(500, '>') + ")");
  const std::string Long(100'000, 'n');
  EXPECT_EQ(demangle("_Z100000" + Long + "Pf"), Long + "(float*)");
  const std::string Pointers = "_Z1k" + std::string(100'000, 'P');
  EXPECT_EQ(demangle(Pointers + "i"), "k(int" + std::string(100'000, '*') + ")");
  EXPECT_EQ(demangle("_Z1k" + std::string(1'000'000, 'P') + "i"),
            "_Z1k" + std::string(1'000'000, 'P') + "i");
}

TEST(ProfileBuilderTest, TheSameKernelOnTwoDevicesIsOne) {
  LogBytes Log;
  Log.run();
  Log.kernel(1, "_Z1kPf", descriptor(), 8, "", 0);
  Log.kernel(2, "_Z1kPf", descriptor(), 8, "", 1);
  Log.kernel(3, "_Z1kPf", descriptor(), 16, "", 0); // different shared memory size
  Log.launch(1, 2, 0, 1, 32, log::LaunchMode::Plain);
  Log.launch(2, 3, 0, 1, 32, log::LaunchMode::Plain);
  auto P = build(Log.Bytes);
  ASSERT_TRUE(P);
  ASSERT_EQ(P->Kernels.size(), 2u);
  EXPECT_EQ(P->Kernels[0].Devices, (std::vector<uint32_t>{0, 1}));
  EXPECT_EQ(P->Launches[0].Kernel, 0u);
  EXPECT_EQ(P->Launches[1].Kernel, 1u);
}

TEST(ProfileBuilderTest, KernelsThatAwaitLaunches) {
  LogBytes Log;
  Log.run();
  Log.kernel(1, "_Z1hv", {}, 8, "it waits", 0, /*AwaitsClones=*/true);
  Log.launch(1, 1, 0, 1, 32, log::LaunchMode::Plain);
  Log.kernel(2, "_Z1kPf", {}, 8, "it waits", 0, true);
  Log.launch(2, 2, 0, 1, 32, log::LaunchMode::Plain);
  Log.kernel(3, "_Z1kPf", {}, 8, "it waits", 0, true); // of another module
  Log.launch(3, 3, 0, 1, 32, log::LaunchMode::Plain);
  Log.kernel(2, "_Z1kPf", descriptor(), 8); // it has clones now
  Log.launch(4, 2, 7, 1, 32);
  Log.launch(5, 3, 0, 1, 32, log::LaunchMode::Plain);
  Log.kernel(2, "_Z1kPf", descriptor(), 8); // damaged
  auto P = build(Log.Bytes);
  ASSERT_TRUE(P);
  ASSERT_EQ(P->Kernels.size(), 3u);
  EXPECT_EQ(P->Kernels[0].Name, "_Z1kPf");
  EXPECT_EQ(P->Kernels[0].Reason, "");
  EXPECT_EQ(P->Kernels[1].Name, "_Z1hv");
  EXPECT_EQ(P->Kernels[1].Reason, "it waits");
  EXPECT_EQ(P->Kernels[2].Name, "_Z1kPf");
  EXPECT_EQ(P->Kernels[2].Reason, "it waits");
  std::vector<uint32_t> KernelOf;
  for (const profile::Launch &L : P->Launches)
    KernelOf.push_back(L.Kernel);
  EXPECT_EQ(KernelOf, (std::vector<uint32_t>{1, 0, 2, 0, 2}));
  ASSERT_EQ(P->Gaps.size(), 1u);
  EXPECT_EQ(P->Gaps[0].Reason, "damaged");
  EXPECT_EQ(P->Gaps[0].Count, 1u);
}

TEST(ProfileBuilderTest, GraphNodesRunAsOftenAsTheirGraph) {
  LogBytes Log;
  Log.run();
  Log.kernel(1, "_Z1kPf", descriptor());
  Log.launch(1, 1, 7, 4, 32, log::LaunchMode::Shared, 0, 0, /*Graph=*/true);
  Log.launch(2, 1, 8, 4, 32, log::LaunchMode::Shared, 0, 0, true);
  Log.launch(3, 1, 0, 4, 32, log::LaunchMode::Plain, 0, 0, true);
  Log.graph(1, {7, 8}, 1);
  Log.graphLaunch(1);
  Log.graphLaunch(1);
  Log.graph(1, {7}, 2); // changed
  Log.graphLaunch(1);
  auto P = build(Log.Bytes);
  ASSERT_TRUE(P);
  EXPECT_EQ(P->Launches[0].Times, 3u);
  EXPECT_EQ(P->Launches[1].Times, 2u);
  EXPECT_EQ(P->Launches[2].Times, 0u);
  EXPECT_EQ(P->PlainGraphNodes, 1u + 1 + 2);
}

TEST(ProfileBuilderTest, NodesInBodiesRunAsOftenAsTheyCount) {
  LogBytes Log;
  Log.run();
  Log.kernel(1, "_Z1kPf", descriptor());
  Log.launch(1, 1, 1, 4, 32, log::LaunchMode::Shared, 0, 0, /*Graph=*/2);
  Log.launch(2, 1, 8, 4, 32, log::LaunchMode::Shared, 0, 0, 2); // never ran
  Log.launch(3, 1, 0, 4, 32, log::LaunchMode::Plain, 0, 0, 2);
  Log.graph(1, {});
  Log.graphLaunch(1);
  LogBytes::Counts C = counts();
  C.Blocks = 12;
  C.BodyLaunches = 3;
  Log.counts(C);
  C.Blocks = 8;
  C.BodyLaunches = 2;
  Log.counts(C);
  auto P = build(Log.Bytes);
  ASSERT_TRUE(P);
  EXPECT_TRUE(P->Launches[0].Graph);
  EXPECT_TRUE(P->Launches[0].InBody);
  EXPECT_EQ(P->Launches[0].Times, 5u);
  EXPECT_EQ(P->Launches[1].Times, 0u);
  EXPECT_EQ(P->Launches[2].Times, 0u);
}

TEST(ProfileBuilderTest, ARunListsItsProfiles) {
  const auto ProfilesOf = [](const std::string &Config) {
    LogBytes Log;
    Log.run("[\"./app\"]", Config);
    auto P = build(Log.Bytes);
    return P ? P->TheRun.Profiles : std::vector{P.error()};
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(ProfilesOf(R"({"profile": "overview", "profiles": ["objects", "shared", "heat"]})"),
            (Names{"objects", "shared", "heat"}));
  EXPECT_EQ(ProfilesOf(R"({"profile": "heat"})"), Names{"heat"});
  EXPECT_EQ(ProfilesOf("{}"), Names{"shared"});
  profile::Run R;
  R.Profiles = {"objects", "heat"};
  EXPECT_TRUE(R.records("objects"));
  EXPECT_TRUE(R.records("heat"));
  EXPECT_FALSE(R.records("shared"));
  EXPECT_FALSE(R.records(""));
}

TEST(ProfileBuilderTest, ALaunchCountsInItsFurtherContexts) {
  LogBytes Log;
  Log.run();
  Log.kernel(1, "_Z1kPf", descriptor());
  Log.launch(1, 1, 4, 1, 32, log::LaunchMode::Heat);
  Log.launch(2, 1, 0, 1, 32, log::LaunchMode::Objects);
  Log.launchForms(2, log::LaunchMode::Heat, 6); // another thread's launch may precede it
  Log.launchForms(1, log::LaunchMode::Shared, 5);
  Log.launchForms(2, log::LaunchMode::Global, 7);
  auto P = build(Log.Bytes);
  ASSERT_TRUE(P);
  EXPECT_TRUE(P->Gaps.empty());
  using Seen = std::tuple<uint64_t, log::LaunchMode, uint64_t>;
  std::vector<Seen> All;
  profile::forEachLaunchMode(
      *P, [&](const profile::Launch &L) { All.emplace_back(L.Id, L.Mode, L.Context); });
  EXPECT_EQ(All, (std::vector<Seen>{{1, log::LaunchMode::Heat, 4},
                                    {1, log::LaunchMode::Shared, 5},
                                    {2, log::LaunchMode::Objects, 0},
                                    {2, log::LaunchMode::Heat, 6},
                                    {2, log::LaunchMode::Global, 7}}));
}

TEST(ProfileBuilderTest, LaunchesHaveTimes) {
  LogBytes Log;
  Log.run();
  Log.kernel(1, "_Z1kPf", descriptor());
  Log.launch(1, 1, 0, 1, 32, log::LaunchMode::Objects);
  Log.launch(2, 1, 0, 1, 32, log::LaunchMode::Objects);
  Log.launch(3, 1, 0, 1, 32, log::LaunchMode::Objects);
  Log.launchTime(3, 700);
  Log.launchTime(1, 500);
  auto P = build(Log.Bytes);
  ASSERT_TRUE(P);
  EXPECT_TRUE(P->Gaps.empty());
  ASSERT_EQ(P->LaunchTimes.size(), 2u);
  EXPECT_EQ(P->LaunchTimes[0].Launch, 0u);
  EXPECT_EQ(P->LaunchTimes[0].Ns, 500u);
  EXPECT_EQ(P->LaunchTimes[1].Launch, 2u);
  EXPECT_EQ(P->LaunchTimes[1].Ns, 700u);
}

TEST(ProfileBuilderTest, DamagedRecordsOfLaunchesBecomeGaps) {
  LogBytes Log;
  Log.run();
  Log.kernel(1, "_Z1kPf", descriptor());
  Log.launch(1, 1, 4, 1, 32, log::LaunchMode::SharedDm);
  Log.launch(2, 1, 5, 1, 32, log::LaunchMode::Heat, 0, 0, /*Graph=*/1);
  Log.launchForms(9, log::LaunchMode::Heat, 6);     // unknown launch
  Log.launchForms(1, log::LaunchMode::Heat, 0);     // no context
  Log.launchForms(1, log::LaunchMode::Objects, 6);  // a mode without closed forms
  Log.launchForms(1, log::LaunchMode::SharedDm, 6); // the same
  Log.launchForms(1, log::LaunchMode::Cache, 6);    // the same
  Log.launchForms(1, log::LaunchMode(99), 6);       // unknown mode
  Log.launchForms(1, log::LaunchMode::Shared, 6);   // the profile of its clone
  Log.launchForms(1, log::LaunchMode::Heat, 7);     // valid
  Log.launchForms(1, log::LaunchMode::Heat, 8);     // twice
  Log.record(log::RecordKind::LaunchForms, std::vector<std::byte>(8));
  Log.launchTime(9, 500); // unknown launch
  Log.launchTime(2, 500); // graph node
  Log.launchTime(1, 500); // valid
  Log.launchTime(1, 600); // twice
  Log.record(log::RecordKind::LaunchTime, std::vector<std::byte>(24));
  auto P = build(Log.Bytes);
  ASSERT_TRUE(P);
  ASSERT_EQ(P->Gaps.size(), 1u);
  EXPECT_EQ(P->Gaps[0].Reason, "damaged");
  EXPECT_EQ(P->Gaps[0].Count, 13u);
  ASSERT_EQ(P->FurtherContexts.size(), 1u);
  EXPECT_EQ(P->FurtherContexts[0].Launch, 0u);
  EXPECT_EQ(P->FurtherContexts[0].Mode, log::LaunchMode::Heat);
  EXPECT_EQ(P->FurtherContexts[0].Context, 7u);
  ASSERT_EQ(P->LaunchTimes.size(), 1u);
  EXPECT_EQ(P->LaunchTimes[0].Launch, 0u);
  EXPECT_EQ(P->LaunchTimes[0].Ns, 500u);
}

TEST(ProfileBuilderTest, AGraphNodeWithoutCloneIsReplayedInItsFurtherContext) {
  LogBytes Log;
  Log.run();
  Log.kernel(1, "_Z1kPf", descriptor());
  Log.launch(1, 1, 0, 1, 32, log::LaunchMode::Objects, 0, 0, /*Graph=*/1);
  Log.launchForms(1, log::LaunchMode::Heat, 4);
  Log.launchForms(1, log::LaunchMode::Shared, 5);
  Log.graph(1, {4});
  Log.graphLaunch(1);
  Log.graphLaunch(1);
  auto P = build(Log.Bytes);
  ASSERT_TRUE(P);
  ASSERT_EQ(P->Launches.size(), 1u);
  EXPECT_EQ(P->Launches[0].Times, 2u);
}

TEST(ProfileBuilderTest, AnInvalidDescriptorIsAKernelWithoutProfile) {
  std::vector<std::byte> Bad = descriptor();
  Bad[4] = std::byte(99); // abiVersion
  LogBytes Log;
  Log.run();
  Log.kernel(1, "_Z1kPf", Bad);
  Log.kernel(2, "_Z1hv", {});
  auto P = build(Log.Bytes);
  ASSERT_TRUE(P);
  EXPECT_FALSE(P->Kernels[0].Desc);
  EXPECT_EQ(P->Kernels[0].Reason,
            "its descriptor is invalid: it has ABI version 99 and this runtime has " +
                std::to_string(GMPROF_ABI_VERSION) +
                ": rebuild the program with this GMProf's plugin");
  EXPECT_EQ(P->Kernels[1].Reason, "it was not compiled with the GMProf plugin");
}

TEST(ProfileBuilderTest, DamagedRecordsBecomeGaps) {
  LogBytes Log;
  Log.run();
  Log.kernel(1, "_Z1kPf", descriptor());
  Log.json(log::RecordKind::Device, "{\"id\": \"zero\"}");   // wrong type
  Log.json(log::RecordKind::Gap, "{\"what\": \"launches\""); // invalid JSON
  Log.json(log::RecordKind::End, "[]");                      // not an object
  Log.launch(1, 99, 0, 1, 32);                               // unknown kernel
  Log.record(log::RecordKind::Launch, std::vector<std::byte>(8));
  LogBytes::Counts C = counts();
  C.Addresses = {1, 2}; // one variable too many
  Log.counts(C);
  for (double NoSum : {-1.0, double(NAN), double(INFINITY)}) {
    C = counts();
    C.Deviations = {NoSum};
    Log.counts(C);
  }
  Log.json(log::RecordKind(77), "from the future");
  auto P = build(Log.Bytes);
  ASSERT_TRUE(P);
  ASSERT_EQ(P->Gaps.size(), 2u);
  EXPECT_EQ(P->Gaps[0].Reason, "damaged");
  EXPECT_EQ(P->Gaps[0].Count, 9u);
  EXPECT_EQ(P->Gaps[1].Reason, "of a kind that this GMProf does not know");
  EXPECT_EQ(P->Gaps[1].Count, 1u);
  EXPECT_FALSE(P->TheRun.Ended);
}

TEST(ProfileBuilderTest, EveryTruncationKeepsEarlierRecords) {
  const std::vector<std::byte> Bytes = example().Bytes;
  for (size_t Size = 16; Size < Bytes.size(); ++Size) {
    SCOPED_TRACE(Size);
    auto P = build({Bytes.begin(), Bytes.begin() + Size});
    if (!P) {
      EXPECT_EQ(P.error().rfind("the event log 'log' does not say which run it is of", 0), 0u);
      continue;
    }
    EXPECT_TRUE(P->Gaps.empty() || P->Gaps[0].Reason == "disk full");
    EXPECT_FALSE(P->TheRun.Ended && P->TheRun.Truncated);
    EXPECT_LE(P->Shared.size(), 1u);
  }
}

TEST(ProfileBuilderTest, NoByteCanDoHarm) {
  const std::vector<std::byte> Bytes = example().Bytes;
  for (size_t I = 0; I < Bytes.size(); ++I)
    for (unsigned Value : {0x00u, 0x22u, 0x80u, 0xffu}) {
      std::vector<std::byte> Flipped = Bytes;
      Flipped[I] = std::byte(Value);
      auto P = build(Flipped);
      if (!P)
        continue;
      for (const profile::Launch &L : P->Launches)
        EXPECT_LT(L.Kernel, P->Kernels.size());
      for (const profile::LaunchForms &F : P->FurtherContexts)
        EXPECT_LT(F.Launch, P->Launches.size());
      for (const profile::LaunchTime &T : P->LaunchTimes)
        EXPECT_LT(T.Launch, P->Launches.size());
      for (const profile::SharedCounts &C : P->Shared) {
        ASSERT_LT(C.Kernel, P->Kernels.size());
        ASSERT_TRUE(P->Kernels[C.Kernel].Desc);
        EXPECT_EQ(C.Addresses.size(), P->Kernels[C.Kernel].Desc->Variables.size());
        EXPECT_EQ(C.Sums.size(), C.Capped.size());
        EXPECT_NE(C.BlockSample, 0u);
      }
    }
}
