//===- ElementSizeTest.cpp ------------------------------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "profile/ElementSize.h"
#include <gtest/gtest.h>

using namespace gmprof;

/// Returns the element size of a variable with this type size, accessed with these sizes.
static unsigned sizeOf(unsigned ElementBytes, const std::vector<unsigned> &Accesses,
                       GmprofLevel Level = GMPROF_LEVEL_SA) {
  profile::Descriptor Desc;
  Desc.GlobalLevel = Level;
  Desc.Variables.resize(2);
  Desc.Variables[0].ElementBytes = ElementBytes;
  for (unsigned Bytes : Accesses) {
    profile::Site &S = Desc.Sites.emplace_back();
    S.Variable = 0;
    S.Bytes = Bytes;
    S.GlobalRule = GMPROF_RULE_COUNTED;
  }
  profile::Site &Other = Desc.Sites.emplace_back();
  Other.Variable = 1;
  Other.Bytes = 1;
  Other.GlobalRule = GMPROF_RULE_COUNTED;
  return 1u << elementShift(Desc, 0);
}

TEST(ElementSize, FollowsTheAccessSizes) {
  EXPECT_EQ(sizeOf(4, {4, 4}), 4u);
  EXPECT_EQ(sizeOf(8, {8}), 8u);
  EXPECT_EQ(sizeOf(4, {16}), 4u) << "int4 loads of ints";
  EXPECT_EQ(sizeOf(16, {16}), 16u) << "an array of float4";
  EXPECT_EQ(sizeOf(16, {16, 4}), 4u) << "and its x";
  EXPECT_EQ(sizeOf(12, {4}), 4u) << "three ints";
  EXPECT_EQ(sizeOf(24, {8}), 8u) << "three doubles";
  EXPECT_EQ(sizeOf(1, {1}), 1u);
  EXPECT_EQ(sizeOf(0, {0, 2}), 2u) << "the type is not known";
  EXPECT_EQ(sizeOf(0, {}), 4u) << "nothing is known";
  EXPECT_EQ(sizeOf(1u << 30, {}), 1u << profile::MaxElementShift);
}

TEST(ElementSize, CountersOfTheDefaultLevelAreAQuarter) {
  EXPECT_EQ(sizeOf(1, {1}, GMPROF_LEVEL_SA_NA_SM_TH), 4u);
  EXPECT_EQ(sizeOf(2, {2}, GMPROF_LEVEL_SA_NA_SM_TH), 4u);
  EXPECT_EQ(sizeOf(8, {8}, GMPROF_LEVEL_SA_NA_SM_TH), 8u);
}

TEST(ElementSize, UnknownPointersCount) {
  EXPECT_EQ(elementShift(profile::Descriptor(), profile::None), 2u);
}
