//===- BoundsTest.cpp - Accesses at the ends of objects -------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Harness.h"

#include <numeric>

namespace gmprof::cpu {
namespace {

/// Memory of which kernels must not access the bytes from Bytes on.
class Guarded {
public:
  explicit Guarded(size_t Bytes) : Bytes(Bytes) { guardPadding(uint64_t(Data + Bytes), true); }
  ~Guarded() { guardPadding(uint64_t(Data + Bytes), false); }
  Guarded(const Guarded &) = delete;
  Guarded &operator=(const Guarded &) = delete;
  template <class T> T *as() { return reinterpret_cast<T *>(Data); }
  OneAllocation map() const { return {Data, Bytes}; }

private:
  alignas(256) char Data[512] = {};
  const size_t Bytes;
};

class BoundsTest : public EngineTest {
protected:
  template <class... Args> void inside(const std::string &Kernel, Args... Values) {
    run(module("bounds"), Kernel, config({1}, {1}), Values...);
  }
  template <class... Args>
  std::string outside(const std::string &Kernel, const MemoryMap &Map, Args... Values) {
    const Fault F = fault(module("bounds"), Kernel, config({1}, {1}), Map, Values...);
    EXPECT_EQ(F.Kind, FaultKind::IllegalAddress);
    return F.Message.substr(F.Message.find("illegal"));
  }
};
GMPROF_ENGINE_TESTS(BoundsTest, "O0", "O2", "ptx");

/// Tests of the table of bytes behind objects.
class PaddingTest : public BoundsTest {
protected:
  void SetUp() override {
#if defined(__has_feature) && __has_feature(thread_sanitizer)
    GTEST_SKIP() << "ThreadSanitizer leaves no room for the table";
#endif
    BoundsTest::SetUp();
  }
};
GMPROF_ENGINE_TESTS(PaddingTest, "O0", "O2", "ptx");

class WrappedBoundsTest : public BoundsTest {};
GMPROF_ENGINE_TESTS(WrappedBoundsTest, "O0", "O2");

std::string outsideAllocation(const void *Address, const char *Bytes, const char *Where) {
  return "illegal access of " + std::string(Bytes) + " to address " +
         testing::PrintToString(Address) + Where;
}

TEST_P(PaddingTest, LastElementOfAnAllocationIsInside) {
  Guarded Memory(100);
  inside("storeInt", Memory.as<int>(), 24l);
  EXPECT_EQ(Memory.as<int>()[24], 7);
  EXPECT_EQ(outside("storeInt", Memory.map(), Memory.as<int>(), 25l),
            outsideAllocation(Memory.as<int>() + 25, "4 bytes", ", 0 bytes beyond the allocation"));
  EXPECT_EQ(Memory.as<int>()[25], 0);
}

TEST_P(PaddingTest, LastByteIsInside) {
  Guarded Memory(255);
  int Out = -1;
  inside("loadByte", Memory.as<const char>(), 254l, &Out);
  EXPECT_EQ(Out, 0);
  EXPECT_EQ(
      outside("loadByte", Memory.map(), Memory.as<const char>(), 255l, &Out),
      outsideAllocation(Memory.as<char>() + 255, "1 byte", ", 0 bytes beyond the allocation"));
}

TEST_P(BoundsTest, NextAllocationBeginsInside) {
  Guarded Memory(100);
  inside("storeInt", Memory.as<int>(), 64l);
  EXPECT_EQ(Memory.as<int>()[64], 7);
}

TEST_P(BoundsTest, MultipleOf256HasNoPadding) {
  Guarded Memory(256);
  inside("storeInt", Memory.as<int>(), 63l);
  inside("storeInt", Memory.as<int>(), 64l);
}

TEST_P(PaddingTest, VectorThatBeginsInside) {
  Guarded Memory(104);
  alignas(16) char Out[16];
  inside("loadVector", Memory.as<const void>(), 5l, &Out[0]);
  // In the PTX of clang, the vector is loaded in halves.
  const bool Halves = GetParam() == std::string_view("ptx");
  EXPECT_EQ(outside("loadVector", Memory.map(), Memory.as<const void>(), 6l, &Out[0]),
            Halves ? outsideAllocation(Memory.as<char>() + 104, "8 bytes",
                                       ", 0 bytes beyond the allocation")
                   : outsideAllocation(Memory.as<char>() + 96, "16 bytes", ", "));
}

TEST_P(PaddingTest, Atomics) {
  Guarded Memory(40);
  inside("addDouble", Memory.as<double>(), 4l);
  EXPECT_EQ(Memory.as<double>()[4], 1.0);
  outside("addDouble", Memory.map(), Memory.as<double>(), 5l);
  inside("exchange", Memory.as<int>(), 7l);
  EXPECT_EQ(Memory.as<int>()[7], 1);
  outside("exchange", Memory.map(), Memory.as<int>(), 10l);
}

TEST_P(PaddingTest, StructureWhoseEndIsOutside) {
  Guarded Memory(32);
  struct {
    int X, Y, Z;
  } Out;
  inside("copyTriple", Memory.as<const void>(), 1l, &Out);
  outside("copyTriple", Memory.map(), Memory.as<const void>(), 2l, &Out);
}

TEST_P(BoundsTest, SharedArraysEndWhereTheyEnd) {
  int Out[32];
  run(module("bounds"), "sharedArrays", config({1}, {32}), &Out[0], 32);
  for (int I = 0; I < 32; ++I)
    EXPECT_EQ(Out[I], 32 - I + 131 - I);
  Fault F =
      fault(module("bounds"), "sharedArrays", config({1}, {32}), OneAllocation(), &Out[0], 33);
  EXPECT_EQ(F.Kind, FaultKind::IllegalAddress);
  EXPECT_EQ(F.Thread.X, 0u);
  EXPECT_NE(
      F.Message.find("illegal access of 4 bytes at index 33 (byte 132) of the 132-byte variable "),
      std::string::npos)
      << F.Message;
  EXPECT_TRUE(F.Message.ends_with("First")) << F.Message;
  F = fault(module("bounds"), "sharedArrays", config({1}, {32}), OneAllocation(), &Out[0], 30);
  EXPECT_EQ(F.Thread.X, 31u);
  EXPECT_NE(F.Message.find("at index "), std::string::npos) << F.Message;
}

TEST_P(BoundsTest, DynamicSharedMemoryEndsWhereTheLaunchSays) {
  int Out[32];
  const LaunchConfig Config = config({1}, {32}, 33 * sizeof(int));
  run(module("bounds"), "dynamicShared", Config, &Out[0], 32);
  EXPECT_EQ(Out[31], 1);
  const Fault F = fault(module("bounds"), "dynamicShared", Config, OneAllocation(), &Out[0], 33);
  EXPECT_EQ(F.Thread.X, 0u);
  EXPECT_NE(
      F.Message.find(
          "illegal access of 4 bytes at index 33 (byte 132) of the 132-byte variable Dynamic"),
      std::string::npos)
      << F.Message;
}

TEST_P(WrappedBoundsTest, IndexOfSharedMemoryWrapsAt32Bits) {
  int Out[32];
  run(module("bounds"), "wrappedIndex", config({1}, {32}), &Out[0]);
  EXPECT_EQ(Out[0], 31);
  EXPECT_EQ(Out[31], 0);
}

TEST_P(PaddingTest, Variables) {
  inside("variable", 32);
  EXPECT_EQ(outside("variable", OneAllocation(), 33),
            "illegal access of 4 bytes at index 33 (byte 132) of the 132-byte variable Numbers");
  EXPECT_EQ(outside("variable", OneAllocation(), -1),
            "illegal access of 4 bytes at index -1 (byte -4) of the 132-byte variable Numbers");
  int *Numbers = nullptr;
  inside("throughPointer", &Numbers);
  inside("storeInt", Numbers, 32l);
  EXPECT_EQ(outside("storeInt", OneAllocation(Numbers, 132), Numbers, 33l),
            outsideAllocation(Numbers + 33, "4 bytes", ", 0 bytes beyond the allocation"));
}

TEST_P(BoundsTest, Constants) {
  int Out = -1;
  inside("table", &Out, 4);
  EXPECT_EQ(Out, 0);
  EXPECT_EQ(outside("table", OneAllocation(), &Out, 5),
            "illegal access of 2 bytes at index 5 (byte 10) of the 10-byte variable Table");
}

TEST_P(BoundsTest, LocalArraysAreNotChecked) {
  int Out = -1;
  inside("local", &Out, 7);
  EXPECT_EQ(Out, 49);
}

} // namespace
} // namespace gmprof::cpu
