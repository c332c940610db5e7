//===- ControlTest.cpp - PTX control flow and errors ----------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Cases.h"

#include "gtest/gtest.h"

#include <cctype>

using namespace gmprof::cpu::test;

namespace {

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
