//===- Memory.cpp - PTX loads, stores and atomics -------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// State spaces are not distinguished: every address is flat. Scopes and cache operators have no
// effect that a program can observe.
//
//===----------------------------------------------------------------------===//

#include "MemoryModifiers.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/Intrinsics.h"

using namespace llvm;

namespace gmprof::cpu::ptx {

static void takeAll(Modifiers &Mods, std::initializer_list<StringRef> Names) {
  for (StringRef Name : Names)
    Mods.take(Name);
}

void takeSpace(Modifiers &Mods) {
  Mods.takeOneOf({"global", "shared", "shared::cta", "shared::cluster", "local", "const", "param",
                  "param::entry", "param::func"});
}

void takeScope(Modifiers &Mods) { Mods.takeOneOf({"cta", "cluster", "gpu", "sys"}); }

bool takeCacheHints(Modifiers &Mods) {
  takeAll(Mods, {"ca", "cg", "cs", "lu", "cv", "wb", "wt", "nc", "unified"});
  bool Policy = Mods.take("L2::cache_hint");
  SmallVector<StringRef, 4> Hints;
  for (StringRef Name : Mods.rest())
    if (Name.starts_with("L1::") || Name.starts_with("L2::"))
      Hints.push_back(Name);
  for (StringRef Name : Hints)
    Mods.take(Name);
  return Policy;
}

AtomicOrdering takeOrdering(Modifiers &Mods) {
  StringRef Name = Mods.takeOneOf({"relaxed", "acquire", "release", "acq_rel"});
  return StringSwitch<AtomicOrdering>(Name)
      .Case("acquire", AtomicOrdering::Acquire)
      .Case("release", AtomicOrdering::Release)
      .Case("acq_rel", AtomicOrdering::AcquireRelease)
      .Case("relaxed", AtomicOrdering::Monotonic)
      .Default(AtomicOrdering::NotAtomic);
}

void completeTx(Emitter &E, const Operand &Barrier, Value *Bytes) {
  E.intrinsic("mbarrier.complete.tx.scope.cta.space.cta", {E.readAddress(Barrier), Bytes});
}

//===----------------------------------------------------------------------===//
// ld, st
//===----------------------------------------------------------------------===//

namespace {

struct Access {
  AtomicOrdering Ordering;
  bool Volatile;
  unsigned Elements = 1;
  Type Ty;
  bool Policy; ///< has a policy operand

  static std::optional<Access> take(Emitter &E) {
    Access A;
    A.Ordering = takeOrdering(E.Mods);
    A.Volatile = E.Mods.take("volatile") || E.Mods.take("mmio");
    E.Mods.take("weak");
    takeScope(E.Mods);
    takeSpace(E.Mods);
    A.Policy = takeCacheHints(E.Mods);
    StringRef Vector = E.Mods.takeOneOf({"v2", "v4", "v8"});
    if (!Vector.empty())
      Vector.drop_front().getAsInteger(10, A.Elements);
    std::optional<Type> Ty = E.takeType();
    if (!Ty || Ty->totalBits() < 8 || Ty->Kind == TypeKind::Narrow)
      return std::nullopt;
    A.Ty = *Ty;
    return A;
  }

  /// Returns a single register or the elements of {vector}; nothing if their number is wrong.
  std::optional<ArrayRef<Operand>> parts(const Operand &O) const {
    ArrayRef<Operand> Parts = O.K == Operand::Kind::Vector ? ArrayRef(O.Parts) : ArrayRef(O);
    if (Parts.size() != Elements)
      return std::nullopt;
    return Parts;
  }

