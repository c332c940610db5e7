//===- ParserTest.cpp - The PTX parser ------------------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cpu/ptx/Syntax.h"

#include "gtest/gtest.h"

#include <bit>

using namespace gmprof::cpu::ptx;

namespace {

Program good(std::string_view Text, unsigned Arguments = 4) {
  auto Result = parse(Text, Arguments, 7);
  if (auto *Error = std::get_if<SyntaxError>(&Result)) {
    ADD_FAILURE() << Text << ": " << Error->Message;
    return {};
  }
  return std::move(std::get<Program>(Result));
}

std::string bad(std::string_view Text, unsigned Arguments = 4) {
  auto Result = parse(Text, Arguments, 7);
  auto *Error = std::get_if<SyntaxError>(&Result);
  return Error ? std::to_string(Error->Line) + ": " + Error->Message : "parsed";
}

TEST(Parser, Instruction) {
  Program P = good("add.cc.u32 $0, $1, 0x1F;");
  ASSERT_EQ(P.Instructions.size(), 1u);
  const Instruction &I = P.Instructions[0];
  EXPECT_EQ(I.Opcode, "add");
  EXPECT_EQ(I.Modifiers, (std::vector<std::string>{"cc", "u32"}));
  ASSERT_EQ(I.Operands.size(), 3u);
  EXPECT_EQ(I.Operands[0].K, Operand::Kind::Argument);
  EXPECT_EQ(I.Operands[1].Index, 1u);
  EXPECT_EQ(I.Operands[2].K, Operand::Kind::Integer);
  EXPECT_EQ(I.Operands[2].Bits, 31u);
  EXPECT_FALSE(I.Guard);
}

TEST(Parser, TextOfTheSource) {
  Program P = good("{ .reg .pred p$$1; @!p$$1  mov.u32\n\t$0,   ${1:q} ; }", 2);
  ASSERT_EQ(P.Instructions.size(), 1u);
  EXPECT_EQ(P.Instructions[0].Text, "@!p$1 mov.u32 %0, %{1:q}");
}

TEST(Parser, Numbers) {
  Program P = good("x 10, 010, 0x10, 0b101, 7U, -1, 0f3F800000, 0d3FF8000000000000, 1.5, 2.5e1, "
                   "-0f3F800000, -2.0;");
  ASSERT_EQ(P.Instructions.size(), 1u);
  const auto &O = P.Instructions[0].Operands;
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

TEST(Parser, Operands) {
  Program P = good("{.reg .b32 r<3>; .reg .pred p, q;\n"
                   "x {r0,_,r2}, [$0+16], [r1], [$1+-4], [$1-4], [$2+$3], p|q, !p, %tid.x, r1.b2, "
                   "WARP_SZ, [$0, {$1, $2}];}");
  ASSERT_EQ(P.Instructions.size(), 1u);
  const auto &O = P.Instructions[0].Operands;
  ASSERT_EQ(O.size(), 12u);
  EXPECT_EQ(O[0].K, Operand::Kind::Vector);
  EXPECT_EQ(O[0].Parts[1].K, Operand::Kind::Sink);
  EXPECT_EQ(O[0].Parts[2].Index, 2u);
  EXPECT_EQ(O[1].K, Operand::Kind::Address);
  EXPECT_EQ(O[1].Bits, 16u);
  EXPECT_EQ(O[2].Parts[0].K, Operand::Kind::Register);
  EXPECT_EQ(O[3].Bits, uint64_t(-4));
  EXPECT_EQ(O[4].Bits, uint64_t(-4));
  EXPECT_EQ(O[5].Offset, 3u);
  EXPECT_EQ(O[6].K, Operand::Kind::Pair);
  EXPECT_EQ(O[6].Parts[1].Index, 4u);
  EXPECT_TRUE(O[7].Negated);
  EXPECT_EQ(O[8].K, Operand::Kind::Special);
  EXPECT_EQ(O[8].Name, "tid.x");
  EXPECT_EQ(O[9].Selector, "b2");
  EXPECT_EQ(O[10].Bits, 32u);
  EXPECT_EQ(O[11].Parts.size(), 2u);
}

TEST(Parser, ModifiersWithColonsAndDigits) {
  Program P = good("ld.global.L1::no_allocate.L2::128B.v4.f32 {$0,$1,$2,$3}, [$0];");
  ASSERT_EQ(P.Instructions.size(), 1u);
  EXPECT_EQ(P.Instructions[0].Modifiers,
            (std::vector<std::string>{"global", "L1::no_allocate", "L2::128B", "v4", "f32"}));
}

TEST(Parser, Scopes) {
  Program P = good("{.reg .u32 a; {.reg .u64 a; x a;} x a;} {.reg .f32 a; x a;}");
  ASSERT_EQ(P.Instructions.size(), 3u);
  auto TypeOf = [&](int I) { return P.Registers[P.Instructions[I].Operands[0].Index].Ty.Name; };
  EXPECT_EQ(TypeOf(0), "u64");
  EXPECT_EQ(TypeOf(1), "u32");
  EXPECT_EQ(TypeOf(2), "f32");
  EXPECT_EQ(bad("{.reg .u32 a;} x a;"),
            "1: 'a' is neither a register nor a label of this asm statement");
}

TEST(Parser, Labels) {
  Program P = good("{ bra DONE_${:uid}; BACK: x; bra BACK; DONE_${:uid}: }");
  ASSERT_EQ(P.Instructions.size(), 3u);
  ASSERT_EQ(P.Labels.size(), 2u);
  EXPECT_EQ(P.Labels[P.Instructions[0].Operands[0].Index], 3u);
  EXPECT_EQ(P.Labels[P.Instructions[2].Operands[0].Index], 1u);
  EXPECT_EQ(P.Instructions[0].Operands[0].Name, "DONE_7");
}

TEST(Parser, CommentsAndDirectives) {
  Program P = good("// one line\n/* two\nlines */ .pragma \"nounroll\"; x $0; ;; y $1; // end");
  EXPECT_EQ(P.Instructions.size(), 2u);
}

TEST(Parser, Malformed) {
  EXPECT_EQ(bad("add.u32 $0, $1"), "1: expected ';', found the end");
  EXPECT_EQ(bad("x $4;"), "1: operand %4 does not exist");
  EXPECT_EQ(bad("x $99999999999999;"), "1: expected an operand number after '$'");
  EXPECT_EQ(bad("x ${1;"), "1: expected '}' after the operand number");
  EXPECT_EQ(bad("\n\nx $0, ;"), "3: expected an operand, found ';'");
  EXPECT_EQ(bad("x {$0, $1;"), "1: expected '}', found ';'");
  EXPECT_EQ(bad("x [$0;"), "1: expected ']', found ';'");
  EXPECT_EQ(bad("x [$0+foo];"), "1: expected an offset, found 'foo'");
  EXPECT_EQ(bad("x 0f123;"), "1: a floating-point number in hexadecimal needs 8 digits");
  EXPECT_EQ(bad("x 0xzz;"), "1: malformed or too large number");
  EXPECT_EQ(bad("x 12ab;"), "1: malformed number");
  EXPECT_EQ(bad("x 99999999999999999999;"), "1: malformed or too large number");
  EXPECT_EQ(bad("x 1e999;"), "1: malformed or too large number");
  EXPECT_EQ(bad("{ x $0;"), "1: a scope that '{' opens must be closed in the same asm statement");
  EXPECT_EQ(bad("x $0; }"), "1: '}' without '{'");
  EXPECT_EQ(bad("/* never"), "1: a comment does not end");
  EXPECT_EQ(bad("@5 x;"), "1: expected a predicate register after '@'");
  EXPECT_EQ(bad(".reg .u31 a;"), "1: registers cannot be of type .u31");
  EXPECT_EQ(bad(".reg .u32 a<99999>;"), "1: expected a number of registers up to 16384");
  EXPECT_EQ(bad(".reg .u32 a, a;"), "1: register 'a' is declared twice");
  EXPECT_EQ(bad("L: L: x;"), "1: label 'L' is defined twice");
  EXPECT_EQ(bad(".shared .u32 a;"), "1: the directive .shared is not supported in inline assembly");
  EXPECT_EQ(bad("call (r), f, (a);"), "1: expected an operand, found '('");
  EXPECT_EQ(bad("x {{{{$0}}}};"), "1: operands are nested too deeply");
  EXPECT_EQ(bad("x \x01;"), "1: a character that PTX does not have");
  EXPECT_EQ(bad("x #;"), "1: unexpected '#'");
  EXPECT_EQ(bad("x. ;"), "1: expected a name after '.'");
  EXPECT_EQ(bad("5;"), "1: expected an instruction, found '5'");
  EXPECT_EQ(bad("x -p;"), "1: expected a number, found 'p'");
}

// Any text gives a result. Cut and mutated programs cover the parser's corner cases.
TEST(Parser, AnyText) {
  const std::string Whole = "{ .reg .pred p<2>; .reg .b32 %t; @!p0 ld.global.v2.u32 {$0, _}, "
                            "[$1+0x10]; L${:uid}: setp.eq.f32 p0|p1, 0f3F800000, -1.5e3; /* c */ "
                            "bra L${:uid}; .pragma \"x\"; }";
  unsigned Parsed = 0;
  for (size_t End = 0; End <= Whole.size(); ++End)
    Parsed += std::holds_alternative<Program>(parse(Whole.substr(0, End), 2, 0));
  EXPECT_GE(Parsed, 1u);
  uint64_t State = 1;
  for (int I = 0; I != 20000; ++I) {
    std::string Text = Whole;
    for (int J = 0; J != 3; ++J) {
      State = State * 6364136223846793005 + 1442695040888963407;
      Text[(State >> 33) % Text.size()] = char(State >> 20);
    }
    auto Result = parse(Text, 2, 0);
    if (auto *Error = std::get_if<SyntaxError>(&Result)) {
      EXPECT_FALSE(Error->Message.empty());
    }
  }
}

} // namespace
