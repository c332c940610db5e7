//===- DeviceTest.cpp - Operations of whole warps -------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs device.cu's kernels on the engine. Matrix elements are small integers, so that every sum is
// exact in every format. Fragments are laid out element by element as in the PTX manual.
//
//===----------------------------------------------------------------------===//

#include "cpu/Engine.h"

#include "gtest/gtest.h"

#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>

using namespace gmprof::cpu;

namespace {

class NoMemoryMap : public MemoryMap {
  std::string describe(uint64_t, uint64_t) const override { return {}; }
};

class Device : public testing::Test {
protected:
  void SetUp() override {
    std::ifstream File(DEVICE_BITCODE, std::ios::binary);
    ASSERT_TRUE(File.good());
    std::vector<char> Bitcode((std::istreambuf_iterator<char>(File)), {});
    std::span<const char> Span(Bitcode);
    auto Loaded = Module::load({&Span, 1}, "device");
    if (auto *Error = std::get_if<LoadError>(&Loaded))
      FAIL() << Error->Message;
    M = std::move(std::get<0>(Loaded));
  }

  /// Runs one warp.
  template <typename... Parameters> auto launch(const std::string &Name, Parameters... Args) {
    const KernelInfo *Kernel = M->kernel(Name);
    EXPECT_NE(Kernel, nullptr) << Name;
    const void *Values[] = {&Args...};
    LaunchConfig Config;
    Config.Block.X = 32;
    return M->run(*Kernel, Config, Values, NoMemoryMap());
  }

  template <typename... Pointers> void run(const std::string &Name, Pointers... Args) {
    auto Result = launch(Name, Args...);
    if (auto *F = std::get_if<Fault>(&Result))
      FAIL() << F->Message;
    if (auto *E = std::get_if<LoadError>(&Result))
      FAIL() << E->Message;
  }

