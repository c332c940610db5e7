//===- KernelDescriptorTest.cpp - Decoding what the pass left -------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "profile/KernelDescriptor.h"
#include "TestLog.h"
#include <gtest/gtest.h>

using namespace gmprof;
using namespace gmprof::test;

namespace {

DescriptorWriter example() {
  DescriptorWriter D("_Z1kPf", "sub/app.cu", 7);
  D.Header.directory = D.string("/src");
  D.Header.threshold = 255;
  D.Header.counterBits = 8;
  D.Header.sharedLevel = GMPROF_LEVEL_SA_NA_SM_TH;
  gmprof_u32 Tile = D.variable("tile", "float[32][33]", 4, 4224, 9);
  gmprof_u32 Store = D.site(Tile, GMPROF_ACCESS_STORE, 11);
  D.site(GMPROF_NONE, GMPROF_ACCESS_LOAD, 12, GMPROF_RULE_SKIPPED, "in an opaque loop",
         GMPROF_SPACE_GENERIC);
  D.count(Tile, Store, 4220, 4, 3);
  return D;
}

std::string errorOf(const std::vector<std::byte> &Bytes) {
  auto Desc = decodeDescriptor(Bytes);
  return Desc ? "" : Desc.error();
}

/// The error after the 32-bit word at Offset is replaced.
std::string errorWith(size_t Offset, gmprof_u32 Value) {
  std::vector<std::byte> Bytes = example().bytes();
  std::memcpy(&Bytes[Offset], &Value, sizeof(Value));
  return errorOf(Bytes);
}

} // namespace

TEST(KernelDescriptorTest, PathsAreNormal) {
  DescriptorWriter D("_Z1kPf", "../../lib/./app.cu", 7);
  D.Header.directory = D.string("/src/build/demo");
  auto Desc = decodeDescriptor(D.bytes());
  ASSERT_TRUE(Desc) << Desc.error();
  EXPECT_EQ(Desc->Source.File, "/src/lib/app.cu");
}

TEST(KernelDescriptorTest, DecodesEverything) {
  auto Desc = decodeDescriptor(example().bytes());
  ASSERT_TRUE(Desc) << Desc.error();
  EXPECT_EQ(Desc->Name, "_Z1kPf");
  EXPECT_EQ(Desc->Source.File, "/src/sub/app.cu");
  EXPECT_EQ(Desc->Source.Line, 7u);
  EXPECT_EQ(Desc->Modes, unsigned(GMPROF_MODE_SHARED));
  EXPECT_EQ(Desc->Level, GMPROF_LEVEL_SA_NA_SM_TH);
  EXPECT_EQ(Desc->CounterBits, 8u);
  EXPECT_EQ(Desc->Threshold, 255u);
  EXPECT_EQ(Desc->SkipReason, "");
  ASSERT_EQ(Desc->Variables.size(), 1u);
  EXPECT_EQ(Desc->Variables[0].Name, "tile");
  EXPECT_EQ(Desc->Variables[0].Type, "float[32][33]");
  EXPECT_EQ(Desc->Variables[0].Source.Line, 9u);
  EXPECT_EQ(Desc->Variables[0].Bytes, 4224u);
  EXPECT_EQ(Desc->Variables[0].ElementBytes, 4u);
  ASSERT_EQ(Desc->Sites.size(), 2u);
  EXPECT_EQ(Desc->Sites[0].Variable, 0u);
  EXPECT_EQ(Desc->Sites[0].Kind, GMPROF_ACCESS_STORE);
  EXPECT_EQ(Desc->Sites[0].Source.Column, 5u);
  EXPECT_EQ(Desc->Sites[1].Variable, profile::None);
  EXPECT_EQ(Desc->Sites[1].Rule, GMPROF_RULE_SKIPPED);
  EXPECT_EQ(Desc->Sites[1].Reason, "in an opaque loop");
  ASSERT_EQ(Desc->Statics.size(), 1u);
  EXPECT_EQ(Desc->Statics[0].Offset, 4220u);
  EXPECT_EQ(Desc->Statics[0].Count, 3u);
}

