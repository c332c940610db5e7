//===- Data.cpp - PTX comparisons, conversions and addresses --------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"
#include "cpu/intrinsics/Lowering.h"
#include "cpu/intrinsics/SoftFloat.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/Intrinsics.h"

using namespace llvm;

namespace gmprof::cpu::ptx {

//===----------------------------------------------------------------------===//
// Selections and addresses
//===----------------------------------------------------------------------===//

/// Lowers slct d, a, b, c: a if c is not negative, else b (also if c is NaN).
static bool selectBySign(Emitter &E) {
  bool Ftz = E.Mods.take("ftz");
  std::optional<Type> Ty = E.takeType(), By = E.takeType();
  if (!Ty || !By || !E.expectOperands(4) || By->totalBits() != 32 || By->Elements != 1)
    return false;
  Value *C = E.read(3, *By);
  Value *First;
  if (By->isFloat())
    First = E.B.CreateFCmpOGE(Ftz ? flushDenormals(E.B, C) : C, ConstantFP::getZero(C->getType()));
  else
    First = E.B.CreateICmpSGE(C, E.B.getInt32(0));
  E.write(E.B.CreateSelect(First, E.read(1, *Ty), E.read(2, *Ty)), *Ty);
  return true;
}

/// Lowers cvta of addresses in a cluster: all addresses are the same numbers.
static bool convertAddress(Emitter &E) {
  E.Mods.take("to");
  std::optional<Type> Ty = E.Mods.take("shared::cluster") ? E.takeInteger() : std::nullopt;
  if (!Ty || !E.expectOperands(2))
    return false;
  E.write(E.read(1, *Ty), *Ty);
  return true;
}

static bool isClusterAddress(Emitter &E) {
  if (!E.Mods.take("shared::cluster") || !E.expectOperands(2))
    return false;
  Value *Address = E.B.CreateIntToPtr(E.read(1, unsignedType(64)), E.B.getPtrTy());
  E.write(E.intrinsic("isspacep.shared.cluster", {Address}), predType());
  return true;
}

static bool isAddress(const std::optional<Type> &Ty) {
  return Ty && Ty->isInteger() && Ty->Elements == 1 && (Ty->Bits == 32 || Ty->Bits == 64);
}

static Value *readPointer(Emitter &E, unsigned I, const Type &Ty) {
  return E.B.CreateIntToPtr(E.read(I, Ty), E.B.getPtrTy());
}

/// Lowers mapa{.shared::cluster}.type d, address, rank.
static bool mapAddress(Emitter &E) {
  E.Mods.takeOneOf({"shared::cluster"});
  std::optional<Type> Ty = E.takeType();
  if (!isAddress(Ty) || !E.expectOperands(3))
    return false;
  Value *There = E.intrinsic("mapa", {readPointer(E, 1, *Ty), E.read(2, unsignedType(32))});
  E.write(E.B.CreatePtrToInt(There, E.B.getIntNTy(Ty->Bits)), *Ty);
  return true;
}

/// Lowers getctarank{.shared::cluster}.type d, address.
static bool blockRank(Emitter &E) {
  E.Mods.takeOneOf({"shared::cluster"});
  std::optional<Type> Ty = E.takeType();
  if (!isAddress(Ty) || !E.expectOperands(2))
    return false;
  E.write(E.intrinsic("getctarank", {readPointer(E, 1, *Ty)}), unsignedType(32));
  return true;
}

//===----------------------------------------------------------------------===//
// Comparisons
//===----------------------------------------------------------------------===//

static std::optional<CmpInst::Predicate> predicateFor(StringRef Name, const Type &Ty) {
  using P = CmpInst::Predicate;
  using Answer = std::optional<P>;
  if (Ty.isFloat())
    return StringSwitch<Answer>(Name)
        .Case("eq", P::FCMP_OEQ)
        .Case("ne", P::FCMP_ONE)
        .Case("lt", P::FCMP_OLT)
        .Case("le", P::FCMP_OLE)
        .Case("gt", P::FCMP_OGT)
        .Case("ge", P::FCMP_OGE)
        .Case("equ", P::FCMP_UEQ)
        .Case("neu", P::FCMP_UNE)
        .Case("ltu", P::FCMP_ULT)
        .Case("leu", P::FCMP_ULE)
        .Case("gtu", P::FCMP_UGT)
        .Case("geu", P::FCMP_UGE)
        .Case("num", P::FCMP_ORD)
        .Case("nan", P::FCMP_UNO)
        .Default(std::nullopt);
  bool Signed = Ty.isSigned();
  return StringSwitch<Answer>(Name)
      .Case("eq", P::ICMP_EQ)
      .Case("ne", P::ICMP_NE)
      .Case("lt", Signed ? P::ICMP_SLT : P::ICMP_ULT)
      .Case("le", Signed ? P::ICMP_SLE : P::ICMP_ULE)
      .Case("gt", Signed ? P::ICMP_SGT : P::ICMP_UGT)
      .Case("ge", Signed ? P::ICMP_SGE : P::ICMP_UGE)
      .Case("lo", P::ICMP_ULT)
      .Case("ls", P::ICMP_ULE)
      .Case("hi", P::ICMP_UGT)
      .Case("hs", P::ICMP_UGE)
      .Default(std::nullopt);
}

namespace {

/// Comparison of operands 1 and 2, per element, combined with operand 3.
struct Comparison {
  StringRef Bool;
  Type Ty;
  SmallVector<Value *, 2> Results;
  Value *Other = nullptr; ///< predicate to combine with

