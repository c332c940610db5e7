//===- Harness.h - Executes one intrinsic or asm statement ------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Wraps an NVVM intrinsic or a piece of inline PTX in a function, lowers and compiles it as the CPU
// device does, and calls it. Values are passed as bit patterns, so that tests can tell NaNs and
// zeros apart.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_TEST_CPU_INTRINSICS_HARNESS_H
#define GMPROF_TEST_CPU_INTRINSICS_HARNESS_H

#include "cpu/engine/ThreadState.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace gmprof::cpu::test {

using U128 = unsigned __int128;

/// State of the GPU thread that the code runs as.
struct TestThread {
  BlockState Block{};
  ThreadState Thread{};
  TestThread() { Thread.Block = &Block; }
};

class Compiled {
public:
  /// Returns the call's results, one per element of a struct.
  std::vector<U128> all(std::initializer_list<U128> Args) const;
  /// Returns the only or first result.
  uint64_t operator()(std::initializer_list<U128> Args) const {
    return static_cast<uint64_t>(all(Args).at(0));
  }
  float f32(std::initializer_list<U128> Args) const {
    return std::bit_cast<float>(static_cast<uint32_t>((*this)(Args)));
  }
  double f64(std::initializer_list<U128> Args) const {
    return std::bit_cast<double>((*this)(Args));
  }

  TestThread *Thread = nullptr; ///< if not null, the thread to run as
  std::string Error;            ///< why it is not supported; empty if it is

private:
  friend struct Builder;
  std::shared_ptr<void> Code;
  void (*Entry)(ThreadState *, const U128 *, U128 *) = nullptr;
  unsigned Results = 0;
};

/// Compiles llvm.nvvm.`Name`. `Types` are those of an overloaded intrinsic: f, d, h (half), b
/// (bfloat), 2h, 2b, r (i32), l (i64), s (i16), p. `Immediates` has the constant operands, and -1
/// for each operand that comes from `Args`.
Compiled intrinsic(const std::string &Name, const std::vector<std::string> &Types = {},
                   const std::vector<int> &Immediates = {});

/// Compiles an asm statement as clang passes it to LLVM: "add.s32 $0, $1, $2;", "=r,r,r". "n"
/// operands take their values from `Immediates`.
Compiled ptx(const std::string &Text, const std::string &Constraints,
             const std::vector<int64_t> &Immediates = {});

/// Compiles the same statement as part of a PTX module, through the PTX reader. "n" and "q"
/// operands are not supported.
Compiled lifted(const std::string &Text, const std::string &Constraints);

inline uint32_t bits(float V) { return std::bit_cast<uint32_t>(V); }
inline uint64_t bits(double V) { return std::bit_cast<uint64_t>(V); }
inline float asFloat(uint64_t Bits) { return std::bit_cast<float>(static_cast<uint32_t>(Bits)); }
inline double asDouble(uint64_t Bits) { return std::bit_cast<double>(Bits); }

/// Pseudo-random numbers, the same in every run (splitmix64).
class Random {
public:
  explicit Random(uint64_t Seed) : State(Seed) {}
  uint64_t next() {
    uint64_t Z = State += 0x9e3779b97f4a7c15;
    Z = (Z ^ Z >> 30) * 0xbf58476d1ce4e5b9;
    Z = (Z ^ Z >> 27) * 0x94d049bb133111eb;
    return Z ^ Z >> 31;
  }

private:
  uint64_t State;
};

/// Return zeros, denormals, limits, infinities and NaN, then random encodings.
std::vector<float> interestingFloats(unsigned RandomCount);
std::vector<double> interestingDoubles(unsigned RandomCount);

/// Expects A and B to be the same bits, or both to be NaN.
#define EXPECT_SAME_F32(Actual, Expected, ...)                                                     \
  do {                                                                                             \
    float A_ = (Actual), E_ = (Expected);                                                          \
    if (!(std::isnan(A_) && std::isnan(E_)))                                                       \
      EXPECT_EQ(bits(A_), bits(E_)) << __VA_ARGS__;                                                \
  } while (0)
#define EXPECT_SAME_F64(Actual, Expected, ...)                                                     \
  do {                                                                                             \
    double A_ = (Actual), E_ = (Expected);                                                         \
    if (!(std::isnan(A_) && std::isnan(E_)))                                                       \
      EXPECT_EQ(bits(A_), bits(E_)) << __VA_ARGS__;                                                \
  } while (0)

} // namespace gmprof::cpu::test

#endif // GMPROF_TEST_CPU_INTRINSICS_HARNESS_H
