//===- GlobalCloneTest.cpp - Clones that count global memory --------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Launches the pass's clones for global memory as the host runtime does, with each kind of
// counters. They count all accesses, including those with a closed form. Expected counts were
// derived by hand from the source.
//
//===----------------------------------------------------------------------===//

#include "Harness.h"

#include "gmprof/abi.h"

#include <cstring>
#include <numeric>

namespace gmprof::cpu {
namespace {

using Counts = std::vector<uint64_t>;

/// An array that a kernel can reach, with the counters of its elements.
class Object {
public:
  Object(void *Base, size_t Bytes, unsigned Shift, const GmprofKernelDesc &Kernel)
      : Width(Kernel.globalCounterBits / 8), Threshold(Kernel.globalThreshold),
        Elements((Bytes + (size_t(1) << Shift) - 1) >> Shift) {
    Desc.base = uint64_t(Base);
    Desc.bytes = Bytes;
    Desc.elementShift = Shift;
    for (unsigned Kind = 0; Kind != GMPROF_COUNTER_KINDS; ++Kind) {
      Memory[Kind].resize(Elements * Width / sizeof(Line) + 1);
      Desc.counters[Kind] = uint64_t(Memory[Kind].data());
    }
  }

  /// Returns the counts as the host reads them, limited to the threshold.
  Counts counts(GmprofCounterKind Kind) const {
    Counts Result(Elements);
    for (size_t I = 0; I != Elements; ++I) {
      memcpy(&Result[I], reinterpret_cast<const char *>(Memory[Kind].data()) + I * Width, Width);
      Result[I] = std::min<uint64_t>(Result[I], Threshold);
    }
    return Result;
  }
  Counts reads() const { return counts(GMPROF_COUNTER_READS); }
  Counts writes() const { return counts(GMPROF_COUNTER_WRITES); }
  Counts atomics() const { return counts(GMPROF_COUNTER_ATOMICS); }
  bool holds(uint64_t Address) const { return Address - Desc.base < Desc.bytes; }

  GmprofGlobalObject Desc = {};

private:
  struct alignas(64) Line {
    char Bytes[64] = {};
  };
  size_t Width;
  uint64_t Threshold;
  size_t Elements;
  std::vector<Line> Memory[GMPROF_COUNTER_KINDS];
};

/// A launch of a kernel's clone.
class GlobalLaunch {
public:
  GlobalLaunch(Module &M, const std::string &Kernel) : M(M), Kernel(Kernel) {
    const GlobalInfo *Global = M.global(GMPROF_KERNEL_DESC_PREFIX + Kernel);
    EXPECT_NE(Global, nullptr);
    Bytes = static_cast<const char *>(Global->Address);
    memcpy(&Desc, Bytes, sizeof(Desc));
    EXPECT_TRUE(Desc.modes & GMPROF_MODE_GLOBAL);
  }

  template <class T> const Object &object(std::vector<T> &Data, unsigned Shift = 2) {
    Objects.push_back(std::make_unique<Object>(Data.data(), Data.size() * sizeof(T), Shift, Desc));
    return *Objects.back();
  }

  const Object &part(std::vector<int> &Data, size_t First, size_t Elements) {
    Objects.push_back(
        std::make_unique<Object>(Data.data() + First, Elements * sizeof(int), 2, Desc));
    return *Objects.back();
  }