  /// Returns a value's type in memory; the sign matters for loads into wider registers.
  Type memoryType() const {
    return {Ty.isSigned() ? TypeKind::Signed : TypeKind::Bits, 1, uint16_t(Ty.totalBits())};
  }
};

} // namespace

static bool load(Emitter &E) {
  std::optional<Access> A = Access::take(E);
  if (!A || !E.expectOperands(A->Policy ? 3 : 2))
    return false;
  auto Parts = A->parts(E.operand(0));
  if (!Parts)
    return false;
  Value *Pointer = E.readAddress(E.operand(1));
  Type Ty = A->memoryType();
  unsigned Bytes = Ty.Bits / 8;
  SmallVector<Value *, 8> Loaded;
  for (unsigned I = 0; I != A->Elements; ++I) {
    Value *From = E.B.CreateConstGEP1_64(E.B.getInt8Ty(), Pointer, I * Bytes);
    LoadInst *Load = E.B.CreateAlignedLoad(E.irType(Ty), From, Align(Bytes), A->Volatile);
    if (Ty.Bits <= 64)
      Load->setOrdering(A->Ordering);
    Loaded.push_back(Load);
  }
  // Written last: a result may be part of the address.
  for (unsigned I = 0; I != A->Elements; ++I)
    E.write((*Parts)[I], Loaded[I], Ty);
  return true;
}

/// Lowers st.bulk [to], bytes, 0.
static bool storeZeros(Emitter &E) {
  E.Mods.take("weak");
  takeSpace(E.Mods);
  if (!E.expectOperands(3))
    return false;
  E.B.CreateMemSet(E.readAddress(E.operand(0)), E.B.getInt8(0), E.read(1, unsignedType(64)),
                   Align(8));
  return true;
}

/// Lowers st, and st.async, whose third operand is a barrier that counts the bytes.
static bool store(Emitter &E) {
  if (E.Mods.take("bulk"))
    return storeZeros(E);
  bool Async = E.Mods.take("async") && E.Mods.take(CompleteTx);
  std::optional<Access> A = Access::take(E);
  if (!A || !E.expectOperands(A->Policy || Async ? 3 : 2))
    return false;
  auto Parts = A->parts(E.operand(1));
  if (!Parts)
    return false;
  Value *Pointer = E.readAddress(E.operand(0));
  Type Ty = A->memoryType();
  unsigned Bytes = Ty.Bits / 8;
  for (unsigned I = 0; I != A->Elements; ++I) {
    Value *To = E.B.CreateConstGEP1_64(E.B.getInt8Ty(), Pointer, I * Bytes);
    StoreInst *Store =
        E.B.CreateAlignedStore(E.read((*Parts)[I], Ty), To, Align(Bytes), A->Volatile);
    if (Ty.Bits <= 64)
      Store->setOrdering(A->Ordering);
  }
  if (Async)
    completeTx(E, E.operand(2), E.B.getInt32(Bytes * A->Elements));
  return true;
}

//===----------------------------------------------------------------------===//
// atom, red
//===----------------------------------------------------------------------===//

static AtomicRMWInst::BinOp operationNamed(StringRef Name, const Type &Ty) {
  bool Signed = Ty.isSigned();
  return StringSwitch<AtomicRMWInst::BinOp>(Name)
      .Case("exch", AtomicRMWInst::Xchg)
      .Case("add", Ty.isFloat() ? AtomicRMWInst::FAdd : AtomicRMWInst::Add)
      .Case("and", AtomicRMWInst::And)
      .Case("or", AtomicRMWInst::Or)
      .Case("xor", AtomicRMWInst::Xor)
      .Case("inc", AtomicRMWInst::UIncWrap)
      .Case("dec", AtomicRMWInst::UDecWrap)
      .Case("min", Signed ? AtomicRMWInst::Min : AtomicRMWInst::UMin)
      .Case("max", Signed ? AtomicRMWInst::Max : AtomicRMWInst::UMax)
      .Default(AtomicRMWInst::BAD_BINOP);
}

/// Lowers add, min and max of halves and bfloats, single or in pairs, to a helper.
static Value *narrowAtomic(Emitter &E, StringRef Name, const Type &Ty, Value *Pointer,
                           const Operand &O) {
  Type Encoding = unsignedType(Ty.totalBits());
  unsigned Operation =
      StringSwitch<unsigned>(Name).Case("add", 0).Case("min", 1).Case("max", 2).Default(3);
  if (Operation == 3) {
    E.fail("its operation on narrow floating-point numbers");
    return PoisonValue::get(E.irType(Encoding));
  }
  llvm::Type *I32 = E.B.getInt32Ty();
  Value *V = E.B.CreateZExt(E.read(O, Encoding), I32);
  Value *Old = E.Context.callHelper(
      E.B, Ty.Elements == 2 ? "gm_atomic_narrow_pair" : "gm_atomic_narrow", I32,
      {Pointer, V, E.B.getInt32(Ty.Kind == TypeKind::BFloat), E.B.getInt32(Operation)});
  return E.B.CreateTrunc(Old, E.irType(Encoding));
}

/// Returns a single register, or the elements of {vector}.
static ArrayRef<Operand> elements(const Operand &O) {
  return O.K == Operand::Kind::Vector ? ArrayRef(O.Parts) : ArrayRef(O);
}

/// Updates the word at Pointer; returns its previous value as bits.
static Value *update(Emitter &E, StringRef Name, const Type &Ty, Value *Pointer, const Operand &O,
                     AtomicOrdering Ordering) {
  if (Ty.isFloat() && Ty.Bits == 16)
    return narrowAtomic(E, Name, Ty, Pointer, O);
  Type Encoding = bitsType(Ty.totalBits());
  AtomicRMWInst::BinOp Op = operationNamed(Name, Ty);
  if (Op == AtomicRMWInst::BAD_BINOP || Ty.Elements != 1 ||
      (Ty.isFloat() && Op != AtomicRMWInst::FAdd)) {
    E.fail("its operation on this type");
    return PoisonValue::get(E.irType(Encoding));
  }
  Value *Old = E.B.CreateAtomicRMW(Op, Pointer, E.read(O, Ty), Align(Encoding.Bits / 8), Ordering);
  return E.B.CreateBitCast(Old, E.irType(Encoding));
}

/// Lowers atom, red, and red.async, whose bytes a barrier counts.
static bool atomic(Emitter &E, bool HasResult) {
  const bool Async = !HasResult && E.Mods.take("async") && E.Mods.take(CompleteTx);
  AtomicOrdering Ordering = takeOrdering(E.Mods);
  if (Ordering == AtomicOrdering::NotAtomic)
    Ordering = AtomicOrdering::Monotonic;
  takeScope(E.Mods);
  takeSpace(E.Mods);
  bool Policy = takeCacheHints(E.Mods);
  StringRef Name = E.Mods.next();
  E.Mods.take("noftz");
  bool Vector = !E.Mods.takeOneOf({"v2", "v4", "v8"}).empty();
  std::optional<Type> Ty = E.takeType();
  bool Cas = Name == "cas";
  unsigned First = HasResult ? 1 : 0;
  if (!Ty || Ty->totalBits() < 16 || (Cas && (!HasResult || Vector)) ||
      !E.expectOperands(First + (Cas ? 3 : 2) + (Policy || Async)))
    return false;
  Value *Pointer = E.readAddress(E.operand(First));
  Type Encoding = bitsType(Ty->totalBits());
  unsigned Bytes = Encoding.Bits / 8;
  if (Cas) {
    Value *Pair = E.B.CreateAtomicCmpXchg(Pointer, E.read(First + 1, Encoding),
                                          E.read(First + 2, Encoding), Align(Bytes), Ordering,
                                          AtomicCmpXchgInst::getStrongestFailureOrdering(Ordering));
    E.write(E.B.CreateExtractValue(Pair, 0), Encoding);
    return true;
  }
  // Vector elements are updated independently.
  ArrayRef<Operand> In = elements(E.operand(First + 1));
  SmallVector<Value *, 8> Old;
  for (const Operand &O : In) {
    Value *Element = E.B.CreateConstGEP1_64(E.B.getInt8Ty(), Pointer, Old.size() * Bytes);
    Old.push_back(update(E, Name, *Ty, Element, O, Ordering));
  }
  if (Async)
    completeTx(E, E.operand(2), E.B.getInt32(Bytes * In.size()));
  if (!HasResult)
    return true;
  ArrayRef<Operand> Out = elements(E.operand(0));
  if (Out.size() != In.size())
    return false;
  for (unsigned I = 0; I != Out.size(); ++I)
    E.write(Out[I], Old[I], Encoding);
  return true;
}

static bool fence(Emitter &E) {
  while (!E.Mods.empty()) // all kinds of fences are equivalent
    E.Mods.next();
  E.B.CreateFence(AtomicOrdering::SequentiallyConsistent);
  return true;
}

std::span<const RuleEntry> memoryInstructions() {
  static const RuleEntry Rules[] = {
      {"ld", load},
      {"ldu", load},
      {"st", store},
      {"atom", [](Emitter &E) { return atomic(E, true); }},
      {"red", [](Emitter &E) { return atomic(E, false); }},
      {"membar", fence},
      {"fence", fence},
  };
  return Rules;
}

} // namespace gmprof::cpu::ptx