  /// Combines a result with the predicate; the instruction's second result combines the opposite.
  Value *combine(Emitter &E, Value *V) const {
    if (Bool == "and")
      return E.B.CreateAnd(V, Other);
    if (Bool == "or")
      return E.B.CreateOr(V, Other);
    if (Bool == "xor")
      return E.B.CreateXor(V, Other);
    return V;
  }
};

} // namespace

/// Reads the common part of setp and set; the compared type is the last modifier.
static std::optional<Comparison> compare(Emitter &E) {
  Comparison C;
  StringRef Name = E.Mods.next();
  C.Bool = E.Mods.takeOneOf({"and", "or", "xor"});
  bool Ftz = E.Mods.take("ftz");
  std::optional<Type> Ty = E.takeLastType();
  if (!Ty || (Ftz && !Ty->isFloat()) || !E.expectOperands(C.Bool.empty() ? 3 : 4))
    return std::nullopt;
  C.Ty = *Ty;
  std::optional<CmpInst::Predicate> P = predicateFor(Name, *Ty);
  if (!P)
    return std::nullopt;
  Value *A = E.read(1, *Ty), *B = E.read(2, *Ty);
  perElement(E.B, {A, B}, [&](ArrayRef<Value *> V) {
    Value *X = Ftz ? flushDenormals(E.B, V[0]) : V[0], *Y = Ftz ? flushDenormals(E.B, V[1]) : V[1];
    C.Results.push_back(E.B.CreateCmp(*P, X, Y));
    return C.Results.back();
  });
  if (!C.Bool.empty())
    C.Other = E.readPredicate(E.operand(3));
  return C;
}

/// Lowers setp p|q: q is the opposite of p, or the second element's result.
static bool setPredicate(Emitter &E) {
  std::optional<Comparison> C = compare(E);
  if (!C)
    return false;
  const Operand &Out = E.operand(0);
  bool Pair = Out.K == Operand::Kind::Pair;
  E.write(Pair ? Out.Parts[0] : Out, C->combine(E, C->Results[0]), predType());
  if (Pair)
    E.write(Out.Parts[1],
            C->combine(E, C->Results.size() == 2 ? C->Results[1] : E.B.CreateNot(C->Results[0])),
            predType());
  return true;
}

/// Lowers set: all ones or 1.0 where the comparison holds.
static bool setValue(Emitter &E) {
  std::optional<Comparison> C = compare(E);
  std::optional<Type> Ty = C ? E.takeType() : std::nullopt;
  if (!Ty || !Ty->isHeld() || Ty->Kind == TypeKind::Predicate ||
      (Ty->Elements != C->Results.size() && Ty->isFloat()))
    return false;
  llvm::Type *T = E.irType(*Ty);
  if (Ty->isFloat()) {
    llvm::Type *Element = T->getScalarType();
    Value *One = ConstantFP::get(Element, 1.0), *Zero = ConstantFP::getZero(Element);
    Value *V = Ty->Elements == 1 ? nullptr : PoisonValue::get(T);
    for (unsigned I = 0; I != C->Results.size(); ++I) {
      Value *Chosen = E.B.CreateSelect(C->combine(E, C->Results[I]), One, Zero);
      V = V ? E.B.CreateInsertElement(V, Chosen, I) : Chosen;
    }
    E.write(V, *Ty);
    return true;
  }
  // In set.eq.u32.f16x2 each half of the word belongs to an element.
  unsigned Part = Ty->totalBits() / C->Results.size();
  Value *V = ConstantInt::get(E.B.getContext(), APInt(Ty->totalBits(), 0));
  for (unsigned I = 0; I != C->Results.size(); ++I) {
    Value *Ones = E.B.CreateSExt(C->combine(E, C->Results[I]), E.B.getIntNTy(Part));
    V = E.B.CreateOr(V, E.B.CreateShl(E.B.CreateZExt(Ones, V->getType()), I * Part));
  }
  E.write(V, bitsType(Ty->totalBits()));
  return true;
}

//===----------------------------------------------------------------------===//
// cvt
//===----------------------------------------------------------------------===//

namespace {

struct Conversion {
  StringRef Name; ///< name of the rounding: rn, rni …
  StringRef ToName, FromName;
  uint32_t Mode = uint32_t(Rounding::RN);
  bool Integral = false; ///< rounds to an integer (rni …)
  bool Ftz, Sat, Relu, SatFinite;
  Type To, From;