TEST(KernelDescriptorTest, EveryTruncationIsRefused) {
  const std::vector<std::byte> Bytes = example().bytes();
  for (size_t Size = 0; Size < Bytes.size(); ++Size)
    EXPECT_NE(errorOf({Bytes.begin(), Bytes.begin() + Size}), "") << Size;
  std::vector<std::byte> Longer = Bytes;
  Longer.push_back(std::byte{0});
  EXPECT_EQ(errorOf(Longer), "its descriptor is invalid: its size is not the one that it states");
}

TEST(KernelDescriptorTest, RefusesWrongFields) {
  const std::string Begin = "its descriptor is invalid: ";
  EXPECT_EQ(errorWith(offsetof(GmprofKernelDesc, magic), 1),
            Begin + "it does not start with its magic number");
  EXPECT_EQ(errorWith(offsetof(GmprofKernelDesc, abiVersion), 99),
            Begin + "it has ABI version 99 and this runtime has " +
                std::to_string(GMPROF_ABI_VERSION) +
                ": rebuild the program with this GMProf's plugin");
  EXPECT_EQ(errorWith(offsetof(GmprofKernelDesc, counterBits), 9),
            Begin + "its counters are not of 8, 16 or 32 bits");
  EXPECT_EQ(errorWith(offsetof(GmprofKernelDesc, sharedLevel), 5), Begin + "its level is unknown");
  EXPECT_EQ(errorWith(offsetof(GmprofKernelDesc, name), 1000000),
            Begin + "a name lies outside its strings");
  for (size_t Offset :
       {offsetof(GmprofKernelDesc, varsOffset), offsetof(GmprofKernelDesc, varCount),
        offsetof(GmprofKernelDesc, sitesOffset), offsetof(GmprofKernelDesc, siteCount),
        offsetof(GmprofKernelDesc, staticsOffset), offsetof(GmprofKernelDesc, staticCount)})
    EXPECT_EQ(errorWith(Offset, 0xfffffff0u), Begin + "an array lies outside it") << Offset;
  for (size_t Offset :
       {offsetof(GmprofKernelDesc, stringsOffset), offsetof(GmprofKernelDesc, stringsBytes)})
    EXPECT_EQ(errorWith(Offset, 0xfffffff0u), Begin + "its strings lie outside it") << Offset;

  DescriptorWriter D("k");
  D.site(1, GMPROF_ACCESS_LOAD, 1);
  EXPECT_EQ(errorOf(D.bytes()), Begin + "an access is to a variable that it does not have");
  D = DescriptorWriter("k");
  D.site(GMPROF_NONE, GMPROF_ACCESS_MATRIX + 1, 1);
  EXPECT_EQ(errorOf(D.bytes()), Begin + "an access is of unknown kind");
  D = DescriptorWriter("k");
  D.count(D.variable("a", "float[2]", 4, 8), GMPROF_NONE, 8, 4, 1);
  EXPECT_EQ(errorOf(D.bytes()), Begin + "a static count lies outside its variable");
  D = DescriptorWriter("k");
  D.count(0, GMPROF_NONE, 0, 4, 1);
  EXPECT_EQ(errorOf(D.bytes()),
            Begin + "a static count is of a variable or access that it does not have");
}

TEST(KernelDescriptorTest, NoByteCanDoHarm) {
  // Whatever one byte becomes, decoding ends, and what it accepts is in bounds
  // (the sanitizers and these checks say so).
  const std::vector<std::byte> Bytes = example().bytes();
  for (size_t I = 0; I < Bytes.size(); ++I)
    for (unsigned Value : {0x00u, 0x01u, 0x7fu, 0x80u, 0xffu}) {
      std::vector<std::byte> Flipped = Bytes;
      Flipped[I] = std::byte(Value);
      auto Desc = decodeDescriptor(Flipped);
      if (!Desc)
        continue;
      for (const profile::Site &S : Desc->Sites)
        EXPECT_TRUE(S.Variable == profile::None || S.Variable < Desc->Variables.size());
      for (const profile::StaticCount &S : Desc->Statics)
        EXPECT_LT(S.Variable, Desc->Variables.size());
    }
}
