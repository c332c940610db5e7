//===- ParameterTypesTest.cpp - Types of a kernel's parameters ------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/ParameterTypes.h"
#include <gtest/gtest.h>

using namespace gmprof;
using namespace gmprof::analysis;

using Types = std::vector<std::string>;

TEST(ParameterTypes, TypesOfParameters) {
  EXPECT_EQ(parameterTypes("sum(float const*, unsigned long long*, int)"),
            (Types{"float const*", "unsigned long long*", "int"}));
  EXPECT_EQ(parameterTypes("void apply<(anonymous namespace)::Op<int, 4>>(Pair<int, float>*, "
                           "void (*)(int, int))"),
            (Types{"Pair<int, float>*", "void (*)(int, int)"}));
  EXPECT_EQ(parameterTypes("empty()"), Types{});
  EXPECT_EQ(parameterTypes("triton_kernel"), Types{});
}

TEST(ParameterTypes, ElementTypes) {
  profile::Kernel K;
  K.Demangled = "k(float*, int const*, int**, unsigned int)";
  EXPECT_EQ(elementType(K, 0), "");
  K.Desc.emplace();
  for (const uint32_t Parameter : {0u, 1u, 2u, 3u, 4u, profile::None})
    K.Desc->Variables.emplace_back().Parameter = Parameter;
  Types All;
  for (uint32_t I = 0; I < 7; ++I)
    All.push_back(elementType(K, I));
  EXPECT_EQ(All, (Types{"float", "int const", "", "", "", "", ""}));
  EXPECT_TRUE(isIntegerType("unsigned long long"));
  EXPECT_FALSE(isIntegerType("float"));
  EXPECT_FALSE(isIntegerType(""));
}
