//===- Control.cpp - PTX control flow and warp operations -----------------===//
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

using namespace llvm;

namespace gmprof::cpu::ptx {

static bool exitThread(Emitter &E) {
  if (!E.expectOperands(0))
    return false;
  E.intrinsic("exit", {});
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

/// Lowers match.all.sync.type d{|p}, a, mask.
static bool matchAll(Emitter &E) {
  if (!E.Mods.take("all") || !E.Mods.take("sync"))
    return false;
  std::optional<Type> Ty = E.takeType();
  if (!Ty || !E.expectOperands(3))
    return false;
  Value *V = E.intrinsic(Ty->Bits == 64 ? "match.all.sync.i64p" : "match.all.sync.i32p",
                         {E.read(2, unsignedType(32)), E.read(1, *Ty)});
  const Operand &Out = E.operand(0);
  const bool Pair = Out.K == Operand::Kind::Pair;
  if (!V)
    return false;
  E.write(Pair ? Out.Parts[0] : Out, E.B.CreateExtractValue(V, 0), bitsType(32));
  if (Pair)
    E.write(Out.Parts[1], E.B.CreateExtractValue(V, 1), predType());
  return true;
}

/// Lowers redux.sync.{min,max}{.abs}{.NaN}.f32 d, a, mask.
static bool reduceFloat(Emitter &E) {
  if (!E.Mods.take("sync"))
    return false;
  StringRef Op = E.Mods.takeOneOf({"min", "max"});
  bool Abs = E.Mods.take("abs"), NaN = E.Mods.take("NaN");
  std::optional<Type> Ty = E.takeType();
  if (!Ty || Op.empty() || !Ty->isFloat() || !E.expectOperands(3))
    return false;
  E.write(E.intrinsic("redux.sync.f" + Op + (Abs ? ".abs" : "") + (NaN ? ".NaN" : ""),
                      {E.read(1, *Ty), E.read(2, unsignedType(32))}),
          *Ty);
  return true;
}

std::span<const RuleEntry> controlInstructions() {
  static const RuleEntry Rules[] = {
      {"exit", exitThread},    {"brkpt", nothing},          {"pmevent", nothing},
      {"setmaxnreg", nothing}, {"griddepcontrol", nothing}, {"nanosleep", sleep},
      {"match", matchAll},     {"redux", reduceFloat},
  };
  return Rules;
}

} // namespace gmprof::cpu::ptx
