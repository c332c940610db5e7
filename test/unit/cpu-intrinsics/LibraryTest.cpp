//===- LibraryTest.cpp - CUDA's device libraries --------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs libraries.cu: cooperative groups, CUB and libcu++, which are written in
// intrinsics and inline PTX. One block of 256 threads.
//
//===----------------------------------------------------------------------===//

#include "cpu/Engine.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <fstream>
#include <iterator>

using namespace gmprof::cpu;

namespace {

class NoMemoryMap : public MemoryMap {
  std::string describe(uint64_t, uint64_t) const override { return {}; }
};

class Libraries : public testing::Test {
protected:
  void SetUp() override {
    std::ifstream File(LIBRARIES_BITCODE, std::ios::binary);
    ASSERT_TRUE(File.good());
    std::vector<char> Bitcode((std::istreambuf_iterator<char>(File)), {});
    std::span<const char> Span(Bitcode);
    auto Loaded = Module::load({&Span, 1}, "libraries");
    if (auto *Error = std::get_if<LoadError>(&Loaded))
      FAIL() << Error->Message;
    M = std::move(std::get<0>(Loaded));
    for (int T = 0; T != 256; ++T)
      In[T] = T * 167 % 251;
  }

  template <typename... Parameters> void run(const std::string &Name, Parameters... Args) {
    const KernelInfo *Kernel = M->kernel(Name);
    ASSERT_NE(Kernel, nullptr) << Name;
    const void *Values[] = {&Args...};
    LaunchConfig Config;
    Config.Block.X = 256;
    auto Result = M->run(*Kernel, Config, Values, NoMemoryMap());
    if (auto *F = std::get_if<Fault>(&Result))
      FAIL() << F->Message;
    if (auto *E = std::get_if<LoadError>(&Result))
      FAIL() << E->Message;
  }

  std::unique_ptr<Module> M;
  int In[256];
};

TEST_F(Libraries, CooperativeGroups) {
  std::vector<int> Out(256 * 8);
  run("groups", &In[0], Out.data());
  for (int T = 0; T != 256; ++T) {
    int Warp = T / 32 * 32, Eight = T / 8 * 8;
    int Sum = 0, Max = 0, Inclusive = 0, Exclusive = 0, Ballot = 0, Xor = 0;
    for (int I = Warp; I != Warp + 32; ++I) {
      Sum += In[I];
      Inclusive += I <= T ? In[I] : 0;
      Xor ^= In[I] & 1 ? In[I] : 0;
    }
    for (int I = Eight; I != Eight + 8; ++I) {
      Max = std::max(Max, In[I]);
      Exclusive += I < T ? In[I] : 0;
      Ballot |= (In[I] & 1) << (I - Eight);
    }
    const int Expected[8] = {Sum,
                             Max,
                             Inclusive,
                             Exclusive,
                             T % 32 == 31 ? In[T] : In[T + 1],
                             Ballot,
                             In[T] & 1 ? Xor : -1,
                             In[255 - T]};
    for (int I = 0; I != 8; ++I)
      EXPECT_EQ(Out[T * 8 + I], Expected[I]) << "thread " << T << " result " << I;
  }
}

TEST_F(Libraries, CubBlocks) {
  std::vector<int> Out(256 * 4);
  std::vector<unsigned> Sorted(512), Keys;
  run("blocks", &In[0], Out.data(), Sorted.data());
  int Sum = 0, Max = 0, Warp = 0;
  for (int T = 0; T != 256; ++T) {
    EXPECT_EQ(Out[T * 4 + 2], Sum) << T;
    Warp = T % 32 ? Warp + In[T] : In[T];
    EXPECT_EQ(Out[T * 4 + 3], Warp) << T;
    Sum += In[T];
    Max = std::max(Max, In[T]);
    Keys.push_back(In[T]);
    Keys.push_back(unsigned(In[T]) * 7919 % 1000);
  }
  EXPECT_EQ(Out[0], Sum);
  EXPECT_EQ(Out[1], Max);
  std::sort(Keys.begin(), Keys.end());
  EXPECT_EQ(Sorted, Keys);
}

TEST_F(Libraries, Atomics) {
  int Counts[4] = {};
  float Sum = 0;
  run("atomics", &Counts[0], &Sum);
  EXPECT_EQ(Counts[0], 256);
  EXPECT_EQ(Counts[1], 255); // 85 * 3
  EXPECT_EQ(Counts[2], 512);
  EXPECT_EQ(Counts[3], 100);
  EXPECT_EQ(Sum, 128.0f);
}

TEST_F(Libraries, Barriers) {
  std::vector<int> Out(256);
  run("barriers", Out.data());
  for (int T = 0; T != 256; ++T)
    EXPECT_EQ(Out[T], (T + 3) % 256);
}

} // namespace