  std::unique_ptr<Module> M;
};

/// Returns the encoding of an integer |V| < 2048 as a half.
uint16_t half(int V) {
  if (V == 0)
    return 0;
  int Exponent = std::ilogb(std::abs(V));
  uint32_t Fraction = (std::abs(V) << (10 - Exponent)) & 0x3ff;
  return (V < 0 ? 0x8000 : 0) | (Exponent + 15) << 10 | Fraction;
}

/// Element values that distinguish rows from columns.
int elementA(int Row, int Column) { return (Row * 3 + Column * 5) % 11 - 5; }
int elementB(int Row, int Column) { return (Row * 7 + Column * 2) % 13 - 6; }
int elementC(int Row, int Column) { return Row - 2 * Column; }

int product(int Row, int Column, int K) {
  int Sum = elementC(Row, Column);
  for (int I = 0; I != K; ++I)
    Sum += elementA(Row, I) * elementB(I, Column);
  return Sum;
}

TEST_F(Device, WmmaHalf) {
  std::vector<uint16_t> A(256), B(256);
  std::vector<float> C(256), D(256);
  for (int R = 0; R != 16; ++R)
    for (int Col = 0; Col != 16; ++Col) {
      A[R * 16 + Col] = half(elementA(R, Col));
      B[Col * 16 + R] = half(elementB(R, Col));
      C[R * 16 + Col] = elementC(R, Col);
    }
  run("wmmaHalf", A.data(), B.data(), C.data(), D.data());
  for (int R = 0; R != 16; ++R)
    for (int Col = 0; Col != 16; ++Col)
      EXPECT_EQ(D[R * 16 + Col], 2.0f * product(R, Col, 16)) << R << " " << Col;
}

TEST_F(Device, WmmaHalfWide) {
  std::vector<uint16_t> A(8 * 16), B(16 * 32);
  std::vector<float> C(8 * 32), D(8 * 32);
  for (int R = 0; R != 8; ++R)
    for (int K = 0; K != 16; ++K)
      A[R * 16 + K] = half(elementA(R, K));
  for (int K = 0; K != 16; ++K)
    for (int Col = 0; Col != 32; ++Col)
      B[K * 32 + Col] = half(elementB(K, Col));
  for (int R = 0; R != 8; ++R)
    for (int Col = 0; Col != 32; ++Col)
      C[R * 32 + Col] = elementC(R, Col);
  run("wmmaHalfWide", A.data(), B.data(), C.data(), D.data());
  for (int R = 0; R != 8; ++R)
    for (int Col = 0; Col != 32; ++Col)
      EXPECT_EQ(D[R * 32 + Col], 2.0f * product(R, Col, 16)) << R << " " << Col;
}

TEST_F(Device, WmmaBytes) {
  std::vector<int8_t> A(256), B(256);
  std::vector<int> C(256), D(256);
  for (int R = 0; R != 16; ++R)
    for (int Col = 0; Col != 16; ++Col) {
      A[R * 16 + Col] = elementA(R, Col);
      B[R * 16 + Col] = elementB(R, Col);
      C[R * 16 + Col] = elementC(R, Col);
    }
  run("wmmaBytes", A.data(), B.data(), C.data(), D.data());
  for (int R = 0; R != 16; ++R)
    for (int Col = 0; Col != 16; ++Col)
      EXPECT_EQ(D[R * 16 + Col], 2 * product(R, Col, 16)) << R << " " << Col;
}

/// Fills the accumulator fragment of m16n8: c0 and c1 in row L/4, c2 and c3 eight rows below.
template <typename T> void fillAccumulator(std::vector<T> &C) {
  for (int L = 0; L != 32; ++L)
    for (int I = 0; I != 4; ++I)
      C[L * 4 + I] = elementC(L / 4 + (I >= 2 ? 8 : 0), L % 4 * 2 + I % 2);
}

template <typename T> void checkAccumulator(const std::vector<T> &D, int K) {
  for (int L = 0; L != 32; ++L)
    for (int I = 0; I != 4; ++I)
      EXPECT_EQ(D[L * 4 + I], product(L / 4 + (I >= 2 ? 8 : 0), L % 4 * 2 + I % 2, K))
          << "lane " << L << " element " << I;
}

TEST_F(Device, MmaHalf) {
  std::vector<uint16_t> A(32 * 8), B(32 * 4);
  std::vector<float> C(128), D(128);
  for (int L = 0; L != 32; ++L) {
    int Group = L / 4, T = L % 4;
    for (int I = 0; I != 8; ++I) {
      int Row = I == 0 || I == 1 || I == 4 || I == 5 ? Group : Group + 8;
      A[L * 8 + I] = half(elementA(Row, T * 2 + I % 2 + (I >= 4 ? 8 : 0)));
    }
    for (int I = 0; I != 4; ++I)
      B[L * 4 + I] = half(elementB(T * 2 + I % 2 + (I >= 2 ? 8 : 0), Group));
  }
  fillAccumulator(C);
  run("mmaHalf", A.data(), B.data(), C.data(), D.data());
  checkAccumulator(D, 16);
}

TEST_F(Device, MmaBytes) {
  std::vector<uint8_t> A(32 * 16), B(32 * 8);
  std::vector<int> C(128), D(128);
  for (int L = 0; L != 32; ++L) {
    int Group = L / 4, T = L % 4;
    for (int I = 0; I != 16; ++I) {
      int Row = I < 4 || (I >= 8 && I < 12) ? Group : Group + 8;
      A[L * 16 + I] = elementA(Row, T * 4 + I % 4 + (I >= 8 ? 16 : 0));
    }
    for (int I = 0; I != 8; ++I) // unsigned
      B[L * 8 + I] = elementB(T * 4 + I % 4 + (I >= 4 ? 16 : 0), Group) + 200;
  }
  fillAccumulator(C);
  run("mmaBytes", A.data(), B.data(), C.data(), D.data());
  for (int L = 0; L != 32; ++L)
    for (int I = 0; I != 4; ++I) {
      int Row = L / 4 + (I >= 2 ? 8 : 0), Column = L % 4 * 2 + I % 2;
      int Expected = product(Row, Column, 32);
      for (int K = 0; K != 32; ++K)
        Expected += 200 * elementA(Row, K);
      EXPECT_EQ(D[L * 4 + I], Expected) << "lane " << L << " element " << I;
    }
}

TEST_F(Device, MmaTF32) {
  std::vector<float> A(32 * 4), B(32 * 2), C(128), D(128);
  for (int L = 0; L != 32; ++L) {
    int Group = L / 4, T = L % 4;
    for (int I = 0; I != 4; ++I)
      A[L * 4 + I] = elementA(Group + (I % 2 ? 8 : 0), T + (I >= 2 ? 4 : 0));
    for (int I = 0; I != 2; ++I)
      B[L * 2 + I] = elementB(T + I * 4, Group);
  }
  fillAccumulator(C);
  run("mmaTF32", A.data(), B.data(), C.data(), D.data());
  checkAccumulator(D, 8);
}

TEST_F(Device, MmaDouble) {
  std::vector<double> A(32), B(32), C(64), D(64);
  for (int L = 0; L != 32; ++L) {
    A[L] = elementA(L / 4, L % 4);
    B[L] = elementB(L % 4, L / 4);
    for (int I = 0; I != 2; ++I)
      C[L * 2 + I] = elementC(L / 4, L % 4 * 2 + I);
  }
  run("mmaDouble", A.data(), B.data(), C.data(), D.data());
  for (int L = 0; L != 32; ++L)
    for (int I = 0; I != 2; ++I)
      EXPECT_EQ(D[L * 2 + I], product(L / 4, L % 4 * 2 + I, 4)) << L << " " << I;
}

TEST_F(Device, MatrixRows) {
  std::vector<uint16_t> In(256), Transposed(256);
  std::vector<uint32_t> Loaded(64);
  for (int I = 0; I != 256; ++I)
    In[I] = I * 7 + 1;
  run("matrixRows", In.data(), Transposed.data(), Loaded.data());
  for (int Matrix = 0; Matrix != 4; ++Matrix)
    for (int R = 0; R != 8; ++R)
      for (int C = 0; C != 8; ++C)
        EXPECT_EQ(Transposed[Matrix * 64 + C * 8 + R], In[Matrix * 64 + R * 8 + C]);
  for (int L = 0; L != 32; ++L)
    for (int Matrix = 0; Matrix != 2; ++Matrix) {
      int Row = L % 4 * 2, Column = L / 4;
      uint32_t Low = In[Matrix * 64 + Row * 8 + Column];
      uint32_t High = In[Matrix * 64 + (Row + 1) * 8 + Column];
      EXPECT_EQ(Loaded[L * 2 + Matrix], Low | High << 16);
    }
}

TEST_F(Device, WarpOperationsInPtx) {
  std::vector<uint32_t> In(32), Out(32 * 16);
  uint32_t Ballot = 0, Sum = 0, Max = 0;
  for (uint32_t L = 0; L != 32; ++L) {
    In[L] = L * 37 % 201;
    Ballot |= uint32_t(In[L] > 100) << L;
    Sum += In[L];
    Max = std::max(Max, In[L]);
  }
  run("warpPtx", In.data(), Out.data());
  for (uint32_t L = 0; L != 32; ++L) {
    const uint32_t *O = &Out[L * 16];
    uint32_t Same = 0;
    for (uint32_t I = 0; I != 32; ++I)
      Same |= uint32_t(In[I] % 3 == In[L] % 3) << I;
    const uint32_t Expected[16] = {In[L ^ 1],
                                   L >= 4 ? In[L - 4] : In[L],
                                   L >= 4,
                                   Ballot,
                                   Same,
                                   Sum,
                                   Max,
                                   L,
                                   (1u << L) - 1,
                                   L,
                                   32,
                                   16,
                                   ~0u,
                                   L * (L + 1) / 2,
                                   1,
                                   1};
    for (int I = 0; I != 16; ++I)
      EXPECT_EQ(O[I], Expected[I]) << "lane " << L << " result " << I;
  }
}

TEST_F(Device, ExitAndTrapInPtx) {
  std::vector<uint32_t> Out(32);
  auto Result = launch("leave", Out.data(), 0);
  EXPECT_TRUE(std::holds_alternative<std::monostate>(Result));
  for (uint32_t L = 0; L != 32; ++L)
    EXPECT_EQ(Out[L], L % 2 ? 0 : L + 1);
  Result = launch("leave", Out.data(), 1);
  ASSERT_TRUE(std::holds_alternative<Fault>(Result));
  EXPECT_EQ(std::get<Fault>(Result).Kind, FaultKind::Trap);
  EXPECT_EQ(std::get<Fault>(Result).Thread.X, 30u);
}

/// Rounds to `Bits` significant bits, to nearest even.
float roundTo(int Bits, double V) {
  if (V == 0)
    return V;
  double Unit = std::ldexp(1.0, std::ilogb(V) - Bits + 1);
  return std::nearbyint(V / Unit) * Unit;
}

TEST_F(Device, HalfHeaders) {
  std::vector<uint16_t> In(32);
  std::vector<double> V(32);
  std::vector<float> Out(32 * 12);
  for (int L = 0; L != 32; ++L) {
    In[L] = half(L * 61 - 900); // then scaled by 2^-8
    In[L] -= In[L] & 0x7fff ? 8 << 10 : 0;
    V[L] = (L * 61 - 900) / 256.0;
  }
  run("halves", In.data(), Out.data());
  for (int L = 0; L != 32; ++L) {
    double A = V[L], B = V[(L + 1) % 32], C = V[(L + 2) % 32];
    float X = roundTo(8, A), Y = roundTo(8, B);
    const float Expected[12] = {roundTo(11, A * B + C),    roundTo(11, A + B),
                                roundTo(11, A * B),        roundTo(11, A * B + C),
                                roundTo(11, B * C + A),    float(A < B),
                                float(std::max(A, B)),     float(std::floor(A)),
                                float(std::floor(A)),      roundTo(11, std::clamp(A + B, 0.0, 1.0)),
                                roundTo(8, double(X) * Y), roundTo(8, double(X) * Y + X)};
    for (int I = 0; I != 12; ++I)
      EXPECT_EQ(Out[L * 12 + I], Expected[I]) << "lane " << L << " result " << I;
  }
}

} // namespace
