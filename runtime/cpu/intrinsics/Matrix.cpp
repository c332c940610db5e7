//===- Matrix.cpp - Warp matrix intrinsics --------------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Fragments are passed to helpers in memory: the registers of all operands in order.
// MatrixHelpers.cpp processes them.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"
#include "MatrixOperation.h"

#include "llvm/ADT/StringSwitch.h"

using namespace llvm;

namespace gmprof::cpu {

static std::optional<MatrixElement> elementNamed(StringRef Name) {
  using E = MatrixElement;
  return StringSwitch<std::optional<E>>(Name)
      .Case("f16", E::F16)
      .Case("bf16", E::BF16)
      .Case("tf32", E::TF32)
      .Case("f32", E::F32)
      .Case("f64", E::F64)
      .Case("e5m2", E::E5M2)
      .Case("e4m3", E::E4M3)
      .Case("s32", E::S32)
      .Case("s8", E::S8)
      .Case("u8", E::U8)
      .Case("s4", E::S4)
      .Case("u4", E::U4)
      .Case("b1", E::B1)
      .Default(std::nullopt);
}

/// Parses a shape such as m16n8k16.
static bool parseShape(StringRef Name, MatrixOperation &Op) {
  unsigned M, N, K;
  if (!Name.consume_front("m") || Name.consumeInteger(10, M) || !Name.consume_front("n") ||
      Name.consumeInteger(10, N) || !Name.consume_front("k") || Name.consumeInteger(10, K) ||
      !Name.empty())
    return false;
  Op.M = M;
  Op.N = N;
  Op.K = K;
  return true;
}

/// Returns the default accumulator type for operands of a type.
static MatrixElement accumulatorOf(MatrixElement E) {
  switch (E) {
  case MatrixElement::F64:
    return E;
  case MatrixElement::S8:
  case MatrixElement::U8:
  case MatrixElement::S4:
  case MatrixElement::U4:
  case MatrixElement::B1:
    return MatrixElement::S32;
  default:
    return MatrixElement::F32;
  }
}

static Value *constantWord(IRBuilderBase &B, const MatrixOperation &Op, unsigned Word) {
  uint64_t Words[2];
  memcpy(Words, &Op, sizeof(Words));
  return B.getInt64(Words[Word]);
}

static unsigned bytesOf(Type *T) { return T->getPrimitiveSizeInBits().getFixedValue() / 8; }

/// Stores arguments contiguously; returns their size in bytes.
static unsigned storeArguments(IntrinsicCall &S, Value *Memory, unsigned First, unsigned Last) {
  unsigned Offset = 0;
  for (unsigned I = First; I != Last; ++I) {
    S.B.CreateStore(S.arg(I), S.B.CreateConstGEP1_64(S.B.getInt8Ty(), Memory, Offset));
    Offset += bytesOf(S.arg(I)->getType());
  }
  return Offset;
}

static unsigned resultBytes(Type *T) {
  unsigned Bytes = 0;
  if (auto *Struct = dyn_cast<StructType>(T)) {
    for (Type *Element : Struct->elements())
      Bytes += bytesOf(Element);
    return Bytes;
  }
  return bytesOf(T);
}

/// Loads the call's result, a register or a struct of them.
static void loadResult(IntrinsicCall &S, Value *Memory) {
  auto *Struct = dyn_cast<StructType>(S.type());
  if (!Struct) {
    S.Result = S.B.CreateLoad(S.type(), Memory);
    return;
  }
  unsigned Offset = 0;
  Value *Result = PoisonValue::get(Struct);
  for (unsigned I = 0; I != Struct->getNumElements(); ++I) {
    Type *T = Struct->getElementType(I);
    Value *From = S.B.CreateConstGEP1_64(S.B.getInt8Ty(), Memory, Offset);
    Result = S.B.CreateInsertValue(Result, S.B.CreateLoad(T, From), I);
    Offset += bytesOf(T);
  }
  S.Result = Result;
}

/// Takes the operands' types from the end of a name: for halves those of the result and
/// accumulator, for 8-bit floats all four, else A's and, if it differs, B's.
static bool takeElements(Modifiers &Mods, MatrixOperation &Op) {
  SmallVector<MatrixElement, 4> Names;
  while (std::optional<MatrixElement> E = elementNamed(Mods.first())) {
    Names.push_back(*E);
    Mods.next();
  }
  auto IsAccumulator = [](MatrixElement E) {
    return E == MatrixElement::F16 || E == MatrixElement::F32;
  };
  if (Names.size() == 4) {
    Op.D = Names[0];
    Op.A = Names[1];
    Op.B = Names[2];
    Op.C = Names[3];
    return true;
  }
  if (Names.size() == 2 && IsAccumulator(Names[0]) && IsAccumulator(Names[1])) {
    Op.A = Op.B = MatrixElement::F16;
    Op.D = Names[0];
    Op.C = Names[1];
    return true;
  }
  if (Names.empty() || Names.size() > 2)
    return false;
  Op.A = Names.front();
  Op.B = Names.back();
  Op.C = Op.D = accumulatorOf(Op.A);
  return true;
}

static bool multiply(IntrinsicCall &S, MatrixOperation Op) {
  S.Mods.takeOneOf({"row", "col"}); // fragments are independent of the layout
  S.Mods.takeOneOf({"row", "col"});
  Op.SatFinite = S.Mods.take("satfinite");
  if (!takeElements(S.Mods, Op))
    return false;
  Op.SatFinite |= S.Mods.take("satfinite");
  // m8n8k4 of halves computes four products, with fragments of its own layout.
  if (!Op.Wmma && Op.M == 8 && Op.A == MatrixElement::F16)
    return false;
  unsigned Bytes = 0;
  for (MatrixRole R : {MatrixRole::A, MatrixRole::B, MatrixRole::C})
    Bytes += Op.fragmentBytes(R);
  Value *In = S.Context.scratch(S.B, Bytes), *Out = S.Context.scratch(S.B, resultBytes(S.type()));
  if (storeArguments(S, In, 0, S.Call.arg_size()) != Bytes)
    return false;
  S.helper("gm_matrix_multiply", S.B.getVoidTy(),
           {S.Context.threadState(S.B), S.Context.site(S.Call), constantWord(S.B, Op, 0),
            constantWord(S.B, Op, 1), In, Out});
  loadResult(S, Out);
  return true;
}

static bool lowerMma(IntrinsicCall &S) {
  MatrixOperation Op{};
  StringRef Bits = S.Mods.takeOneOf({"xor", "and"});
  if (!Bits.empty() && !S.Mods.take("popc"))
    return false;
  Op.And = Bits == "and";
  return parseShape(S.Mods.next(), Op) && multiply(S, Op);
}

/// Lowers wmma.SHAPE.{load,store}.{a,b,c,d}.{row,col}[.stride].TYPE. The stride is in elements.
static bool loadOrStore(IntrinsicCall &S, MatrixOperation &Op, bool Load) {
  StringRef Which = S.Mods.takeOneOf({"a", "b", "c", "d"});
  bool ColumnMajor = S.Mods.takeOneOf({"row", "col"}) == "col";
  bool Stride = S.Mods.take("stride");
  std::optional<MatrixElement> E = elementNamed(S.Mods.next());
  if (!E || Which.empty() || matrixElementBits(*E) < 8)
    return false;
  MatrixRole R = Which == "a" ? MatrixRole::A : Which == "b" ? MatrixRole::B : MatrixRole::C;
  Op.A = Op.B = Op.C = Op.D = *E;
  unsigned Packed = ColumnMajor ? Op.rows(R) : Op.columns(R);
  unsigned Last = S.Call.arg_size() - Stride;
  Value *Leading = Stride ? S.arg(Last) : S.B.getInt32(Packed);
  Value *Memory = S.Context.scratch(S.B, Op.fragmentBytes(R));
  if (!Load && storeArguments(S, Memory, 1, Last) != Op.fragmentBytes(R))
    return false;
  S.helper(Load ? "gm_matrix_load" : "gm_matrix_store", S.B.getVoidTy(),
           {S.Context.loadThread(S.B, offsetof(ThreadState, Lane), S.B.getInt32Ty()),
            constantWord(S.B, Op, 0), constantWord(S.B, Op, 1), S.B.getInt32(uint32_t(R)),
            S.B.getInt32(ColumnMajor), S.arg(0), Leading, Memory});
  if (Load)
    loadResult(S, Memory);
  return true;
}

static bool lowerWmma(IntrinsicCall &S) {
  MatrixOperation Op{};
  Op.Wmma = true;
  if (!parseShape(S.Mods.next(), Op))
    return false;
  StringRef Operation = S.Mods.next();
  if (Operation == "mma") {
    StringRef Bits = S.Mods.takeOneOf({"xor", "and"});
    if (!Bits.empty() && !S.Mods.take("popc"))
      return false;
    Op.And = Bits == "and";
    StringRef Rounding = S.Mods.takeOneOf({"rn", "rz", "rm", "rp"});
    return (Rounding.empty() || Rounding == "rn") && multiply(S, Op);
  }
  return (Operation == "load" || Operation == "store") && loadOrStore(S, Op, Operation == "load");
}

/// Lowers {ld,st}matrix.sync.aligned.m8n8.xN[.trans].b16: N matrices of 8 x 8 halves, whose row
/// addresses come from the lanes.
static bool rowsInMemory(IntrinsicCall &S, bool Load) {
  if (!S.Mods.take("sync") || !S.Mods.take("aligned") || !S.Mods.take("m8n8"))
    return false;
  unsigned Count = StringSwitch<unsigned>(S.Mods.takeOneOf({"x1", "x2", "x4"}))
                       .Case("x1", 1)
                       .Case("x2", 2)
                       .Case("x4", 4)
                       .Default(0);
  bool Transposed = S.Mods.take("trans");
  if (!Count || !S.Mods.take("b16"))
    return false;
  Value *Memory = S.Context.scratch(S.B, Count * 4);
  if (!Load)
    storeArguments(S, Memory, 1, S.Call.arg_size());
  S.helper(Load ? "gm_matrix_load_rows" : "gm_matrix_store_rows", S.B.getVoidTy(),
           {S.Context.threadState(S.B), S.Context.site(S.Call), S.B.getInt32(Count),
            S.B.getInt32(Transposed), S.arg(0), Memory});
  if (Load)
    loadResult(S, Memory);
  return true;
}

std::span<const RuleEntry> matrixRules() {
  static const RuleEntry Rules[] = {
      {"mma", lowerMma},
      {"wmma", lowerWmma},
      {"ldmatrix", [](IntrinsicCall &S) { return rowsInMemory(S, true); }},
      {"stmatrix", [](IntrinsicCall &S) { return rowsInMemory(S, false); }},
  };
  return Rules;
}

} // namespace gmprof::cpu