  Manner manner() const { return {Mode, Relu, SatFinite}; }
};

} // namespace

/// Clamps an integer to the range of To (.sat).
static Value *clamp(Emitter &E, Value *V, const Type &From, const Type &To) {
  // Every range is representable in 128 bits.
  llvm::Type *Wide = E.B.getInt128Ty();
  V = From.isSigned() ? E.B.CreateSExt(V, Wide) : E.B.CreateZExt(V, Wide);
  APInt Min = To.isSigned() ? APInt::getSignedMinValue(To.Bits).sext(128) : APInt(128, 0);
  APInt Max = To.isSigned() ? APInt::getSignedMaxValue(To.Bits).sext(128)
                            : APInt::getMaxValue(To.Bits).zext(128);
  V = E.B.CreateBinaryIntrinsic(Intrinsic::smax, V, ConstantInt::get(Wide, Min));
  V = E.B.CreateBinaryIntrinsic(Intrinsic::smin, V, ConstantInt::get(Wide, Max));
  return E.B.CreateTrunc(V, E.B.getIntNTy(To.Bits));
}

static Value *roundToIntegral(Emitter &E, Value *V, uint32_t Mode) {
  static constexpr Intrinsic::ID Round[] = {Intrinsic::roundeven, Intrinsic::trunc,
                                            Intrinsic::floor, Intrinsic::ceil};
  return E.B.CreateUnaryIntrinsic(Round[Mode], V);
}

static Value *convertFloat(Emitter &E, const Conversion &C) {
  Value *V = E.read(1, C.From);
  llvm::Type *T = E.irType(C.To);
  if (C.Ftz && C.From.Bits == 32)
    V = flushDenormals(E.B, V);
  if (C.ToName == C.FromName)
    V = C.Integral ? roundToIntegral(E, V, C.Mode) : V;
  else
    V = floatToFloat(E.Context, E.B, V, T, C.manner());
  if (C.Ftz && C.To.Bits == 32)
    V = flushDenormals(E.B, V);
  return C.Sat ? saturate(E.B, V) : V;
}

/// Converts pairs, or to tf32, by intrinsics: ff2bf16x2.rn.relu(a, b).
static bool convertByIntrinsic(Emitter &E, const Conversion &C) {
  std::string Suffix = "." + C.Name.str();
  if (C.Relu)
    Suffix += ".relu";
  bool Narrow = C.To.Kind == TypeKind::Narrow;
  // The 8-bit formats always saturate; names of intrinsics omit it.
  if (C.SatFinite && C.ToName != "e4m3x2" && C.ToName != "e5m2x2")
    Suffix += ".satfinite";
  std::string Name;
  SmallVector<Value *, 2> Args;
  if (C.FromName == "f32") {
    bool TF32 = C.To.Kind == TypeKind::TF32;
    Name = TF32 ? "f2tf32" : (Narrow ? "ff.to." : "ff2") + C.ToName.str();
    if (!E.expectOperands(TF32 ? 2 : 3))
      return false;
    for (unsigned I = 1; I != E.operandCount(); ++I)
      Args.push_back(E.read(I, C.From));
  } else {
    if (!E.expectOperands(2))
      return false;
    Name = (C.FromName + ".to." + C.ToName).str();
    Value *V = E.read(1, C.From);
    if (C.From.Kind == TypeKind::Narrow)
      V = E.B.CreateZExt(V, E.B.getInt16Ty());
    if (C.FromName == "ue8m0x2")
      Suffix.clear();
    Args.push_back(V);
  }
  Value *V = E.intrinsic(Name + Suffix, Args);
  if (!V)
    return false;
  E.write(V->getType()->isIntegerTy(16) && C.To.totalBits() == 8
              ? E.B.CreateTrunc(V, E.B.getInt8Ty())
              : V,
          C.To);
  return true;
}

static bool convert(Emitter &E) {
  Conversion C;
  C.Name = E.Mods.takeOneOf({"rn", "rz", "rm", "rp", "rna"});
  if (C.Name.empty()) {
    C.Name = E.Mods.takeOneOf({"rni", "rzi", "rmi", "rpi"});
    C.Integral = !C.Name.empty();
  }
  if (!C.Name.empty()) {
    SmallVector<StringRef, 8> Mode = {C.Integral ? C.Name.drop_back() : C.Name};
    Modifiers One(std::move(Mode));
    C.Mode = *takeRounding(One);
  }
  C.Ftz = E.Mods.take("ftz");
  C.Sat = E.Mods.take("sat");
  C.Relu = E.Mods.take("relu");
  C.SatFinite = E.Mods.take("satfinite");
  C.ToName = E.Mods.first();
  std::optional<Type> To = E.takeType();
  C.FromName = E.Mods.first();
  std::optional<Type> From = To ? E.takeType() : std::nullopt;
  if (!From)
    return false;
  C.To = *To;
  C.From = *From;
  if (To->Elements == 2 || From->Elements == 2 || To->Kind == TypeKind::TF32)
    return convertByIntrinsic(E, C);
  auto Allowed = [](const Type &Ty) {
    return Ty.isFloat() || Ty.Kind == TypeKind::Unsigned || Ty.Kind == TypeKind::Signed;
  };
  if (!Allowed(*To) || !Allowed(*From) || !E.expectOperands(2))
    return false;
  Value *V;
  if (C.Sat && To->isInteger() && From->isInteger())
    V = clamp(E, E.read(1, C.From), C.From, C.To);
  else if (To->isInteger() && From->isFloat()) {
    V = E.read(1, *From);
    if (C.Ftz)
      V = flushDenormals(E.B, V);
    if (From->Bits == 16)
      V = E.B.CreateFPExt(V, E.B.getFloatTy());
    V = floatToInteger(E.B, V, E.B.getIntNTy(To->Bits), To->isSigned(), C.Mode);
  } else if (To->isFloat() && From->isInteger()) {
    V = integerToFloat(E.Context, E.B, E.read(1, *From), From->isSigned(), E.irType(*To), C.Mode);
    V = C.Sat ? saturate(E.B, V) : V;
  } else if (To->isFloat() && From->isFloat())
    V = convertFloat(E, C);
  else
    return false;
  E.write(V, *To);
  return true;
}

std::span<const RuleEntry> dataInstructions() {
  static const RuleEntry Rules[] = {
      {"slct", selectBySign}, {"cvta", convertAddress},  {"isspacep", isClusterAddress},
      {"mapa", mapAddress},   {"getctarank", blockRank}, {"setp", setPredicate},
      {"set", setValue},      {"cvt", convert},
  };
  return Rules;
}

} // namespace gmprof::cpu::ptx
