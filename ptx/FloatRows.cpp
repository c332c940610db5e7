//===- FloatRows.cpp - Floating-point instructions ------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Arithmetic without a rounding modifier may be fused by ptxas, into fma. LLVM writes it so if it
// has the flag contract, but would then also fuse by itself. Therefore mul without one has no row:
// LLVM cannot fuse inline assembly, and ptxas alone decides. All approximations, and all arithmetic
// of 16-bit formats, have no row either.
//
//===----------------------------------------------------------------------===//

#include "InstructionLifter.h"

using namespace llvm;

namespace gmprof::ptx {
namespace {

/// Calls the NVVM intrinsic that states the instruction's rounding and flushing:
/// llvm.nvvm.fma.rm.ftz.f.
bool stated(InstructionLifter &L, const Instruction &I) {
  const StringRef Type = I.Modifiers.back();
  const StringRef Suffix = Type == "f32" ? "f" : Type == "f64" ? "d" : Type;
  const Intrinsic::ID Id = Intrinsic::lookupIntrinsicID(
      ("llvm.nvvm." + I.Opcode + "." + I.Modifiers[0] + (I.has("ftz") ? ".ftz." : ".") + Suffix)
          .str());
  llvm::Type *Ty = L.irType(L.type(I));
  SmallVector<Value *, 3> Arguments;
  for (const Operand &O : ArrayRef(I.Operands).drop_front())
    Arguments.push_back(L.read(O, Ty));
  L.write(I.Operands[0], L.intrinsic(Id, Arguments));
  return true;
}

bool isFloat32(const Instruction &I) { return I.Modifiers.back() == "f32"; }

/// Returns whether LLVM would write the instruction without or with .ftz, as it is.
bool keepsDenormalMode(const InstructionLifter &L, const Instruction &I) {
  return !isFloat32(I) || L.flushesLikeFunction(I);
}

bool arithmetic(InstructionLifter &L, const Instruction &I) {
  if (!keepsDenormalMode(L, I))
    return I.has("rn") && I.Opcode != "sub" && stated(L, I);
  llvm::Type *Ty = L.irType(L.type(I));
  Value *A = L.read(I.Operands[1], Ty), *B = L.read(I.Operands[2], Ty);
  IRBuilderBase::FastMathFlagGuard Guard(L.B);
  FastMathFlags Flags;
  Flags.setAllowContract(!I.has("rn"));
  L.B.setFastMathFlags(Flags);
  Value *Result = I.Opcode == "add"   ? L.B.CreateFAdd(A, B)
                  : I.Opcode == "sub" ? L.B.CreateFSub(A, B)
                  : I.Opcode == "mul" ? L.B.CreateFMul(A, B)
                                      : L.B.CreateFDiv(A, B);
  L.write(I.Operands[0], Result);
  return true;
}

bool fusedMultiplyAdd(InstructionLifter &L, const Instruction &I) {
  if (!keepsDenormalMode(L, I))
    return stated(L, I);
  llvm::Type *Ty = L.irType(L.type(I));
  L.write(I.Operands[0], L.intrinsic(Intrinsic::fma,
                                     {L.read(I.Operands[1], Ty), L.read(I.Operands[2], Ty),
                                      L.read(I.Operands[3], Ty)},
                                     {Ty}));
  return true;
}

bool reciprocal(InstructionLifter &L, const Instruction &I) {
  if (!keepsDenormalMode(L, I))
    return stated(L, I);
  llvm::Type *Ty = L.irType(L.type(I));
  L.write(I.Operands[0], L.B.CreateFDiv(ConstantFP::get(Ty, 1), L.read(I.Operands[1], Ty)));
  return true;
}

bool minMax(InstructionLifter &L, const Instruction &I) {
  if (!keepsDenormalMode(L, I))
    return false;
  llvm::Type *Ty = L.irType(L.type(I));
  L.write(I.Operands[0],
          L.intrinsic(I.Opcode == "min" ? Intrinsic::minimumnum : Intrinsic::maximumnum,
                      {L.read(I.Operands[1], Ty), L.read(I.Operands[2], Ty)}, {Ty}));
  return true;
}

bool sign(InstructionLifter &L, const Instruction &I) {
  if (!keepsDenormalMode(L, I) || I.has("ftz")) // LLVM's never flush
    return false;
  llvm::Type *Ty = L.irType(L.type(I));
  Value *A = L.read(I.Operands[1], Ty);
  L.write(I.Operands[0],
          I.Opcode == "neg" ? L.B.CreateFNeg(A) : L.intrinsic(Intrinsic::fabs, {A}, {Ty}));
  return true;
}

/// Combines the sign of the first number with the rest of the second.
bool copySign(InstructionLifter &L, const Instruction &I) {
  llvm::Type *Ty = L.irType(L.type(I));
  L.write(I.Operands[0], L.intrinsic(Intrinsic::copysign,
                                     {L.read(I.Operands[2], Ty), L.read(I.Operands[1], Ty)}, {Ty}));
  return true;
}

constexpr Row Rows[] = {
    {"add", "[rn] [ftz] f32", "dvv", arithmetic},
    {"add", "[rn] f64", "dvv", arithmetic},
    {"sub", "[rn] [ftz] f32", "dvv", arithmetic},
    {"sub", "[rn] f64", "dvv", arithmetic},
    {"mul", "rn [ftz] f32", "dvv", arithmetic},
    {"mul", "rn f64", "dvv", arithmetic},
    {"div", "rn [ftz] f32", "dvv", arithmetic},
    {"div", "rn f64", "dvv", arithmetic},
    {"fma", "rn [ftz] f32", "dvvv", fusedMultiplyAdd},
    {"fma", "rn f64", "dvvv", fusedMultiplyAdd},
    {"rcp", "rn [ftz] f32", "dv", reciprocal},
    {"rcp", "rn f64", "dv", reciprocal},
    {"min", "[ftz] f32", "dvv", minMax},
    {"min", "f64", "dvv", minMax},
    {"max", "[ftz] f32", "dvv", minMax},
    {"max", "f64", "dvv", minMax},
    {"neg", "f32|f64", "dv", sign},
    {"abs", "f32|f64", "dv", sign},
    {"copysign", "f32|f64", "dvv", copySign},
    {"add", "rz|rm|rp [ftz] f32", "dvv", stated},
    {"add", "rz|rm|rp f64", "dvv", stated},
    {"mul", "rz|rm|rp [ftz] f32", "dvv", stated},
    {"mul", "rz|rm|rp f64", "dvv", stated},
    {"div", "rz|rm|rp [ftz] f32", "dvv", stated},
    {"div", "rz|rm|rp f64", "dvv", stated},
    {"fma", "rz|rm|rp [ftz] f32", "dvvv", stated},
    {"fma", "rz|rm|rp f64", "dvvv", stated},
    {"fma", "rn [ftz] f16|f16x2", "dvvv", stated},
    {"fma", "rn bf16|bf16x2", "dvvv", stated},
    {"rcp", "rz|rm|rp [ftz] f32", "dv", stated},
    {"rcp", "rz|rm|rp f64", "dv", stated},
    {"sqrt", "rn|rz|rm|rp [ftz] f32", "dv", stated},
    {"sqrt", "rn|rz|rm|rp f64", "dv", stated},
};

} // namespace

ArrayRef<Row> floatRows() { return Rows; }

} // namespace gmprof::ptx
