//===- KernelArgumentTest.cpp - Arguments of a kernel ---------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tool/kernel/KernelArgument.h"
#include <cstring>
#include <gtest/gtest.h>

using namespace gmprof::kernel;
using Kind = Parameter::Kind;

namespace {

std::string errorOf(const std::string &Text, const Parameter &P) {
  const auto A = decodeArgument(Text, P);
  return A ? "no error" : A.error();
}

template <typename T> T value(const std::string &Text, Kind Is) {
  const auto A = decodeArgument(Text, {Is, sizeof(T)});
  EXPECT_TRUE(A) << A.error();
  T Value = {};
  if (A) {
    EXPECT_EQ(A->Value.size(), sizeof(T));
    std::memcpy(&Value, A->Value.data(), sizeof(T));
  }
  return Value;
}

} // namespace

TEST(KernelArgument, IntegersHaveTheParametersSize) {
  EXPECT_EQ(value<int32_t>("-3", Kind::Integer), -3);
  EXPECT_EQ(value<uint32_t>("4294967295", Kind::Integer), 4294967295u);
  EXPECT_EQ(value<int64_t>("-9223372036854775808", Kind::Integer), INT64_MIN);
  EXPECT_EQ(value<uint64_t>("0xffffffffffffffff", Kind::Integer), UINT64_MAX);
  EXPECT_EQ(value<uint8_t>("0x1f", Kind::Integer), 31);
  const Parameter Byte{Kind::Integer, 1};
  EXPECT_EQ(errorOf("256", Byte), "is i8: '256' is not an integer of that size");
  EXPECT_EQ(errorOf("-129", Byte), "is i8: '-129' is not an integer of that size");
  EXPECT_EQ(errorOf("-128", Byte), "no error");
  EXPECT_EQ(errorOf("2.5", Byte), "is i8: '2.5' is not an integer of that size");
  EXPECT_EQ(errorOf("", Byte), "is i8: '' is not an integer of that size");
  EXPECT_EQ(errorOf("99999999999999999999", {Kind::Integer, 8}),
            "is i64: '99999999999999999999' is not an integer of that size");
}

TEST(KernelArgument, NumbersMayEndInF) {
  EXPECT_EQ(value<float>("2.5f", Kind::Float), 2.5f);
  EXPECT_EQ(value<float>("-3", Kind::Float), -3.0f);
  EXPECT_EQ(value<double>("1e300", Kind::Float), 1e300);
  EXPECT_EQ(value<float>("inf", Kind::Float), __builtin_inff());
  EXPECT_EQ(errorOf("two", {Kind::Float, 4}), "is f32: 'two' is not a number");
  EXPECT_EQ(errorOf("f", {Kind::Float, 8}), "is f64: 'f' is not a number");
}

TEST(KernelArgument, PointersAreArraysOrNull) {
  const Parameter Pointer{Kind::Pointer, 8};
  EXPECT_EQ(value<uint64_t>("null", Kind::Pointer), 0u);
  EXPECT_EQ(errorOf("0", Pointer), "is pointer: '0' is not an array (FILE.npy) or null");
  EXPECT_EQ(errorOf("/none/x.npy", Pointer),
            "'/none/x.npy' cannot be read: No such file or directory");
  EXPECT_EQ(errorOf("inout:/none/x.npy:/none/y.npy", Pointer),
            "'/none/x.npy' cannot be read: No such file or directory");
  EXPECT_EQ(errorOf("inout:x.npy", Pointer),
            "needs the form inout:FILE.npy:OUTPUT.npy, not 'inout:x.npy'");
  EXPECT_EQ(errorOf("x.npy", {Kind::Float, 4}), "is f32, but 'x.npy' is an array");
  EXPECT_EQ(errorOf("1", {Kind::Structure, 12}),
            "is struct of 12 bytes: '1' is not an array of that size (FILE.npy)");
}
