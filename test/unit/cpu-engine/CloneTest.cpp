//===- CloneTest.cpp - Instrumented clones --------------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Launches the pass's clones of the test kernels as the host runtime does. Expected counts were
// derived by hand from the source.
//
//===----------------------------------------------------------------------===//

#include "Harness.h"

#include "gmprof/abi.h"

#include <cstring>
#include <numeric>

namespace gmprof::cpu {
namespace {

/// A profiled launch of a kernel's clone.
class CloneLaunch {
public:
  CloneLaunch(Module &M, const std::string &Kernel) : M(M), Kernel(Kernel) {
    const GlobalInfo *Global = M.global(GMPROF_KERNEL_DESC_PREFIX + Kernel);
    EXPECT_NE(Global, nullptr);
    Bytes = static_cast<const char *>(Global->Address);
    memcpy(&Desc, Bytes, sizeof(Desc));
    EXPECT_EQ(Desc.magic, GMPROF_DESC_MAGIC);
    EXPECT_EQ(Desc.abiVersion, GMPROF_ABI_VERSION);
  }

  void run(const LaunchConfig &Plain, int *Argument) {
    const KernelInfo *Clone = M.kernel(Kernel + GMPROF_SHARED_CLONE_SUFFIX);
    ASSERT_NE(Clone, nullptr);
    size_t Static = M.kernel(Kernel)->StaticShared;
    uint32_t Words = std::max<uint32_t>((Static + Plain.DynamicShared + 63) / 64 * 16, 16);
    Sums.assign(Words, 0);
    Capped.assign(Words, 0);
    Layout.assign(sizeof(GmprofSharedLayout) + 4 * Desc.varCount, 0);
    GmprofSharedLaunch Parameter = {};
    Parameter.sums = uint64_t(Sums.data());
    Parameter.capped = uint64_t(Capped.data());
    Totals = {};
    Parameter.totals = uint64_t(&Totals);
    Parameter.layout = uint64_t(Layout.data());
    Parameter.words = Words;
    Parameter.counterOffset = (Plain.DynamicShared + 15) / 16 * 16;
    Parameter.counterBytes = Words * Desc.counterBits / 8 + GMPROF_SHARED_CONTROL_BYTES;
    Parameter.replicas = 1;
    Parameter.blockSample = 1;
    Parameter.dynamicBytes = Plain.DynamicShared;
    LaunchConfig Config = Plain;
    Config.DynamicShared = Parameter.counterOffset + Parameter.counterBytes;
    const void *Args[] = {&Argument, &Parameter};
    RunResult Result = M.run(*Clone, Config, Args, OneAllocation());
    if (auto *F = std::get_if<Fault>(&Result))
      FAIL() << F->Message;
    if (auto *E = std::get_if<LoadError>(&Result))
      FAIL() << E->Message;
  }

  const GmprofBlockTotals &totals() const { return Totals; }
  GmprofSharedLayout layout() const {
    GmprofSharedLayout L;
    memcpy(&L, Layout.data(), sizeof(L));
    return L;
  }

  /// Returns the counts of a variable's words. In unoptimised code, the variable's name may lack
  /// the function's.
  std::vector<uint64_t> counts(const std::string &Variable) const {
    for (uint32_t I = 0; I < Desc.varCount; ++I) {
      GmprofVariableDesc V;
      memcpy(&V, Bytes + Desc.varsOffset + I * sizeof(V), sizeof(V));
      std::string Name = Bytes + Desc.stringsOffset + V.name;
      if (Name != Variable && Name != Kernel + "::" + Variable)
        continue;
      uint32_t Address;
      memcpy(&Address, Layout.data() + offsetof(GmprofSharedLayout, variables) + 4 * I, 4);
      uint32_t First = (Address - layout().firstAddress) / 4;
      return {Sums.begin() + First, Sums.begin() + First + V.bytes / 4};
    }
    ADD_FAILURE() << "no variable " << Variable;
    return {};
  }

private:
  Module &M;
  std::string Kernel;
  const char *Bytes;
  GmprofKernelDesc Desc;
  std::vector<uint64_t> Sums;
  std::vector<uint32_t> Capped;
  GmprofBlockTotals Totals;
  std::vector<char> Layout;
};

class CloneTest : public EngineTest {
protected:
  Module &clones() { return module("synchronisation-clones"); }
};
GMPROF_ENGINE_TESTS(CloneTest, "O0", "O2");

TEST_P(CloneTest, EachWordWrittenAndReadOnceInEachBlock) {
  std::vector<int> Data(256 * 20);
  std::iota(Data.begin(), Data.end(), 0);
  CloneLaunch L(clones(), "reverse");
  L.run(config({20}, {256}), Data.data());
  EXPECT_EQ(L.counts("Tile"), std::vector<uint64_t>(256, 40));
  EXPECT_EQ(L.totals().blocks, 20u);
  EXPECT_EQ(L.totals().threads, 20u * 256);
  EXPECT_EQ(L.layout().lost, 0u);
  for (int I = 0; I < 256 * 20; ++I)
    ASSERT_EQ(Data[I], I / 256 * 256 + 255 - I % 256);
}

TEST_P(CloneTest, ThreadsThatLeaveEarly) {
  // Thread 0 writes; 72 of 96 threads add to it, and read it afterwards.
  std::vector<int> Out(96, -1);
  CloneLaunch L(clones(), "earlyReturn");
  L.run(config({3}, {96}), Out.data());
  EXPECT_EQ(L.counts("Sum"), std::vector<uint64_t>(1, 3 * (1 + 72 + 72)));
  EXPECT_EQ(L.totals().blocks, 3u);
  for (int I = 0; I < 96; ++I)
    EXPECT_EQ(Out[I], I % 4 == 3 ? -1 : 72 + 100 * 24);
}

TEST_P(CloneTest, BarrierInBothArmsOfACondition) {
  std::vector<int> Out(128);
  CloneLaunch L(clones(), "barrierInBothArms");
  L.run(config({1}, {128}), Out.data());
  EXPECT_EQ(L.counts("Values"), std::vector<uint64_t>(128, 2));
  EXPECT_EQ(L.totals().blocks, 1u);
  EXPECT_EQ(L.totals().threads, 128u);
}

} // namespace
} // namespace gmprof::cpu
