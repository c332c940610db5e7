//===- SynchronisationTest.cpp - Barriers, warp operations, waiting loops -===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Harness.h"

#include <bit>
#include <numeric>
#include <thread>

namespace gmprof::cpu {
namespace {

using SynchronisationTest = EngineTest;
GMPROF_ENGINE_TESTS(SynchronisationTest, "O0", "O2", "ptx");

TEST_P(SynchronisationTest, Barrier) {
  std::vector<int> Data(256 * 20);
  std::iota(Data.begin(), Data.end(), 0);
  run(module("synchronisation"), "reverse", config({20}, {256}), Data.data());
  for (int I = 0; I < 256 * 20; ++I)
    ASSERT_EQ(Data[I], I / 256 * 256 + 255 - I % 256);
}

TEST_P(SynchronisationTest, BarriersInALoopAndDynamicSharedMemory) {
  std::vector<int> In(128 * 50), Out(50);
  std::iota(In.begin(), In.end(), 0);
  run(module("synchronisation"), "reduceBlock", config({50}, {128}, 128 * 4), In.data(),
      Out.data());
  for (int I = 0; I < 50; ++I)
    EXPECT_EQ(Out[I], 128 * 128 * I + 127 * 64 + 6000);
  EXPECT_EQ(module("synchronisation").kernel("reduceBlock")->StaticShared, 12u);
}

TEST_P(SynchronisationTest, SharedAddresses) {
  std::vector<unsigned long> Out(4);
  run(module("synchronisation"), "sharedAddresses", config({1}, {7}, 28), Out.data());
  EXPECT_EQ(Out[0], Out[1]);    // generic and shared addresses are equal,
  EXPECT_LT(Out[3], 1ul << 32); // and fit 32 bits
  EXPECT_EQ(Out[0] % 256, 0u);
  EXPECT_EQ(Out[2] - Out[0], 32u);
  EXPECT_EQ(Out[3] - Out[0], 64u); // after 56 bytes, at a multiple of 16
}

TEST_P(SynchronisationTest, BarrierReductions) {
  std::vector<int> Out(100);
  run(module("synchronisation"), "barrierReductions", config({1}, {100}), Out.data());
  EXPECT_EQ(Out, std::vector<int>(100, 34 + 1000 + 4000));
}

TEST_P(SynchronisationTest, ThreadsThatReturnedCountAsArrived) {
  std::vector<int> Out(96, -1);
  run(module("synchronisation"), "earlyReturn", config({1}, {96}), Out.data());
  for (int I = 0; I < 96; ++I)
    EXPECT_EQ(Out[I], I % 4 == 3 ? -1 : 72 + 100 * 24);
}

TEST_P(SynchronisationTest, BarrierInBothArmsOfACondition) {
  std::vector<int> Out(128);
  run(module("synchronisation"), "barrierInBothArms", config({1}, {128}), Out.data());
  for (int I = 0; I < 128; ++I)
    EXPECT_EQ(Out[I], I < 64 ? 2 * (I + 64) : I - 64);
}

TEST_P(SynchronisationTest, NamedBarriers) {
  std::vector<int> Out(64);
  run(module("synchronisation"), "namedBarriers", config({1}, {160}), Out.data());
  for (int I = 0; I < 64; ++I)
    EXPECT_EQ(Out[I], 3 * (63 - I));
}

TEST_P(SynchronisationTest, Shuffles) {
  std::vector<int> Out(32 * 8);
  run(module("synchronisation"), "shuffles", config({1}, {32}), Out.data());
  auto V = [](int Lane) { return 10 * Lane + 1; };
  for (int T = 0; T < 32; ++T) {
    const int *O = &Out[T * 8];
    EXPECT_EQ(O[0], V(5));
    EXPECT_EQ(O[1], V(T < 3 ? T : T - 3));
    EXPECT_EQ(O[2], V(T + 4 > 31 ? T : T + 4));
    EXPECT_EQ(O[3], V(T ^ 6));
    EXPECT_EQ(O[4], V(T / 8 * 8 + (T + 1) % 8));
    EXPECT_EQ(O[5], V(T % 16 == 0 ? T : T - 1));
    EXPECT_EQ(O[6], V(T % 4 >= 2 ? T : T + 2));
    EXPECT_EQ(O[7], V(T == 31 ? 31 : T + 1) + V(T ^ 1));
  }
}

TEST_P(SynchronisationTest, VotesAndMatches) {
  std::vector<unsigned> Out(32 * 8);
  run(module("synchronisation"), "votes", config({1}, {32}), Out.data());
  for (unsigned T = 0; T < 32; ++T) {
    const unsigned *O = &Out[T * 8];
    EXPECT_EQ(O[0], 0x49249249u);
    EXPECT_EQ(O[1], 1u);
    EXPECT_EQ(O[2], 1u);
    unsigned Fives = 0;
    for (unsigned I = 0; I < 32; ++I)
      Fives |= (I / 5 == T / 5 ? 1u : 0u) << I;
    EXPECT_EQ(O[3], Fives);
    EXPECT_EQ(O[4], ~0u + 1);
    EXPECT_EQ(O[5], 0u);
    EXPECT_EQ(O[6], T % 2 ? 0xaaaaaaaau : 0x55555555u);
    EXPECT_EQ(O[7], 1u);
  }
}

TEST_P(SynchronisationTest, Reductions) {
  std::vector<unsigned> Out(32 * 8);
  run(module("synchronisation"), "reductions", config({1}, {32}), Out.data());
  unsigned Xor = 0;
  for (unsigned I = 0; I < 32; ++I)
    Xor ^= I * 3;
  for (unsigned T = 0; T < 32; ++T) {
    std::vector<unsigned> O(&Out[T * 8], &Out[T * 8] + 8);
    EXPECT_EQ(O, (std::vector<unsigned>{496, unsigned(-26), 5, 0, ~0u, 64, ~0u, Xor}));
  }
}

TEST_P(SynchronisationTest, ActiveMaskOfDivergentLanes) {
  std::vector<unsigned> Out(64);
  run(module("synchronisation"), "divergent", config({1}, {32}), Out.data());
  for (int T = 0; T < 32; ++T) {
    EXPECT_EQ(Out[T], T % 2 ? 0xaaaaaaaau : 0x55550000u);
    EXPECT_EQ(Out[32 + T], ~0u);
  }
}

TEST_P(SynchronisationTest, LanesReconvergeAfterALoop) {
  std::vector<unsigned> Out(64);
  run(module("synchronisation"), "divergentLoop", config({1}, {32}), Out.data());
  const unsigned Expected[] = {0x20, 0x1820, 0x101820, 0x08101820};
  for (int T = 0; T < 32; ++T) {
    EXPECT_EQ(Out[T], Expected[T % 4]);
    EXPECT_EQ(Out[32 + T], ~0u);
  }
}

TEST_P(SynchronisationTest, TurnsOfALoopAreNotMixed) {
  std::vector<unsigned> Out(32);
  run(module("synchronisation"), "conditionalInLoop", config({1}, {32}), Out.data());
  for (int T = 0; T < 32; ++T)
    EXPECT_EQ(Out[T], 0x11111111u << T % 4);
}

TEST_P(SynchronisationTest, ConvergenceIsByCallPath) {
  std::vector<unsigned> Out(64);
  run(module("synchronisation"), "throughCalls", config({1}, {32}), Out.data());
  for (int T = 0; T < 32; ++T) {
    EXPECT_EQ(Out[T], T < 10 ? 0x3ffu : ~0x3ffu);
    EXPECT_EQ(Out[32 + T], ~0u);
  }
}

TEST_P(SynchronisationTest, OperationsBehindPointersToFunctions) {
  Module &M = module("synchronisation");
  std::vector<int> Out(64);
  run(M, "storePointer", config({1}, {1}));
  run(M, "throughPointers", config({1}, {64}), Out.data(), 0);
  for (int T = 0; T < 64; ++T)
    EXPECT_EQ(Out[T], 1000 * (T < 32 ? 496 : 496 + 32 * 32) + 32);
  run(M, "throughPointers", config({1}, {64}), Out.data(), 1);
  EXPECT_EQ(Out, std::vector<int>(64, 63 * 1000 + 32));
}

TEST_P(SynchronisationTest, OddMasksDoNotHang) {
  std::vector<int> Out(128, -1);
  run(module("synchronisation"), "odditiesOfMasks", config({1}, {32}), Out.data());
  for (int T = 0; T < 32; ++T)
    EXPECT_GE(Out[T], 1);
  for (int T = 0; T < 16; ++T) {
    EXPECT_EQ(Out[32 + T], T == 15 ? 15 : T + 1);
    EXPECT_EQ(Out[64 + T], 0xffff);
    EXPECT_EQ(Out[96 + T], T < 8 ? 2 : 9);
  }
}

TEST_P(SynchronisationTest, BarrierOfClusters) {
  std::vector<unsigned> Out(12 * 40);
  LaunchConfig Config = config({12}, {40});
  Config.Cluster = Dim3{4, 1, 1};
  run(module("synchronisation"), "meetInCluster", Config, Out.data());
  for (unsigned Block = 0; Block < 12; ++Block)
    for (unsigned T = 0; T < 40; ++T) {
      const bool Left = (Block % 4 == 1 && T % 2 == 1) || (Block % 4 == 2 && T == 3);
      EXPECT_EQ(Out[Block * 40 + T], Left ? 0u : 160u) << Block << " " << T;
    }
  // In a launch without clusters, each block is its own cluster.
  run(module("synchronisation"), "meetInCluster", config({12}, {40}), Out.data());
  EXPECT_EQ(Out, std::vector<unsigned>(12 * 40, 40));
}

TEST_P(SynchronisationTest, ClustersWaitForEachOther) {
  std::vector<unsigned> Out(100), Done(50);
  LaunchConfig Config = config({100}, {32});
  Config.Cluster = Dim3{2, 1, 1};
  run(module("synchronisation"), "chainOfClusters", Config, Out.data(), Done.data());
  for (unsigned Block = 0; Block < 100; ++Block)
    EXPECT_EQ(Out[Block], 1 + Block / 2);
}

TEST_P(SynchronisationTest, ElectOne) {
  std::vector<unsigned> Out(32);
  run(module("synchronisation"), "elect", config({1}, {32}), Out.data());
  for (unsigned T = 4; T < 32; ++T)
    EXPECT_EQ(Out[T], T == 4 ? 41u : 40u);
}

TEST_P(SynchronisationTest, SpecialRegisters) {
  std::vector<unsigned> Out(70 * 4);
  run(module("synchronisation"), "specialRegisters", config({1}, {7, 5, 2}), Out.data());
  for (unsigned T = 0; T < 70; ++T) {
    const unsigned *O = &Out[4 * T];
    EXPECT_EQ(O[0], T % 32);
    EXPECT_EQ(O[1], T / 32);
    EXPECT_EQ(O[2], ~0u);
    EXPECT_EQ(O[3], ~0u << T % 32);
  }
}

TEST_P(SynchronisationTest, ExitEndsTheThreadOnly) {
  std::vector<int> Out(64);
  for (int Repeat = 0; Repeat < 3; ++Repeat) {
    std::fill(Out.begin(), Out.end(), 0);
    run(module("synchronisation"), "exitInMiddle", config({4}, {64}), Out.data());
    for (int T = 0; T < 64; ++T)
      EXPECT_EQ(Out[T], T % 2 ? 0 : 1);
  }
}

TEST_P(SynchronisationTest, SpinLock) {
  int Lock = 0, Count = 0;
  run(module("synchronisation"), "spinLock", config({30}, {64}), &Lock, &Count);
  EXPECT_EQ(Count, 30 * 64);
  EXPECT_EQ(Lock, 0);
}

TEST_P(SynchronisationTest, ThreadWaitsForALaterOne) {
  int Flag = 0, Out = 0;
  run(module("synchronisation"), "waitForLaterThread", config({1}, {64}), &Flag, &Out);
  EXPECT_EQ(Out, 17);
}

TEST_P(SynchronisationTest, BlockWaitsForALaterOne) {
  std::vector<int> Flags(40), Out(40);
  run(module("synchronisation"), "waitForLaterBlock", config({40}, {32}), Flags.data(), Out.data());
  for (int I = 0; I < 40; ++I)
    EXPECT_EQ(Out[I], 40 - I);
}

TEST_P(SynchronisationTest, HomeMadeGridBarriers) {
  for (auto [Kernel, Expected] :
       {std::pair("gridBarrierByBlocks", 20), {"gridBarrierByWarps", 40}}) {
    int Arrived = 0;
    std::vector<int> Out(20 * 64);
    run(module("synchronisation"), Kernel, config({20}, {64}), &Arrived, Out.data());
    EXPECT_EQ(Out, std::vector<int>(20 * 64, Expected)) << Kernel;
  }
}

TEST_P(SynchronisationTest, CooperativeGrid) {
  constexpr int N = 24 * 64;
  std::vector<int> Data(N), Out(N);
  LaunchConfig Config = config({24}, {64});
  Config.Cooperative = true;
  run(module("synchronisation"), "gridSync", Config, Data.data(), Out.data());
  for (int I = 0; I < N; ++I)
    ASSERT_EQ(Out[I], 2 * (N - 1 - (I + 37) % N));
}

TEST_P(SynchronisationTest, GridOfManyThreads) {
  // Each thread needs its stack while all wait.
  constexpr int N = 132 * 2 * 256;
  std::vector<int> Data(N), Out(N);
  LaunchConfig Config = config({132 * 2}, {256});
  Config.Cooperative = true;
  run(module("synchronisation"), "gridSync", Config, Data.data(), Out.data());
  for (int I = 0; I < N; ++I)
    ASSERT_EQ(Out[I], 2 * (N - 1 - (I + 37) % N));
}

TEST_P(SynchronisationTest, AddressSpaces) {
  std::vector<int> Out(4 * 8);
  run(module("synchronisation"), "spaces", config({1}, {4}, 16), Out.data(), Out.data());
  for (int T = 0; T < 4; ++T) {
    std::vector<int> O(&Out[T * 8], &Out[T * 8] + 8);
    EXPECT_EQ(O, (std::vector<int>{1, 1, 4, 8, 2, 2, 1, 1}));
  }
}

TEST_P(SynchronisationTest, TilesOfSeveralWarps) {
  std::vector<int> Out(256);
  run(module("synchronisation"), "largeTile", config({3}, {256}), Out.data());
  EXPECT_EQ(Out, std::vector<int>(256, 63 * 32));
}

TEST_P(SynchronisationTest, SeveralHostThreadsLaunch) {
  Module &M = module("synchronisation");
  std::vector<std::thread> Threads;
  std::vector<std::vector<int>> Outs(6);
  for (int T = 0; T < 6; ++T)
    Threads.emplace_back([&, T] {
      std::vector<int> In(128 * 40);
      std::iota(In.begin(), In.end(), T);
      for (int Repeat = 0; Repeat < 5; ++Repeat) {
        Outs[T].assign(40, 0);
        run(M, "reduceBlock", config({40}, {128}, 512), In.data(), Outs[T].data());
      }
    });
  for (std::thread &T : Threads)
    T.join();
  for (int T = 0; T < 6; ++T)
    for (int I = 0; I < 40; ++I)
      EXPECT_EQ(Outs[T][I], 128 * 128 * I + 127 * 64 + 128 * T + 6000);
}

TEST_P(SynchronisationTest, TilesOfCooperativeGroups) {
  std::vector<int> Out(64);
  run(module("synchronisation"), "tiles", config({1}, {64}), Out.data());
  for (int T = 0; T < 64; ++T)
    EXPECT_EQ(Out[T], T / 8 * 64 + 28 + 1000 * (T % 8));
}

TEST_P(SynchronisationTest, CoalescedThreads) {
  std::vector<int> Out(32, -1);
  run(module("synchronisation"), "coalesced", config({1}, {32}), Out.data());
  for (int T = 0; T < 32; ++T)
    EXPECT_EQ(Out[T], T % 3 ? -1 : T / 3 * 100 + 11);
}

TEST_P(SynchronisationTest, ResultsDoNotDependOnTheRun) {
  constexpr int N = 50000;
  std::vector<unsigned char> In(N);
  std::vector<unsigned> Expected(64);
  for (int I = 0; I < N; ++I) {
    In[I] = static_cast<unsigned char>(I * 7 + I / 100);
    ++Expected[In[I] & 63];
  }
  for (int Repeat = 0; Repeat < 20; ++Repeat) {
    std::vector<unsigned> Out(64);
    run(module("synchronisation"), "histogram", config({17}, {128}), In.data(), N, Out.data());
    ASSERT_EQ(Out, Expected);
  }
}

} // namespace
} // namespace gmprof::cpu
