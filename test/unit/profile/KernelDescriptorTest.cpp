//===- KernelDescriptorTest.cpp - Decodes kernel descriptors --------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "profile/KernelDescriptor.h"
#include "TestLog.h"
#include "profile/SiteNumbers.h"
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
  D.Header.paramCount = 2;
  D.global(GMPROF_LEVEL_SA_NA_SM_TH, 16, 60000, GMPROF_MODE_GLOBAL | GMPROF_MODE_GLOBAL_ALL);
  gmprof_u32 Out = D.pointer("out", 4, 1, 3, 8);
  gmprof_u32 Table = D.symbol("table", 8, 512, GMPROF_NONE);
  gmprof_u32 First =
      D.globalSite(Table, GMPROF_ACCESS_LOAD, GMPROF_RULE_CLOSED_FORM, "all is known");
  gmprof_u32 Second = D.globalSite(Out, GMPROF_ACCESS_STORE, GMPROF_RULE_CLOSED_FORM);
  D.form(First, {0, 1, 8, 0, 0, 0, 0});
  D.form(Second, {0, 0, 0, 0, 0});
  return D;
}

std::string errorOf(const std::vector<std::byte> &Bytes) {
  auto Desc = decodeDescriptor(Bytes);
  return Desc ? "" : Desc.error();
}

/// Returns the error after replacing the 32-bit word at Offset.
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
  EXPECT_EQ(Desc->Modes,
            unsigned(GMPROF_MODE_SHARED | GMPROF_MODE_GLOBAL | GMPROF_MODE_GLOBAL_ALL));
  EXPECT_EQ(Desc->Level, GMPROF_LEVEL_SA_NA_SM_TH);
  EXPECT_EQ(Desc->CounterBits, 8u);
  EXPECT_EQ(Desc->Threshold, 255u);
  EXPECT_EQ(Desc->SkipReason, "");
  ASSERT_EQ(Desc->Variables.size(), 3u);
  EXPECT_EQ(Desc->Variables[0].Name, "tile");
  EXPECT_EQ(Desc->Variables[0].Type, "float[32][33]");
  EXPECT_EQ(Desc->Variables[0].Source.Line, 9u);
  EXPECT_EQ(Desc->Variables[0].Bytes, 4224u);
  EXPECT_EQ(Desc->Variables[0].ElementBytes, 4u);
  EXPECT_EQ(Desc->Variables[0].Root, profile::None);
  ASSERT_EQ(Desc->Sites.size(), 4u);
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

TEST(KernelDescriptorTest, DecodesTheGlobalProfile) {
  auto Desc = decodeDescriptor(example().bytes());
  ASSERT_TRUE(Desc) << Desc.error();
  EXPECT_EQ(Desc->GlobalLevel, GMPROF_LEVEL_SA_NA_SM_TH);
  EXPECT_EQ(Desc->GlobalCounterBits, 16u);
  EXPECT_EQ(Desc->GlobalThreshold, 60000u);
  const profile::Variable &Out = Desc->Variables.at(1), &Table = Desc->Variables.at(2);
  EXPECT_EQ(Out.Parameter, 1u);
  EXPECT_EQ(Out.ParameterOffset, 8u);
  EXPECT_EQ(Out.Root, 3u);
  EXPECT_EQ(Out.Symbol, "");
  EXPECT_EQ(Table.Symbol, "table");
  EXPECT_EQ(Table.Parameter, profile::None);
  EXPECT_EQ(Table.Root, profile::None);
  EXPECT_EQ(Desc->Sites.at(2).GlobalRule, GMPROF_RULE_CLOSED_FORM);
  EXPECT_EQ(Desc->Sites.at(2).GlobalReason, "all is known");
  ASSERT_EQ(Desc->Forms.size(), 2u);
  EXPECT_EQ(Desc->Forms[0].Site, 2u);
  EXPECT_EQ(Desc->Forms[0].Variable, 2u);
  EXPECT_EQ(Desc->Forms[0].Words, (std::vector<int64_t>{0, 1, 8, 0, 0, 0, 0}));
  EXPECT_EQ(Desc->Forms[1].Words, (std::vector<int64_t>{0, 0, 0, 0, 0}));
}

