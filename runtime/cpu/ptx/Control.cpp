//===- Control.cpp - PTX control flow, barriers, warp operations ----------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operations that involve other threads become NVVM intrinsics, which the engine lowers.
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/Intrinsics.h"

using namespace llvm;

namespace gmprof::cpu::ptx {

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

static bool branchTo(Emitter &E) {
  E.Mods.take("uni");
  if (!E.expectOperands(1) || E.operand(0).K != Operand::Kind::Label)
    return false;
  E.branch(E.operand(0).Index);
  return true;
}

static bool exitThread(Emitter &E) {
  if (!E.expectOperands(0))
    return false;
  E.intrinsic("exit", {});
  return true;
}

static bool trap(Emitter &E) {
  if (!E.expectOperands(0))
    return false;
  E.B.CreateIntrinsic(Intrinsic::trap, ArrayRef<llvm::Type *>(), {});
  return true;
}

/// Ignores breakpoints, events, and hints about registers and dependent launches.
static bool nothing(Emitter &E) {
  while (!E.Mods.empty())
    E.Mods.next();
  return true;
}

static bool sleep(Emitter &E) {
  if (!E.Mods.take("u32") || !E.expectOperands(1))
    return false;
  E.intrinsic("nanosleep", {E.read(0, unsignedType(32))});
  return true;
}

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

/// Lowers bar.red.{popc.u32,and.pred,or.pred} d, barrier{, threads}, {!}p.
static bool reducingBarrier(Emitter &E) {
  StringRef Op = E.Mods.takeOneOf({"popc", "and", "or"});
  std::optional<Type> Ty = E.takeType();
  if (!Ty || Op.empty() || !E.expectOperands(3, 4))
    return false;
  bool Counted = E.operandCount() == 4;
  SmallVector<Value *, 3> Args = {E.read(1, unsignedType(32))};
  if (Counted)
    Args.push_back(E.read(2, unsignedType(32)));
  Args.push_back(E.readPredicate(E.operand(Counted ? 3 : 2)));
  E.write(E.intrinsic("barrier.cta.red." + Op + ".aligned." + (Counted ? "count" : "all"), Args),
          *Ty);
  return true;
}

static bool clusterBarrier(Emitter &E) {
  StringRef Operation = E.Mods.takeOneOf({"arrive", "wait"});
  bool Relaxed = E.Mods.take("relaxed");
  E.Mods.takeOneOf({"release", "acquire"});
  E.Mods.take("aligned");
  if (Operation.empty() || !E.expectOperands(0))
    return false;
  E.intrinsic("barrier.cluster." + Operation + (Relaxed ? ".relaxed" : ""), {});
  return true;
}

/// Lowers bar and barrier; bar is barrier.aligned.
static bool barrier(Emitter &E) {
  if (E.Mods.take("cluster"))
    return clusterBarrier(E);
  E.Mods.take("cta");
  if (E.Mods.take("warp")) {
    if (!E.Mods.take("sync") || !E.expectOperands(1))
      return false;
    E.intrinsic("bar.warp.sync", {E.read(0, unsignedType(32))});
    return true;
  }
  bool Aligned = E.Mods.take("aligned") || E.instruction().Opcode == "bar";
  if (E.Mods.take("red"))
    return reducingBarrier(E);
  StringRef Operation = E.Mods.takeOneOf({"sync", "arrive"});
  if (Operation.empty() || !E.expectOperands(Operation == "arrive" ? 2 : 1, 2))
    return false;
  SmallVector<Value *, 2> Args;
  for (unsigned I = 0; I != E.operandCount(); ++I)
    Args.push_back(E.read(I, unsignedType(32)));
  E.intrinsic("barrier.cta." + Operation + (Aligned ? ".aligned" : "") +
                  (Args.size() == 2 ? ".count" : ".all"),
              Args);
  return true;
}

//===----------------------------------------------------------------------===//
// Warp operations
//===----------------------------------------------------------------------===//

static bool vote(Emitter &E) {
  bool Sync = E.Mods.take("sync");
  StringRef Op = E.Mods.takeOneOf({"all", "any", "uni", "ballot"});
  std::optional<Type> Ty = E.takeType();
  if (!Ty || Op.empty() || !E.expectOperands(Sync ? 3 : 2))
    return false;
  Value *P = E.readPredicate(E.operand(1));
  Value *V = Sync ? E.intrinsic("vote." + Op + ".sync", {E.read(2, unsignedType(32)), P})
                  : E.intrinsic("vote." + Op, {P});
  E.write(V, *Ty);
  return true;
}

static bool activeMask(Emitter &E) {
  if (!E.Mods.take("b32") || !E.expectOperands(1))
    return false;
  E.write(E.intrinsic("activemask", {}), bitsType(32));
  return true;
}

/// Writes {value, predicate} to d|p or, with one result, the value to d.
static void writePair(Emitter &E, Value *V, const Type &Ty) {
  const Operand &Out = E.operand(0);
  bool Pair = Out.K == Operand::Kind::Pair;
  if (!V)
    return;
  E.write(Pair ? Out.Parts[0] : Out, E.B.CreateExtractValue(V, 0), Ty);
  if (Pair)
    E.write(Out.Parts[1], E.B.CreateExtractValue(V, 1), predType());
}

static bool match(Emitter &E) {
  StringRef Op = E.Mods.takeOneOf({"any", "all"});
  if (!E.Mods.take("sync"))
    return false;
  std::optional<Type> Ty = E.takeType();
  if (!Ty || Op.empty() || !E.expectOperands(3))
    return false;
  SmallVector<Value *, 2> Args = {E.read(2, unsignedType(32)), E.read(1, *Ty)};
  std::string Suffix = Ty->Bits == 64 ? "i64" : "i32";
  if (Op == "all")
    writePair(E, E.intrinsic("match.all.sync." + Suffix + "p", Args), bitsType(32));
  else
    E.write(E.intrinsic("match.any.sync." + Suffix, Args), bitsType(32));
  return true;
}

/// Lowers shfl{.sync}.mode.b32 d|p, a, b, c{, mask}.
static bool shuffle(Emitter &E) {
  bool Sync = E.Mods.take("sync");
  StringRef Mode = E.Mods.takeOneOf({"up", "down", "bfly", "idx"});
  std::optional<Type> Ty = E.takeType();
  if (!Ty || Mode.empty() || Ty->totalBits() != 32 || !E.expectOperands(Sync ? 5 : 4))
    return false;
  Type Bits = bitsType(32);
  SmallVector<Value *, 4> Args;
  if (Sync)
    Args.push_back(E.read(4, Bits));
  for (unsigned I = 1; I != 4; ++I)
    Args.push_back(E.read(I, Bits));
  writePair(E, E.intrinsic(Twine(Sync ? "shfl.sync." : "shfl.") + Mode + ".i32p", Args), Bits);
  return true;
}

static bool reduce(Emitter &E) {
  if (!E.Mods.take("sync"))
    return false;
  StringRef Op = E.Mods.takeOneOf({"add", "min", "max", "and", "or", "xor"});
  bool Abs = E.Mods.take("abs"), NaN = E.Mods.take("NaN");
  std::optional<Type> Ty = E.takeType();
  if (!Ty || Op.empty() || !E.expectOperands(3))
    return false;
  bool MinMax = Op == "min" || Op == "max";
  StringRef Prefix = Ty->isFloat() ? "f" : MinMax && !Ty->isSigned() ? "u" : "";
  E.write(E.intrinsic("redux.sync." + Prefix + Op + (Abs ? ".abs" : "") + (NaN ? ".NaN" : ""),
                      {E.read(1, *Ty), E.read(2, unsignedType(32))}),
          *Ty);
  return true;
}

/// Lowers elect.sync d|p, mask.
static bool elect(Emitter &E) {
  if (!E.Mods.take("sync") || !E.expectOperands(2) || E.operand(0).K != Operand::Kind::Pair)
    return false;
  writePair(E, E.intrinsic("elect.sync", {E.read(1, unsignedType(32))}), bitsType(32));
  return true;
}

std::span<const RuleEntry> controlInstructions() {
  static const RuleEntry Rules[] = {
      {"bra", branchTo},
      {"exit", exitThread},
      {"trap", trap},
      {"brkpt", nothing},
      {"pmevent", nothing},
      {"setmaxnreg", nothing},
      {"griddepcontrol", nothing},
      {"nanosleep", sleep},
      {"bar", barrier},
      {"barrier", barrier},
      {"vote", vote},
      {"activemask", activeMask},
      {"match", match},
      {"shfl", shuffle},
      {"redux", reduce},
      {"elect", elect},
  };
  return Rules;
}

} // namespace gmprof::cpu::ptx
