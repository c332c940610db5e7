//===- ReaderTest.cpp - Parser and instruction table of PTX ---------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ptx/InstructionTable.h"
#include "ptx/Parser.h"

#include "llvm/Support/MemoryBuffer.h"

#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>

using namespace llvm;

namespace gmprof::ptx {
namespace {

/// Returns the text of a module with one kernel.
std::string kernel(const std::string &Body) {
  return ".version 8.5\n.target sm_90\n.entry k() {\n.reg .b32 %r<8>;\n" + Body + "\n}\n";
}

std::string errorOf(const std::string &Text) {
  Expected<Module> M = parse(Text, "a.ptx");
  return M ? std::string() : toString(M.takeError());
}

TEST(PtxReader, EveryRowHasACaseInTheGoldenTests) {
  std::set<const Row *> Missing;
  for (const Row *R : allRows())
    Missing.insert(R);
  for (const auto &File : std::filesystem::directory_iterator(GMPROF_PTX_TESTS)) {
    if (File.path().extension() != ".ptx")
      continue;
    auto Text = MemoryBuffer::getFile(File.path().string());
    ASSERT_TRUE(bool(Text)) << File.path();
    Expected<Module> M = parse((*Text)->getBuffer(), File.path().string());
    ASSERT_TRUE(bool(M)) << toString(M.takeError());
    for (const Function &F : M->Functions)
      for (const Instruction &I : F.Instructions)
        Missing.erase(findRow(I));
  }
  for (const Row *R : Missing)
    ADD_FAILURE() << "no golden test: " << R->Opcode.str() << " " << R->Modifiers.str();
}

TEST(PtxReader, ModifiersMatchInOrder) {
  EXPECT_TRUE(matchModifiers("[rn] [ftz] f32", {"f32"}));
  EXPECT_TRUE(matchModifiers("[rn] [ftz] f32", {"rn", "ftz", "f32"}));
  EXPECT_FALSE(matchModifiers("[rn] [ftz] f32", {"ftz", "rn", "f32"}));
  EXPECT_FALSE(matchModifiers("[rn] [ftz] f32", {"rz", "f32"}));
  EXPECT_FALSE(matchModifiers("[rn] [ftz] f32", {"f32", "sat"}));
  EXPECT_TRUE(matchModifiers("%data", {"b8"}));
  EXPECT_FALSE(matchModifiers("%int", {"b32"}));
}

TEST(PtxReader, RegistersAreFoundThroughTheirRanges) {
  Expected<Module> M = parse(kernel(".reg .b32 %a1<3>, %a10;\nmov.u32 %a12, %a10;"), "a.ptx");
  ASSERT_TRUE(bool(M)) << toString(M.takeError());
  const Instruction &I = M->Functions[0].Instructions[0];
  EXPECT_EQ(I.Operands[0].Index, 10u); // after 8 of %r, the third of %a1<3>
  EXPECT_EQ(I.Operands[1].Index, 11u); // a name comes before a range
  EXPECT_EQ(errorOf(kernel("mov.u32 %r8, %r0;")),
            "a.ptx:5:9: expected a declared register, found '%r8'");
}

TEST(PtxReader, NumbersHaveAllForms) {
  Expected<Module> M =
      parse(kernel("k0 010, 0x1F, 0b101, 12U, -1, 0f3F800000, -0f3F800000, 1.5;"), "a.ptx");
  ASSERT_TRUE(bool(M)) << toString(M.takeError());
  std::vector<uint64_t> Bits;
  for (const Operand &O : M->Functions[0].Instructions[0].Operands)
    Bits.push_back(O.Bits);
  EXPECT_THAT(Bits, testing::ElementsAre(8, 31, 5, 12, ~uint64_t(0), 0x3F800000, 0xBF800000,
                                         0x3FF8000000000000));
}

TEST(PtxReader, NestingIsLimited) {
  EXPECT_THAT(errorOf(kernel(std::string(100000, '{'))),
              testing::HasSubstr("expected at most 256 nested blocks"));
  EXPECT_THAT(errorOf(kernel("mov.b32 %r1, " + std::string(100000, '['))),
              testing::HasSubstr("expected operands nested at most 8 deep"));
  EXPECT_THAT(
      errorOf(".version 8.5\n.target sm_90\n.global .b32 x[2] = " + std::string(100000, '{')),
      testing::HasSubstr("nested braces in an initialiser"));
  EXPECT_THAT(errorOf(".version 8.5\n.target sm_90\n.global .b8 x[99999999][99999999];"),
              testing::HasSubstr("expected at most 2^40 elements in 'x'"));
}

TEST(PtxReader, EveryTruncationIsAnErrorOrAModule) {
  const std::string Text =
      kernel(".pragma \"nounroll\";\nL: @%p0 bra L;\nld.v2.u32 {%r1, _}, [%r2+-4];"
             "\n{ call (a), %r1, (b), P; }");
  for (size_t Size = 0; Size < Text.size(); ++Size) {
    std::string Error = errorOf(Text.substr(0, Size));
    EXPECT_THAT(Error, testing::AnyOf("", testing::MatchesRegex("a\\.ptx:[0-9]+:[0-9]+: .*")));
  }
}

} // namespace
} // namespace gmprof::ptx
