//===- Atomics.cpp - Atomic intrinsics ------------------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// llvm.nvvm.atomic.OP.gen.{i,f}.{cta,sys} are relaxed atomics of some scope; all scopes are
// equivalent on a CPU.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace gmprof::cpu {

static bool lowerAtomic(IntrinsicCall &S) {
  StringRef Operation = S.Mods.next();
  if (!S.Mods.take("gen"))
    return false;
  bool Float = S.Mods.take("f");
  if ((!Float && !S.Mods.take("i")) || S.Mods.takeOneOf({"cta", "sys"}).empty())
    return false;

  constexpr AtomicOrdering Relaxed = AtomicOrdering::Monotonic;
  if (Operation == "cas") {
    Value *Pair =
        S.B.CreateAtomicCmpXchg(S.arg(0), S.arg(1), S.arg(2), MaybeAlign(), Relaxed, Relaxed);
    S.Result = S.B.CreateExtractValue(Pair, 0);
    return true;
  }
  auto Op = StringSwitch<AtomicRMWInst::BinOp>(Operation)
                .Case("add", Float ? AtomicRMWInst::FAdd : AtomicRMWInst::Add)
                .Case("inc", AtomicRMWInst::UIncWrap)
                .Case("dec", AtomicRMWInst::UDecWrap)
                .Case("exch", AtomicRMWInst::Xchg)
                .Case("and", AtomicRMWInst::And)
                .Case("or", AtomicRMWInst::Or)
                .Case("xor", AtomicRMWInst::Xor)
                .Case("max", AtomicRMWInst::Max)
                .Case("min", AtomicRMWInst::Min)
                .Default(AtomicRMWInst::BAD_BINOP);
  if (Op == AtomicRMWInst::BAD_BINOP)
    return false;
  S.Result = S.B.CreateAtomicRMW(Op, S.arg(0), S.arg(1), MaybeAlign(), Relaxed);
  return true;
}

std::span<const RuleEntry> atomicRules() {
  static const RuleEntry Rules[] = {{"atomic", lowerAtomic}};
  return Rules;
}

} // namespace gmprof::cpu
