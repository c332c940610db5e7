//===- DataRows.cpp - Moves, comparisons and conversions ------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "InstructionLifter.h"

#include "Provenance.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/IntrinsicsNVPTX.h"

using namespace llvm;

namespace gmprof::ptx {
namespace {

bool move(InstructionLifter &L, const Instruction &I) {
  const Operand &To = I.Operands[0], &From = I.Operands[1];
  llvm::Type *Ty = L.irType(L.type(I));
  std::optional<unsigned> Space = L.addressSpaceOf(From);
  if (Space && L.type(I).Bits >= 32)
    Ty = PointerType::get(L.B.getContext(), *Space);
  L.write(To, L.read(From, Ty));
  return true;
}

/// Lifts mov.b64 %rd, {%r0, %r1}.
bool pack(InstructionLifter &L, const Instruction &I) {
  const Operand &To = I.Operands[0], &From = I.Operands[1];
  unsigned Bits = L.type(I).Bits;
  if (From.K != Operand::Kind::Vector || !To.isRegister() || From.Parts.empty() ||
      Bits % From.Parts.size())
    return false;
  unsigned Each = Bits / From.Parts.size();
  llvm::Type *Whole = L.intType(Bits);
  Value *Result = nullptr;
  for (size_t N = 0; N < From.Parts.size(); ++N) {
    Value *Part = L.B.CreateZExt(L.read(From.Parts[N], L.intType(Each)), Whole);
    if (N)
      Part = L.B.CreateShl(Part, N * Each);
    Result = N ? L.B.CreateOr(Result, Part) : Part;
  }
  L.write(To, Result);
  return true;
}

/// Lifts mov.b64 {%r0, %r1}, %rd.
bool unpack(InstructionLifter &L, const Instruction &I) {
  const Operand &To = I.Operands[0], &From = I.Operands[1];
  unsigned Bits = L.type(I).Bits;
  if (To.K != Operand::Kind::Vector || To.Parts.empty() || Bits % To.Parts.size())
    return false;
  unsigned Each = Bits / To.Parts.size();
  Value *Whole = L.read(From, L.intType(Bits));
  for (size_t N = 0; N < To.Parts.size(); ++N)
    L.write(To.Parts[N], L.B.CreateTrunc(L.B.CreateLShr(Whole, N * Each), L.intType(Each)));
  return true;
}

bool convertAddress(InstructionLifter &L, const Instruction &I) {
  unsigned Space = addressSpace(spaceOf(I));
  bool To = I.has("to");
  LLVMContext &Context = L.B.getContext();
  Value *V = L.read(I.Operands[1], PointerType::get(Context, To ? unsigned(GenericSpace) : Space));
  L.write(I.Operands[0], L.B.CreateAddrSpaceCast(
                             V, PointerType::get(Context, To ? Space : unsigned(GenericSpace))));
  return true;
}

bool isInSpace(InstructionLifter &L, const Instruction &I) {
  Intrinsic::ID Id = StringSwitch<Intrinsic::ID>(I.Modifiers[0])
                         .Case("global", Intrinsic::nvvm_isspacep_global)
                         .Cases({"shared", "shared::cta"}, Intrinsic::nvvm_isspacep_shared)
                         .Case("local", Intrinsic::nvvm_isspacep_local)
                         .Default(Intrinsic::nvvm_isspacep_const);
  L.write(I.Operands[0],
          L.intrinsic(Id, {L.read(I.Operands[1], PointerType::get(L.B.getContext(), 0))}));
  return true;
}

bool select(InstructionLifter &L, const Instruction &I) {
  llvm::Type *Ty = L.irType(L.type(I));
  if (std::optional<unsigned> Space = L.addressSpaceOf(I.Operands[0]))
    Ty = PointerType::get(L.B.getContext(), *Space);
  Value *A = L.read(I.Operands[1], Ty), *B = L.read(I.Operands[2], Ty);
  L.write(I.Operands[0], L.B.CreateSelect(L.read(I.Operands[3], L.B.getInt1Ty()), A, B));
  return true;
}

CmpInst::Predicate floatPredicate(StringRef Name) {
  return StringSwitch<CmpInst::Predicate>(Name)
      .Case("eq", CmpInst::FCMP_OEQ)
      .Case("ne", CmpInst::FCMP_ONE)
      .Case("lt", CmpInst::FCMP_OLT)
      .Case("le", CmpInst::FCMP_OLE)
      .Case("gt", CmpInst::FCMP_OGT)
      .Case("ge", CmpInst::FCMP_OGE)
      .Case("equ", CmpInst::FCMP_UEQ)
      .Case("neu", CmpInst::FCMP_UNE)
      .Case("ltu", CmpInst::FCMP_ULT)
      .Case("leu", CmpInst::FCMP_ULE)
      .Case("gtu", CmpInst::FCMP_UGT)
      .Case("geu", CmpInst::FCMP_UGE)
      .Case("num", CmpInst::FCMP_ORD)
      .Default(CmpInst::FCMP_UNO); // nan
}

CmpInst::Predicate integerPredicate(StringRef Name, bool Signed) {
  return StringSwitch<CmpInst::Predicate>(Name)
      .Case("eq", CmpInst::ICMP_EQ)
      .Case("ne", CmpInst::ICMP_NE)
      .Case("lt", Signed ? CmpInst::ICMP_SLT : CmpInst::ICMP_ULT)
      .Case("le", Signed ? CmpInst::ICMP_SLE : CmpInst::ICMP_ULE)
      .Case("gt", Signed ? CmpInst::ICMP_SGT : CmpInst::ICMP_UGT)
      .Case("ge", Signed ? CmpInst::ICMP_SGE : CmpInst::ICMP_UGE)
      .Case("lo", CmpInst::ICMP_ULT)
      .Case("ls", CmpInst::ICMP_ULE)
      .Case("hi", CmpInst::ICMP_UGT)
      .Default(CmpInst::ICMP_UGE); // hs
}

/// Lifts setp.lt.and.s32 %p|%q, %a, %b, %r: combines the comparison, and its opposite, with %r.
bool compare(InstructionLifter &L, const Instruction &I) {
  const Type Ty = L.type(I);
  if (Ty.isFloat() && Ty.Bits == 32 && !L.flushesLikeFunction(I))
    return false;
  StringRef Combine;
  for (StringRef M : I.Modifiers)
    if (M == "and" || M == "or" || M == "xor")
      Combine = M;
  if (Combine.empty() != (I.Operands.size() == 3))
    return false;
  llvm::Type *Held = L.irType(Ty);
  Value *A = L.read(I.Operands[1], Held), *B = L.read(I.Operands[2], Held);
  StringRef Name = I.Modifiers[0];
  Value *Result = Ty.isFloat() ? L.B.CreateFCmp(floatPredicate(Name), A, B)
                               : L.B.CreateICmp(integerPredicate(Name, Ty.isSigned()), A, B);
  Value *Other = Combine.empty() ? nullptr : L.read(I.Operands[3], L.B.getInt1Ty());
  auto Combined = [&](Value *V) {
    return Combine.empty()    ? V
           : Combine == "and" ? L.B.CreateAnd(V, Other)
           : Combine == "or"  ? L.B.CreateOr(V, Other)
                              : L.B.CreateXor(V, Other);
  };
  const Operand &To = I.Operands[0];
  if (To.K != Operand::Kind::Pair) {
    L.write(To, Combined(Result));
    return true;
  }
  L.write(To.Parts[0], Combined(Result));
  L.write(To.Parts[1], Combined(L.B.CreateNot(Result)));
  return true;
}

/// Returns the two types that a cvt names.
std::pair<Type, Type> conversionTypes(const Instruction &I) {
  size_t Count = I.Modifiers.size();
  return {*typeNamed(I.Modifiers[Count - 2]), *typeNamed(I.Modifiers[Count - 1])};
}

bool convertInteger(InstructionLifter &L, const Instruction &I) {
  if (isWidening(I) && L.addressSpaceOf(I.Operands[0]) == SharedSpace &&
      L.addressSpaceOf(I.Operands[1]) == SharedSpace) {
    L.write(I.Operands[0], L.read(I.Operands[1], PointerType::get(L.B.getContext(), SharedSpace)));
    return true;
  }
  auto [To, From] = conversionTypes(I);
  Value *V = L.convert(L.read(I.Operands[1], L.irType(From)), L.irType(To), From.isSigned());
  L.write(I.Operands[0], V, To.isSigned());
  return true;
}

bool integerToFloat(InstructionLifter &L, const Instruction &I) {
  auto [To, From] = conversionTypes(I);
  Value *V = L.read(I.Operands[1], L.irType(From));
  llvm::Type *Ty = L.irType(To);
  L.write(I.Operands[0], From.isSigned() ? L.B.CreateSIToFP(V, Ty) : L.B.CreateUIToFP(V, Ty));
  return true;
}

bool convertFloat(InstructionLifter &L, const Instruction &I) {
  auto [To, From] = conversionTypes(I);
  if (!L.flushesLikeFunction(I))
    return false;
  L.write(I.Operands[0], L.B.CreateFPCast(L.read(I.Operands[1], L.irType(From)), L.irType(To)));
  return true;
}

/// Returns the letters of a number's type in names of NVVM conversions: "ull" of u64.
StringRef conversionLetters(const Type &Ty) {
  if (Ty.isFloat())
    return Ty.Bits == 32 ? "f" : "d";
  if (Ty.Bits == 32)
    return Ty.isSigned() ? "i" : "ui";
  return Ty.isSigned() ? "ll" : "ull";
}

/// Conversions between integers and floating point whose rounding is stated: llvm.nvvm.f2i.rz.ftz.
/// A number out of range becomes the nearest integer, where LLVM's instructions are undefined.
bool convertRounded(InstructionLifter &L, const Instruction &I) {
  auto [To, From] = conversionTypes(I);
  const Intrinsic::ID Id = Intrinsic::lookupIntrinsicID(
      ("llvm.nvvm." + conversionLetters(From) + "2" + conversionLetters(To) + "." +
       I.Modifiers[0].take_front(2) + (I.has("ftz") ? ".ftz" : ""))
          .str());
  L.write(I.Operands[0], L.intrinsic(Id, {L.read(I.Operands[1], L.irType(From))}));
  return true;
}

bool roundToIntegral(InstructionLifter &L, const Instruction &I) {
  if (L.type(I).Bits == 32 && !L.flushesLikeFunction(I))
    return false;
  const auto Id = StringSwitch<Intrinsic::ID>(I.Modifiers[0])
                      .Case("rni", Intrinsic::roundeven)
                      .Case("rzi", Intrinsic::trunc)
                      .Case("rmi", Intrinsic::floor)
                      .Default(Intrinsic::ceil); // rpi
  llvm::Type *Ty = L.irType(L.type(I));
  L.write(I.Operands[0], L.intrinsic(Id, {L.read(I.Operands[1], Ty)}, {Ty}));
  return true;
}

bool saturate(InstructionLifter &L, const Instruction &I) {
  const bool Double = L.type(I).Bits == 64;
  L.write(I.Operands[0], L.intrinsic(Double         ? Intrinsic::nvvm_saturate_d
                                     : I.has("ftz") ? Intrinsic::nvvm_saturate_ftz_f
                                                    : Intrinsic::nvvm_saturate_f,
                                     {L.read(I.Operands[1], L.irType(L.type(I)))}));
  return true;
}

/// Converts a bf16 number, which is the upper half of the f32 number.
bool widenBFloat(InstructionLifter &L, const Instruction &I) {
  Value *V = L.B.CreateZExt(L.read(I.Operands[1], L.B.getInt16Ty()), L.B.getInt32Ty());
  L.write(I.Operands[0], L.B.CreateShl(V, 16));
  return true;
}

/// Lifts a conversion to a narrower type. LLVM never flushes the operand.
bool narrow(InstructionLifter &L, const Instruction &I) {
  auto [To, From] = conversionTypes(I);
  L.write(I.Operands[0], L.B.CreateFPTrunc(L.read(I.Operands[1], L.irType(From)), L.irType(To)));
  return true;
}

/// Lifts cvt.rn.f16x2.f32 %d, %upper, %lower.
bool narrowPair(InstructionLifter &L, const Instruction &I) {
  llvm::Type *Float = L.B.getFloatTy();
  L.write(I.Operands[0],
          L.intrinsic(I.has("f16x2") ? Intrinsic::nvvm_ff2f16x2_rn : Intrinsic::nvvm_ff2bf16x2_rn,
                      {L.read(I.Operands[1], Float), L.read(I.Operands[2], Float)}));
  return true;
}

constexpr Row Rows[] = {
    {"mov", "pred|%bits|b128|%int|f32|f64", "dv", move},
    {"mov", "b16|b32|b64|b128", "dV", pack},
    {"mov", "b16|b32|b64|b128", "Dv", unpack},
    {"cvta", "[to] %space u64", "dv", convertAddress},
    {"isspacep", "global|shared|shared::cta|local|const", "dv", isInSpace},
    {"selp", "%bits|%int|f32|f64", "dvvv", select},
    {"setp", "eq|ne|lt|le|gt|ge|lo|ls|hi|hs [and|or|xor] %bits|%int", "pvvv?", compare},
    {"setp", "eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan [and|or|xor] [ftz] f32|f64",
     "pvvv?", compare},
    {"cvt", "u8|s8|%int u8|s8|%int", "dv", convertInteger},
    {"cvt", "rn f32|f64 u8|s8|%int", "dv", integerToFloat},
    {"cvt", "[ftz] f64 f32", "dv", convertFloat},
    {"cvt", "rn [ftz] f32 f64", "dv", convertFloat},
    {"cvt", "f32 f16", "dv", convertFloat},
    {"cvt", "f32 bf16", "dv", widenBFloat},
    {"cvt", "rn f16|bf16 f32", "dv", narrow},
    {"cvt", "rn f16x2|bf16x2 f32", "dvv", narrowPair},
    {"cvt", "rz|rm|rp f32|f64 u32|s32|u64|s64", "dv", convertRounded},
    {"cvt", "rni|rzi|rmi|rpi [ftz] u32|s32|u64|s64 f32", "dv", convertRounded},
    {"cvt", "rni|rzi|rmi|rpi u32|s32|u64|s64 f64", "dv", convertRounded},
    {"cvt", "rni|rzi|rmi|rpi [ftz] f32 f32", "dv", roundToIntegral},
    {"cvt", "rni|rzi|rmi|rpi f64 f64", "dv", roundToIntegral},
    {"cvt", "[ftz] sat f32 f32", "dv", saturate},
    {"cvt", "sat f64 f64", "dv", saturate},
};

} // namespace

ArrayRef<Row> dataRows() { return Rows; }

} // namespace gmprof::ptx
