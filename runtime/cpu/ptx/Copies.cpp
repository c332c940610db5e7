//===- Copies.cpp - PTX bulk copies, their barriers and cache hints -------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemoryModifiers.h"
#include "cpu/intrinsics/BulkReduction.h"

#include "llvm/ADT/StringSwitch.h"

using namespace llvm;

namespace gmprof::cpu::ptx {

/// Ignores cache hints.
static bool advice(Emitter &E) {
  while (!E.Mods.empty())
    E.Mods.next();
  return true;
}

/// Lowers cp.async.bulk [to], [from], bytes, [barrier]{, mask}{, policy}, or .bulk_group without a
/// barrier.
static bool copyBulk(Emitter &E) {
  if (E.Mods.take("prefetch"))
    return advice(E);
  takeSpace(E.Mods);
  takeSpace(E.Mods);
  bool Group = E.Mods.take("bulk_group");
  if (!Group && !E.Mods.take(CompleteTx))
    return false;
  const bool Multicast = E.Mods.take("multicast::cluster");
  takeCacheHints(E.Mods);
  if (!E.expectOperands(Group ? 3 : Multicast ? 5 : 4, 6))
    return false;
  Value *Bytes = E.read(2, unsignedType(32));
  Value *To = E.readAddress(E.operand(0)), *From = E.readAddress(E.operand(1));
  if (Multicast) {
    llvm::Type *I32 = E.B.getInt32Ty(), *I64 = E.B.getInt64Ty();
    E.Context.callHelper(E.B, "gm_multicast", E.B.getVoidTy(),
                         {E.Context.threadState(E.B), E.B.CreatePtrToInt(To, I64), From, Bytes,
                          E.B.CreatePtrToInt(E.readAddress(E.operand(3)), I64),
                          E.B.CreateZExt(E.read(4, unsignedType(16)), I32)});
    return true;
  }
  E.B.CreateMemCpy(To, Align(16), From, Align(16), E.B.CreateZExt(Bytes, E.B.getInt64Ty()));
  if (!Group)
    completeTx(E, E.operand(3), Bytes);
  return true;
}

static std::optional<ReducedType> reducedType(const Type &Ty) {
  const bool Wide = Ty.totalBits() == 64;
  if (Ty.Elements != 1 || Ty.totalBits() > 64)
    return std::nullopt;
  if (Ty.isFloat() && Ty.Bits == 16)
    return Ty.Kind == TypeKind::BFloat ? ReducedType::BF16 : ReducedType::F16;
  if (Ty.totalBits() < 32)
    return std::nullopt;
  if (Ty.isFloat())
    return Wide ? ReducedType::F64 : ReducedType::F32;
  if (Ty.isSigned())
    return Wide ? ReducedType::S64 : ReducedType::S32;
  return Wide ? ReducedType::U64 : ReducedType::U32;
}

/// Lowers cp.reduce.async.bulk.TO.FROM.completion.op.type [to], [from], bytes{, [barrier]}{,
/// policy}.
static bool reduceBulk(Emitter &E) {
  if (!E.Mods.take("async") || !E.Mods.take("bulk"))
    return false;
  takeSpace(E.Mods);
  takeSpace(E.Mods);
  const bool Group = E.Mods.take("bulk_group");
  if (!Group && !E.Mods.take(CompleteTx))
    return false;
  takeCacheHints(E.Mods);
  const auto Operation = StringSwitch<std::optional<Reduction>>(E.Mods.next())
                             .Case("add", Reduction::Add)
                             .Case("min", Reduction::Min)
                             .Case("max", Reduction::Max)
                             .Case("inc", Reduction::Inc)
                             .Case("dec", Reduction::Dec)
                             .Case("and", Reduction::And)
                             .Case("or", Reduction::Or)
                             .Case("xor", Reduction::Xor)
                             .Default(std::nullopt);
  E.Mods.take("noftz");
  const std::optional<Type> Ty = E.takeType();
  const std::optional<ReducedType> Reduced = Ty ? reducedType(*Ty) : std::nullopt;
  if (!Operation || !Reduced || !E.expectOperands(Group ? 3 : 4, Group ? 4 : 5))
    return false;
  if (*Operation > Reduction::Max && (Ty->isFloat() || Ty->isSigned()))
    return E.fail("its operation on this type");
  Value *Bytes = E.read(2, unsignedType(32));
  E.Context.callHelper(E.B, "gm_reduce_bulk", E.B.getVoidTy(),
                       {E.readAddress(E.operand(0)), E.readAddress(E.operand(1)), Bytes,
                        E.B.getInt32(static_cast<uint32_t>(*Reduced)),
                        E.B.getInt32(static_cast<uint32_t>(*Operation))});
  if (!Group)
    completeTx(E, E.operand(3), Bytes);
  return true;
}

/// Lowers cp.reduce, cp.async.bulk and cp.async.mbarrier.
static bool copy(Emitter &E) {
  if (E.Mods.take("reduce"))
    return reduceBulk(E);
  if (!E.Mods.take("async"))
    return false;
  if (E.Mods.take("bulk")) {
    if (E.Mods.takeOneOf({"commit_group", "wait_group"}).empty())
      return copyBulk(E);
    E.Mods.take("read");
    return true; // copies complete immediately
  }
  if (!E.Mods.take("mbarrier") || !E.Mods.take("arrive"))
    return false;
  const bool NoInc = E.Mods.take("noinc");
  takeSpace(E.Mods);
  if (!E.Mods.take("b64") || !E.expectOperands(1))
    return false;
  Value *Barrier = E.readAddress(E.operand(0));
  E.intrinsic(NoInc ? "cp.async.mbarrier.arrive.noinc" : "cp.async.mbarrier.arrive", {Barrier});
  return true;
}

/// Lowers createpolicy and similar instructions: the policy is never read.
static bool createPolicy(Emitter &E) {
  while (!E.Mods.empty())
    E.Mods.next();
  E.write(E.B.getInt64(0), bitsType(64));
  return true;
}

//===----------------------------------------------------------------------===//
// mbarrier
//===----------------------------------------------------------------------===//

/// Lowers mbarrier.arrive{_drop}{.expect_tx}{.noComplete} {state,} [barrier]{, count}.
static bool arriveAt(Emitter &E, StringRef Operation) {
  bool ExpectTx = E.Mods.take("expect_tx");
  E.Mods.take("noComplete");
  if (!E.Mods.take("b64") || !E.expectOperands(1, 3))
    return false;
  unsigned First = E.operand(0).K == Operand::Kind::Address ? 0 : 1;
  Value *Barrier = E.readAddress(E.operand(First));
  bool Counted = E.operandCount() == First + 2;
  Value *Count = Counted ? E.read(First + 1, unsignedType(32)) : E.B.getInt32(1);
  std::string Name = ("mbarrier." + Operation).str();
  Value *State;
  if (ExpectTx)
    State = E.intrinsic(Name + ".expect.tx.scope.cta.space.cta", {Barrier, Count});
  else
    State = E.intrinsic(Name + ".noComplete", {Barrier, Count});
  if (First)
    E.write(State, bitsType(64));
  return true;
}

/// Lowers mbarrier.{test,try}_wait{.parity} done, [barrier], state or parity{, time}.
static bool testWait(Emitter &E) {
  bool Parity = E.Mods.take("parity");
  if (!E.Mods.take("b64") || !E.expectOperands(3, 4))
    return false;
  Value *Barrier = E.readAddress(E.operand(1));
  Value *Phase = E.read(2, unsignedType(Parity ? 32 : 64));
  StringRef Name = Parity ? "mbarrier.test.wait.parity.scope.cta.space.cta"
                          : "mbarrier.test.wait.scope.cta.space.cta";
  E.write(E.intrinsic(Name, {Barrier, Phase}), predType());
  return true;
}

static bool mbarrier(Emitter &E) {
  StringRef Operation = E.Mods.next();
  takeOrdering(E.Mods);
  takeScope(E.Mods);
  takeSpace(E.Mods);
  if (Operation == "arrive")
    return arriveAt(E, "arrive");
  if (Operation == "arrive_drop")
    return arriveAt(E, "arrive.drop");
  if (Operation == "test_wait" || Operation == "try_wait")
    return testWait(E);
  if (Operation == "pending_count") {
    if (!E.Mods.take("b64") || !E.expectOperands(2))
      return false;
    E.write(E.intrinsic("mbarrier.pending.count", {E.read(1, bitsType(64))}), unsignedType(32));
    return true;
  }
  if (Operation == "init") {
    if (!E.Mods.take("b64") || !E.expectOperands(2))
      return false;
    Value *Barrier = E.readAddress(E.operand(0));
    E.intrinsic("mbarrier.init", {Barrier, E.read(1, unsignedType(32))});
    return true;
  }
  if (Operation == "inval")
    return E.Mods.take("b64") && E.expectOperands(1);
  if (Operation == "expect_tx" || Operation == "complete_tx") {
    E.Mods.take("b64");
    if (!E.expectOperands(2))
      return false;
    Value *Barrier = E.readAddress(E.operand(0));
    E.intrinsic(Operation == "expect_tx" ? "mbarrier.expect.tx.scope.cta.space.cta"
                                         : "mbarrier.complete.tx.scope.cta.space.cta",
                {Barrier, E.read(1, unsignedType(32))});
    return true;
  }
  return false;
}

std::span<const RuleEntry> copyInstructions() {
  static const RuleEntry Rules[] = {
      {"cp", copy},
      {"createpolicy", createPolicy},
      {"mbarrier", mbarrier},
      {"prefetch", advice},
      {"prefetchu", advice},
      {"discard", advice},
      {"applypriority", advice},
  };
  return Rules;
}

} // namespace gmprof::cpu::ptx
