//===- MemoryTest.cpp - Intrinsics on memory and addresses ----------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Harness.h"

#include "gtest/gtest.h"

#include <cstring>

using namespace gmprof::cpu::test;

namespace {

U128 address(const void *P) { return reinterpret_cast<uint64_t>(P); }

TEST(Memory, AddressSpaces) {
  TestThread T;
  T.Block.SharedBase = 0x10000;
  T.Block.SharedBytes = 0x1000;
  T.Block.PeersLow = 0x10000;
  T.Block.PeersHigh = 0x15000;
  T.Block.ConstantLow = 0x20000;
  T.Block.ConstantHigh = 0x20100;
  T.Thread.StackLow = 0x30000;
  T.Thread.StackHigh = 0x38000;
  T.Block.Params = reinterpret_cast<const char *>(0x40000);
  T.Block.ParamsEnd = reinterpret_cast<const char *>(0x40010);
  enum { Shared = 1, Const = 2, Local = 4, Global = 8, Cluster = 16 };
  struct Case {
    uint64_t Address;
    unsigned Spaces;
  };
  const Case Cases[] = {{0xffff, Global},
                        {0x10000, Shared | Cluster},
                        {0x10fff, Shared | Cluster},
                        {0x11000, Cluster},
                        {0x14fff, Cluster},
                        {0x15000, Global},
                        {0x1ffff, Global},
                        {0x20000, Const},
                        {0x200ff, Const},
                        {0x20100, Global},
                        {0x30000, Local},
                        {0x37fff, Local},
                        {0x38000, Global},
                        {0x3ffff, Global},
                        {0x40000, 0}, // parameters
                        {0x4000f, 0},
                        {0x40010, Global},
                        {0, Global}};
  struct Space {
    const char *Name;
    unsigned Bit;
  };
  for (Space S : {Space{"shared", Shared}, Space{"const", Const}, Space{"local", Local},
                  Space{"global", Global}, Space{"shared.cluster", Cluster}}) {
    Compiled F = intrinsic(std::string("isspacep.") + S.Name);
    ASSERT_EQ(F.Error, "");
    F.Thread = &T;
    for (const Case &C : Cases)
      EXPECT_EQ(F({C.Address}), (C.Spaces & S.Bit) != 0) << S.Name << " " << C.Address;
  }
}

/// State of a thread in block 1 of a cluster of three.
struct ThreadOfCluster : TestThread {
  ThreadOfCluster() {
    Block.SharedBase = Bases[1];
    Block.SharedBytes = 0x1000;
    Block.PeerBases = Bases;
    Block.ClusterSize = 3;
    Block.ExplicitCluster = 1;
  }
  uint64_t Bases[3] = {0x50000, 0x10000, 0x90000};
};

TEST(Memory, Clusters) {
  ThreadOfCluster T;
  auto Run = [&](const char *Name, std::initializer_list<U128> Args) {
    Compiled F = intrinsic(Name);
    F.Thread = &T;
    return F(Args);
  };
  for (const char *MapA : {"mapa", "mapa.shared.cluster"}) {
    EXPECT_EQ(Run(MapA, {0x10234, 0}), 0x50234u);
    EXPECT_EQ(Run(MapA, {0x10234, 1}), 0x10234u);
    EXPECT_EQ(Run(MapA, {0x10234, 2}), 0x90234u);
    EXPECT_EQ(Run(MapA, {0x90234, 1}), 0x10234u);
    EXPECT_EQ(Run(MapA, {0x90234, 0}), 0x50234u);
  }
  for (const char *Rank : {"getctarank", "getctarank.shared.cluster"}) {
    EXPECT_EQ(Run(Rank, {0x50fff}), 0u);
    EXPECT_EQ(Run(Rank, {0x10000}), 1u);
    EXPECT_EQ(Run(Rank, {0x90001}), 2u);
  }
  EXPECT_EQ(Run("is_explicit_cluster", {}), 1u);
}

/// Blocks 0 and 2 of three receive the bytes, and their barriers count them.
TEST(Memory, CopyToBlocksOfACluster) {
  struct alignas(16) SharedMemory {
    uint64_t Barrier[2] = {};
    int Data[4] = {};
  } Shared[3];
  ThreadOfCluster T;
  T.Block.SharedBase = static_cast<uint64_t>(address(&Shared[1]));
  T.Block.SharedBytes = sizeof(SharedMemory);
  for (int I = 0; I < 3; ++I)
    T.Bases[I] = static_cast<uint64_t>(address(&Shared[I]));
  alignas(16) const int From[4] = {1, 2, 3, 4};
  Compiled Copy =
      intrinsic("cp.async.bulk.global.to.shared.cluster", {}, {-1, -1, -1, -1, -1, 0, 1, 0});
  ASSERT_EQ(Copy.Error, "");
  Copy.Thread = &T;
  Copy.all({address(Shared[1].Data), address(Shared[1].Barrier), address(From), 16, 5});
  constexpr uint64_t SixteenLess = 0x7ffff0ull << 40; // -16 in 23 bits from bit 40 on
  for (int I = 0; I < 3; ++I) {
    EXPECT_EQ(Shared[I].Data[0], I == 1 ? 0 : 1);
    EXPECT_EQ(Shared[I].Data[3], I == 1 ? 0 : 4);
    EXPECT_EQ(Shared[I].Barrier[0], I == 1 ? 0 : SixteenLess);
  }
}

TEST(Memory, LoadUniform) {
  alignas(8) uint64_t Word = 0x3ff8000000000000;
  EXPECT_EQ(intrinsic("ldu.global.i", {"l", "p"}, {-1, 8})({address(&Word)}), Word);
  EXPECT_EQ(intrinsic("ldu.global.f", {"d", "p"}, {-1, 8}).f64({address(&Word)}), 1.5);
  EXPECT_EQ(intrinsic("ldu.global.p", {"p", "p"}, {-1, 8})({address(&Word)}), Word);
}

TEST(Memory, AsynchronousCopies) {
  for (int Bytes : {4, 8, 16})
    for (const char *Cache : {"ca", "cg"}) {
      if (Bytes != 16 && std::string(Cache) == "cg")
        continue;
      std::string Name =
          std::string("cp.async.") + Cache + ".shared.global." + std::to_string(Bytes);
      alignas(16) uint8_t From[16], To[17];
      for (int I = 0; I != 16; ++I)
        From[I] = I + 1;
      std::memset(To, 0xee, sizeof(To));
      intrinsic(Name).all({address(To), address(From)});
      EXPECT_EQ(std::memcmp(To, From, Bytes), 0) << Name;
      EXPECT_EQ(To[Bytes], 0xee) << Name;
      // The rest of the copied size is filled with zeros.
      for (int Wanted : {0, 3, Bytes, 100}) {
        std::memset(To, 0xee, sizeof(To));
        intrinsic(Name + ".s").all({address(To), address(From), static_cast<U128>(Wanted)});
        for (int I = 0; I != Bytes; ++I)
          EXPECT_EQ(To[I], I < Wanted ? From[I] : 0) << Name << " " << Wanted;
        EXPECT_EQ(To[Bytes], 0xee) << Name;
      }
    }
  for (const char *Name :
       {"cp.async.commit.group", "cp.async.wait.all", "cp.async.bulk.commit.group"})
    EXPECT_EQ(intrinsic(Name).Error, "") << Name;
  for (const char *Name :
       {"cp.async.wait.group", "cp.async.bulk.wait.group", "cp.async.bulk.wait.group.read"})
    EXPECT_EQ(intrinsic(Name, {}, {0}).Error, "") << Name;
}

TEST(Memory, BulkCopies) {
  alignas(16) uint8_t From[64], To[64] = {};
  for (int I = 0; I != 64; ++I)
    From[I] = I;
  alignas(8) uint64_t Barrier = ~uint64_t(0);
  Compiled Wait = intrinsic("mbarrier.test.wait.parity.scope.cta.space.cta");
  intrinsic("mbarrier.init.shared").all({address(&Barrier), 1});
  intrinsic("mbarrier.arrive.expect.tx.scope.cta.space.cta").all({address(&Barrier), 64});
  EXPECT_EQ(Wait({address(&Barrier), 0}), 0u);
  intrinsic("cp.async.bulk.global.to.shared.cta", {}, {-1, -1, -1, -1, -1, 0})
      .all({address(To), address(&Barrier), address(From), 48, 0});
  EXPECT_EQ(std::memcmp(To, From, 48), 0);
  EXPECT_EQ(To[48], 0);
  EXPECT_EQ(Wait({address(&Barrier), 0}), 0u); // 16 bytes are missing
  intrinsic("cp.async.bulk.shared.cta.to.cluster")
      .all({address(To + 48), address(&Barrier), address(From + 48), 16});
  EXPECT_EQ(Wait({address(&Barrier), 0}), 1u);
  std::memset(To, 0, sizeof(To));
  intrinsic("cp.async.bulk.shared.cta.to.global", {}, {-1, -1, -1, -1, 0})
      .all({address(To), address(From), 32, 0});
  EXPECT_EQ(std::memcmp(To, From, 32), 0);
  EXPECT_EQ(To[32], 0);
  intrinsic("st.bulk", {}, {-1, -1, 0}).all({address(From), 8, 0});
  EXPECT_EQ(From[7], 0);
  EXPECT_EQ(From[8], 8);
}

TEST(Memory, MBarrier) {
  alignas(8) uint64_t Barrier = ~uint64_t(0);
  U128 At = address(&Barrier);
  Compiled Init = intrinsic("mbarrier.init"), Arrive = intrinsic("mbarrier.arrive");
  Compiled Test = intrinsic("mbarrier.test.wait");
  Compiled Parity = intrinsic("mbarrier.test.wait.parity.scope.cta.space.cta");
  Compiled Pending = intrinsic("mbarrier.pending.count");
  for (const Compiled *C : {&Init, &Arrive, &Test, &Parity, &Pending})
    ASSERT_EQ(C->Error, "");

  Init.all({At, 3});
  EXPECT_EQ(Parity({At, 1}), 1u); // the phase before the first one counts as complete
  EXPECT_EQ(Parity({At, 0}), 0u);
  uint64_t First = Arrive({At});
  EXPECT_EQ(Pending({First}), 3u);
  uint64_t Second = Arrive({At});
  EXPECT_EQ(Pending({Second}), 2u);
  EXPECT_EQ(Test({At, First}), 0u);
  Arrive({At});
  EXPECT_EQ(Test({At, First}), 1u);
  EXPECT_EQ(Parity({At, 0}), 1u);
  EXPECT_EQ(Parity({At, 1}), 0u);

  // Second phase: one thread drops out permanently.
  uint64_t State = intrinsic("mbarrier.arrive.drop")({At});
  EXPECT_EQ(Pending({State}), 3u);
  intrinsic("mbarrier.arrive.noComplete").all({At, 1});
  EXPECT_EQ(Test({At, State}), 0u);
  Arrive({At});
  EXPECT_EQ(Test({At, State}), 1u);

  // Third phase: two arrivals and transferred bytes.
  intrinsic("mbarrier.expect.tx.scope.cta.space.cta").all({At, 100});
  uint64_t Third = Arrive({At});
  EXPECT_EQ(Pending({Third}), 2u);
  Arrive({At});
  EXPECT_EQ(Test({At, Third}), 0u);
  intrinsic("mbarrier.complete.tx.scope.cta.space.cta").all({At, 60});
  EXPECT_EQ(Test({At, Third}), 0u);
  intrinsic("mbarrier.complete.tx.scope.cta.space.cta").all({At, 40});
  EXPECT_EQ(Test({At, Third}), 1u);

  // Copies before cp.async.mbarrier.arrive.noinc count as one of the arrivals.
  uint64_t Fourth = Arrive({At});
  intrinsic("cp.async.mbarrier.arrive").all({At});
  EXPECT_EQ(Test({At, Fourth}), 0u);
  intrinsic("cp.async.mbarrier.arrive.noinc").all({At});
  EXPECT_EQ(Test({At, Fourth}), 1u);
  EXPECT_EQ(intrinsic("mbarrier.inval").Error, "");
  EXPECT_EQ(intrinsic("mbarrier.try.wait.parity.tl.scope.cta.space.cta")({At, 1, 1000}), 1u);
  EXPECT_EQ(intrinsic("mbarrier.try.wait.scope.cluster.space.cta")({At, Fourth}), 1u);
}

TEST(Memory, Atomics) {
  struct Case {
    const char *Operation;
    uint32_t Before, Operand, After;
  };
  const Case Cases[] = {{"add.gen.i", 5, 7, 12},       {"add.gen.i", ~0u, 2, 1},
                        {"exch.gen.i", 5, 7, 7},       {"and.gen.i", 0xff0f, 0x0fff, 0x0f0f},
                        {"or.gen.i", 0xf0, 0x0f, 255}, {"xor.gen.i", 0xff, 0x0f, 0xf0},
                        {"max.gen.i", 5, ~0u, 5},      {"min.gen.i", 5, ~0u, ~0u},
                        {"inc.gen.i", 5, 7, 6},        {"inc.gen.i", 7, 7, 0},
                        {"inc.gen.i", 9, 7, 0},        {"dec.gen.i", 5, 7, 4},
                        {"dec.gen.i", 0, 7, 7},        {"dec.gen.i", 9, 7, 7}};
  for (const Case &C : Cases)
    for (const char *Scope : {".cta", ".sys"}) {
      std::string Name = std::string("atomic.") + C.Operation + Scope;
      uint32_t Word = C.Before;
      EXPECT_EQ(intrinsic(Name, {"r", "p"})({address(&Word), C.Operand}), C.Before) << Name;
      EXPECT_EQ(Word, C.After) << Name;
    }
  uint64_t Long = 1;
  intrinsic("atomic.add.gen.i.cta", {"l", "p"}).all({address(&Long), uint64_t(1) << 40});
  EXPECT_EQ(Long, (uint64_t(1) << 40) + 1);

  float F = 1.5f;
  EXPECT_EQ(intrinsic("atomic.add.gen.f.cta", {"f", "p"}).f32({address(&F), bits(2.25f)}), 1.5f);
  EXPECT_EQ(F, 3.75f);
  double D = 1.5;
  EXPECT_EQ(intrinsic("atomic.add.gen.f.sys", {"d", "p"}).f64({address(&D), bits(2.25)}), 1.5);
  EXPECT_EQ(D, 3.75);

  for (const char *Type : {"s", "r", "l"}) {
    uint64_t Word = 5;
    Compiled Cas = intrinsic("atomic.cas.gen.i.sys", {Type, "p"});
    EXPECT_EQ(Cas({address(&Word), 4, 9}), 5u);
    EXPECT_EQ(Word, 5u);
    EXPECT_EQ(Cas({address(&Word), 5, 9}), 5u);
    EXPECT_EQ(Word, 9u);
  }
}

TEST(Memory, FencesAndHints) {
  for (const char *Name :
       {"membar.cta", "membar.gl", "membar.sys", "fence.sc.cluster",
        "fence.mbarrier_init.release.cluster", "fence.proxy.async", "fence.proxy.alias",
        "fence.proxy.async.shared_cta", "prefetch.L1", "prefetch.L2", "prefetch.global.L1",
        "prefetchu.L1", "griddepcontrol.wait", "griddepcontrol.launch.dependents"}) {
    Compiled F = intrinsic(Name);
    EXPECT_EQ(F.Error, "") << Name;
    F.all({address(&F)});
  }
  EXPECT_EQ(intrinsic("discard.L2", {}, {-1, 128}).Error, "");
  EXPECT_EQ(intrinsic("setmaxnreg.inc.sync.aligned.u32", {}, {40}).Error, "");
}

} // namespace
