//===- Translate.cpp - Translation of one asm statement -------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//

#include "Emitter.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace gmprof::cpu {

void lowerInlineAsm(Function &F, LoweringContext &Context) {
  SmallVector<CallInst *, 16> Calls;
  for (Instruction &I : instructions(F))
    if (auto *Call = dyn_cast<CallInst>(&I); Call && Call->isInlineAsm())
      Calls.push_back(Call);
  SmallVector<AllocaInst *, 64> Registers;
  for (CallInst *Call : Calls) {
    auto Statement = gmprof::ptx::readStatement(*Call);
    if (!Statement) {
      Context.unsupported(*Call, "inline PTX (" + toString(Statement.takeError()) + ")");
      continue;
    }
    ptx::Emitter E(**Statement, Context);
    E.translate();
    E.takeRegisters(Registers);
  }
  gmprof::ptx::promoteRegisters(F, Registers);
}

} // namespace gmprof::cpu

namespace gmprof::cpu::ptx {

static const StringMap<Rule> &rules() {
  static const StringMap<Rule> Map = [] {
    StringMap<Rule> M;
    for (auto Table : {integerInstructions(), floatInstructions(), dataInstructions(),
                       memoryInstructions(), copyInstructions(), controlInstructions(),
                       matrixInstructions(), videoInstructions(), textureInstructions()})
      for (const RuleEntry &Entry : Table) {
        [[maybe_unused]] bool New = M.try_emplace(Entry.Opcode, Entry.Emit).second;
        assert(New && "two rules for one opcode");
      }
    return M;
  }();
  return Map;
}

/// Returns an instruction in one line, as messages show it.
static std::string oneLine(StringRef Text) {
  SmallVector<StringRef, 8> Words;
  SplitString(Text, Words, " \t\r\n\f\v");
  return join(Words, " ");
}

void Emitter::translate() {
  if (StatementLifter::run())
    return;
  const std::string Why = Failure->empty() ? "" : " (" + *Failure + ")";
  Context.unsupported(Call, "inline PTX '" + oneLine(Current->Text) + "'" + Why);
}

void Emitter::lift(const Instruction &I) {
  if (liftByRow(I) || Failure || guarded(I, [&] { return liftByRule(I); }))
    return;
  const bool Known = rules().contains(I.Opcode) || gmprof::ptx::hasRow(I.Opcode);
  fail(Known ? "its operands or modifiers" : "");
}

bool Emitter::liftByRule(const Instruction &I) {
  auto It = rules().find(I.Opcode);
  if (It == rules().end())
    return false;
  Mods = Modifiers(SmallVector<StringRef, 8>(I.Modifiers.begin(), I.Modifiers.end()));
  return It->second(*this) && (Mods.empty() || fail("its modifier ." + Mods.first()));
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

bool Emitter::expectOperands(unsigned Min, unsigned Max) {
  if (operandCount() >= Min && operandCount() <= Max)
    return true;
  return fail("unexpected number of operands");
}

std::optional<Type> Emitter::takeType() {
  std::optional<Type> Ty = typeNamed(Mods.first());
  if (Ty)
    Mods.next();
  else
    fail("a type is expected" + (Mods.empty() ? "" : " at ." + Mods.first().str()));
  return Ty;
}

std::optional<Type> Emitter::takeInteger() {
  std::optional<Type> Ty = takeType();
  if (Ty && (!Ty->isInteger() || Ty->Elements != 1 || Ty->Bits < 8)) {
    fail("its type");
    return std::nullopt;
  }
  return Ty;
}

std::optional<Type> Emitter::takeLastType() {
  std::optional<Type> Ty;
  if (!Mods.empty())
    Ty = typeNamed(Mods.rest().back());
  if (Ty)
    Mods.take(Mods.rest().back());
  else
    fail("a type is expected at its end");
  return Ty;
}

std::optional<int64_t> Emitter::constant(const Operand &O) {
  if (O.K == Operand::Kind::Integer)
    return O.Bits;
  return std::nullopt;
}

/// Returns the part of a register named by a selector: b0 … b3, h0, h1.
Value *Emitter::select(Value *V, const Operand &O, const Type &Ty) {
  StringRef S = O.Selector;
  unsigned Width = S.starts_with("b") ? 8 : S.starts_with("h") ? 16 : 0, Index;
  if (!Width || S.drop_front().getAsInteger(10, Index) || (Index + 1) * Width > 32 ||
      !V->getType()->isIntegerTy(32)) {
    fail("its selector ." + S);
    return V;
  }
  V = B.CreateTrunc(B.CreateLShr(V, Index * Width), B.getIntNTy(Width));
  return convert(V, irType(Ty), Ty.isSigned());
}

Value *Emitter::read(const Operand &O, const Type &Ty) {
  if (!O.Selector.empty() && O.isRegister()) {
    Operand Whole = O;
    Whole.Selector = {};
    return select(InstructionLifter::read(Whole, B.getInt32Ty()), O, Ty);
  }
  return InstructionLifter::read(O, irType(Ty));
}

Value *Emitter::readAddress(const Operand &O) {
  if (O.K == Operand::Kind::Address)
    return address(O, gmprof::ptx::Space::Generic);
  fail("expected an address, found '" + O.Name + "'");
  return PoisonValue::get(B.getPtrTy());
}

void Emitter::write(const Operand &O, Value *V, const Type &Ty) {
  if (Failure || !V)
    return;
  if (V->getType() != irType(Ty))
    fail("its type");
  else
    InstructionLifter::write(O, V, Ty.isSigned());
}

//===----------------------------------------------------------------------===//
// Intrinsics
//===----------------------------------------------------------------------===//

Value *Emitter::intrinsic(const Twine &Name, ArrayRef<Value *> Args, llvm::Type *Result) {
  std::string Full = ("llvm.nvvm." + Name).str();
  Intrinsic::ID ID = Intrinsic::lookupIntrinsicID(Full);
  if (ID == Intrinsic::not_intrinsic) {
    fail("its combination of modifiers");
    return nullptr;
  }
  if (Intrinsic::isOverloaded(ID)) {
    if (!Result)
      Result = Args[0]->getType();
    FunctionType *Wanted = FunctionType::get(
        Result, to_vector(map_range(Args, [](Value *V) { return V->getType(); })), false);
    SmallVector<llvm::Type *, 2> Overloads;
    if (!Intrinsic::getIntrinsicSignature(ID, Wanted, Overloads)) {
      fail("its combination of types");
      return nullptr;
    }
    return B.CreateIntrinsic(ID, Overloads, Args);
  }
  FunctionType *T = Intrinsic::getType(B.getContext(), ID);
  if (T->getNumParams() != Args.size()) {
    fail("its combination of modifiers");
    return nullptr;
  }
  SmallVector<Value *, 8> Cast(Args);
  for (size_t I = 0; I != Cast.size(); ++I) {
    llvm::Type *Param = T->getParamType(I);
    if (Param->isPointerTy() && Cast[I]->getType()->isPointerTy())
      Cast[I] = B.CreatePointerBitCastOrAddrSpaceCast(Cast[I], Param);
    if (Cast[I]->getType() != Param) {
      fail("its combination of types");
      return nullptr;
    }
  }
  return B.CreateIntrinsic(ID, ArrayRef<llvm::Type *>(), Cast);
}

Value *Emitter::readSpecial(const Operand &O) {
  const StringRef Name = O.Name.drop_front();
  if (Name == "clock_hi" || Name == "globaltimer_hi") {
    Value *Whole = B.CreateIntrinsic(Name == "clock_hi" ? Intrinsic::nvvm_read_ptx_sreg_clock64
                                                        : Intrinsic::nvvm_read_ptx_sreg_globaltimer,
                                     ArrayRef<llvm::Type *>(), {});
    return B.CreateTrunc(B.CreateLShr(Whole, 32), B.getInt32Ty());
  }
  if (Name == "reserved_smem_offset_1")
    return B.CreateTrunc(Context.loadBlock(B, offsetof(BlockState, ReservedShared), B.getInt64Ty()),
                         B.getInt32Ty());
  std::string Dotted = Name.str();
  std::replace(Dotted.begin(), Dotted.end(), '_', '.');
  for (const std::string &Candidate :
       {"read.ptx.sreg." + Name.str(), "read.ptx.sreg." + Dotted, Name.str()})
    if (Intrinsic::ID ID = Intrinsic::lookupIntrinsicID("llvm.nvvm." + Candidate))
      if (Intrinsic::getType(B.getContext(), ID)->getNumParams() == 0)
        return B.CreateIntrinsic(ID, ArrayRef<llvm::Type *>(), {});
  fail("its special register " + O.Name);
  return B.getInt32(0);
}

} // namespace gmprof::cpu::ptx