  template <class... Args> void run(LaunchConfig Config, Args... Values) {
    bool All = Desc.modes & GMPROF_MODE_GLOBAL_ALL;
    const KernelInfo *Clone =
        M.kernel(Kernel + (All ? GMPROF_GLOBAL_ALL_CLONE_SUFFIX : GMPROF_GLOBAL_CLONE_SUFFIX));
    ASSERT_NE(Clone, nullptr);
    std::sort(Objects.begin(), Objects.end(),
              [](auto &A, auto &B) { return A->Desc.base < B->Desc.base; });
    std::vector<GmprofGlobalObject> Sorted;
    for (auto &O : Objects)
      Sorted.push_back(O->Desc);
    const void *Arguments[] = {&Values..., &Parameter};
    Parameter.objects = uint64_t(Sorted.data());
    Parameter.objectCount = uint32_t(Sorted.size());
    Parameter.totals = uint64_t(&Totals);
    Parameter.blockSample = BlockSample;
    if (UseRoots)
      setRoots(Arguments);
    RunResult Result = M.run(*Clone, Config, Arguments, OneAllocation());
    if (auto *F = std::get_if<Fault>(&Result))
      FAIL() << F->Message;
    if (auto *E = std::get_if<LoadError>(&Result))
      FAIL() << E->Message;
  }

  uint64_t most(uint64_t Count) const { return std::min<uint64_t>(Count, Desc.globalThreshold); }
  const GmprofGlobalTotals &totals() const { return Totals; }
  bool countsPlainly() const { return Desc.globalLevel == GMPROF_LEVEL_SA_NA; }

  bool UseRoots = true;
  unsigned BlockSample = 1;

private:
  Module &M;
  std::string Kernel;
  const char *Bytes;
  GmprofKernelDesc Desc;
  std::vector<std::unique_ptr<Object>> Objects;
  GmprofGlobalLaunch Parameter = {};
  GmprofGlobalTotals Totals = {};

