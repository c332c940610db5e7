//===- StatementTest.cpp - The parser of PTX statements -------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ptx/Parser.h"

#include <bit>
#include <gtest/gtest.h>

using namespace llvm;

namespace gmprof::ptx {
namespace {

/// A template of inline assembly with operands of 32 bits, and what it is parsed to.
struct Parsed {
  std::string Text, Error;
  Function F;

  explicit Parsed(StringRef Template, unsigned Operands = 4) {
    const std::vector<std::optional<int64_t>> Constants(Operands);
    Expected<std::string> Expanded = expandTemplate(Template, Constants, 7, "asm");
    if (!Expanded) {
      Error = toString(Expanded.takeError());
      return;
    }
    Text = std::move(*Expanded);
    const std::vector<Type> Types(Operands, Type{TypeKind::Bits, 1, 32});
    Expected<Function> Result = parseStatements(Text, Types, "asm");
    if (Result)
      F = std::move(*Result);
    else
      Error = toString(Result.takeError());
  }
  Parsed(const Parsed &) = delete;

  const Instruction &only() const { return F.Instructions.at(0); }
};

/// Expects an only instruction, and returns its operands.
std::vector<Operand> operands(const Parsed &P) {
  EXPECT_EQ(P.Error, "") << P.Text;
  EXPECT_EQ(P.F.Instructions.size(), 1u) << P.Text;
  return P.F.Instructions.empty() ? std::vector<Operand>() : P.only().Operands;
}

std::string bad(StringRef Template) {
  const Parsed P(Template);
  return P.Error.empty() ? "parsed" : P.Error;
}

TEST(Statement, Instruction) {
  const Parsed P("add.cc.u32 $0, $1, 0x1F;");
  const std::vector<Operand> O = operands(P);
  EXPECT_EQ(P.only().Opcode, "add");
  EXPECT_EQ(P.only().name(), "add.cc.u32");
  EXPECT_EQ(P.only().Modifiers.size(), 2u);
  ASSERT_EQ(O.size(), 3u);
  EXPECT_EQ(O[0].K, Operand::Kind::Register);
  EXPECT_EQ(O[0].Index, 0u);
  EXPECT_EQ(O[1].Index, 1u);
  EXPECT_EQ(O[2].K, Operand::Kind::Integer);
  EXPECT_EQ(O[2].Bits, 31u);
  EXPECT_FALSE(P.only().Guard);
}

TEST(Statement, NamesOfOtherTextsAreSymbols) {
  const std::vector<Type> Types(1, Type{TypeKind::Bits, 1, 32});
  const StringRef Text = "@!p add.u32 %0, %r7, there;";
  EXPECT_EQ(toString(parseStatements(Text, Types, "asm").takeError()),
            "asm:1:3: expected a predicate register, found 'p'");
  Expected<Function> F = parseStatements(Text, Types, "asm", Names::Any);
  ASSERT_TRUE(bool(F)) << toString(F.takeError());
  const Instruction &I = F->Instructions.at(0);
  ASSERT_TRUE(I.Guard);
  EXPECT_EQ(I.Guard->K, Operand::Kind::Symbol);
  EXPECT_EQ(I.Guard->Name, "p");
  EXPECT_TRUE(I.Guard->Negated);
  ASSERT_EQ(I.Operands.size(), 3u);
  EXPECT_EQ(I.Operands[0].K, Operand::Kind::Register);
  EXPECT_EQ(I.Operands[1].K, Operand::Kind::Symbol);
  EXPECT_EQ(I.Operands[1].Name, "%r7");
  EXPECT_EQ(I.Operands[2].Name, "there");
}

TEST(Statement, SpecialRegistersAreNoSymbols) {
  Expected<Function> F =
      parseStatements("mov.u32 %0, %laneid;", {Type{TypeKind::Bits, 1, 32}}, "asm", Names::Any);
  ASSERT_TRUE(bool(F)) << toString(F.takeError());
  EXPECT_EQ(F->Instructions.at(0).Operands.at(1).K, Operand::Kind::Special);
}

TEST(Statement, TextOfTheSource) {
  const Parsed P("{ .reg .pred p$$1; @!p$$1  mov.u32\n\t$0,   ${1:q} ; }", 2);
  ASSERT_EQ(P.F.Instructions.size(), 1u) << P.Error;
  EXPECT_EQ(P.only().Text, "@!p$1  mov.u32\n\t%0,   %1");
}

TEST(Statement, ConstantsBecomeNumbers) {
  Expected<std::string> Text =
      expandTemplate("ld.u32 $0, [${1}+$2];", {std::nullopt, std::nullopt, -4}, 7, "asm");
  ASSERT_TRUE(bool(Text)) << toString(Text.takeError());
  EXPECT_EQ(*Text, "ld.u32 %0, [%1+-4];");
}

TEST(Statement, Numbers) {
  const Parsed P("x 10, 010, 0x10, 0b101, 7U, -1, 0f3F800000, 0d3FF8000000000000, 1.5, 2.5e1, "
                 "-0f3F800000, -2.0;");
  const std::vector<Operand> O = operands(P);
  ASSERT_EQ(O.size(), 12u);
  EXPECT_EQ(O[0].Bits, 10u);
  EXPECT_EQ(O[1].Bits, 8u);
  EXPECT_EQ(O[2].Bits, 16u);
  EXPECT_EQ(O[3].Bits, 5u);
  EXPECT_EQ(O[4].Bits, 7u);
  EXPECT_EQ(O[5].Bits, ~uint64_t(0));
  EXPECT_EQ(O[6].Bits, 0x3f800000u);
  EXPECT_EQ(O[6].FloatWidth, 32u);
  EXPECT_EQ(O[7].Bits, std::bit_cast<uint64_t>(1.5));
  EXPECT_EQ(O[7].FloatWidth, 64u);
  EXPECT_EQ(O[8].Bits, std::bit_cast<uint64_t>(1.5));
  EXPECT_EQ(O[9].Bits, std::bit_cast<uint64_t>(25.0));
  EXPECT_EQ(O[10].Bits, 0xbf800000u);
  EXPECT_EQ(O[11].Bits, std::bit_cast<uint64_t>(-2.0));
}

TEST(Statement, Operands) {
  const Parsed P("{.reg .b32 r<3>; .reg .pred p, q;\n"
                 "x {r0,_,r2}, [$0+16], [r1], [$1+-4], [$1-4], [ $2 + 4 ], p|q, !p, %tid.x, r1.b2, "
                 "WARP_SZ, [$0, {$1, $2}];}");
  const std::vector<Operand> O = operands(P);
  ASSERT_EQ(O.size(), 12u);
  EXPECT_EQ(O[0].K, Operand::Kind::Vector);
  EXPECT_EQ(O[0].Parts[1].K, Operand::Kind::Sink);
  EXPECT_EQ(O[0].Parts[2].Index, 4u + 2u);
  EXPECT_EQ(O[1].K, Operand::Kind::Address);
  EXPECT_EQ(O[1].Bits, 16u);
  EXPECT_EQ(O[2].Parts[0].K, Operand::Kind::Register);
  EXPECT_EQ(O[3].Bits, uint64_t(-4));
  EXPECT_EQ(O[4].Bits, uint64_t(-4));
  EXPECT_EQ(O[5].Bits, 4u);
  EXPECT_EQ(O[6].K, Operand::Kind::Pair);
  EXPECT_EQ(O[6].Parts[1].Index, 4u + 4u);
  EXPECT_TRUE(O[7].Negated);
  EXPECT_EQ(O[8].K, Operand::Kind::Special);
  EXPECT_EQ(O[8].Name, "%tid.x");
  EXPECT_EQ(O[9].Selector, "b2");
  EXPECT_EQ(O[10].Bits, 32u);
  EXPECT_EQ(O[11].Parts.size(), 2u);
}

TEST(Statement, ModifiersWithColonsAndDigits) {
  const Parsed P("ld.global.L1::no_allocate.L2::128B.v4.f32 {$0,$1,$2,$3}, [$0];");
  ASSERT_EQ(P.F.Instructions.size(), 1u) << P.Error;
  EXPECT_EQ(P.only().Modifiers,
            (SmallVector<StringRef, 6>{"global", "L1::no_allocate", "L2::128B", "v4", "f32"}));
}

TEST(Statement, Scopes) {
  const Parsed P("{.reg .u32 a; {.reg .u64 a; x a;} x a;} {.reg .f32 a; x a;}");
  ASSERT_EQ(P.F.Instructions.size(), 3u) << P.Error;
  const auto TypeOf = [&](int I) { return P.F.Registers[P.F.Instructions[I].Operands[0].Index]; };
  EXPECT_EQ(TypeOf(0).Bits, 64u);
  EXPECT_EQ(TypeOf(1).Bits, 32u);
  EXPECT_EQ(TypeOf(1).Kind, TypeKind::Unsigned);
  EXPECT_EQ(TypeOf(2).Kind, TypeKind::Float);
  EXPECT_EQ(bad("{.reg .u32 a;} x a;"), "asm:1:16: expected a register or a label, found 'a'");
}

TEST(Statement, Labels) {
  const Parsed P("{ bra DONE_${:uid}; BACK: x; bra BACK; DONE_${:uid}: }");
  ASSERT_EQ(P.F.Instructions.size(), 3u) << P.Error;
  ASSERT_EQ(P.F.Labels.size(), 2u);
  // Returns the number of instructions before the label that a branch leads to.
  const auto Before = [&](int Branch) {
    unsigned Count = 0;
    for (const gmprof::ptx::Statement &S : P.F.Body) {
      if (S.IsLabel && S.Index == P.F.Instructions[Branch].Operands[0].Index)
        return Count;
      Count += !S.IsLabel;
    }
    return ~0u;
  };
  EXPECT_EQ(Before(0), 3u);
  EXPECT_EQ(Before(2), 1u);
  EXPECT_EQ(P.F.Instructions[0].Operands[0].Name, "DONE_7");
}

TEST(Statement, CommentsAndDirectives) {
  const Parsed P("// one line\n/* two\nlines */ .pragma \"nounroll\"; x $0; ;; y $1; // end");
  EXPECT_EQ(P.Error, "");
  EXPECT_EQ(P.F.Instructions.size(), 2u);
}

TEST(Statement, Malformed) {
  const std::pair<const char *, const char *> Cases[] = {
      {"add.u32 $0, $1",
       "1:15: expected ';' after the operands of 'add', found the end of the statement"},
      {"x $4;", "1:3: expected one of 4 operands, found number 4"},
      {"x $99999999999999;", "1:3: expected the number of an operand after '$'"},
      {"x ${1;", "1:3: expected '}' after the number of the operand"},
      {"mov.u32 $0, %1;", "1:13: expected a name after '%', found a digit"},
      {"\n\nx $0, ;", "3:7: expected an operand, found ';'"},
      {"x {$0, $1;", "1:10: expected '}' after the vector, found ';'"},
      {"x [$0;", "1:6: expected ']' after the address, found ';'"},
      {"x [$0+foo];", "1:7: expected an offset, found 'foo'"},
      {"x 0f123;", "1:3: expected 8 hexadecimal digits after 0f, found '0f123'"},
      {"x 0d123;", "1:3: expected 16 hexadecimal digits after 0d, found '0d123'"},
      {"x 0xzz;", "1:3: expected a number of at most 64 bits, found '0xzz'"},
      {"x 12ab;", "1:3: expected a number of at most 64 bits, found '12ab'"},
      {"x 99999999999999999999;",
       "1:3: expected a number of at most 64 bits, found '99999999999999999999'"},
      {"x 1e999;", "1:3: expected a floating-point number, found '1e999'"},
      {"{ x $0;",
       "1:8: expected an instruction, a directive or '}', found the end of the statement"},
      {"x $0; }", "1:7: expected an instruction or a directive, found '}'"},
      {"x;\n/* never",
       "2:1: expected '*/' at the end of the comment, found the end of the statement"},
      {"@5 x;", "1:2: expected a predicate register, found '5'"},
      {"@$0 x;", "1:2: expected a predicate register, found '%0'"},
      {".reg .u31 a;", "1:6: expected the type of a register, found '.u31'"},
      {".reg .b1 a;", "1:6: expected the type of a register, found '.b1'"},
      {".reg .tf32 a;", "1:6: expected the type of a register, found '.tf32'"},
      {".reg .e4m3x2 a;", "1:6: expected the type of a register, found '.e4m3x2'"},
      {".reg .u32 a<9999999>;", "1:11: expected at most 4194304 registers in a module"},
      {".reg .u32 a, a;", "1:14: expected a new name, found a second declaration of 'a'"},
      {"L: L: x;", "1:4: expected a new label, found a second 'L'"},
      {".shared .u32 a;", "1:1: expected the directive '.reg' or '.pragma', found '.shared'"},
      {"call (r), f, (a);", "1:1: expected a register or a label, found 'r'"},
      {"x {{{{{{{{{{$0}}}}}}}}}};", "1:12: expected operands nested at most 8 deep, found '{'"},
      {"x \x01;", "1:3: expected a name, a number or punctuation, found '\\x01'"},
      {"x #;", "1:3: expected a name, a number or punctuation, found '#'"},
      {"x. ;", "1:2: expected a name, a number or punctuation, found '.'"},
      {"5;", "1:1: expected an instruction, a directive or '}', found '5'"},
      {"_ $0;", "1:1: expected an instruction, found '_'"},
      {"X $0;", "1:1: expected an instruction, found 'X'"},
      {"x -p;", "1:4: expected an operand, found 'p'"},
  };
  for (const auto &[Text, Error] : Cases)
    EXPECT_EQ(bad(Text), std::string("asm:") + Error) << Text;
}

// Any text gives a result. Cut and mutated programs cover the parser's corner cases.
TEST(Statement, AnyText) {
  const std::string Whole = "{ .reg .pred p<2>; .reg .b32 %t; @!p0 ld.global.v2.u32 {$0, _}, "
                            "[$1+0x10]; L${:uid}: setp.eq.f32 p0|p1, 0f3F800000, -1.5e3; /* c */ "
                            "bra L${:uid}; .pragma \"x\"; }";
  unsigned Good = 0;
  for (size_t End = 0; End <= Whole.size(); ++End)
    Good += Parsed(Whole.substr(0, End), 2).Error.empty();
  EXPECT_EQ(Good, 2u); // nothing, and the whole
  uint64_t State = 1;
  for (int I = 0; I != 20000; ++I) {
    std::string Text = Whole;
    for (int J = 0; J != 3; ++J) {
      State = State * 6364136223846793005 + 1442695040888963407;
      Text[(State >> 33) % Text.size()] = char(State >> 20);
    }
    const Parsed P(Text, 2);
    EXPECT_TRUE(P.Error.empty() || P.Error.starts_with("asm:")) << P.Error;
  }
}

} // namespace
} // namespace gmprof::ptx