TEST(KernelDescriptorTest, DecodesInlinedCalls) {
  DescriptorWriter D = example();
  const gmprof_u32 InKernel = D.inlined("outer", 30);
  D.Sites[1].inlinedAt = D.inlined("inner", 20, InKernel);
  auto Desc = decodeDescriptor(D.bytes());
  ASSERT_TRUE(Desc) << Desc.error();
  EXPECT_EQ(Desc->Sites[0].InlinedAt, profile::None);
  EXPECT_TRUE(inlineChain(*Desc, profile::None).empty());
  const auto Chain = inlineChain(*Desc, Desc->Sites[1].InlinedAt);
  ASSERT_EQ(Chain.size(), 2u);
  EXPECT_EQ(Chain[0]->Function, "inner");
  EXPECT_EQ(Chain[0]->Source.File, "/src/sub/app.cu");
  EXPECT_EQ(Chain[0]->Source.Line, 20u);
  EXPECT_EQ(Chain[0]->Source.Column, 3u);
  EXPECT_EQ(Chain[1]->Function, "outer");
  EXPECT_EQ(Chain[1]->Source.Line, 30u);
}

TEST(KernelDescriptorTest, DecodesReductions) {
  DescriptorWriter D = example();
  D.Sites[D.site(0, GMPROF_ACCESS_ATOMIC, 13)].reduction = 1;
  D.site(0, GMPROF_ACCESS_ATOMIC, 14);
  auto Desc = decodeDescriptor(D.bytes());
  ASSERT_TRUE(Desc) << Desc.error();
  ASSERT_EQ(Desc->Sites.size(), 6u);
  EXPECT_TRUE(Desc->Sites[4].Reduction);
  EXPECT_FALSE(Desc->Sites[5].Reduction);
  D.Sites[5].reduction = 2;
  EXPECT_EQ(errorOf(D.bytes()), "its descriptor is invalid: an access is of unknown kind");
}

TEST(KernelDescriptorTest, RefusesWrongInlinedCalls) {
  const std::string Begin = "its descriptor is invalid: ";
  DescriptorWriter D = example();
  D.Sites[0].inlinedAt = 0;
  EXPECT_EQ(errorOf(D.bytes()), Begin + "an access is in an inlined call that it does not have");
  D = example();
  D.inlined("k", 30, 0); // its own parent
  EXPECT_EQ(errorOf(D.bytes()), Begin + "an inlined call is in one that does not come before it");
}

namespace {

/// A function of a unit with sites of these numbers; the site of number N is in line 100 + N.
DescriptorWriter function(const std::string &Name, gmprof_u64 Unit,
                          const std::vector<gmprof_u32> &Numbers) {
  DescriptorWriter D(Name, "/src/lib.cu", 1);
  D.Header.unit = Unit;
  for (gmprof_u32 Number : Numbers)
    D.Sites[D.site(GMPROF_NONE, GMPROF_ACCESS_LOAD, 100 + Number)].functionSite = Number;
  return D;
}

std::vector<std::byte> behind(std::vector<std::byte> Bytes, const DescriptorWriter &Next) {
  const std::vector<std::byte> More = Next.bytes();
  Bytes.insert(Bytes.end(), More.begin(), More.end());
  return Bytes;
}

} // namespace