  void setRoots(const void *const *Arguments) {
    for (uint32_t I = 0; I < Desc.varCount; ++I) {
      GmprofVariableDesc V;
      memcpy(&V, Bytes + Desc.varsOffset + I * sizeof(V), sizeof(V));
      if (V.root == GMPROF_NONE)
        continue;
      ASSERT_NE(V.parameter, GMPROF_NONE);
      uint64_t Pointer;
      memcpy(&Pointer, static_cast<const char *>(Arguments[V.parameter]) + V.parameterOffset, 8);
      for (auto &O : Objects)
        if (O->holds(Pointer))
          Parameter.roots[V.root] = O->Desc;
    }
  }
};

/// Fixture with the bitcode of one kind of counters.
class GlobalCloneTest : public testing::TestWithParam<const char *> {
protected:
  GlobalLaunch launch(const std::string &Kernel) {
    static auto *Loaded = new std::map<std::string, std::unique_ptr<Module>>;
    auto &M = (*Loaded)[GetParam()];
    if (!M)
      M = loadFiles({std::string("global-") + GetParam() + ".O2.bc"});
    return GlobalLaunch(*M, Kernel);
  }
};
INSTANTIATE_TEST_SUITE_P(Counters, GlobalCloneTest,
                         testing::Values("basic", "plain", "u8", "u8_threshold", "u16", "u32"),
                         [](const auto &Info) { return std::string(Info.param); });

TEST_P(GlobalCloneTest, EachElementOnce) {
  std::vector<float> In(200, 1), Out(200, 2);
  for (bool UseRoots : {true, false}) {
    GlobalLaunch L = launch("dense");
    L.UseRoots = UseRoots;
    const Object &I = L.object(In), &O = L.object(Out);
    L.run(config({4}, {64}), In.data(), Out.data(), 150);
    Counts Expected(200, 0);
    std::fill_n(Expected.begin(), 150, 1);
    EXPECT_EQ(I.reads(), Expected);
    EXPECT_EQ(I.writes(), Counts(200, 0));
    EXPECT_EQ(O.reads(), Expected);
    EXPECT_EQ(O.writes(), Expected);
    EXPECT_EQ(O.atomics(), Counts(200, 0));
    EXPECT_EQ(L.totals().blocks, 4u);
    EXPECT_EQ(L.totals().threads, 4u * 64);
    EXPECT_EQ(L.totals().outside, 0u);
  }
  EXPECT_EQ(Out[149], 4.0f);
  EXPECT_EQ(Out[150], 2.0f);
}

TEST_P(GlobalCloneTest, BlocksThatAreLeftOutDoTheSameAndCountNothing) {
  std::vector<float> In(256, 1), Out(256, 2);
  GlobalLaunch L = launch("dense");
  L.BlockSample = 3;
  const Object &O = L.object(Out);
  L.run(config({4}, {64}), In.data(), Out.data(), 256);
  Counts Expected(256, 0); // in blocks 0 and 3
  std::fill_n(Expected.begin(), 64, 1);
  std::fill_n(Expected.begin() + 192, 64, 1);
  EXPECT_EQ(O.writes(), Expected);
  EXPECT_EQ(L.totals().blocks, 2u);
  EXPECT_EQ(L.totals().outside, 128u); // In is not an object
  EXPECT_EQ(Out, std::vector<float>(256, 3));
}

TEST_P(GlobalCloneTest, AKindWithoutCountersIsNotCounted) {
  std::vector<float> In(64, 1), Out(64, 2);
  GlobalLaunch L = launch("dense");
  const Object &O = L.object(Out);
  const_cast<Object &>(O).Desc.counters[GMPROF_COUNTER_READS] = 0;
  L.run(config({1}, {64}), In.data(), Out.data(), 64);
  EXPECT_EQ(O.reads(), Counts(64, 0));
  EXPECT_EQ(O.writes(), Counts(64, 1));
  EXPECT_EQ(L.totals().outside, 64u);
}

TEST_P(GlobalCloneTest, LanesWithEqualAddressesAndSaturation) {
  // 320 threads: one in four uses element 0, the next one element 5, the other two share an
  // element.
  std::vector<int> Index(320), Out(200, 0);
  Counts Expected(200, 0);
  for (int T = 0; T < 320; ++T) {
    Index[T] = T % 4 == 0 ? 0 : T % 4 == 1 ? 5 : 10 + T / 2;
    ++Expected[Index[T]];
  }
  GlobalLaunch L = launch("scatter");
  const Object &O = L.object(Out), &I = L.object(Index);
  for (int Launch = 0; Launch < 4; ++Launch)
    L.run(config({5}, {64}), Index.data(), Out.data());
  for (size_t E = 0; E < 200; ++E)
    EXPECT_EQ(Out[E], int(4 * Expected[E])) << E;
  EXPECT_EQ(I.reads(), Counts(320, L.most(4)));
  if (L.countsPlainly())
    return; // lanes with equal addresses count once
  for (uint64_t &Count : Expected)
    Count = L.most(4 * Count);
  EXPECT_EQ(O.atomics(), Expected);
  EXPECT_EQ(O.reads(), Counts(200, 0));
  EXPECT_EQ(O.writes(), Counts(200, 0));
}

TEST_P(GlobalCloneTest, AccessesOfSeveralElements) {
  std::vector<float> Second(4 * 40);
  std::vector<int> First(48, 0), Index(48);
  Counts Expected(4 * 40, 0);
  for (int T = 0; T < 48; ++T) {
    Index[T] = T * T % 40;
    for (int I = 0; I < 4; ++I)
      ++Expected[4 * Index[T] + I];
  }
  struct {
    int *First;
    float *Second;
  } Pair = {First.data(), Second.data()};
  GlobalLaunch L = launch("wide");
  const Object &F = L.object(First), &S = L.object(Second);
  L.run(config({1}, {48}), Pair, Index.data());
  for (uint64_t &Count : Expected)
    Count = L.most(Count);
  if (!L.countsPlainly()) {
    EXPECT_EQ(S.reads(), Expected);
  }
  EXPECT_EQ(F.writes(), Counts(48, 1));
  EXPECT_EQ(L.totals().outside, 48u); // Index is not an object
}

TEST_P(GlobalCloneTest, BytesThatAreNotAligned) {
  std::vector<unsigned char> From(300), To(64 * 16);
  std::vector<int> At(64);
  Counts Reads(300, 0), Writes(64 * 16, 0);
  for (int T = 0; T < 64; ++T) {
    At[T] = 3 * T + T % 5;
    for (int I = 0; I < 7; ++I)
      ++Reads[At[T] + I], ++Writes[16 * T + I];
  }
  GlobalLaunch L = launch("copies");
  const Object &F = L.object(From, 0), &O = L.object(To, 0);
  L.run(config({1}, {64}), From.data(), To.data(), At.data());
  if (L.countsPlainly())
    return;
  EXPECT_EQ(F.reads(), Reads);
  EXPECT_EQ(O.writes(), Writes);
}

TEST_P(GlobalCloneTest, RowsOfDifferentLengths) {
  std::vector<int> Begin(65), Values(64 * 9), Sums(64);
  Counts Expected(64 * 9, 0), Bounds(65, 2);
  for (int T = 0; T < 64; ++T) {
    Begin[T + 1] = Begin[T] + T % 10;
    for (int I = Begin[T]; I < Begin[T + 1]; ++I)
      Values[I] = I, Expected[I] = 1;
  }
  Bounds.front() = Bounds.back() = 1;
  GlobalLaunch L = launch("rows");
  const Object &V = L.object(Values), &S = L.object(Sums);
  L.run(config({1}, {64}), Begin.data(), Values.data(), Sums.data());
  EXPECT_EQ(V.reads(), Expected);
  EXPECT_EQ(S.writes(), Counts(64, 1));
  EXPECT_EQ(Sums[2], 1 + 2);
}

TEST_P(GlobalCloneTest, RowsOfWarps) {
  // Rows of 70, 5, 64 and 0 elements: only some lanes take part in the last iteration.
  std::vector<int> Begin = {3, 73, 78, 142, 142}, Values(150), Sums(4, 0);
  std::iota(Values.begin(), Values.end(), 0);
  for (bool UseRoots : {true, false}) {
    GlobalLaunch L = launch("warpRows");
    L.UseRoots = UseRoots;
    const Object &V = L.object(Values), &S = L.object(Sums);
    L.run(config({1}, {128}), Begin.data(), Values.data(), Sums.data());
    Counts Expected(150, 1);
    std::fill_n(Expected.begin(), 3, 0);
    std::fill(Expected.begin() + 142, Expected.end(), 0);
    EXPECT_EQ(V.reads(), Expected);
    if (!L.countsPlainly()) {
      EXPECT_EQ(S.atomics(), Counts(4, L.most(32)));
    }
  }
  EXPECT_EQ(Sums[1], 2 * (73 + 74 + 75 + 76 + 77));
}

TEST_P(GlobalCloneTest, OneRowByAllThreads) {
  for (int Stride : {1, 3}) {
    std::vector<int> Bounds = {4, 33}, Values(40), Sums(96);
    Counts Expected(40, 0);
    GlobalLaunch L = launch(Stride == 1 ? "sameRow" : "sameRowWithGaps");
    for (int I = 33; I > 4; I -= Stride)
      Expected[I] = L.most(96);
    const Object &V = L.object(Values);
    L.run(config({1}, {96}), Bounds.data(), Values.data(), Sums.data());
    EXPECT_EQ(V.reads(), Expected);
  }
}

TEST_P(GlobalCloneTest, ColumnsOfDifferentLengths) {
  for (bool Even : {true, false}) {
    std::vector<int> First(10), Values(10 * 30), Sums(10);
    Counts Expected(10 * 30, 0);
    for (int T = 0; T < 10; ++T) {
      First[T] = Even ? 2 : T * 3 % 7;
      for (int Row = First[T]; Row < 30; ++Row)
        Expected[Row * 10 + T] = 1;
    }
    GlobalLaunch L = launch("columns");
    const Object &V = L.object(Values);
    L.run(config({1}, {10}), First.data(), Values.data(), Sums.data(), 30);
    EXPECT_EQ(V.reads(), Expected);
  }
}

TEST_P(GlobalCloneTest, SweepsThatLeaveTheObject) {
  // The row starts in one array and ends in the next, with a gap between them.
  std::vector<int> Bounds = {9, 39}, Values(48), Sums(32);
  GlobalLaunch L = launch("sameRow");
  const Object &A = L.part(Values, 0, 16), &B = L.part(Values, 24, 20);
  L.run(config({1}, {32}), Bounds.data(), Values.data(), Sums.data());
  Counts First(16, 0), Second(20, 0);
  std::fill(First.begin() + 10, First.end(), L.most(32));
  std::fill(Second.begin(), Second.begin() + 16, L.most(32));
  EXPECT_EQ(A.reads(), First);
  EXPECT_EQ(B.reads(), Second);
  // Reads of the bounds, by each thread or by one for all, and writes of the sums.
  EXPECT_EQ(L.totals().outside, 32u * (8 + 2 + 1));
}

TEST_P(GlobalCloneTest, TheSameElementInEachTurn) {
  std::vector<int> Turns(64), Sums(64, 0);
  Counts Expected(64);
  for (int T = 0; T < 64; ++T) {
    Turns[T] = T % 3 * 150;
    Expected[T] = Turns[T];
  }
  GlobalLaunch L = launch("accumulate");
  const Object &S = L.object(Sums);
  L.run(config({1}, {64}), Turns.data(), Sums.data());
  for (uint64_t &Count : Expected)
    Count = L.most(Count);
  EXPECT_EQ(S.writes(), Expected);
}

TEST_P(GlobalCloneTest, OneElementByManyThreads) {
  std::vector<int> In(96), Out(4, 0);
  for (int T = 0; T < 96; ++T)
    In[T] = T % 3 - 1;
  GlobalLaunch L = launch("sameElement");
  const Object &O = L.object(Out);
  L.run(config({2}, {96}), In.data(), Out.data());
  EXPECT_EQ(O.writes(), (Counts{0, L.most(64), 0, 0}));
}

TEST_P(GlobalCloneTest, PointersInMemoryAndOutside) {
  std::vector<int> Data(32 * 10), Foreign(10);
  std::vector<int *> Rows(32);
  Counts Expected(32 * 10, 0);
  for (int T = 0; T < 32; ++T) {
    Rows[T] = T == 7 ? Foreign.data() : &Data[10 * T];
    Expected[10 * T + 4] = T != 7;
  }
  GlobalLaunch L = launch("pointers");
  const Object &D = L.object(Data), &R = L.object(Rows, 3);
  L.run(config({1}, {32}), Rows.data(), 4);
  EXPECT_EQ(R.reads(), Counts(32, 1));
  EXPECT_EQ(D.reads(), Expected);
  EXPECT_EQ(D.writes(), Expected);
  EXPECT_EQ(L.totals().outside, 2u);
  EXPECT_EQ(Foreign[4], 1);
}

TEST_P(GlobalCloneTest, GenericPointersInADeviceFunction) {
  std::vector<int> Data(32, 10), Out(32);
  GlobalLaunch L = launch("generic");
  const Object &D = L.object(Data), &O = L.object(Out);
  L.run(config({1}, {32}), Data.data(), Out.data());
  Counts Expected(32, 0);
  for (int T = 0; T < 32; T += 2)
    Expected[T] = 1;
  EXPECT_EQ(D.reads(), Expected);
  EXPECT_EQ(D.writes(), Expected);
  EXPECT_EQ(O.writes(), Counts(32, 1));
  EXPECT_EQ(L.totals().outside, 0u);
  EXPECT_EQ(Out[2], 13);
  EXPECT_EQ(Out[3], 3);
}

} // namespace
} // namespace gmprof::cpu
