//===- InstructionTest.cpp - Each PTX instruction -------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Executes every instruction, as inline PTX and through the PTX reader. Expected values were
// derived from the PTX manual. Instructions that become NVVM intrinsics are tested in depth with
// the intrinsics.
//
//===----------------------------------------------------------------------===//

#include "Harness.h"

#include "gtest/gtest.h"

#include <cctype>
#include <cstring>

using namespace gmprof::cpu::test;

namespace {

U128 address(const void *P) { return reinterpret_cast<uint64_t>(P); }

/// An asm statement with its operands and the expected first result.
struct Case {
  const char *Text, *Constraints;
  std::initializer_list<U128> Args;
  uint64_t Expected;
};

void check(std::initializer_list<Case> Cases) {
  for (const Case &C : Cases) {
    Compiled F = ptx(C.Text, C.Constraints);
    EXPECT_EQ(F.Error, "") << C.Text;
    if (F.Error.empty()) {
      EXPECT_EQ(F(C.Args), C.Expected) << C.Text;
    }
    // The CPU device does not flush denormals of LLVM's instructions.
    if (std::string_view(C.Text).find(".ftz") != std::string_view::npos)
      continue;
    Compiled Lifted = lifted(C.Text, C.Constraints);
    EXPECT_EQ(Lifted.Error, "") << C.Text;
    if (Lifted.Error.empty()) {
      EXPECT_EQ(Lifted(C.Args), C.Expected) << "through the PTX reader: " << C.Text;
    }
  }
}

constexpr const char *Unary = "=r,r", *Binary = "=r,r,r", *Ternary = "=r,r,r,r";
constexpr const char *Unary64 = "=l,l", *Binary64 = "=l,l,l";
constexpr uint32_t Min32 = 0x80000000, Max32 = 0x7fffffff;

TEST(Instruction, IntegerSums) {
  check({
      {"add.s32 $0, $1, $2;", Binary, {5, ~0u}, 4},
      {"add.u64 $0, $1, $2;", Binary64, {~uint64_t(0), 3}, 2},
      {"add.u16 $0, $1, $2;", "=h,h,h", {0xffff, 2}, 1},
      {"add.sat.s32 $0, $1, $2;", Binary, {Max32, 1}, Max32},
      {"add.sat.s32 $0, $1, $2;", Binary, {Min32, ~0u}, Min32},
      {"add.u16x2 $0, $1, $2;", Binary, {0x0001ffff, 0x00010001}, 0x00020000},
      {"sub.s32 $0, $1, $2;", Binary, {5, 7}, uint32_t(-2)},
      {"sub.sat.s32 $0, $1, $2;", Binary, {Min32, 1}, Min32},
      {"mul.lo.s32 $0, $1, $2;", Binary, {0x10001, 0x10001}, 0x20001},
      {"mul.hi.u32 $0, $1, $2;", Binary, {~0u, ~0u}, 0xfffffffe},
      {"mul.hi.s32 $0, $1, $2;", Binary, {~0u, 5}, ~0u},
      {"mul.hi.s64 $0, $1, $2;", Binary64, {uint64_t(-1), 5}, ~uint64_t(0)},
      {"mul.wide.s32 $0, $1, $2;", "=l,r,r", {~0u, 3}, uint64_t(-3)},
      {"mul.wide.u32 $0, $1, $2;", "=l,r,r", {~0u, 3}, 0x2fffffffd},
      {"mul.wide.u16 $0, $1, $2;", "=r,h,h", {0xffff, 2}, 0x1fffe},
      {"mul24.lo.s32 $0, $1, $2;", Binary, {0xffffff, 5}, uint32_t(-5)},
      {"mul24.hi.u32 $0, $1, $2;", Binary, {0xffffff, 0xffffff}, 0xfffffe00},
      {"mad.lo.s32 $0, $1, $2, $3;", Ternary, {3, 4, 5}, 17},
      {"mad.hi.u32 $0, $1, $2, $3;", Ternary, {~0u, ~0u, 1}, 0xffffffff},
      {"mad.wide.s32 $0, $1, $2, $3;", "=l,r,r,l", {~0u, 3, 10}, 7},
      {"mad.hi.sat.s32 $0, $1, $2, $3;", Ternary, {Min32, Min32, Max32}, Max32},
      {"mad24.lo.u32 $0, $1, $2, $3;", Ternary, {0x1000002, 3, 1}, 7},
      {"sad.s32 $0, $1, $2, $3;", Ternary, {uint32_t(-5), 3, 10}, 18},
      {"sad.u32 $0, $1, $2, $3;", Ternary, {uint32_t(-5), 3, 10}, uint32_t(-5) - 3 + 10},
      {"neg.s32 $0, $1;", Unary, {5}, uint32_t(-5)},
      {"abs.s32 $0, $1;", Unary, {uint32_t(-5)}, 5},
      {"abs.s64 $0, $1;", Unary64, {uint64_t(-5)}, 5},
      {"min.s32 $0, $1, $2;", Binary, {uint32_t(-5), 3}, uint32_t(-5)},
      {"min.u32 $0, $1, $2;", Binary, {uint32_t(-5), 3}, 3},
      {"max.u64 $0, $1, $2;", Binary64, {uint64_t(-5), 3}, uint64_t(-5)},
      {"max.s16 $0, $1, $2;", "=h,h,h", {0xfffb, 3}, 3},
      {"max.relu.s32 $0, $1, $2;", Binary, {uint32_t(-5), uint32_t(-3)}, 0},
      {"min.s16x2 $0, $1, $2;", Binary, {0xfffb0003, 0x00010002}, 0xfffb0002},
      {"dp4a.s32.s32 $0, $1, $2, $3;", Ternary, {0x01ff0203, 0x01010101, 10}, 15},
      {"dp4a.u32.u32 $0, $1, $2, $3;", Ternary, {0x01ff0203, 0x01010101, 10}, 271},
      {"dp2a.lo.s32.s32 $0, $1, $2, $3;", Ternary, {0x0002ffff, 0x05040302, 10}, 14},
      {"dp2a.hi.s32.u32 $0, $1, $2, $3;", Ternary, {0x0002ffff, 0x05040302, 10}, 16},
  });
}

TEST(Instruction, Division) {
  check({
      {"div.s32 $0, $1, $2;", Binary, {uint32_t(-7), 2}, uint32_t(-3)},
      {"div.u32 $0, $1, $2;", Binary, {~0u, 2}, Max32},
      {"div.s32 $0, $1, $2;", Binary, {Min32, ~0u}, Min32},
      {"div.u64 $0, $1, $2;", Binary64, {100, 7}, 14},
      {"rem.s32 $0, $1, $2;", Binary, {uint32_t(-7), 2}, uint32_t(-1)},
      {"rem.s32 $0, $1, $2;", Binary, {Min32, ~0u}, 0},
      {"rem.u64 $0, $1, $2;", Binary64, {100, 7}, 2},
  });
  // Division by zero has no defined result, and no effect on the program.
  EXPECT_EQ(ptx("div.u32 $0, $1, $2;", Binary).Error, "");
  ptx("div.s32 $0, $1, $2;", Binary).all({5, 0});
  ptx("rem.u64 $0, $1, $2;", Binary64).all({5, 0});
  // The PTX reader yields what GPUs do.
  EXPECT_EQ(lifted("div.u32 $0, $1, $2;", Binary)({5, 0}), ~0u);
  EXPECT_EQ(lifted("div.s32 $0, $1, $2;", Binary)({Min32, 0}), ~0u);
  EXPECT_EQ(lifted("rem.u64 $0, $1, $2;", Binary64)({5, 0}), ~uint64_t(0));
}

TEST(Instruction, Carries) {
  // 128-bit sums, differences and products from 64- and 32-bit instructions.
  Compiled Add = ptx("add.cc.u64 $0, $2, $4; addc.u64 $1, $3, $5;", "=&l,=&l,l,l,l,l");
  Compiled Sub = ptx("sub.cc.u64 $0, $2, $4; subc.u64 $1, $3, $5;", "=&l,=&l,l,l,l,l");
  Compiled Add3 = ptx("{add.cc.u32 $0, $3, $6; addc.cc.u32 $1, $4, $7; addc.u32 $2, $5, $8;}",
                      "=&r,=&r,=&r,r,r,r,r,r,r");
  Compiled Sub3 = ptx("{sub.cc.u32 $0, $3, $6; subc.cc.u32 $1, $4, $7; subc.u32 $2, $5, $8;}",
                      "=&r,=&r,=&r,r,r,r,r,r,r");
  Compiled Mad =
      ptx("mad.lo.cc.u32 $0, $2, $3, $4; madc.hi.u32 $1, $2, $3, $5;", "=&r,=&r,r,r,r,r");
  Random R(31);
  const uint64_t Edges[] = {0, 1, ~uint64_t(0), uint64_t(1) << 63, 0xffffffff};
  for (int I = 0; I != 300; ++I) {
    auto Next = [&] { return R.next() & 1 ? R.next() : Edges[R.next() % 5]; };
    uint64_t A = Next(), B = Next(), C = Next(), D = Next();
    U128 X = static_cast<U128>(B) << 64 | A, Y = static_cast<U128>(D) << 64 | C;
    auto Sum = Add.all({A, B, C, D});
    EXPECT_TRUE((Sum[1] << 64 | Sum[0]) == X + Y);
    auto Difference = Sub.all({A, B, C, D});
    EXPECT_TRUE((Difference[1] << 64 | Difference[0]) == X - Y);
    auto Low96 = [](U128 V) { return V << 32 >> 32; };
    auto Word = [](U128 V, int I) { return static_cast<U128>(static_cast<uint32_t>(V >> 32 * I)); };
    auto Joined = [](const std::vector<U128> &V) { return V[2] << 64 | V[1] << 32 | V[0]; };
    EXPECT_TRUE(Joined(Add3.all({Word(X, 0), Word(X, 1), Word(X, 2), Word(Y, 0), Word(Y, 1),
                                 Word(Y, 2)})) == Low96(X + Y));
    EXPECT_TRUE(Joined(Sub3.all({Word(X, 0), Word(X, 1), Word(X, 2), Word(Y, 0), Word(Y, 1),
                                 Word(Y, 2)})) == Low96(X - Y));
    uint64_t E = uint64_t(uint32_t(A)) * uint32_t(C) + B;
    auto Product = Mad.all({uint32_t(A), uint32_t(C), uint32_t(B), B >> 32});
    EXPECT_EQ(static_cast<uint64_t>(Product[1] << 32 | Product[0]), E);
  }
}

TEST(Instruction, LogicAndShifts) {
  check({
      {"and.b32 $0, $1, $2;", Binary, {0xff0f, 0x0fff}, 0x0f0f},
      {"or.b64 $0, $1, $2;", Binary64, {0xf0, 0x0f}, 0xff},
      {"xor.b32 $0, $1, $2;", Binary, {0xff, 0x0f}, 0xf0},
      {"not.b32 $0, $1;", Unary, {0x0f}, 0xfffffff0},
      {"cnot.b32 $0, $1;", Unary, {0}, 1},
      {"cnot.b32 $0, $1;", Unary, {9}, 0},
      {"lop3.b32 $0, $1, $2, $3, 0xE8;", Ternary, {0xf0, 0xcc, 0xaa}, 0xe8},
      {"lop3.b32 $0, $1, $2, $3, 0x96;", Ternary, {0xf0f0, 0xcccc, 0xaaaa}, 0x9696},
      {"shl.b32 $0, $1, $2;", Binary, {3, 4}, 48},
      {"shl.b32 $0, $1, $2;", Binary, {3, 32}, 0},
      {"shl.b64 $0, $1, $2;", "=l,l,r", {3, 63}, uint64_t(1) << 63},
      {"shr.u32 $0, $1, $2;", Binary, {Min32, 31}, 1},
      {"shr.u32 $0, $1, $2;", Binary, {Min32, 40}, 0},
      {"shr.s32 $0, $1, $2;", Binary, {Min32, 31}, ~0u},
      {"shr.s32 $0, $1, $2;", Binary, {Min32, 4000}, ~0u},
      {"shr.s64 $0, $1, 8;", Unary64, {uint64_t(-512)}, uint64_t(-2)},
      {"shf.l.wrap.b32 $0, $1, $2, $3;", Ternary, {0x80000000, 1, 33}, 3},
      {"shf.r.wrap.b32 $0, $1, $2, $3;", Ternary, {0x80000000, 1, 4}, 0x18000000},
      {"shf.l.clamp.b32 $0, $1, $2, $3;", Ternary, {0x12345678, 1, 33}, 0x12345678},
      {"shf.r.clamp.b32 $0, $1, $2, $3;", Ternary, {0x12345678, 1, 33}, 1},
      {"bfe.u32 $0, $1, 8, 8;", Unary, {0x12345678}, 0x56},
      {"bfe.s32 $0, $1, 4, 4;", Unary, {0x000000f0}, ~0u},
      {"bfe.s32 $0, $1, 28, 8;", Unary, {0x90000000}, uint32_t(-7)},
      {"bfe.u32 $0, $1, 28, 8;", Unary, {0x90000000}, 9},
      {"bfe.u32 $0, $1, 0, 32;", Unary, {0x90000000}, 0x90000000},
      {"bfe.u32 $0, $1, 40, 8;", Unary, {~0u}, 0},
      {"bfe.s32 $0, $1, 40, 8;", Unary, {Min32}, ~0u},
      {"bfe.s32 $0, $1, 3, 0;", Unary, {~0u}, 0},
      {"bfe.u64 $0, $1, 32, 16;", Unary64, {0x1234567890abcdef}, 0x5678},
      {"bfe.s64 $0, $1, 60, 10;", Unary64, {0x9000000000000000}, uint64_t(-7)},
      {"bfi.b32 $0, $1, $2, 8, 8;", Binary, {0xab, 0x12345678}, 0x1234ab78},
      {"bfi.b32 $0, $1, $2, 28, 8;", Binary, {0xab, 0x12345678}, 0xb2345678},
      {"bfi.b32 $0, $1, $2, 32, 8;", Binary, {0xab, 0x12345678}, 0x12345678},
      {"bfi.b32 $0, $1, $2, 0, 0;", Binary, {0xab, 0x12345678}, 0x12345678},
      {"bfi.b32 $0, $1, $2, 0, 32;", Binary, {0xab, 0x12345678}, 0xab},
      {"bfi.b64 $0, $1, $2, 60, 8;", Binary64, {0xab, 0}, 0xb000000000000000},
      {"popc.b32 $0, $1;", Unary, {0xf0f0}, 8},
      {"popc.b64 $0, $1;", "=r,l", {~uint64_t(0)}, 64},
      {"clz.b32 $0, $1;", Unary, {0}, 32},
      {"clz.b64 $0, $1;", "=r,l", {1}, 63},
      {"brev.b32 $0, $1;", Unary, {1}, Min32},
      {"brev.b64 $0, $1;", Unary64, {1}, uint64_t(1) << 63},
      {"bfind.u32 $0, $1;", Unary, {0x8000}, 15},
      {"bfind.s32 $0, $1;", Unary, {uint32_t(-3)}, 1},
      {"bfind.shiftamt.u32 $0, $1;", Unary, {0x8000}, 16},
      {"bfind.u64 $0, $1;", "=r,l", {0}, ~0u},
      {"fns.b32 $0, $1, $2, $3;", Ternary, {0x1012, 0, 2}, 4},
      {"szext.clamp.s32 $0, $1, $2;", Binary, {0x80, 8}, 0xffffff80},
      {"szext.wrap.u32 $0, $1, $2;", Binary, {0x180, 40}, 0x80},
      {"bmsk.clamp.b32 $0, $1, $2;", Binary, {4, 8}, 0xff0},
      {"bmsk.clamp.b32 $0, $1, $2;", Binary, {4, 40}, 0xfffffff0},
      {"bmsk.clamp.b32 $0, $1, $2;", Binary, {32, 1}, 0},
      {"bmsk.wrap.b32 $0, $1, $2;", Binary, {36, 40}, 0xff0},
      {"prmt.b32 $0, $1, $2, $3;", Ternary, {0x33221100, 0x77665544, 0x7531}, 0x77553311},
      {"prmt.b32 $0, $1, $2, $3;", Ternary, {0x80332211, 0x77665544, 0x000b}, 0x111111ff},
      {"prmt.b32.f4e $0, $1, $2, $3;", Ternary, {0x33221100, 0x77665544, 2}, 0x55443322},
      {"prmt.b32.rc8 $0, $1, $2, $3;", Ternary, {0x33221100, 0x77665544, 2}, 0x22222222},
  });
  check({{"{.reg .pred p, q; setp.ne.u32 q, 0, 0; lop3.or.b32 $0|p, $1, $2, $3, 0x80, q; "
          "selp.u32 $0, 1, 0, p;}",
          Ternary,
          {3, 5, 6},
          0}});
}

constexpr uint32_t One = 0x3f800000, Two = 0x40000000, Three = 0x40400000, Half32 = 0x3f000000;

TEST(Instruction, FloatArithmetic) {
  const char *F1 = "=f,f", *F2 = "=f,f,f", *F3 = "=f,f,f,f";
  U128 Third = bits(1.0f / 3), Tiny = bits(0x1p-30f);
  check({
      {"add.f32 $0, $1, $2;", F2, {One, Two}, Three},
      {"add.rp.f32 $0, $1, $2;", F2, {One, Tiny}, One + 1},
      {"add.rz.f32 $0, $1, $2;", F2, {One, Tiny}, One},
      {"add.ftz.f32 $0, $1, $2;", F2, {1, 1}, 0},
      {"add.sat.f32 $0, $1, $2;", F2, {One, Two}, One},
      {"sub.f32 $0, $1, $2;", F2, {Three, Two}, One},
      {"sub.rm.f32 $0, $1, $2;", F2, {One, Tiny}, One - 1},
      {"mul.f32 $0, $1, $2;", F2, {Three, Half32}, bits(1.5f)},
      {"mul.rp.ftz.sat.f32 $0, $1, $2;", F2, {Three, Half32}, One},
      {"mul.rz.f32 $0, $1, $2;", F2, {Third, Three}, One},
      {"fma.rn.f32 $0, $1, $2, $3;", F3, {Two, Three, One}, bits(7.0f)},
      {"fma.rm.f32 $0, $1, $2, $3;", F3, {Third, Three, bits(-1.0f)}, bits(0x1p-25f)},
      {"mad.rn.f32 $0, $1, $2, $3;", F3, {Two, Three, One}, bits(7.0f)},
      {"div.rn.f32 $0, $1, $2;", F2, {One, Three}, bits(1.0f / 3)},
      {"div.rz.f32 $0, $1, $2;", F2, {One, Three}, bits(1.0f / 3) - 1},
      {"div.approx.f32 $0, $1, $2;", F2, {One, Two}, Half32},
      {"div.full.f32 $0, $1, $2;", F2, {One, Two}, Half32},
      {"rcp.rn.f32 $0, $1;", F1, {Two}, Half32},
      {"rcp.rp.f32 $0, $1;", F1, {Three}, bits(1.0f / 3)},
      {"rcp.rm.f32 $0, $1;", F1, {Three}, bits(1.0f / 3) - 1},
      {"rcp.approx.f32 $0, $1;", F1, {Two}, Half32},
      {"rcp.approx.ftz.f32 $0, $1;", F1, {Two}, Half32},
      {"sqrt.rn.f32 $0, $1;", F1, {bits(9.0f)}, Three},
      {"sqrt.rp.f32 $0, $1;", F1, {Two}, bits(1.41421366f)},
      {"sqrt.approx.ftz.f32 $0, $1;", F1, {bits(9.0f)}, Three},
      {"rsqrt.approx.f32 $0, $1;", F1, {bits(4.0f)}, Half32},
      {"ex2.approx.f32 $0, $1;", F1, {Three}, bits(8.0f)},
      {"ex2.approx.ftz.f32 $0, $1;", F1, {bits(-140.0f)}, 0},
      {"lg2.approx.f32 $0, $1;", F1, {bits(8.0f)}, Three},
      {"sin.approx.f32 $0, $1;", F1, {0}, 0},
      {"cos.approx.f32 $0, $1;", F1, {0}, One},
      {"tanh.approx.f32 $0, $1;", F1, {bits(20.0f)}, One},
      {"neg.f32 $0, $1;", F1, {One}, bits(-1.0f)},
      {"neg.ftz.f32 $0, $1;", F1, {1}, Min32},
      {"abs.f32 $0, $1;", F1, {bits(-3.0f)}, Three},
      {"min.f32 $0, $1, $2;", F2, {One, bits(NAN)}, One},
      {"min.NaN.f32 $0, $1, $2;", F2, {One, bits(NAN)}, 0x7fffffff},
      {"max.f32 $0, $1, $2;", F2, {Min32, 0}, 0},
      {"max.xorsign.abs.f32 $0, $1, $2;", F2, {bits(-3.0f), One}, bits(-3.0f)},
      {"max.f32 $0, $1, $2, $3;", F3, {One, Three, Two}, Three},
      {"copysign.f32 $0, $1, $2;", F2, {bits(-1.0f), Three}, bits(-3.0f)},
      {"copysign.f32 $0, $1, $2;", F2, {0, 0xffc00001}, 0x7fc00001},
      {"add.f32 $0, $1, 0f3F800000;", F1, {One}, Two},
      {"add.f32 $0, $1, 1.0;", F1, {One}, Two},
  });
  const char *D1 = "=d,d", *D2 = "=d,d,d", *D3 = "=d,d,d,d";
  check({
      {"add.f64 $0, $1, $2;", D2, {bits(1.0), bits(2.0)}, bits(3.0)},
      {"add.rp.f64 $0, $1, $2;", D2, {bits(1.0), bits(0x1p-60)}, bits(1.0) + 1},
      {"sub.f64 $0, $1, $2;", D2, {bits(1.0), bits(2.0)}, bits(-1.0)},
      {"mul.rn.f64 $0, $1, $2;", D2, {bits(1.5), bits(2.0)}, bits(3.0)},
      {"fma.rz.f64 $0, $1, $2, $3;", D3, {bits(1.5), bits(2.0), bits(1.0)}, bits(4.0)},
      {"div.rn.f64 $0, $1, $2;", D2, {bits(1.0), bits(3.0)}, bits(1.0 / 3)},
      {"div.rp.f64 $0, $1, $2;", D2, {bits(1.0), bits(3.0)}, bits(1.0 / 3) + 1},
      {"mul.rm.f64 $0, $1, $2;", D2, {bits(1.0 / 3), bits(3.0)}, bits(1.0) - 1},
      {"rcp.rn.f64 $0, $1;", D1, {bits(4.0)}, bits(0.25)},
      {"rcp.approx.ftz.f64 $0, $1;", D1, {bits(4.0)}, bits(0.25)},
      {"sqrt.rn.f64 $0, $1;", D1, {bits(9.0)}, bits(3.0)},
      {"sqrt.rz.f64 $0, $1;", D1, {bits(0x1p-1074)}, bits(0x1p-537)},
      {"rsqrt.approx.f64 $0, $1;", D1, {bits(4.0)}, bits(0.5)},
      {"rsqrt.approx.ftz.f64 $0, $1;", D1, {bits(4.0)}, bits(0.5)},
      {"neg.f64 $0, $1;", D1, {bits(9.0)}, bits(-9.0)},
      {"abs.f64 $0, $1;", D1, {bits(-9.0)}, bits(9.0)},
      {"min.f64 $0, $1, $2;", D2, {bits(1.0), bits(2.0)}, bits(1.0)},
      {"max.f64 $0, $1, $2;", D2, {bits(1.0), bits(2.0)}, bits(2.0)},
      {"copysign.f64 $0, $1, $2;", D2, {bits(-1.0), bits(2.0)}, bits(-2.0)},
      {"add.f64 $0, $1, 0d3FF0000000000000;", D1, {bits(1.0)}, bits(2.0)},
  });
  check({{"add.rn.f32x2 $0, $1, $2;",
          Binary64,
          {uint64_t(One) << 32 | Two, uint64_t(One) << 32 | One},
          uint64_t(Two) << 32 | Three}});
}

TEST(Instruction, NarrowFloats) {
  const char *H1 = "=h,h", *H2 = "=h,h,h", *H3 = "=h,h,h,h";
  check({
      {"add.f16 $0, $1, $2;", H2, {0x3c00, 0x4000}, 0x4200},
      {"add.rn.ftz.sat.f16 $0, $1, $2;", H2, {0x3c00, 0x4000}, 0x3c00},
      {"sub.f16 $0, $1, $2;", H2, {0x3c00, 0x4000}, 0xbc00},
      {"mul.f16x2 $0, $1, $2;", Binary, {0x3c004000, 0x40004200}, 0x40004600},
      {"fma.rn.f16 $0, $1, $2, $3;", H3, {0x4000, 0x4200, 0x3c00}, 0x4700},
      {"fma.rn.relu.f16 $0, $1, $2, $3;", H3, {0xc000, 0x4200, 0x3c00}, 0},
      {"fma.rn.f16x2 $0, $1, $2, $3;", Ternary, {0x40004000, 0x42004200, 0x3c00bc00}, 0x47004500},
      {"neg.f16x2 $0, $1;", Unary, {0x3c00bc00}, 0xbc003c00},
      {"abs.f16 $0, $1;", H1, {0xbc00}, 0x3c00},
      {"min.f16 $0, $1, $2;", H2, {0x3c00, 0x7e00}, 0x3c00},
      {"max.NaN.f16x2 $0, $1, $2;", Binary, {0x3c007e00, 0x40003c00}, 0x40007fff},
      {"ex2.approx.f16 $0, $1;", H1, {0x4000}, 0x4400},
      {"ex2.approx.f16x2 $0, $1;", Unary, {0x40003c00}, 0x44004000},
      {"tanh.approx.f16x2 $0, $1;", Unary, {0x4c000000}, 0x3c000000},
      {"add.bf16 $0, $1, $2;", H2, {0x3f80, 0x4000}, 0x4040},
      {"sub.rn.bf16x2 $0, $1, $2;", Binary, {0x3f804000, 0x40003f80}, 0xbf803f80},
      {"mul.bf16 $0, $1, $2;", H2, {0x4000, 0x4040}, 0x40c0},
      {"fma.rn.bf16x2 $0, $1, $2, $3;", Ternary, {0x40004000, 0x40404040, 0x3f80bf80}, 0x40e040a0},
      {"max.bf16 $0, $1, $2;", H2, {0x3f80, 0xc000}, 0x3f80},
      {"neg.bf16 $0, $1;", H1, {0x3f80}, 0xbf80},
      {"abs.bf16x2 $0, $1;", Unary, {0xbf803f80}, 0x3f803f80},
      {"ex2.approx.ftz.bf16 $0, $1;", H1, {0x4000}, 0x4080},
      {"tanh.approx.bf16 $0, $1;", H1, {0x41a0}, 0x3f80},
  });
}

TEST(Instruction, Comparisons) {
  auto Set = [](const std::string &Compare, const char *Constraints,
                std::initializer_list<U128> Args) -> uint64_t {
    Compiled F =
        ptx("{.reg .pred p; setp." + Compare + " p, $1, $2; selp.u32 $0, 1, 0, p;}", Constraints);
    EXPECT_EQ(F.Error, "") << Compare;
    return F(Args);
  };
  struct Relation {
    const char *Name;
    bool Less, Equal, Greater; ///< for -1 and 1, 1 and 1, 1 and -1
  };
  for (Relation R : {Relation{"eq", false, true, false},
                     {"ne", true, false, true},
                     {"lt", true, false, false},
                     {"le", true, true, false},
                     {"gt", false, false, true},
                     {"ge", false, true, true}}) {
    EXPECT_EQ(Set(R.Name + std::string(".s32"), Binary, {~0u, 1}), R.Less) << R.Name;
    EXPECT_EQ(Set(R.Name + std::string(".s64"), "=r,l,l", {1, 1}), R.Equal) << R.Name;
    EXPECT_EQ(Set(R.Name + std::string(".s32"), Binary, {1, ~0u}), R.Greater) << R.Name;
    EXPECT_EQ(Set(R.Name + std::string(".u32"), Binary, {1, ~0u}), R.Less) << R.Name;
    EXPECT_EQ(Set(R.Name + std::string(".f32"), "=r,f,f", {One, Two}), R.Less) << R.Name;
    EXPECT_EQ(Set(R.Name + std::string(".f64"), "=r,d,d", {bits(1.0), bits(1.0)}), R.Equal);
    EXPECT_EQ(Set(R.Name + std::string(".f16"), "=r,h,h", {0x4000, 0x3c00}), R.Greater);
    // Only the .u relations hold for NaN.
    EXPECT_EQ(Set(R.Name + std::string(".f32"), "=r,f,f", {One, bits(NAN)}), 0u) << R.Name;
    EXPECT_EQ(Set(R.Name + std::string("u.f32"), "=r,f,f", {One, bits(NAN)}), 1u) << R.Name;
    EXPECT_EQ(Set(R.Name + std::string("u.f32"), "=r,f,f", {Two, One}), R.Greater) << R.Name;
  }
  EXPECT_EQ(Set("lo.u32", Binary, {1, ~0u}), 1u);
  EXPECT_EQ(Set("ls.u32", Binary, {1, 1}), 1u);
  EXPECT_EQ(Set("hi.u32", Binary, {1, ~0u}), 0u);
  EXPECT_EQ(Set("hs.u32", Binary, {1, 1}), 1u);
  EXPECT_EQ(Set("num.f32", "=r,f,f", {One, bits(NAN)}), 0u);
  EXPECT_EQ(Set("nan.f32", "=r,f,f", {One, bits(NAN)}), 1u);
  EXPECT_EQ(Set("eq.ftz.f32", "=r,f,f", {1, Min32}), 1u);
  check({
      {"{.reg .pred p, q; setp.lt.u32 p|q, $1, $2; selp.u32 $0, 1, 0, q;}", Binary, {1, 2}, 0},
      {"{.reg .pred p, q; setp.eq.u32 q, 0, 0; setp.lt.and.u32 p, $1, $2, !q; "
       "selp.u32 $0, 1, 0, p;}",
       Binary,
       {1, 2},
       0},
      {"{.reg .pred p, q; setp.eq.u32 q, 0, 0; setp.gt.or.u32 p, $1, $2, q; "
       "selp.u32 $0, 1, 0, p;}",
       Binary,
       {1, 2},
       1},
      {"{.reg .pred p, q; setp.eq.u32 q, 0, 0; setp.lt.xor.u32 p|q, $1, $2, q; "
       "selp.u32 $0, 1, 0, q;}",
       Binary,
       {1, 2},
       1},
      {"{.reg .pred p, q; setp.gt.f16x2 p|q, $1, $2; selp.u32 $0, 1, 2, p; @q add.u32 $0, $0, 4;}",
       Binary,
       {0x40003c00, 0x3c004000},
       6},
      {"set.lt.u32.s32 $0, $1, $2;", Binary, {~0u, 1}, ~0u},
      {"set.lt.f32.s32 $0, $1, $2;", "=f,r,r", {~0u, 1}, One},
      {"set.gt.u32.f32 $0, $1, $2;", "=r,f,f", {One, Two}, 0},
      {"set.le.f16x2.f16x2 $0, $1, $2;", Binary, {0x3c004000, 0x3c003c00}, 0x3c000000},
      {"set.leu.u32.f16x2 $0, $1, $2;", Binary, {0x7e004000, 0x3c003c00}, 0xffff0000},
      {"set.eq.bf16.bf16 $0, $1, $2;", "=h,h,h", {0x3f80, 0x3f80}, 0x3f80},
      {"{.reg .pred p; setp.eq.u32 p, 0, 0; set.lt.and.u32.u32 $0, $1, $2, p;}",
       Binary,
       {1, 2},
       ~0u},
      {"selp.b64 $0, $1, $2, 1;", Binary64, {7, 9}, 7},
      {"slct.s32.s32 $0, $1, $2, $3;", Ternary, {7, 9, 0}, 7},
      {"slct.s32.s32 $0, $1, $2, $3;", Ternary, {7, 9, ~0u}, 9},
      {"slct.u64.f32 $0, $1, $2, $3;", "=l,l,l,f", {7, 9, bits(-1.0f)}, 9},
      {"slct.u64.f32 $0, $1, $2, $3;", "=l,l,l,f", {7, 9, bits(-0.0f)}, 7},
      {"slct.u64.f32 $0, $1, $2, $3;", "=l,l,l,f", {7, 9, bits(NAN)}, 9},
      {"{.reg .pred p; testp.finite.f32 p, $1; selp.u32 $0, 1, 0, p;}", "=r,f", {One}, 1},
      {"{.reg .pred p; testp.infinite.f64 p, $1; selp.u32 $0, 1, 0, p;}", "=r,d", {bits(1.0)}, 0},
      {"{.reg .pred p; testp.number.f32 p, $1; selp.u32 $0, 1, 0, p;}", "=r,f", {bits(NAN)}, 0},
      {"{.reg .pred p; testp.notanumber.f32 p, $1; selp.u32 $0, 1, 0, p;}", "=r,f", {bits(NAN)}, 1},
      {"{.reg .pred p; testp.normal.f32 p, $1; selp.u32 $0, 1, 0, p;}", "=r,f", {1}, 0},
      {"{.reg .pred p; testp.subnormal.f32 p, $1; selp.u32 $0, 1, 0, p;}", "=r,f", {1}, 1},
  });
}

TEST(Instruction, Moves) {
  check({
      {"mov.u32 $0, $1;", Unary, {7}, 7},
      {"mov.b32 $0, 0xff;", "=r", {}, 0xff},
      {"mov.f32 $0, 0f3F800000;", "=f", {}, One},
      {"mov.f32 $0, 0.5;", "=f", {}, Half32},
      {"mov.b64 $0, {$1, $2};", "=l,r,r", {0x11111111, 0x22222222}, 0x2222222211111111},
      {"mov.b32 $0, {$1, $2};", "=r,h,h", {0x1111, 0x2222}, 0x22221111},
      {"{.reg .b32 lo; mov.b64 {lo, $0}, $1;}", "=r,l", {0x2222222211111111}, 0x22222222},
      {"{.reg .b16 lo, hi; mov.b32 {lo, hi}, $1; mov.b32 $0, {hi, lo};}",
       Unary,
       {0x22221111},
       0x11112222},
      {"{.reg .b32 lo; mov.b64 {_, $0}, $1;}", "=r,l", {0x2222222211111111}, 0x22222222},
      {"mov.u32 $0, WARP_SZ;", "=r", {}, 32},
      {"cvta.to.global.u64 $0, $1;", Unary64, {0x1234}, 0x1234},
      {"cvta.shared.u64 $0, $1;", Unary64, {0x1234}, 0x1234},
  });
  EXPECT_EQ(ptx("mov.b32 $0, $1;", "=r,n", {42})({}), 42u);
  EXPECT_EQ(ptx("add.u64 $0, $1, $2;", "=l,l,n", {-1})({5}), 4u);
  EXPECT_EQ(ptx("mov.b128 $0, {$1, $2};", "=q,l,l").all({1, 2})[0], static_cast<U128>(2) << 64 | 1);

  TestThread T;
  T.Thread.Lane = 5;
  T.Thread.Warp = 3;
  T.Thread.ThreadIdx[1] = 7;
  T.Block.BlockDim[2] = 9;
  T.Block.SharedBase = 0x10000;
  T.Block.SharedBytes = 0x100;
  const uint64_t Bases[] = {0x10000, 0x50000};
  T.Block.PeerBases = Bases;
  T.Block.PeersLow = 0x10000;
  T.Block.PeersHigh = 0x50100;
  T.Block.ClusterSize = 2;
  T.Block.ClusterRank = 1;
  T.Block.ClusterGrid[2] = 6;
  T.Block.ExplicitCluster = 1;
  auto Special = [&](const char *Text, const char *Constraint = "=r") -> uint64_t {
    Compiled F = ptx(Text, Constraint);
    EXPECT_EQ(F.Error, "") << Text;
    F.Thread = &T;
    return F({});
  };
  EXPECT_EQ(Special("mapa.u64 $0, 0x10034, 1;", "=l"), 0x50034u);
  EXPECT_EQ(Special("mapa.shared::cluster.u32 $0, 0x10034, 1;"), 0x50034u);
  EXPECT_EQ(Special("getctarank.u64 $0, 0x500ff;"), 1u);
  EXPECT_EQ(Special("getctarank.shared::cluster.u32 $0, 0x10000;"), 0u);
  EXPECT_EQ(Special("mov.u32 $0, %cluster_ctarank;"), 1u);
  EXPECT_EQ(Special("mov.u32 $0, %cluster_nctarank;"), 2u);
  EXPECT_EQ(Special("mov.u32 $0, %nclusterid.z;"), 6u);
  EXPECT_EQ(Special("{.reg .pred p; mov.pred p, %is_explicit_cluster; selp.u32 $0, 7, 0, p;}"), 7u);
  EXPECT_EQ(Special("mov.u32 $0, %laneid;"), 5u);
  EXPECT_EQ(Special("mov.u32 $0, %warpid;"), 3u);
  EXPECT_EQ(Special("mov.u32 $0, %tid.y;"), 7u);
  EXPECT_EQ(Special("mov.u32 $0, %ntid.z;"), 9u);
  T.Block.ReservedShared = 0xfc00;
  EXPECT_EQ(Special("mov.u32 $0, %reserved_smem_offset_1;"), 0xfc00u);
  EXPECT_EQ(Special("mov.u32 $0, %lanemask_lt;"), 31u);
  EXPECT_EQ(Special("{.reg .pred p; isspacep.shared p, 0x10080; selp.u32 $0, 1, 0, p;}"), 1u);
  EXPECT_EQ(Special("{.reg .pred p; isspacep.global p, 0x10080; selp.u32 $0, 1, 0, p;}"), 0u);
  EXPECT_EQ(ptx("mov.u64 $0, %clock64;", "=l").Error, "");
  EXPECT_EQ(ptx("mov.u64 $0, %globaltimer;", "=l").Error, "");
  EXPECT_EQ(ptx("mov.u32 $0, %smid;", "=r").Error, "");
  EXPECT_EQ(ptx("mov.u32 $0, %dynamic_smem_size;", "=r").Error, "");
}

TEST(Instruction, Conversions) {
  check({
      {"cvt.u32.u16 $0, $1;", "=r,h", {0xffff}, 0xffff},
      {"cvt.s32.s16 $0, $1;", "=r,h", {0xffff}, ~0u},
      {"cvt.s64.s32 $0, $1;", "=l,r", {~0u}, ~uint64_t(0)},
      {"cvt.u16.u32 $0, $1;", "=h,r", {0x12345678}, 0x5678},
      {"cvt.s32.s8 $0, $1;", Unary, {0x1ff}, ~0u},
      {"cvt.sat.u8.s32 $0, $1;", Unary, {300}, 255},
      {"cvt.sat.u8.s32 $0, $1;", Unary, {uint32_t(-3)}, 0},
      {"cvt.sat.s16.s32 $0, $1;", "=h,r", {uint32_t(-40000)}, 0x8000},
      {"cvt.sat.s32.u32 $0, $1;", Unary, {~0u}, Max32},
      {"cvt.rn.f32.s32 $0, $1;", "=f,r", {uint32_t(-3)}, bits(-3.0f)},
      {"cvt.rz.f32.u32 $0, $1;", "=f,r", {~0u}, bits(4294967040.0f)},
      {"cvt.rp.f32.s32 $0, $1;", "=f,r", {16777217}, bits(16777218.0f)},
      {"cvt.rm.f32.s32 $0, $1;", "=f,r", {uint32_t(-16777217)}, bits(-16777218.0f)},
      {"cvt.rm.f64.u64 $0, $1;", "=d,l", {~uint64_t(0)}, bits(0x1.fffffffffffffp63)},
      {"cvt.rn.f64.u64 $0, $1;", "=d,l", {7}, bits(7.0)},
      {"cvt.rn.f16.s32 $0, $1;", "=h,r", {3}, 0x4200},
      {"cvt.rz.bf16.u32 $0, $1;", "=h,r", {257}, 0x4380},
      {"cvt.rp.bf16.u32 $0, $1;", "=h,r", {257}, 0x4381},
      {"cvt.rni.s32.f32 $0, $1;", "=r,f", {bits(2.5f)}, 2},
      {"cvt.rzi.s32.f32 $0, $1;", "=r,f", {bits(-2.5f)}, uint32_t(-2)},
      {"cvt.rmi.s32.f32 $0, $1;", "=r,f", {bits(-2.5f)}, uint32_t(-3)},
      {"cvt.rpi.s64.f64 $0, $1;", "=l,d", {bits(-2.5)}, uint64_t(-2)},
      {"cvt.rzi.u32.f32 $0, $1;", "=r,f", {bits(-1.0f)}, 0},
      {"cvt.rzi.s32.f32 $0, $1;", "=r,f", {bits(1e20f)}, Max32},
      {"cvt.rzi.s32.f32 $0, $1;", "=r,f", {bits(NAN)}, 0},
      {"cvt.rzi.s16.f32 $0, $1;", "=h,f", {bits(1e6f)}, 0x7fff},
      {"cvt.rzi.ftz.u64.f32 $0, $1;", "=l,f", {bits(NAN)}, uint64_t(1) << 63},
      {"cvt.rzi.s32.f64 $0, $1;", "=r,d", {bits(double(NAN))}, Min32},
      {"cvt.rzi.s64.f64 $0, $1;", "=l,d", {bits(double(NAN))}, uint64_t(1) << 63},
      {"cvt.rzi.s32.f64 $0, $1;", "=r,d", {bits(-1e10)}, Min32},
      {"cvt.rni.u32.f64 $0, $1;", "=r,d", {bits(4294967295.5)}, ~0u},
      {"cvt.rpi.u64.f32 $0, $1;", "=l,f", {bits(-3.5f)}, 0},
      {"cvt.rni.s64.f32 $0, $1;", "=l,f", {bits(INFINITY)}, ~uint64_t(0) >> 1},
      {"cvt.rni.s32.f16 $0, $1;", "=r,h", {0x4100}, 2},
      {"cvt.rzi.u32.bf16 $0, $1;", "=r,h", {0x4040}, 3},
      {"cvt.f64.f32 $0, $1;", "=d,f", {One}, bits(1.0)},
      {"cvt.rn.f32.f64 $0, $1;", "=f,d", {bits(0.1)}, bits(0.1f)},
      {"cvt.rz.f32.f64 $0, $1;", "=f,d", {bits(0.1)}, bits(0.1f) - 1},
      {"cvt.f32.f16 $0, $1;", "=f,h", {0x3c00}, One},
      {"cvt.rn.f16.f32 $0, $1;", "=h,f", {One}, 0x3c00},
      {"cvt.rn.f16.f32 $0, $1;", "=h,f", {bits(65520.0f)}, 0x7c00},
      {"cvt.rn.f16.f32 $0, $1;", "=h,f", {0x80000001}, 0x8000},
      {"cvt.rn.f16.f32 $0, $1;", "=h,f", {bits(0x1.8p-25f)}, 0x0001},
      {"cvt.rp.f16.f32 $0, $1;", "=h,f", {One + 1}, 0x3c01},
      {"cvt.rn.f16.f64 $0, $1;", "=h,d", {bits(1.5)}, 0x3e00},
      {"cvt.f64.f16 $0, $1;", "=d,h", {0x3e00}, bits(1.5)},
      {"cvt.rn.bf16.f32 $0, $1;", "=h,f", {One + 0x8001}, 0x3f81},
      {"cvt.rn.bf16.f32 $0, $1;", "=h,f", {One + 0x8000}, 0x3f80},
      {"cvt.rn.bf16.f32 $0, $1;", "=h,f", {One + 0x18000}, 0x3f82},
      {"cvt.rn.bf16.f32 $0, $1;", "=h,f", {0x7f7fffff}, 0x7f80},
      {"cvt.rn.bf16.f32 $0, $1;", "=h,f", {0x80018000}, 0x8002},
      {"cvt.rz.bf16.f32 $0, $1;", "=h,f", {One + 0xffff}, 0x3f80},
      {"cvt.f32.bf16 $0, $1;", "=f,h", {0x3f80}, One},
      {"cvt.f32.bf16 $0, $1;", "=f,h", {0x8001}, 0x80010000},
      {"cvt.rn.bf16.f64 $0, $1;", "=h,d", {bits(2.0)}, 0x4000},
      {"cvt.rni.f32.f32 $0, $1;", "=f,f", {bits(2.5f)}, Two},
      {"cvt.rni.f32.f32 $0, $1;", "=f,f", {bits(3.5f)}, bits(4.0f)},
      {"cvt.rni.f32.f32 $0, $1;", "=f,f", {bits(-0.5f)}, Min32},
      {"cvt.rzi.f32.f32 $0, $1;", "=f,f", {bits(-2.75f)}, bits(-2.0f)},
      {"cvt.rpi.f32.f32 $0, $1;", "=f,f", {bits(-INFINITY)}, bits(-INFINITY)},
      {"cvt.rmi.f64.f64 $0, $1;", "=d,d", {bits(-2.5)}, bits(-3.0)},
      {"cvt.rpi.f16.f16 $0, $1;", "=h,h", {0x3e00}, 0x4000},
      {"cvt.sat.f32.f32 $0, $1;", "=f,f", {Three}, One},
      {"cvt.sat.f32.f32 $0, $1;", "=f,f", {bits(-3.0f)}, 0},
      {"cvt.sat.f32.f32 $0, $1;", "=f,f", {bits(NAN)}, 0},
      {"cvt.sat.f32.f32 $0, $1;", "=f,f", {1}, 1},
      {"cvt.sat.f64.f64 $0, $1;", "=d,d", {bits(3.0)}, bits(1.0)},
      {"cvt.ftz.f32.f32 $0, $1;", "=f,f", {1}, 0},
      {"cvt.rn.f16x2.f32 $0, $1, $2;", "=r,f,f", {One, Two}, 0x3c004000},
      {"cvt.rn.relu.f16x2.f32 $0, $1, $2;", "=r,f,f", {One, bits(-2.0f)}, 0x3c000000},
      {"cvt.rn.bf16x2.f32 $0, $1, $2;", "=r,f,f", {One, Two + 0x8001}, 0x3f804001},
      {"cvt.rz.bf16x2.f32 $0, $1, $2;", "=r,f,f", {One, Two + 0xffff}, 0x3f804000},
      {"cvt.rn.satfinite.e4m3x2.f32 $0, $1, $2;", "=h,f,f", {One, Two}, 0x3840},
      {"cvt.rn.satfinite.e5m2x2.f32 $0, $1, $2;", "=h,f,f", {One, Two}, 0x3c40},
      {"cvt.rn.satfinite.relu.e4m3x2.f16x2 $0, $1;", "=h,r", {0x3c00c000}, 0x3800},
      {"cvt.rn.f16x2.e4m3x2 $0, $1;", "=r,h", {0x3840}, 0x3c004000},
      {"cvt.rn.f16x2.e5m2x2 $0, $1;", "=r,h", {0x3c40}, 0x3c004000},
      {"cvt.rna.tf32.f32 $0, $1;", "=r,f", {0x3f801000}, 0x3f802000},
      {"cvt.rn.satfinite.e2m3x2.f32 $0, $1, $2;", "=h,f,f", {One, Two}, 0x0810},
      {"cvt.rz.ue8m0x2.f32 $0, $1, $2;", "=h,f,f", {One, Three}, 0x7f80},
      {"cvt.rn.bf16x2.ue8m0x2 $0, $1;", "=r,h", {0x7f80}, 0x3f804000},
      {"{.reg .b8 b; cvt.rn.satfinite.e2m1x2.f32 b, $1, $2; cvt.u32.u8 $0, b;}",
       "=r,f,f",
       {One, Two},
       0x24},
  });
}

TEST(Instruction, LoadsAndStores) {
  alignas(16) uint32_t Words[4] = {0x11111111, 0x22222222, 0xfffffff3, 0x44444444};
  check({
      {"ld.global.u32 $0, [$1];", "=r,l", {address(Words)}, 0x11111111},
      {"ld.global.u32 $0, [$1+4];", "=r,l", {address(Words)}, 0x22222222},
      {"ld.u32 $0, [$1+-4];", "=r,l", {address(Words + 1)}, 0x11111111},
      {"ld.s8 $0, [$1+8];", "=r,l", {address(Words)}, 0xfffffff3},
      {"ld.u8 $0, [$1+8];", "=r,l", {address(Words)}, 0xf3},
      {"ld.u16 $0, [$1+8];", "=h,l", {address(Words)}, 0xfff3},
      {"ld.global.ca.u64 $0, [$1];", "=l,l", {address(Words)}, 0x2222222211111111},
      {"ld.global.nc.L1::no_allocate.L2::128B.f32 $0, [$1];", "=f,l", {address(Words)}, 0x11111111},
      {"ld.volatile.shared.u32 $0, [$1];", "=r,l", {address(Words)}, 0x11111111},
      {"ld.relaxed.gpu.global.u32 $0, [$1];", "=r,l", {address(Words)}, 0x11111111},
      {"ld.acquire.sys.u64 $0, [$1];", "=l,l", {address(Words)}, 0x2222222211111111},
      {"ldu.global.u32 $0, [$1];", "=r,l", {address(Words)}, 0x11111111},
      {"{.reg .b32 x; ld.global.v2.u32 {x, $0}, [$1];}", "=r,l", {address(Words)}, 0x22222222},
      {"ld.global.v4.u32 {_, _, _, $0}, [$1];", "=r,l", {address(Words)}, 0x44444444},
      {"{.reg .b64 policy; createpolicy.fractional.L2::evict_last.b64 policy, 1.0; "
       "ld.global.L2::cache_hint.u32 $0, [$1], policy;}",
       "=r,l",
       {address(Words)},
       0x11111111},
  });
  // Shared memory is below 4 GiB, so its addresses may have 32 bits. Only the translation is
  // checked here.
  EXPECT_EQ(ptx("ld.shared.u32 $0, [$1];", "=r,r").Error, "");
  // The offset may be a constant operand.
  EXPECT_EQ(ptx("ld.u32 $0, [$1+$2];", "=r,l,n", {12})({address(Words)}), 0x44444444u);

  auto Store = [&](const char *Text, const char *Constraints, std::initializer_list<U128> Args) {
    std::memset(Words, 0, sizeof(Words));
    Compiled F = ptx(Text, Constraints);
    EXPECT_EQ(F.Error, "") << Text;
    F.all(Args);
  };
  Store("st.global.u32 [$0+4], $1;", "l,r", {address(Words), 7});
  EXPECT_EQ(Words[1], 7u);
  Store("st.u8 [$0], $1;", "l,r", {address(Words), 0x1ff});
  EXPECT_EQ(Words[0], 0xffu);
  Store("st.global.cs.v4.f32 [$0], {$1, $2, $3, $4};", "l,f,f,f,f", {address(Words), 1, 2, 3, 4});
  EXPECT_EQ(Words[3], 4u);
  EXPECT_EQ(Words[0], 1u);
  Store("st.release.gpu.global.u64 [$0], $1;", "l,l", {address(Words), 0x500000006});
  EXPECT_EQ(Words[1], 5u);
  Store("st.volatile.b128 [$0], $1;", "l,q", {address(Words), static_cast<U128>(9) << 64});
  EXPECT_EQ(Words[2], 9u);
  Store("st.relaxed.cta.shared.u16 [$0], $1;", "l,h", {address(Words), 8});
  EXPECT_EQ(Words[0], 8u);
  // A result register may be part of the address.
  uint64_t Chain[2] = {reinterpret_cast<uint64_t>(&Chain[1]), 42};
  EXPECT_EQ(
      ptx("{.reg .u64 a; mov.u64 a, $1; ld.u64 a, [a]; ld.u64 $0, [a];}", "=l,l")({address(Chain)}),
      42u);
  for (const char *Text :
       {"prefetch.global.L2 [$0];", "prefetchu.L1 [$0];", "discard.global.L2 [$0], 128;",
        "applypriority.global.L2::evict_normal [$0], 128;"})
    EXPECT_EQ(ptx(Text, "l").Error, "") << Text;
}

TEST(Instruction, Atomics) {
  struct Update {
    const char *Text, *Constraints;
    uint64_t Before, Operand, After;
  };
  for (const Update &U : std::initializer_list<Update>{
           {"atom.add.u32 $0, [$1], $2;", "=r,l,r", 5, 7, 12},
           {"atom.global.gpu.relaxed.add.s32 $0, [$1], $2;", "=r,l,r", 5, ~0u, 4},
           {"atom.add.u64 $0, [$1], $2;", "=l,l,l", 5, uint64_t(1) << 40, (uint64_t(1) << 40) + 5},
           {"atom.shared.exch.b32 $0, [$1], $2;", "=r,l,r", 5, 7, 7},
           {"atom.acq_rel.sys.exch.b64 $0, [$1], $2;", "=l,l,l", 5, 7, 7},
           {"atom.min.s32 $0, [$1], $2;", "=r,l,r", 5, ~0u, ~0u},
           {"atom.min.u32 $0, [$1], $2;", "=r,l,r", 5, ~0u, 5},
           {"atom.max.s64 $0, [$1], $2;", "=l,l,l", 5, ~uint64_t(0), 5},
           {"atom.max.u64 $0, [$1], $2;", "=l,l,l", 5, ~uint64_t(0), ~uint64_t(0)},
           {"atom.inc.u32 $0, [$1], $2;", "=r,l,r", 7, 7, 0},
           {"atom.dec.u32 $0, [$1], $2;", "=r,l,r", 0, 7, 7},
           {"atom.and.b32 $0, [$1], $2;", "=r,l,r", 12, 10, 8},
           {"atom.or.b32 $0, [$1], $2;", "=r,l,r", 12, 10, 14},
           {"atom.xor.b32 $0, [$1], $2;", "=r,l,r", 12, 10, 6},
           {"atom.add.f32 $0, [$1], $2;", "=f,l,f", One, Two, Three},
           {"atom.add.f64 $0, [$1], $2;", "=d,l,d", bits(1.0), bits(2.0), bits(3.0)},
           {"atom.add.noftz.f16 $0, [$1], $2;", "=h,l,h", 0x3c00, 0x4000, 0x4200},
           {"atom.add.noftz.f16x2 $0, [$1], $2;", "=r,l,r", 0x3c004000, 0x3c003c00, 0x40004200},
           {"atom.add.noftz.bf16x2 $0, [$1], $2;", "=r,l,r", 0x3f804000, 0x3f803f80, 0x40004040},
           {"atom.max.noftz.bf16 $0, [$1], $2;", "=h,l,h", 0xbf80, 0x0000, 0x0000},
           {"atom.min.noftz.f16x2 $0, [$1], $2;", "=r,l,r", 0x3c00c000, 0x40007e00, 0x3c00c000}}) {
    alignas(8) uint64_t Word = U.Before;
    Compiled F = ptx(U.Text, U.Constraints);
    ASSERT_EQ(F.Error, "") << U.Text;
    EXPECT_EQ(F({address(&Word), U.Operand}), U.Before) << U.Text;
    EXPECT_EQ(Word, U.After) << U.Text;
  }
  uint64_t Word = 5;
  Compiled Cas = ptx("atom.cas.b32 $0, [$1], $2, $3;", "=r,l,r,r");
  EXPECT_EQ(Cas({address(&Word), 4, 9}), 5u);
  EXPECT_EQ(Word, 5u);
  EXPECT_EQ(Cas({address(&Word), 5, 9}), 5u);
  EXPECT_EQ(Word, 9u);
  EXPECT_EQ(ptx("atom.global.cas.b16 $0, [$1], $2, $3;", "=h,l,h,h")({address(&Word), 9, 3}), 9u);
  EXPECT_EQ(ptx("atom.cas.b64 $0, [$1], $2, $3;", "=l,l,l,l")({address(&Word), 3, 1}), 3u);
  EXPECT_EQ(Word, 1u);
  alignas(16) U128 Wide = 77;
  Compiled Cas128 = ptx("atom.cas.b128 $0, [$1], $2, $3;", "=q,l,q,q");
  ASSERT_EQ(Cas128.Error, "");
  EXPECT_TRUE(Cas128.all({address(&Wide), 77, static_cast<U128>(1) << 100})[0] == 77);
  EXPECT_TRUE(Wide == static_cast<U128>(1) << 100);
  Compiled Exch128 = ptx("atom.exch.b128 $0, [$1], $2;", "=q,l,q");
  ASSERT_EQ(Exch128.Error, "");
  EXPECT_TRUE(Exch128.all({address(&Wide), 5})[0] == static_cast<U128>(1) << 100);
  EXPECT_TRUE(Wide == 5);
  ptx("red.global.add.u32 [$0], $1;", "l,r").all({address(&Word), 41});
  EXPECT_EQ(Word, 42u);
  ptx("red.release.gpu.global.max.u64 [$0], $1;", "l,l").all({address(&Word), 100});
  EXPECT_EQ(Word, 100u);
  for (const char *Text : {"membar.gl;", "fence.acq_rel.gpu;", "fence.sc.sys;",
                           "fence.proxy.async.shared::cta;", "membar.cta;"})
    EXPECT_EQ(ptx(Text, "").Error, "") << Text;
}

TEST(Instruction, CopiesAndBarriers) {
  alignas(16) uint8_t From[16], To[16] = {};
  for (int I = 0; I != 16; ++I)
    From[I] = I + 1;
  ptx("cp.async.ca.shared.global [$0], [$1], 8;", "l,l").all({address(To), address(From)});
  EXPECT_EQ(To[7], 8);
  EXPECT_EQ(To[8], 0);
  ptx("cp.async.cg.shared.global.L2::128B [$0], [$1], $2, $3;", "l,l,n,r", {16})
      .all({address(To), address(From), 3});
  EXPECT_EQ(To[2], 3);
  EXPECT_EQ(To[3], 0);
  for (const char *Text : {"cp.async.commit_group;", "cp.async.wait_group 0;", "cp.async.wait_all;",
                           "cp.async.bulk.commit_group;", "cp.async.bulk.wait_group.read 0;"})
    EXPECT_EQ(ptx(Text, "").Error, "") << Text;

  alignas(8) uint64_t Barrier = ~uint64_t(0);
  U128 At = address(&Barrier);
  ptx("mbarrier.init.shared::cta.b64 [$0], $1;", "l,r").all({At, 2});
  Compiled Arrive = ptx("mbarrier.arrive.shared.b64 $0, [$1];", "=l,l");
  Compiled Wait = ptx("{.reg .pred p; mbarrier.test_wait.shared.b64 p, [$1], $2; "
                      "selp.u32 $0, 1, 0, p;}",
                      "=r,l,l");
  Compiled Try = ptx("{.reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [$1], $2; "
                     "selp.u32 $0, 1, 0, p;}",
                     "=r,l,r");
  for (const Compiled *C : {&Arrive, &Wait, &Try})
    ASSERT_EQ(C->Error, "");
  uint64_t State = Arrive({At});
  EXPECT_EQ(ptx("mbarrier.pending_count.b64 $0, $1;", "=r,l")({State}), 2u);
  EXPECT_EQ(Wait({At, State}), 0u);
  EXPECT_EQ(Try({At, 0}), 0u);
  ptx("mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [$0], $1;", "l,r").all({At, 16});
  EXPECT_EQ(Try({At, 0}), 0u);
  std::memset(To, 0, sizeof(To));
  ptx("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [$0], [$1], $2, [$3];",
      "l,l,r,l")
      .all({address(To), address(From), 16, At});
  EXPECT_EQ(std::memcmp(To, From, 16), 0);
  EXPECT_EQ(Wait({At, State}), 1u);
  EXPECT_EQ(Try({At, 0}), 1u);
  // The next phase: 4 bytes by st.async, and both arrivals together.
  ptx("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [$0], $1;", "l,r").all({At, 4});
  ptx("mbarrier.arrive.noComplete.release.cta.shared::cta.b64 $0, [$1], 1;", "=l,l").all({At});
  Arrive.all({At});
  EXPECT_EQ(Try({At, 1}), 0u);
  ptx("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 [$0], $1, [$2];", "l,r,l")
      .all({address(To), 0xaabbccdd, At});
  EXPECT_EQ(To[0], 0xdd);
  EXPECT_EQ(Try({At, 1}), 1u);
  ptx("cp.async.bulk.global.shared::cta.bulk_group [$0], [$1], $2;", "l,l,r")
      .all({address(To), address(From), 16});
  EXPECT_EQ(To[0], 1);
  ptx("st.bulk.weak.shared::cta [$0], 8, 0;", "l").all({address(To)});
  EXPECT_EQ(To[7], 0);
  EXPECT_EQ(To[8], 9);
  EXPECT_EQ(ptx("mbarrier.inval.shared.b64 [$0];", "l").Error, "");
}

template <typename T> T reduced(const std::string &Operation, T Old, T Value) {
  alignas(16) T To[16 / sizeof(T)] = {Old}, From[16 / sizeof(T)] = {Value};
  const Compiled Reduce =
      ptx("cp.reduce.async.bulk.global.shared::cta.bulk_group." + Operation + " [$0], [$1], $2;",
          "l,l,r");
  EXPECT_EQ(Reduce.Error, "") << Operation;
  if (Reduce.Error.empty())
    Reduce.all({address(To), address(From), 16});
  return To[0];
}

TEST(Instruction, BulkReductions) {
  EXPECT_EQ(reduced<uint32_t>("add.u32", 0xffffffff, 3), 2u);
  EXPECT_EQ(reduced<int32_t>("add.s32", 0x7fffffff, 1), INT32_MIN);
  EXPECT_EQ(reduced<int32_t>("min.s32", 1, -1), -1);
  EXPECT_EQ(reduced<uint32_t>("min.u32", 1, -1), 1u);
  EXPECT_EQ(reduced<int64_t>("max.s64", -5, -7), -5);
  EXPECT_EQ(reduced<uint32_t>("inc.u32", 7, 7), 0u);
  EXPECT_EQ(reduced<uint32_t>("inc.u32", 6, 7), 7u);
  EXPECT_EQ(reduced<uint32_t>("dec.u32", 0, 7), 7u);
  EXPECT_EQ(reduced<uint32_t>("dec.u32", 9, 7), 7u);
  EXPECT_EQ(reduced<uint32_t>("dec.u32", 7, 7), 6u);
  EXPECT_EQ(reduced<uint32_t>("and.b32", 12, 10), 8u);
  EXPECT_EQ(reduced<uint64_t>("or.b64", 12, 10), 14u);
  EXPECT_EQ(reduced<uint32_t>("xor.b32", 12, 10), 6u);
  EXPECT_EQ(reduced<float>("add.f32", 1.5F, 2), 3.5F);
  EXPECT_EQ(reduced<double>("add.f64", 1.5, 2), 3.5);
  EXPECT_EQ(reduced<uint16_t>("add.noftz.f16", 0x3c00, 0x4000), 0x4200); // 1 + 2
  EXPECT_EQ(reduced<uint16_t>("min.bf16", 0x3f80, 0xbf80), 0xbf80);      // 1 and -1
  EXPECT_NE(ptx("cp.reduce.async.bulk.global.shared::cta.bulk_group.xor.f32 [$0], [$1], 16;", "l,l")
                .Error,
            "");
  EXPECT_NE(
      ptx("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u8 [$0], [$1], 16;", "l,l").Error,
      "");

  // Reduces all words, with a barrier that counts the bytes.
  alignas(16) uint32_t To[8] = {1, 2, 3, 4, 5, 6, 7, 8}, From[8] = {10, 20, 30, 40, 50, 60, 70, 80};
  alignas(8) uint64_t Barrier = 0;
  const U128 At = address(&Barrier);
  const Compiled Try = ptx("{.reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [$1], $2; "
                           "selp.u32 $0, 1, 0, p;}",
                           "=r,l,r");
  ptx("mbarrier.init.shared::cta.b64 [$0], 1;", "l").all({At});
  ptx("mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [$0], 36;", "l").all({At});
  ptx("cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.u32 "
      "[$0], [$1], 32, [$2];",
      "l,l,l")
      .all({address(To), address(From), At});
  for (uint32_t I = 0; I != 8; ++I)
    EXPECT_EQ(To[I], 11 * (I + 1));
  EXPECT_EQ(Try({At, 0}), 0u);
  ptx("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 "
      "[$0], $1, [$2];",
      "l,r,l")
      .all({address(To), 9, At});
  EXPECT_EQ(To[0], 20u);
  EXPECT_EQ(Try({At, 0}), 1u);
}

TEST(Instruction, Video) {
  // Halves (5, -3) and (2, 7); bytes (1, -1, 127, -128) and (1, 2, 3, 4), from the top.
  const uint32_t H1 = 0x0005fffd, H2 = 0x00020007, B1 = 0x01ff7f80, B2 = 0x01020304;
  check({
      {"vadd2.u32.u32.u32 $0, $1, $2, $3;", Ternary, {H1, H2, 0}, 0x00070004},
      {"vadd2.u32.u32.u32.sat $0, $1, $2, $3;", Ternary, {H1, H2, 0}, 0x0007ffff},
      {"vadd4.s32.s32.s32.sat $0, $1, $2, $3;", Ternary, {B1, B2, 0}, 0x02017f84},
      {"vadd4.u32.u32.u32 $0, $1, $2, $3;", Ternary, {B1, B2, 0}, 0x02018284},
      {"vsub2.s32.s32.s32.sat $0, $1, $2, $3;", Ternary, {H1, H2, 0}, 0x0003fff6},
      {"vsub4.s32.s32.s32.sat $0, $1, $2, $3;", Ternary, {B1, B2, 0}, 0x00fd7c80},
      {"vsub4.u32.u32.u32.sat $0, $1, $2, $3;", Ternary, {B2, B1, 0}, 0x00000000},
      {"vabsdiff2.s32.s32.s32 $0, $1, $2, $3;", Ternary, {H1, H2, 0}, 0x0003000a},
      {"vabsdiff4.u32.u32.u32.add $0, $1, $2, $3;",
       Ternary,
       {B1, B2, 1000},
       1000 + 253 + 124 + 124},
      {"vabsdiff4.s32.s32.s32.sat $0, $1, $2, $3;", Ternary, {B1, B2, 0}, 0x00037c7f},
      {"vmin2.s32.s32.s32 $0, $1, $2, $3;", Ternary, {H1, H2, 0}, 0x0002fffd},
      {"vmax4.u32.u32.u32 $0, $1, $2, $3;", Ternary, {B1, B2, 0}, 0x01ff7f80},
      {"vmin4.u32.u32.u32 $0, $1, $2, $3;", Ternary, {B1, B2, 0}, 0x01020304},
      {"vmax2.s32.s32.s32 $0, $1, $2, $3;", Ternary, {H1, H2, 0}, 0x00050007},
      {"vavrg2.s32.s32.s32 $0, $1, $2, $3;", Ternary, {H1, H2, 0}, 0x00040002},
      {"vavrg4.u32.u32.u32 $0, $1, $2, $3;", Ternary, {B1, B2, 0}, 0x01814142},
      {"vavrg4.s32.s32.s32 $0, $1, $2, $3;", Ternary, {B1, B2, 0}, 0x010141c2},
      {"vset2.u32.u32.gt $0, $1, $2, $3;", Ternary, {H1, H2, 0}, 0x00010001},
      {"vset2.s32.s32.gt $0, $1, $2, $3;", Ternary, {H1, H2, 0}, 0x00010000},
      {"vset4.u32.u32.eq $0, $1, $2, $3;", Ternary, {B1, B2, 0}, 0x01000000},
      {"vset4.s32.s32.lt.add $0, $1, $2, $3;", Ternary, {B1, B2, 10}, 12},
      {"vadd.s32.s32.s32 $0, $1.b1, $2.h0;", Binary, {B1, H1}, 127 - 3},
      {"vadd.u32.u32.s32.sat $0, $1.b2, $2.b0;", Binary, {B1, 0x80}, 127},
      {"vsub.s32.u32.u32.add $0, $1, $2, $3;", Ternary, {5, 7, 100}, 98},
      {"vabsdiff.u32.u32.u32.max $0, $1, $2, $3;", Ternary, {5, 7, 100}, 100},
      {"vmin.s32.s32.s32 $0, $1, $2;", Binary, {~0u, 7}, ~0u},
      {"vmax.u32.u32.u32 $0, $1, $2;", Binary, {~0u, 7}, ~0u},
  });
}

TEST(Instruction, VectorAtomics) {
  alignas(16) float Four[4] = {1, 2, 3, 4};
  auto Old =
      ptx("atom.global.add.v4.f32 {$0,$1,$2,$3}, [$4], {$5,$6,$7,$8};", "=f,=f,=f,=f,l,f,f,f,f")
          .all({address(Four), bits(10.0f), bits(20.0f), bits(30.0f), bits(40.0f)});
  for (int I = 0; I != 4; ++I) {
    EXPECT_EQ(asFloat(static_cast<uint64_t>(Old[I])), I + 1);
    EXPECT_EQ(Four[I], 11 * (I + 1));
  }
  uint32_t Halves[2] = {0x3c003c00, 0x40004000};
  ptx("red.global.add.noftz.v2.f16x2 [$0], {$1, $2};", "l,r,r")
      .all({address(Halves), 0x3c003c00, 0x3c003c00});
  EXPECT_EQ(Halves[0], 0x40004000u);
  EXPECT_EQ(Halves[1], 0x42004200u);
}

TEST(Instruction, ControlFlow) {
  check({
      {"{.reg .pred p; setp.lt.u32 p, $1, 10; mov.u32 $0, 1; @p mov.u32 $0, 2;}", Unary, {5}, 2},
      {"{.reg .pred p; setp.lt.u32 p, $1, 10; mov.u32 $0, 1; @p mov.u32 $0, 2;}", Unary, {15}, 1},
      {"{.reg .pred p; setp.lt.u32 p, $1, 10; mov.u32 $0, 1; @!p mov.u32 $0, 2;}", Unary, {15}, 2},
      {"{.reg .pred p; setp.eq.u32 p, $1, 0; mov.u32 $0, 1; @p bra DONE; mov.u32 $0, 2; DONE: }",
       Unary,
       {0},
       1},
      {"{.reg .pred p; setp.eq.u32 p, $1, 0; mov.u32 $0, 1; @p bra DONE; mov.u32 $0, 2; DONE: }",
       Unary,
       {3},
       2},
      // The greatest common divisor.
      {"{.reg .pred p; .reg .u32 a, b, t; mov.u32 a, $1; mov.u32 b, $2;\n"
       "LOOP: setp.eq.u32 p, b, 0; @p bra DONE; rem.u32 t, a, b; mov.u32 a, b; mov.u32 b, t;\n"
       "bra.uni LOOP; DONE: mov.u32 $0, a; }",
       Binary,
       {48, 36},
       12},
      {"bra A; B: mov.u32 $0, 3; bra C; A: bra B; C:", "=r", {}, 3},
      // The operand is input and output.
      {"add.u32 $0, $0, 5;", "=r,0", {7}, 12},
      {"{.reg .pred p; setp.gt.u32 p, $0, 5; @p sub.u32 $0, $0, 5;}", "=r,0", {7}, 2},
      {"brkpt; pmevent 1; mov.u32 $0, 1;", "=r", {}, 1},
  });
  // Two results, of which one is also an input.
  auto Both = ptx("add.u32 $0, $0, $2; mov.u32 $1, $2;", "=&r,=r,r,0").all({4, 3});
  EXPECT_EQ(static_cast<uint64_t>(Both[0]), 7u);
  EXPECT_EQ(static_cast<uint64_t>(Both[1]), 4u);
}

TEST(Instruction, Predicates) {
  check({
      {"{.reg .pred p, q, r; setp.lt.u32 p, $1, 5; setp.gt.u32 q, $1, 2; and.pred r, p, q; "
       "selp.u32 $0, 1, 0, r;}",
       Unary,
       {3},
       1},
      {"{.reg .pred p, q; setp.lt.u32 p, $1, 5; not.pred q, p; selp.u32 $0, 1, 0, q;}",
       Unary,
       {3},
       0},
      {"{.reg .pred p, q; setp.lt.u32 p, $1, 5; mov.pred q, p; selp.u32 $0, 1, 0, q;}",
       Unary,
       {3},
       1},
      {"{.reg .pred p; mov.pred p, 1; xor.pred p, p, p; selp.u32 $0, 1, 0, p;}", Unary, {3}, 0},
  });
}

// Any combination gives valid IR or an error.
TEST(Instruction, AnyCombination) {
  const char *const Opcodes[] = {
      "add",        "addc",      "sub",     "mul",      "mad",  "madc",  "mul24",
      "div",        "rem",       "sad",     "neg",      "abs",  "min",   "max",
      "dp4a",       "and",       "not",     "cnot",     "lop3", "shl",   "shr",
      "shf",        "bfe",       "bfi",     "popc",     "brev", "bfind", "szext",
      "bmsk",       "prmt",      "fma",     "rcp",      "sqrt", "ex2",   "tanh",
      "mov",        "selp",      "slct",    "cvta",     "setp", "set",   "cvt",
      "testp",      "ld",        "st",      "atom",     "red",  "vadd2", "vset4",
      "copysign",   "bar",       "barrier", "vote",     "shfl", "match", "redux",
      "activemask", "elect",     "cp",      "mbarrier", "mma",  "wmma",  "ldmatrix",
      "stmatrix",   "nanosleep", "exit",    "isspacep", "mapa", "fence", "createpolicy",
      "vadd"};
  const char *const Modifiers[] = {
      "cc",     "sat",    "lo",     "hi",      "wide",     "approx",    "rn",     "rzi",
      "ftz",    "lt",     "and",    "v2",      "cas",      "add",       "b16",    "b32",
      "b64",    "b128",   "u8",     "u16",     "u16x2",    "u32",       "s32",    "s64",
      "f16",    "f16x2",  "bf16x2", "f32",     "f32x2",    "f64",       "pred",   "tf32",
      "e4m3x2", "global", "wrap",   "clamp",   "r",        "relu",      "NaN",    "finite",
      "b1",     "s16x2",  "sync",   "async",   "all",      "idx",       "any",    "ballot",
      "bulk",   "ca",     "shared", "aligned", "m8n8",     "x1",        "x2",     "arrive",
      "red",    "popc",   "warp",   "max",     "init",     "test_wait", "parity", "m16n8k16",
      "row",    "col",    "load",   "a",       "m16n16k16"};
  const char *const Operands[] = {"$0",   "$1",   "$2",       "$3",  "$4",   "p",      "{h, h}",
                                  "r",    "[$4]", "{$0, $1}", "7",   "-1.5", "%tid.x", "0x96",
                                  "r.b1", "_",    "!p",       "p|p", "r|p"};
  Random R(77);
  auto Pick = [&](auto &From) { return From[R.next() % std::size(From)]; };
  unsigned Supported = 0;
  for (int I = 0; I != 4000; ++I) {
    std::string Text = std::string("{.reg .pred p; .reg .b32 r; .reg .b16 h; ") + Pick(Opcodes);
    for (uint64_t J = 1 + R.next() % 4; J; --J)
      Text += std::string(".") + Pick(Modifiers);
    Text += std::string(" ") + (R.next() % 2 ? "$0" : Pick(Operands));
    for (uint64_t J = 1 + R.next() % 3; J; --J)
      Text += std::string(", ") + Pick(Operands);
    Supported += ptx(Text + ";}", "=r,r,f,h,l").Error.empty();
  }
  EXPECT_GT(Supported, 20u);

  // Longer instructions: T is a type, each O an operand.
  const char *const Templates[] = {
      "shfl.sync.bfly.T O, O, O, O, O",
      "shfl.up.T O, O, O, O",
      "vote.sync.any.T O, O, O",
      "vote.sync.ballot.T O, O, O",
      "match.any.sync.T O, O, O",
      "match.all.sync.T O, O, O",
      "redux.sync.add.T O, O, O",
      "redux.sync.min.T O, O, O",
      "elect.sync O, O",
      "bar.red.popc.T O, O, O",
      "bar.red.and.T O, O, O, O",
      "bar.sync O, O",
      "barrier.sync O",
      "bar.warp.sync O",
      "mbarrier.init.shared.T [O], O",
      "mbarrier.arrive.expect_tx.shared.T O, [O], O",
      "mbarrier.try_wait.parity.shared.T O, [O], O",
      "mbarrier.test_wait.shared.T O, [O], O",
      "cp.async.ca.shared.global [O], [O], O, O",
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [O], [O], O, [O]",
      "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.T [O], [O], O",
      "red.async.relaxed.cluster.mbarrier::complete_tx::bytes.add.T [O], O, [O]",
      "st.async.weak.mbarrier::complete_tx::bytes.v2.T [O], {O, O}, [O]",
      "st.bulk.weak [O], O, O",
      "atom.global.cas.T O, [O], O, O",
      "atom.global.add.v2.T {O, O}, [O], {O, O}",
      "red.shared.max.noftz.T [O], O",
      "ld.volatile.v4.T {O, O, O, O}, [O]",
      "st.release.gpu.T [O], O",
      "ldmatrix.sync.aligned.m8n8.x2.shared.T {O, O}, [O]",
      "stmatrix.sync.aligned.m8n8.x1.T [O], {O}",
      "mma.sync.aligned.m8n8k4.row.col.T.T.T.T {O, O}, {O}, {O}, {O, O}",
      "wmma.load.c.sync.aligned.row.m8n8k4.T {O, O}, [O], O",
      "wmma.store.d.sync.aligned.row.m8n8k4.T [O], {O, O}, O",
      "mad.wide.T O, O, O, O",
      "mad.hi.cc.T O, O, O, O",
      "fma.rn.relu.T O, O, O, O",
      "cvt.rn.satfinite.T.T O, O, O",
      "cvt.rzi.T.T O, O",
      "set.lt.and.T.T O, O, O, O",
      "slct.T.T O, O, O, O",
      "mov.T {O, O}, O",
      "mov.T O, {O, O}",
      "isspacep.global O, O",
      "vadd.T.T.T.sat O, O, O",
      "vadd2.T.T.T.add O, O, O, O"};
  const char *const Types[] = {"b8",  "b16",   "b32", "b64",    "b128", "u8",
                               "u16", "s16x2", "u32", "s64",    "f16",  "f16x2",
                               "f32", "f32x2", "f64", "bf16x2", "pred", "tf32"};
  const char *const Registers[] = {"$0", "$1", "$2", "$3",  "$4",  "r",   "h",        "p",
                                   "!p", "8",  "_",  "p|p", "r|p", "0.5", "%clock64", "r.h1"};
  for (const char *Template : Templates)
    for (int I = 0; I != 60; ++I) {
      std::string Text = "{.reg .pred p; .reg .b32 r; .reg .b16 h; ";
      for (const char *C = Template; *C; ++C) {
        bool Placeholder = !std::isalpha(C[1]) && !std::isdigit(C[1]) && C[1] != '_';
        if (*C == 'T' && Placeholder)
          Text += Pick(Types);
        else if (*C == 'O' && Placeholder)
          Text += R.next() % 2 ? Pick(Registers) : R.next() % 2 ? "$0" : "$4";
        else
          Text += *C;
      }
      ptx(Text + ";}", "=r,r,f,h,l");
    }
}

TEST(Instruction, Unsupported) {
  auto Error = [](const char *Text, const char *Constraints) {
    return ptx(Text, Constraints).Error;
  };
  auto Contains = [](const std::string &Text, const std::string &Part) {
    return Text.find(Part) != std::string::npos;
  };
  std::string Unknown = Error("tensormap.replace.tile.rank.global.b1024.b32 [$0], $1;", "l,r");
  EXPECT_EQ(Unknown, "kernel f uses inline PTX 'tensormap.replace.tile.rank.global.b1024.b32 [%0], "
                     "%1', which the CPU device does not support; run it on a GPU");
  EXPECT_TRUE(Contains(Error("add.foo.u32 $0, $1, $2;", Binary), ".foo"));
  EXPECT_TRUE(Contains(Error("add.u32 $0, $1;", Unary), "number of operands"));
  EXPECT_TRUE(Contains(Error("add $0, $1, $1;", Unary), "a type is expected"));
  EXPECT_TRUE(Contains(Error("mov.u32 $0, %nothing;", "=r"), "%nothing"));
  EXPECT_TRUE(Contains(Error("add.u32 $0, $1, ", Unary), "expected an operand"));
  EXPECT_TRUE(Contains(Error("ld.u32 $0, $1;", "=r,l"), "expected an address, found '%1'"));
  EXPECT_TRUE(Contains(Error("{.reg .pred p; add.u32 $0, p, 1;}", "=r"),
                       "expected a value, found the predicate 'p'"));
  EXPECT_TRUE(Contains(Error("selp.u32 $0, 1, 2, $1;", Unary), "expected a predicate, found '%1'"));
  EXPECT_TRUE(
      Contains(Error("add.f32 $0, $1, 1;", "=f,f"), "expected a floating-point number, found '1'"));
  EXPECT_TRUE(Contains(Error("lop3.b32 $0, $1, $1, $1, $1;", Unary), "truth table"));
  EXPECT_TRUE(Contains(Error("cp.async.ca.shared.global [$0], [$0], 5;", "l"), "4, 8 or 16"));
  EXPECT_TRUE(Contains(Error("mma.sync.aligned.m1n1k1.row.col.f32.f16.f16.f32 {$0}, {$1}, {$1}, "
                             "{$1};",
                             "=f,r"),
                       "shape"));
  EXPECT_TRUE(Contains(Error("bra $0;", "r"), "operands or modifiers"));
  // A failure in the middle of branches leaves the function intact.
  EXPECT_TRUE(Contains(Error("{.reg .pred p; @p bra L; foo; L: @p bar; bra L;}", ""), "foo"));
}

} // namespace
