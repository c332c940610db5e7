//===- Matrix.cpp - PTX warp matrix instructions --------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each instruction becomes the NVVM intrinsic of the same shape. Names of intrinsics order the
// types differently, and their operands are single registers.
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"

#include "llvm/IR/Intrinsics.h"

using namespace llvm;

namespace gmprof::cpu::ptx {

static ArrayRef<Operand> registers(const Operand &O) {
  return O.K == Operand::Kind::Vector ? ArrayRef(O.Parts) : ArrayRef(O);
}

/// Calls an intrinsic with an optional address, registers and an optional number; writes the
/// result's registers to Out.
static bool call(Emitter &E, const Twine &Name, const Operand *Out, Value *Address,
                 ArrayRef<Operand> In, const Operand *Stride) {
  std::string Full = ("llvm.nvvm." + Name).str();
  Intrinsic::ID ID = Intrinsic::lookupIntrinsicID(Full);
  if (ID == Intrinsic::not_intrinsic)
    return E.fail("its shape or types");
  SmallVector<llvm::Type *, 1> Overloads;
  if (Address)
    Overloads.push_back(Address->getType());
  FunctionType *T = Intrinsic::getType(E.B.getContext(), ID, Overloads);
  SmallVector<Value *, 20> Args;
  if (Address)
    Args.push_back(Address);
  if (T->getNumParams() != Args.size() + In.size() + (Stride != nullptr))
    return E.fail("unexpected number of registers");
  for (const Operand &O : In) {
    llvm::Type *P = T->getParamType(Args.size());
    Args.push_back(E.B.CreateBitCast(E.read(O, bitsType(P->getPrimitiveSizeInBits())), P));
  }
  if (Stride)
    Args.push_back(E.read(*Stride, unsignedType(32)));
  Value *V = E.B.CreateIntrinsic(ID, Overloads, Args);
  if (!Out)
    return true;
  ArrayRef<Operand> Results = registers(*Out);
  auto *Struct = dyn_cast<StructType>(V->getType());
  if (Results.size() != (Struct ? Struct->getNumElements() : 1))
    return E.fail("unexpected number of result registers");
  for (unsigned I = 0; I != Results.size(); ++I) {
    Value *Element = Struct ? E.B.CreateExtractValue(V, I) : V;
    unsigned Bits = Element->getType()->getPrimitiveSizeInBits();
    E.write(Results[I], E.B.CreateBitCast(Element, E.B.getIntNTy(Bits)), bitsType(Bits));
  }
  return true;
}

static bool takeSyncAligned(Emitter &E) { return E.Mods.take("sync") && E.Mods.take("aligned"); }

/// Returns the types of D, A, B and C as names of intrinsics contain them.
static std::string signature(StringRef D, StringRef A, StringRef B, StringRef C) {
  if (A == "f16")
    return ("." + D + "." + C).str();
  if (A == "e4m3" || A == "e5m2")
    return ("." + D + "." + A + "." + B + "." + C).str();
  return A == B ? ("." + A).str() : ("." + A + "." + B).str();
}

static bool multiply(Emitter &E) {
  if (!takeSyncAligned(E))
    return false;
  StringRef Shape = E.Mods.next(), LayoutA = E.Mods.next(), LayoutB = E.Mods.next();
  bool SatFinite = E.Mods.take("satfinite");
  StringRef Bits = E.Mods.takeOneOf({"xor", "and"});
  if (!Bits.empty() && !E.Mods.take("popc"))
    return false;
  StringRef D = E.Mods.next(), A = E.Mods.next(), B = E.Mods.next(), C = E.Mods.next();
  if (!E.expectOperands(4))
    return false;
  SmallVector<Operand, 20> In;
  for (unsigned I = 1; I != 4; ++I)
    append_range(In, registers(E.operand(I)));
  std::string Operation = Bits.empty() ? "mma." : ("mma." + Bits + ".popc.").str();
  return call(E,
              Operation + Shape + "." + LayoutA + "." + LayoutB + (SatFinite ? ".satfinite" : "") +
                  signature(D, A, B, C),
              &E.operand(0), nullptr, In, nullptr);
}

/// Lowers wmma.load.a.sync.aligned.LAYOUT.SHAPE{.space}.TYPE d, [address]{, stride}, wmma.store.d
/// likewise, and wmma.mma.sync.aligned.LAYOUT.LAYOUT.SHAPE.D{.A.B}.C d, a, b, c.
static bool wmma(Emitter &E) {
  StringRef Operation = E.Mods.next();
  if (Operation == "mma") {
    if (!takeSyncAligned(E))
      return false;
    StringRef LayoutA = E.Mods.next(), LayoutB = E.Mods.next(), Shape = E.Mods.next();
    bool SatFinite = E.Mods.take("satfinite");
    StringRef D = E.Mods.next(), Second = E.Mods.next(), Third = E.Mods.next();
    StringRef C = Third.empty() ? Second : E.Mods.next();
    if (!E.expectOperands(4))
      return false;
    SmallVector<Operand, 24> In;
    for (unsigned I = 1; I != 4; ++I)
      append_range(In, registers(E.operand(I)));
    std::string Types =
        Third.empty() ? signature(D, "f16", "f16", C) : signature(D, Second, Third, C);
    return call(E,
                "wmma." + Shape + ".mma." + LayoutA + "." + LayoutB + Types +
                    (SatFinite ? ".satfinite" : ""),
                &E.operand(0), nullptr, In, nullptr);
  }
  StringRef Which = E.Mods.next();
  if ((Operation != "load" && Operation != "store") || !takeSyncAligned(E))
    return false;
  StringRef Layout = E.Mods.next(), Shape = E.Mods.next();
  E.Mods.takeOneOf({"global", "shared", "shared::cta"});
  StringRef Type = E.Mods.next();
  if (!E.expectOperands(2, 3))
    return false;
  bool Load = Operation == "load";
  const Operand *Stride = E.operandCount() == 3 ? &E.operand(2) : nullptr;
  Value *Address = E.readAddress(E.operand(Load ? 1 : 0));
  std::string Name = ("wmma." + Shape + "." + Operation + "." + Which + "." + Layout +
                      (Stride ? ".stride." : ".") + Type)
                         .str();
  if (Load)
    return call(E, Name, &E.operand(0), Address, {}, Stride);
  return call(E, Name, nullptr, Address, registers(E.operand(1)), Stride);
}

/// Emits {ld,st}matrix.sync.aligned.SHAPE.xN{.trans}{.space}.TYPE.
static bool rows(Emitter &E, StringRef Opcode) {
  if (!takeSyncAligned(E))
    return false;
  bool Transposed = E.Mods.take("trans");
  StringRef Shape = E.Mods.next(), Count = E.Mods.next();
  E.Mods.takeOneOf({"shared", "shared::cta"});
  StringRef Type = E.Mods.next();
  if (!E.expectOperands(2))
    return false;
  std::string Name =
      (Opcode + ".sync.aligned." + Shape + "." + Count + (Transposed ? ".trans." : ".") + Type)
          .str();
  if (Opcode == "ldmatrix")
    return call(E, Name, &E.operand(0), E.readAddress(E.operand(1)), {}, nullptr);
  return call(E, Name, nullptr, E.readAddress(E.operand(0)), registers(E.operand(1)), nullptr);
}

std::span<const RuleEntry> matrixInstructions() {
  static const RuleEntry Rules[] = {
      {"mma", multiply},
      {"wmma", wmma},
      {"ldmatrix", [](Emitter &E) { return rows(E, "ldmatrix"); }},
      {"stmatrix", [](Emitter &E) { return rows(E, "stmatrix"); }},
  };
  return Rules;
}

} // namespace gmprof::cpu::ptx