TEST(KernelDescriptorTest, AddsSitesOfFunctions) {
  DescriptorWriter K = example();
  K.inlined("k", 30);
  DescriptorWriter F = function("f", 7, {0, 2});
  F.Sites[1].inlinedAt = F.inlined("f", 40);
  F.Sites[0].variable = F.variable("y", "int", 4, 4);
  F.callee("g");
  // Duplicate sites are added once, and the kernel's own sites are not added.
  DescriptorWriter G = function("g", 7, {2, 1});
  G.site(GMPROF_NONE, GMPROF_ACCESS_LOAD, 1);
  auto Desc = decodeDescriptor(behind(behind(K.bytes(), F), G));
  ASSERT_TRUE(Desc) << Desc.error();
  ASSERT_EQ(Desc->Sites.size(), 7u);
  EXPECT_EQ(Desc->Variables.size(), 3u);
  EXPECT_EQ(Desc->Sites[3].Unit, 0u);
  EXPECT_EQ(Desc->Sites[3].FunctionSite, profile::None);
  EXPECT_EQ(Desc->Sites[4].Unit, 7u);
  EXPECT_EQ(Desc->Sites[4].FunctionSite, 0u);
  EXPECT_EQ(Desc->Sites[4].Variable, profile::None);
  EXPECT_EQ(Desc->Sites[4].Source.Line, 100u);
  EXPECT_EQ(Desc->Sites[5].FunctionSite, 2u);
  EXPECT_EQ(Desc->Inlines[Desc->Sites[5].InlinedAt].Source.Line, 40u);
  EXPECT_EQ(Desc->Sites[6].FunctionSite, 1u);

  EXPECT_EQ(errorOf(behind(K.bytes(), DescriptorWriter("f"))), "");
  std::vector<std::byte> Rest = behind(K.bytes(), F);
  Rest.pop_back();
  EXPECT_EQ(errorOf(Rest), "its descriptor is invalid: its size is not the one that it states");
}

TEST(KernelDescriptorTest, NumbersSites) {
  DescriptorWriter K = example();
  auto Desc =
      decodeDescriptor(behind(behind(K.bytes(), function("f", 9, {0, 2})), function("g", 7, {1})));
  ASSERT_TRUE(Desc) << Desc.error();
  const SiteNumbers Numbers = siteNumbers(*Desc);
  EXPECT_EQ(Numbers.SiteCount, 7u);
  // Two numbers for unit 7, then three for unit 9.
  EXPECT_EQ(Numbers.Units[0].id, 7u);
  EXPECT_EQ(Numbers.Units[0].firstSite, 0u);
  EXPECT_EQ(Numbers.Units[1].id, 9u);
  EXPECT_EQ(Numbers.Units[1].firstSite, 2u);
  EXPECT_EQ(Numbers.Units[2].id, 0u);
  EXPECT_EQ(Numbers.siteOf(3), 3u);
  EXPECT_EQ(Numbers.siteOf(7), 7u);
  const std::vector<uint32_t> Expected = {7, 6, 4, 7, 5, 7};
  for (uint32_t I = 0; I < Expected.size(); ++I)
    EXPECT_EQ(Numbers.siteOf(GMPROF_SITE_OF_FUNCTION + I), Expected[I]) << I;
  EXPECT_EQ(Numbers.siteOf(GMPROF_SITE_UNKNOWN), 7u);
}

TEST(KernelDescriptorTest, NumbersSitesOfSomeUnits) {
  std::vector<std::byte> Bytes = example().bytes();
  for (gmprof_u64 Unit = 1; Unit <= GMPROF_UNITS + 1; ++Unit)
    Bytes = behind(Bytes, function("f" + std::to_string(Unit), Unit, {0}));
  auto Desc = decodeDescriptor(Bytes);
  ASSERT_TRUE(Desc) << Desc.error();
  const SiteNumbers Numbers = siteNumbers(*Desc);
  EXPECT_EQ(Numbers.Units.back().id, GMPROF_UNITS);
  EXPECT_EQ(Numbers.OfFunctions.size(), GMPROF_UNITS);
}

