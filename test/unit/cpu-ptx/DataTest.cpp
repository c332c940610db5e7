//===- DataTest.cpp - PTX comparisons, moves and conversions --------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Cases.h"

#include "gtest/gtest.h"

using namespace gmprof::cpu::test;

namespace {

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
  EXPECT_EQ(ptx("mov.b128 $0, $1;", "=q,q").all({static_cast<U128>(5) << 100})[0],
            static_cast<U128>(5) << 100);
  EXPECT_EQ(ptx("mov.b128 $0, {$1, $2};", "=q,l,l").all({1, 2})[0], static_cast<U128>(2) << 64 | 1);

  EXPECT_EQ(ptx("cvta.to.shared::cluster.u64 $0, $1;", Unary64)({0x1234}), 0x1234u);

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

} // namespace
