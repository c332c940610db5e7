//===- BasicTest.cpp - Kernels without synchronisation --------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Harness.h"

#include <climits>
#include <cmath>
#include <latch>
#include <numeric>
#include <thread>

namespace gmprof::cpu {
namespace {

using BasicTest = EngineTest;
GMPROF_ENGINE_TESTS(BasicTest, "O0", "O2", "ptx");

TEST_P(BasicTest, ThreadAndBlockIndicesInThreeDimensions) {
  constexpr int Width = 12, Height = 10, Depth = 6;
  std::vector<int> Out(Width * Height * Depth, -1);
  run(module("basic"), "indices", config({3, 5, 2}, {4, 2, 3}), Out.data(), Width);
  for (int Z = 0; Z < Depth; ++Z)
    for (int Y = 0; Y < Height; ++Y)
      for (int X = 0; X < Width; ++X)
        EXPECT_EQ(Out[(Z * Height + Y) * Width + X], X + 100 * Y + 10000 * Z);
}

struct Pair {
  int A[5];
  char C;
  double D;
};
struct alignas(16) Float4 {
  float X, Y, Z, W;
};

TEST_P(BasicTest, ParametersOfAllKinds) {
  Module &M = module("basic");
  const KernelInfo *Info = M.kernel("parameters");
  ASSERT_NE(Info, nullptr);
  ASSERT_EQ(Info->Params.size(), 6u);
  const size_t Offsets[] = {0, 8, 10, 16, 48, 64}, Bytes[] = {8, 1, 2, 32, 16, 1};
  for (int I = 0; I < 6; ++I) {
    EXPECT_EQ(Info->Params[I].Offset, Offsets[I]);
    EXPECT_EQ(Info->Params[I].Bytes, Bytes[I]);
  }
  std::vector<long> Out(7);
  Pair P{{10, 20, 30, 40, 50}, 'c', 77.5};
  // Each of the two threads must change its own copy.
  run(M, "parameters", config({1}, {2}), Out.data(), true, short(-4), P, Float4{1, 2, 3, 4}, 'z');
  EXPECT_EQ(Out, (std::vector<long>{1, -4, 26, 'c', 77, 4321, 'z'}));
}

TEST_P(BasicTest, VariablesHoldTheirInitialValuesAndKeepNewOnes) {
  auto M = load("basic");
  std::vector<float> Out(4);
  run(*M, "variables", config({10}, {32}), Out.data());
  EXPECT_EQ(Out, (std::vector<float>{1, 'x', 3 + 1 + 9 + 2, 1}));
  const GlobalInfo *Counter = M->global("Counter");
  ASSERT_NE(Counter, nullptr);
  EXPECT_EQ(Counter->Bytes, 4u);
  EXPECT_FALSE(Counter->Constant);
  EXPECT_EQ(*static_cast<int *>(Counter->Address), 5 + 320);
  const GlobalInfo *Weights = M->global("Weights");
  ASSERT_NE(Weights, nullptr);
  EXPECT_EQ(Weights->Bytes, 16u);
  EXPECT_TRUE(Weights->Constant);
  EXPECT_EQ(static_cast<float *>(Weights->Address)[3], 4);
  EXPECT_EQ(M->global("no such variable"), nullptr);
  EXPECT_EQ(M->kernel("no such kernel"), nullptr);
}

TEST_P(BasicTest, DivisionNeverTraps) {
  std::vector<int> N{7, -7, 5, INT_MIN, INT_MIN}, D{2, 2, 0, -1, 0};
  std::vector<int> Quotient(5), Rest(5);
  std::vector<unsigned> UQuotient(5);
  std::vector<long> LQuotient(5);
  run(module("basic"), "division", config({1}, {5}), N.data(), D.data(), Quotient.data(),
      Rest.data(), UQuotient.data(), LQuotient.data());
  EXPECT_EQ(Quotient, (std::vector<int>{3, -3, -1, INT_MIN, -1}));
  EXPECT_EQ(Rest, (std::vector<int>{1, -1, -1, 0, -1}));
  EXPECT_EQ(UQuotient, (std::vector<unsigned>{3, 2147483644, ~0u, 0, ~0u}));
  // On its way to PTX, LLVM divides positive 64-bit numbers below 2^32 as 32-bit numbers.
  const long ByZero = GetParam() == std::string("ptx") ? long(UINT_MAX) : -1;
  EXPECT_EQ(LQuotient, (std::vector<long>{3, -3, ByZero, 2147483648, -1}));
}

TEST_P(BasicTest, Recursion) {
  std::vector<unsigned> Out(10);
  run(module("basic"), "recursion", config({1}, {10}), Out.data());
  EXPECT_EQ(Out, (std::vector<unsigned>{0, 1, 1, 2, 3, 5, 8, 13, 21, 34}));
}

TEST_P(BasicTest, PointersToFunctions) {
  std::vector<int> Out(6);
  run(module("basic"), "pointers", config({1}, {6}), Out.data());
  EXPECT_EQ(Out, (std::vector<int>{0, 2001, 4004, 6009, 16008, 10025}));
}

TEST_P(BasicTest, VirtualFunctions) {
  std::vector<int> Out(6);
  run(module("basic"), "virtualCalls", config({1}, {6}), Out.data());
  EXPECT_EQ(Out, (std::vector<int>{0, 0, 4, 4, 16, 12}));
}

// Modules of several translation units or devices, launched in several streams.
TEST_P(BasicTest, ModulesAreCompiledAtTheSameTime) {
  constexpr int Modules = 4;
  std::vector<std::thread> Threads;
  std::latch Begin(Modules);
  for (int I = 0; I < Modules; ++I)
    Threads.emplace_back([&] {
      auto M = load("basic");
      Begin.arrive_and_wait();
      std::vector<unsigned> Numbers(10);
      run(*M, "recursion", config({1}, {10}), Numbers.data());
      EXPECT_EQ(Numbers, (std::vector<unsigned>{0, 1, 1, 2, 3, 5, 8, 13, 21, 34}));
      std::vector<int> Indices(6);
      run(*M, "indices", config({1}, {6}), Indices.data(), 6);
      EXPECT_EQ(Indices, (std::vector<int>{0, 1, 2, 3, 4, 5}));
    });
  for (std::thread &T : Threads)
    T.join();
}

TEST_P(BasicTest, AtomicsOfAllBlocks) {
  std::vector<int> Ints{0, 0, 0, 7, 0};
  std::vector<float> Floats{0};
  std::vector<unsigned long long> Longs{0};
  run(module("basic"), "atomics", config({100}, {128}), Ints.data(), Floats.data(), Longs.data());
  EXPECT_EQ(Ints, (std::vector<int>{100 * 127 * 64, 127, -1, 8, 11}));
  EXPECT_EQ(Floats[0], 6400.0f);
  EXPECT_EQ(Longs[0], 12800ull << 33);
}

TEST_P(BasicTest, ProductsAreFusedWithSums) {
  // Exact only if fused: (1+e)(1-e) - 1 = -e^2.
  const double E = std::ldexp(1.0, -30);
  std::vector<double> X{1 + E, 1 - E, -1}, Out(1);
  run(module("basic"), "fused", config({1}, {1}), X.data(), Out.data());
  EXPECT_EQ(Out[0], -E * E);
}

TEST_P(BasicTest, ManyBlocksFillTheirOwnParts) {
  std::vector<float> In(100000), Out(100000);
  std::iota(In.begin(), In.end(), 0.0f);
  run(module("basic"), "sumAll", config({300}, {96}), In.data(), Out.data(), int(In.size()));
  for (size_t I = 0; I < In.size(); ++I)
    ASSERT_EQ(Out[I], float(I) * 2 + 1);
}

TEST(ModuleTest, SeveralFilesAreLinked) {
  auto M = loadFiles({"linked-main.O2.bc", "linked-other.O2.bc"});
  std::vector<int> Out(4);
  int *Pointer = Out.data();
  const void *Args[] = {&Pointer};
  auto Result = M->run(*M->kernel("acrossFiles"), config({1}, {4}), Args, OneAllocation());
  EXPECT_EQ(Result.index(), 0u);
  EXPECT_EQ(Out, (std::vector<int>{13, 14, 15, 16}));
  EXPECT_EQ(*static_cast<int *>(M->global("SharedCounter")->Address), 104);
}

TEST(ModuleTest, DamagedBitcodeIsRefused) {
  const char Garbage[] = "BC\xc0\xde and no more";
  const std::span<const char> Parts[] = {Garbage};
  auto Loaded = Module::load(Parts, "prog");
  auto *Error = std::get_if<LoadError>(&Loaded);
  ASSERT_NE(Error, nullptr);
  EXPECT_EQ(Error->Message.rfind("prog: device bitcode cannot be read: ", 0), 0u) << Error->Message;
}

TEST(ModuleTest, OnlyKernelsThatUseMissingFunctionsFail) {
  auto M = loadFiles({"linked-main.O2.bc"});
  int *Pointer = nullptr;
  const void *Args[] = {&Pointer};
  auto Result = M->run(*M->kernel("acrossFiles"), config({1}, {1}), Args, OneAllocation());
  auto *Error = std::get_if<LoadError>(&Result);
  ASSERT_NE(Error, nullptr);
  EXPECT_NE(Error->Message.find("kernel acrossFiles uses "), std::string::npos) << Error->Message;
  EXPECT_NE(Error->Message.find("which is not defined"), std::string::npos) << Error->Message;
}

} // namespace
} // namespace gmprof::cpu