TEST(KernelDescriptorTest, DecodesTouches) {
  DescriptorWriter D = example();
  D.touch(1, GMPROF_TOUCH_READS, GMPROF_TOUCH_ALWAYS);
  D.touch(1, GMPROF_TOUCH_WRITES, GMPROF_TOUCH_FORM, 0, {0, 0, 0, 0, 0});
  D.touch(2, GMPROF_TOUCH_READS | GMPROF_TOUCH_TEXTURE, GMPROF_TOUCH_FLAG, 5);
  D.touch(GMPROF_NONE, GMPROF_TOUCH_WRITES, GMPROF_TOUCH_SEARCH);
  auto Desc = decodeDescriptor(D.bytes());
  ASSERT_TRUE(Desc) << Desc.error();
  ASSERT_EQ(Desc->Touches.size(), 4u);
  EXPECT_EQ(Desc->Touches[0].Variable, 1u);
  EXPECT_EQ(Desc->Touches[0].Kinds, GMPROF_TOUCH_READS);
  EXPECT_EQ(Desc->Touches[1].Rule, GMPROF_TOUCH_FORM);
  EXPECT_EQ(Desc->Touches[2].Kinds, GMPROF_TOUCH_READS | GMPROF_TOUCH_TEXTURE);
  EXPECT_EQ(Desc->Touches[2].Flag, 5u);
  EXPECT_EQ(Desc->Touches[3].Variable, profile::None);
  ASSERT_EQ(Desc->TouchForms.size(), 1u);
  EXPECT_EQ(Desc->TouchForms[0].Site, 1u);
  EXPECT_EQ(Desc->TouchForms[0].Words, (std::vector<int64_t>{0, 0, 0, 0, 0}));
}

TEST(KernelDescriptorTest, RefusesWrongTouches) {
  const std::string Begin = "its descriptor is invalid: a touch ";
  auto With = [](gmprof_u32 Variable, unsigned Kinds, unsigned Rule, unsigned Flag) {
    DescriptorWriter D = example();
    D.touch(Variable, Kinds, static_cast<GmprofTouchRule>(Rule), Flag);
    return errorOf(D.bytes());
  };
  EXPECT_EQ(With(1, GMPROF_TOUCH_READS, GMPROF_TOUCH_FLAG, 2), "");
  EXPECT_EQ(With(3, GMPROF_TOUCH_READS, GMPROF_TOUCH_ALWAYS, 0),
            Begin + "is of a variable that it does not have");
  EXPECT_EQ(With(1, 8, GMPROF_TOUCH_ALWAYS, 0), Begin + "is of unknown kind");
  EXPECT_EQ(With(1, GMPROF_TOUCH_READS, 5, 0), Begin + "is of unknown kind");
  EXPECT_EQ(With(GMPROF_NONE, GMPROF_TOUCH_READS, GMPROF_TOUCH_ALWAYS, 0),
            Begin + "is of unknown kind");
  EXPECT_EQ(With(1, GMPROF_TOUCH_READS, GMPROF_TOUCH_FLAG, 1),
            Begin + "has a flag that there is not");
  EXPECT_EQ(With(1, GMPROF_TOUCH_READS, GMPROF_TOUCH_FLAG, 1024),
            Begin + "has a flag that there is not");
}

