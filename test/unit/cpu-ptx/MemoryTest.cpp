//===- MemoryTest.cpp - PTX loads, stores, atomics and copies -------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Cases.h"

#include "gtest/gtest.h"

#include <cstring>

using namespace gmprof::cpu::test;

namespace {

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
  // A predicate that holds means no source.
  const Compiled Ignoring = ptx("{.reg .pred p; setp.ne.u32 p, $2, 0;\n"
                                "cp.async.ca.shared.global [$0], [$1], 4, p;}",
                                "l,l,r");
  ASSERT_EQ(Ignoring.Error, "");
  Ignoring.all({address(To), address(From), 0});
  EXPECT_EQ(To[3], 4);
  Ignoring.all({address(To), address(From), 1});
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

} // namespace
