//===- ArithmeticTest.cpp - PTX arithmetic --------------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Cases.h"

#include "gtest/gtest.h"

using namespace gmprof::cpu::test;

namespace {

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

} // namespace