TEST(KernelDescriptorTest, EveryTruncationIsRefused) {
  const std::vector<std::byte> Bytes = example().bytes();
  for (size_t Size = 0; Size < Bytes.size(); ++Size)
    EXPECT_NE(errorOf({Bytes.begin(), Bytes.begin() + Size}), "") << Size;
  std::vector<std::byte> Longer = Bytes;
  Longer.push_back(std::byte{0});
  EXPECT_EQ(errorOf(Longer), "its descriptor is invalid: it is shorter than its header");
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
  EXPECT_EQ(errorWith(offsetof(GmprofKernelDesc, globalLevel), 5), Begin + "its level is unknown");
  EXPECT_EQ(errorWith(offsetof(GmprofKernelDesc, globalCounterBits), 0),
            Begin + "its counters of global memory are not of 8, 16 or 32 bits");
  EXPECT_EQ(errorWith(offsetof(GmprofKernelDesc, paramCount), 1),
            Begin + "a variable is reached through a parameter that it does not have");
  EXPECT_EQ(errorWith(offsetof(GmprofKernelDesc, formWordCount), 11),
            Begin + "a closed form lies outside it");
  EXPECT_EQ(errorWith(offsetof(GmprofKernelDesc, name), 1000000),
            Begin + "a name lies outside its strings");
  for (size_t Offset :
       {offsetof(GmprofKernelDesc, varsOffset), offsetof(GmprofKernelDesc, varCount),
        offsetof(GmprofKernelDesc, sitesOffset), offsetof(GmprofKernelDesc, siteCount),
        offsetof(GmprofKernelDesc, staticsOffset), offsetof(GmprofKernelDesc, staticCount),
        offsetof(GmprofKernelDesc, formsOffset), offsetof(GmprofKernelDesc, formCount),
        offsetof(GmprofKernelDesc, formWordsOffset), offsetof(GmprofKernelDesc, formWordCount)})
    EXPECT_EQ(errorWith(Offset, 0xfffffff0u), Begin + "an array lies outside it") << Offset;
  for (size_t Offset :
       {offsetof(GmprofKernelDesc, stringsOffset), offsetof(GmprofKernelDesc, stringsBytes)})
    EXPECT_EQ(errorWith(Offset, 0xfffffff0u), Begin + "its strings lie outside it") << Offset;

  DescriptorWriter D("k");
  D.site(1, GMPROF_ACCESS_LOAD, 1);
  EXPECT_EQ(errorOf(D.bytes()), Begin + "an access is to a variable that it does not have");
  D = DescriptorWriter("k");
  D.site(GMPROF_NONE, GMPROF_ACCESS_BARRIER + 1, 1);
  EXPECT_EQ(errorOf(D.bytes()), Begin + "an access is of unknown kind");
  D = DescriptorWriter("k");
  D.count(D.variable("a", "float[2]", 4, 8), GMPROF_NONE, 8, 4, 1);
  EXPECT_EQ(errorOf(D.bytes()), Begin + "a static count lies outside its variable");
  D = DescriptorWriter("k");
  D.global(GMPROF_LEVEL_SA, 32, 0);
  D.pointer("a", 4, GMPROF_NONE, GMPROF_GLOBAL_ROOTS);
  EXPECT_EQ(errorOf(D.bytes()),
            Begin + "a variable is reached through a parameter that it does not have");
  D = DescriptorWriter("k");
  D.globalSite(GMPROF_NONE, GMPROF_ACCESS_LOAD, GmprofRule(GMPROF_RULE_SWEEP + 1));
  EXPECT_EQ(errorOf(D.bytes()), Begin + "an access is of unknown kind");
  D = DescriptorWriter("k");
  D.form(D.globalSite(GMPROF_NONE, GMPROF_ACCESS_LOAD, GMPROF_RULE_CLOSED_FORM), {});
  EXPECT_EQ(errorOf(D.bytes()),
            Begin + "a closed form is of a variable or access that it does not have");
  D = DescriptorWriter("k");
  D.heatForm(D.globalSite(GMPROF_NONE, GMPROF_ACCESS_LOAD, GMPROF_RULE_COUNTED), {});
  EXPECT_EQ(errorOf(D.bytes()),
            Begin + "a closed form is of a variable or access that it does not have");
  for (auto [Bytes, PieceBytes] :
       std::vector<std::pair<unsigned, unsigned>>{{0, 4}, {4, 3}, {64, 32}, {6, 4}, {4, 0}}) {
    D = DescriptorWriter("k");
    const gmprof_u32 X = D.pointer("x", 4, 0, 0);
    D.heatForm(D.globalSite(X, GMPROF_ACCESS_LOAD, GMPROF_RULE_COUNTED), {}, Bytes, PieceBytes);
    EXPECT_EQ(errorOf(D.bytes()), Begin + "an access of a closed form has no valid size") << Bytes;
  }
  D = DescriptorWriter("k");
  D.count(0, GMPROF_NONE, 0, 4, 1);
  EXPECT_EQ(errorOf(D.bytes()),
            Begin + "a static count is of a variable or access that it does not have");
}

TEST(KernelDescriptorTest, NoByteCanDoHarm) {
  // Whatever value a byte has, decoding terminates, and accepted descriptors are in bounds, which
  // the sanitizers and these checks verify.
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
